// Contracts of Puebla, from Mexico's national digital platform.
import { licenceNotStated } from '../../families/card-values.ts'
import { digitalPlatform, digitalPlatformPace, digitalPlatformShape } from '../../families/mexico-digital-platform.ts'
import type { Source } from '../../source.ts'

export const source: Source = {
  id: 'mx-puebla-seseap',
  title: 'Plataforma Digital Nacional, SESAE_PUE',
  publisher: 'Secretaría Ejecutiva del Sistema Estatal Anticorrupción de Puebla',
  country: 'MX',
  homepage: 'https://www.plataformadigitalnacional.org/contrataciones',
  licence: licenceNotStated,
  zone: 'America/Mexico_City',
  channels: [digitalPlatform('SESAE_PUE')],
  access: { kind: 'open' },
  politeness: digitalPlatformPace,
  expects: { silentAfterDays: 120, shape: digitalPlatformShape },
  caveats: ['Bare releases, ten on a page and in no stated order: everything is read every time.'],
}
