// Contracts of Estado de México, from Mexico's national digital platform.
import { digitalPlatformSource } from '../../families/mexico-digital-platform.ts'

export const source = digitalPlatformSource({
  id: 'mx-estado-de-mexico-sesaemm',
  supplier: 'SESAEMM_EDOMEX',
  publisher: 'Secretaría Ejecutiva del Sistema Anticorrupción del Estado de México y Municipios',
})
