// Contracts of the federation, from Mexico's national digital platform.
import { licenceNotStated } from '../../families/card-values.ts'
import { digitalPlatform, digitalPlatformPace, digitalPlatformShape } from '../../families/mexico-digital-platform.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'mx-shcp',
  title: 'Plataforma Digital Nacional, SHCP',
  publisher: 'Secretaría de Hacienda y Crédito Público',
  country: 'MX',
  homepage: 'https://www.plataformadigitalnacional.org/contrataciones',
  licence: licenceNotStated,
  zone: 'America/Mexico_City',
  channels: [digitalPlatform('SHCP')],
  access: { kind: 'open' },
  politeness: digitalPlatformPace,
  expects: { silentAfterDays: 120, shape: digitalPlatformShape },
  caveats: ['Bare releases, ten on a page and in no stated order: everything is read every time.'],
}
