// Contracts of Michoacán, from Mexico's national digital platform.
import { digitalPlatformSource } from '../../families/mexico-digital-platform.ts'

export const source = digitalPlatformSource({
  id: 'mx-michoacan-sesea',
  supplier: 'SESEA_MCH',
  publisher: 'Secretaría Ejecutiva del Sistema Estatal Anticorrupción de Michoacán',
})
