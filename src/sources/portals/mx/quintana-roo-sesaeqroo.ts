// Contracts of Quintana Roo, from Mexico's national digital platform.
import { licenceNotStated } from '../../families/card-values.ts'
import { digitalPlatform, digitalPlatformPace, digitalPlatformShape } from '../../families/mexico-digital-platform.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'mx-quintana-roo-sesaeqroo',
  title: 'Plataforma Digital Nacional, SESAE_QROO',
  publisher: 'Secretaría Ejecutiva del Sistema Anticorrupción del Estado de Quintana Roo',
  country: 'MX',
  homepage: 'https://www.plataformadigitalnacional.org/contrataciones',
  licence: licenceNotStated,
  zone: 'America/Cancun',
  channels: [digitalPlatform('SESAE_QROO')],
  access: { kind: 'open' },
  politeness: digitalPlatformPace,
  expects: { silentAfterDays: 120, shape: digitalPlatformShape },
  caveats: ['Bare releases, ten on a page and in no stated order: everything is read every time.'],
}
