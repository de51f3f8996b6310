// Liechtenstein: vergaben.llv.li, all current notices in one answer.
import { sourceOf } from '../../source.ts'
import { parseVergaben } from './parse-vergaben.ts'

export const source = sourceOf({
  id: 'li-vergaben',
  title: 'Vergabeplattform der Liechtensteinischen Landesverwaltung',
  publisher: 'Fachstelle Öffentliches Auftragswesen',
  homepage: 'https://vergaben.llv.li',
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
  ],
  unnamedClients: 1,
  channels: [
    {
      name: 'current',
      timetable: '37 6,10,14,18 * * *',
      delivery: {
        kind: 'single',
        request: { url: 'https://vergaben.llv.li/api/Procurement/Notice/Find/', json: {} },
        entries: { format: 'json', at: '/result' },
      },
    },
  ],
  parse: parseVergaben,
  politeness: { requestsPerMinute: 10 },
  expects: {
    silentAfterDays: 60,
    shape: ['/result/0/id', '/result/0/name', '/result/0/formName', '/result/0/contAuthOfficialName'],
  },
  caveats: [
    'Undocumented: the answer to an empty query is the whole list of about 29 notices, so it says nothing of those that ended.',
    'tresholdTypeId 1 is below the EU thresholds, 2 above (those are in TED too, without a common number).',
    'No CPV, no value, and no reliable date of publication; works are classified by BKP numbers.',
    'The list is expected at /result, as on the other portals of this software (ANKÖ); it has not been seen live.',
  ],
})
