// The common portal of Honduras' procurement office (ONCAE) and ministry of finance (SEFIN).
import { releases } from '../../ocds/entries.ts'
import { type CardChannel, sourceOf } from '../../source.ts'

const api = 'http://www.contratacionesabiertas.gob.hn/api/v1'

const pages = (name: string, list: string, at: string): CardChannel => ({
  name,
  role: 'spare',
  delivery: {
    kind: 'page',
    request: { url: `${api}/${list}/?format=json&publisher={publisher}&page={page}` },
    entries: { format: 'json', at },
    pageSize: 10,
    end: { when: 'pages', at: '/pages' },
    each: { name: 'publisher', values: ['oncae', 'sefin'] },
  },
})

export const source = sourceOf({
  id: 'hn-contrataciones-abiertas',
  title: 'Contrataciones Abiertas de Honduras',
  publisher: 'ONCAE and Secretaría de Finanzas',
  homepage: 'http://www.contratacionesabiertas.gob.hn',
  documentation: 'http://www.contratacionesabiertas.gob.hn/manual_api/',
  clients: [
    'https://github.com/open-contracting/kingfisher-collect/blob/main/kingfisher_scrapy/spiders/honduras_portal_bulk.py',
    'https://github.com/cristh99/notebooks/blob/439aa946eab4ebeb53f487f83fe295ec298d7e90/ocr_hn_numeric_holdout_v1/prepare.py',
  ],
  channels: [
    {
      name: 'months',
      delivery: {
        kind: 'index',
        index: { url: `${api}/descargas/?format=json` },
        entries: { format: 'json', at: '' },
        url: '/urls/json',
        version: '/urls/md5',
        files: releases,
      },
      timetable: '55 */6 * * *',
    },
    pages('releases', 'release', '/releasePackage/releases'),
    pages('records', 'record', '/recordPackage/records'),
  ],
  politeness: { requestsPerMinute: 20 },
  expects: { silentAfterDays: 45, shape: ['/0/urls/json', '/0/urls/md5'] },
  caveats: ['Pages after the five-thousandth are answered with 502.', 'The interface is documented for http only.'],
})
