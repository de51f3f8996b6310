// Purchases of the state of Nuevo León.
import { browserLike } from '../../families/card-values.ts'
import { ckanFiles } from '../../families/ckan-files.ts'
import { releases } from '../../ocds/entries.ts'
import { sourceOf } from '../../source.ts'

export const source = sourceOf({
  id: 'mx-nuevo-leon',
  title: 'Nuevo León, Dirección General de Adquisiciones y Servicios',
  publisher: 'Secretaría de Administración de Nuevo León',
  homepage:
    'https://catalogodatos.nl.gob.mx/dataset/contrataciones-abiertas-direccion-general-de-adquisiciones-y-servicios',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/mexico_nuevo_leon.py',
  ],
  recordings: [
    'https://github.com/javiercamarapp/Atiende-Agencia-AI/blob/0183e36cf73a4958d22cafa183e01c2cd2be43ef/packages/domain-licitaciones/tests/fixtures/ocds/nl-releases-page-sample.json',
  ],
  zone: 'America/Monterrey',
  channels: [
    ckanFiles({
      name: 'files',
      url: 'https://catalogodatos.nl.gob.mx/api/3/action/package_show?id=contrataciones-abiertas-direccion-general-de-adquisiciones-y-servicios',
      format: /^(?:json|url)$/i,
      isUndated: true,
      files: releases,
      timetable: '5 8 * * *',
    }),
  ],
  politeness: { ...browserLike, requestsPerMinute: 30 },
  expects: { silentAfterDays: 120, shape: ['/result/resources/0/url', '/result/resources/0/format'] },
  caveats: [
    'Plain user agents are answered with 403.',
    'Resources of the format URL lead to api-ocds.nl.gob.mx.',
    'The recording is of the pages of that interface (`/api/releases?page=1`), five releases of September 2026.',
  ],
})
