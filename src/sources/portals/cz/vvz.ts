// Czechia: VVZ, the bulletin of public contracts, through the interface behind its pages.
import { sourceOf } from '../../source.ts'
import { parseVvz } from './parse-vvz.ts'

export const source = sourceOf({
  id: 'cz-vvz',
  title: 'Věstník veřejných zakázek (VVZ)',
  publisher: 'Ministerstvo pro místní rozvoj',
  homepage: 'https://vvz.nipez.cz',
  clients: [
    'https://github.com/Girts2/saraksts-lv/blob/8ba6af2caa32281dea78a89e55747e23fec424fd/konkursi/lib/sync_engine.php',
    'https://github.com/alpro1000/STAVAGENT/blob/ed034fff85561026b40af20f6c2c5f6032b94477/URS_MATCHER_SERVICE/backend/src/services/vvzClient.js',
  ],
  unnamedClients: 1,
  channels: [
    {
      name: 'forms',
      slots: { kind: 'day', since: '2024-02-01', rereadDays: [1, 5], isOpenRead: true },
      delivery: {
        kind: 'page',
        request: {
          url: 'https://api.vvz.nipez.cz/api/submissions/search?formGroup=vz&form=vz&workflowPlace=UVEREJNENO_VVZ&data.datumUverejneniVvz%5Bgte%5D={from:yyyy-MM-dd}&data.datumUverejneniVvz%5Blt%5D={to:yyyy-MM-dd}&order%5BvariableId%5D=asc&page={page}&limit={limit}',
          headers: { Accept: 'application/json' },
        },
        entries: { format: 'json', at: '' },
        total: 'header[x-total-count]',
        pageSize: 100,
        end: { when: 'short-page' },
        dateOf: '/data/datumUverejneniVvz',
        detail: {
          request: {
            url: 'https://api.vvz.nipez.cz/api/submissions/children/search?submission={id}&limit=5',
            headers: { Accept: 'application/json' },
          },
          id: '/id',
          version: '/updatedAt',
          withEntry: true,
        },
      },
    },
  ],
  parse: parseVvz,
  politeness: { requestsPerMinute: 120, pauseMs: 350 },
  expects: {
    perDay: [80, 700],
    silentAfterDays: 5,
    shape: ['/0/id', '/0/publicId', '/0/variableId', '/0/data/druhFormulare', '/0/data/datumUverejneniVvz'],
  },
  caveats: [
    'The interface behind the pages, not documented as open data; users report that one query returns at most 50,000 entries.',
    'Forms that go to TED too (uverejnitTed) carry the same notice id and version as in TED.',
    'The content is a tree of eForms fields named by their identifiers; forms before eForms (F01 to F25) are read from the search only.',
    'The field names of places and addresses follow the eForms standard, the others code of users.',
  ],
})
