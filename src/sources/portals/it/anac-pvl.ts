// ANAC's platform for publicity with legal effect: every call and result of Italy since 2024.
import { hourMs } from '../../families/card-values.ts'
import { sourceOf } from '../../source.ts'
import { parseAnacPvl } from './parse-anac-pvl.ts'

const platform = 'https://pubblicitalegale.anticorruzione.it'

/** `forms`: the platform's codes of kinds of forms. */
const channel = (name: string, forms: string) =>
  ({
    name,
    slots: { kind: 'day', since: '2024-01-01', delayMs: 2 * hourMs, rereadDays: [2], isOpenRead: true },
    delivery: {
      kind: 'page',
      request: {
        url: `${platform}/api/v0/avvisi?page={page}&size={limit}&codiceScheda=${forms}&dataPubblicazioneStart={from:dd/MM/yyyy}&dataPubblicazioneEnd={last:dd/MM/yyyy}&sortField=dataPubblicazione&sortDirection=ASC`,
        headers: { accept: 'application/json', referer: `${platform}/bandi` },
      },
      entries: { format: 'json', at: '/content' },
      firstPage: 0,
      pageSize: 100,
      end: { when: 'short-page' },
      dateOf: '/dataPubblicazione',
    },
  }) as const

export const source = sourceOf({
  id: 'it-anac-pvl',
  title: 'ANAC – Pubblicità a valore legale',
  publisher: 'Autorità Nazionale Anticorruzione',
  homepage: platform,
  clients: [
    'https://github.com/spmbiz/tender-engine/blob/main/pipeline/discover_it_anac_pvl.py',
    'https://github.com/GiacomoMarani/ANAC-DB-codex/blob/59baa957fb94005820bd5db08d45eebc082a4a99/app/api/cron/sync-anac-pvl/route.ts',
    'https://github.com/mayai-it/bandiradar/blob/c80f09163ae47c70f9f404ffa38b3f19d8a77b86/src/bandiradar/sources/anac_pvl.py',
  ],
  channels: [channel('calls', '2,4'), channel('results', '7'), channel('intentions', '9')],
  parse: parseAnacPvl,
  politeness: { requestsPerMinute: 30, pauseMs: 1000 },
  expects: {
    perDay: [100, 3000],
    silentAfterDays: 4,
    shape: ['/content/0/idAvviso', '/content/0/codiceScheda', '/content/0/template', '/content/0/dataPubblicazione'],
  },
  caveats: [
    'Undocumented interface of the public site; totals are estimates that grow while one pages, so they are not compared.',
    'About 4,000 announcements a day of every kind; direct awards below the thresholds (8a) are not requested.',
    'CPV codes are written as Italian labels; only codes in digits are read. Places are names of provinces.',
    "The number behind the underscore of a form (P1_16, A1_29) is read as the subtype of eForms: inferred from the names of ANAC's forms.",
    'The text of an announcement is in `template` after two clients, in `templates` with a language after one.',
    'The members of the answer are known from public code of 2026; no live answer has been seen.',
  ],
})
