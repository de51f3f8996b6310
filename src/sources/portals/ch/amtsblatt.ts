// Switzerland: the gazette portal, procurement of the cantons that publish there instead of on simap.
import type { Delivery } from '../../delivery.ts'
import { sourceOf } from '../../source.ts'
import { parseAmtsblatt } from './parse-amtsblatt.ts'

const base = 'https://www.amtsblattportal.ch/api/v1/publications'

const listOf = (parameter: string, values: readonly string[]): Delivery => ({
  kind: 'page',
  request: {
    url: `${base}?publicationStates=PUBLISHED&${parameter}={rubric}&publicationDate.start={from:yyyy-MM-dd}&publicationDate.end={last:yyyy-MM-dd}&pageRequest.page={page}&pageRequest.size={limit}`,
    headers: { Accept: 'application/json' },
  },
  each: { name: 'rubric', values },
  entries: { format: 'json', at: '/content' },
  total: '/total',
  firstPage: 0,
  pageSize: 100,
  end: { when: 'total' },
  dateOf: '/meta/publicationDate',
  detail: { request: { url: `${base}/{id}/xml` }, id: '/meta/id' },
})

export const source = sourceOf({
  id: 'ch-amtsblatt',
  title: 'Amtsblattportal, öffentliches Beschaffungswesen der Kantone',
  publisher: 'Staatssekretariat für Wirtschaft (SECO)',
  homepage: 'https://www.amtsblattportal.ch',
  documentation: 'https://www.amtsblattportal.ch/docs/api',
  clients: [
    'https://github.com/malkreide/amtsblatt-mcp/blob/dbb8de58685d8f33291a56db09f5b338767a2283/scripts/measure_procurement_coverage.py',
  ],
  recordings: [
    'https://github.com/malkreide/amtsblatt-mcp/blob/25a0df19555b43a78c830f1963995f033e77789b/tests/fixtures/search_detailed_2.xml',
  ],
  channels: [
    {
      name: 'rubrics',
      slots: { kind: 'day', since: '2022-01-01', rereadDays: [2], isOpenRead: true },
      timetable: '9 7,12,17 * * *',
      delivery: listOf('rubrics', ['OB-AR', 'OB-BS', 'OB-TI', 'OB-ZG']),
    },
    {
      name: 'sub-rubrics',
      slots: { kind: 'day', since: '2022-01-01', rereadDays: [2], isOpenRead: true },
      timetable: '19 7,12,17 * * *',
      delivery: listOf('subRubrics', ['AR-NW40', 'AR-OW40', 'AR-VS40']),
    },
  ],
  parse: parseAmtsblatt,
  expects: { perDay: [0, 60], silentAfterDays: 21, shape: ['/total', '/content', '/pageRequest'] },
  caveats: [
    'Four cantons have a rubric (AR, BS, TI, ZG) and three a sub-rubric (NW, OW, VS); all others publish on simap.ch.',
    'An unknown parameter is ignored and gives the whole corpus (2.8 million); an unknown rubric gives nothing, and neither is reported.',
    'No value; the content is free text that differs by canton. Deadline and CPV are found where an element ' +
      'names them, and in the German and Italian texts that come from simap (Ticino); the words of the French ' +
      'ones were not seen.',
    'Most publications repeat calls of simap.ch, whose project number is then the reference; Ticino has a publication for each language of a call.',
    'The kind of a publication is told by the words of its title.',
  ],
})
