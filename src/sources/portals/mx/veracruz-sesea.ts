// Contracts of Veracruz, from Mexico's national digital platform.
import { digitalPlatformSource } from '../../families/mexico-digital-platform.ts'

export const source = digitalPlatformSource({
  id: 'mx-veracruz-sesea',
  supplier: 'SESEA_VER',
  publisher: 'Secretaría Ejecutiva del Sistema Estatal Anticorrupción de Veracruz',
})
