// Contracts of Aguascalientes, from Mexico's national digital platform.
import { digitalPlatformSource } from '../../families/mexico-digital-platform.ts'

export const source = digitalPlatformSource({
  id: 'mx-aguascalientes-sesea',
  supplier: 'SESEA_AGS',
  publisher: 'Secretaría Ejecutiva del Sistema Estatal Anticorrupción de Aguascalientes',
})
