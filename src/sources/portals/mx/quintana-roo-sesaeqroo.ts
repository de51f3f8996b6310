// Contracts of Quintana Roo, from Mexico's national digital platform.
import { digitalPlatformSource } from '../../families/mexico-digital-platform.ts'

export const source = digitalPlatformSource({
  id: 'mx-quintana-roo-sesaeqroo',
  supplier: 'SESAE_QROO',
  publisher: 'Secretaría Ejecutiva del Sistema Anticorrupción del Estado de Quintana Roo',
  zone: 'America/Cancun',
})
