// Netherlands: TenderNed, the publications below the EU thresholds through its public JSON service.
import { sourceOf } from '../../source.ts'
import { parseTenderned } from './parse-tenderned.ts'

const service = 'https://www.tenderned.nl/papi/tenderned-rs-tns'

export const source = sourceOf({
  id: 'nl-tenderned',
  title: 'TenderNed',
  publisher: 'PIANOo, Ministerie van Economische Zaken',
  homepage: 'https://www.tenderned.nl',
  documentation: 'https://www.tenderned.nl/info/swagger/public-aankondiging-api.yaml',
  license: { name: 'CC0 1.0', url: 'https://creativecommons.org/publicdomain/zero/1.0/' },
  channels: [
    {
      name: 'national',
      slots: { kind: 'day', since: '2022-01-01', rereadDays: [1, 7], isOpenRead: true },
      delivery: {
        kind: 'page',
        request: {
          url: `${service}/v2/publicaties?page={page}&size={limit}&publicatieDatumVanaf={from:yyyy-MM-dd}&publicatieDatumTot={last:yyyy-MM-dd}&publicatieDatumPreset=AGP&nationaalOfEuropees=NL`,
        },
        entries: { format: 'json', at: '/content' },
        total: '/totalElements',
        firstPage: 0,
        pageSize: 100,
        lastPage: 99,
        end: { when: 'total' },
        dateOf: '/publicatieDatum',
        detail: {
          request: { url: `${service}/v2/publicaties/{id}` },
          id: '/publicatieId',
          version: '/publicatieDatum',
        },
      },
    },
    {
      name: 'newest',
      role: 'spare',
      delivery: {
        kind: 'index',
        index: { url: `${service}/rss/laatste-publicatie.rss` },
        entries: { format: 'xml', element: 'entry', root: 'feed' },
      },
    },
  ],
  parse: parseTenderned,
  expects: {
    perDay: [5, 150],
    silentAfterDays: 6,
    shape: ['/totalElements', '/content/0/publicatieId', '/content/0/publicatieDatum', '/content/0/aanbestedingNaam'],
  },
  caveats: [
    'Only national publications are requested: European ones are in TED, and the JSON names neither notice id nor journal number.',
    'Unknown parameters are ignored silently, so counts are compared with the dates of what came.',
    'At most 10,000 publications of one query can be reached (100 pages of 100); a day has about 110.',
    'Whether the day in publicatieDatumTot is included is not documented; it is taken as included.',
    'The eForms XML of a publication needs a login (public-xml, by waiting list), so details are read as JSON, without values and winners.',
    'A publication that ends early carries the code of an award; isVroegtijdigeBeeindiging tells it.',
    'Members of the answer are those that users of the service show; the feed of the newest is a spare.',
  ],
})
