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
    'https://github.com/meccaconsulting/mecca-dashboard/blob/1cf50b06be7b7370f2a136a108384d1135a77bbf/src/weeklyTenderFeed.js',
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
    'The second client reads the same software (ANKÖ) in three Austrian states, within a session that its page opens, and finds the list at /result.',
    'There the detail of a notice (`api/Procurement/Notice/Get/ID`) has the dates of its forms, and CPV ' +
      'codes in its text; it is not read here, because nobody is known to read it in Liechtenstein.',
    'No live answer has been seen.',
  ],
})
