// Contracts of Puebla, from Mexico's national digital platform.
import { digitalPlatformSource } from '../../families/mexico-digital-platform.ts'

export const source = digitalPlatformSource({
  id: 'mx-puebla-seseap',
  supplier: 'SESAE_PUE',
  publisher: 'Secretaría Ejecutiva del Sistema Estatal Anticorrupción de Puebla',
})
