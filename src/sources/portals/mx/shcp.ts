// Contracts of the federation, from Mexico's national digital platform.
import { digitalPlatformSource } from '../../families/mexico-digital-platform.ts'

export const source = digitalPlatformSource({
  id: 'mx-shcp',
  supplier: 'SHCP',
  publisher: 'Secretaría de Hacienda y Crédito Público',
})
