// Texts of the explorer.
import { withShared } from '../frame/shared-texts.ts'

const en = {
  lead: 'Query the API, and see the request in three languages and the answer with its headers. The address of this page contains the query.',
  samples: 'Sample data.',
  samplesDetail: 'These are made-up notices of the sample portals, and the stock of this service.',
  frozen: 'Sample data, frozen.',
  frozenDetail: (records: string, day: string) =>
    `${records} made-up tenders as of ${day}, the same for everybody; none is real.`,
  signInForLive: 'Sign in to explore live tenders.',
  needsAccess: 'To explore live tenders, your organization needs API access.',
  live: (organization: string) => `This queries the live API for ${organization} and counts against its limit.`,
  making: 'Sample data is being created',
  makingDetail: 'This service creates it once, after its first start. It takes a minute or two.',
  failed: 'Sample data could not be created',
  failedDetail:
    'The service retries within an hour. Everything else works. If you have API access, you can sign in and explore the live tenders.',
  tooMany: 'Your network sent too many requests to the sample data. Try again in a minute.',
  ask: 'Query the API',
  clear: 'Start over',
  filters: 'Filters',
  record: 'One record',
  recordHint: 'An ID shows one record instead of a list.',
  meaning: 'What it means',
  found: (count: string, isCapped: boolean) =>
    isCapped ? `More than ${count} records match.` : `${count} ${count === '1' ? 'record matches' : 'records match'}.`,
  next: 'Next page',
  shortened: (bytes: string) => `Shortened: the whole answer has ${bytes} characters.`,
  noAnswer: 'The API did not answer. Try again in a moment.',
  token: 'The variable TENDER_TOKEN holds your token.',
  language: 'Language of the example',
}

const de: typeof en = {
  lead:
    'Fragen Sie die API ab, und sehen Sie die Anfrage in drei Sprachen und die Antwort mit ihren Kopfzeilen. ' +
    'Die Adresse dieser Seite enthält die Abfrage.',
  samples: 'Beispieldaten.',
  samplesDetail: 'Das sind erfundene Bekanntmachungen der Beispielportale, und der Bestand dieses Dienstes.',
  frozen: 'Beispieldaten, eingefroren.',
  frozenDetail: (records, day) =>
    `${records} erfundene Ausschreibungen vom Stand ${day}, für alle dieselben; keine ist echt.`,
  signInForLive: 'Melden Sie sich an, um echte Ausschreibungen abzufragen.',
  needsAccess: 'Für echte Ausschreibungen braucht Ihre Organisation API-Zugang.',
  live: (organization) => `Diese Seite fragt für ${organization} die echte API ab und zählt zu deren Limit.`,
  making: 'Die Beispieldaten werden gerade erzeugt',
  makingDetail: 'Der Dienst erzeugt sie einmal, nach seinem ersten Start. Das dauert ein bis zwei Minuten.',
  failed: 'Die Beispieldaten konnten nicht erzeugt werden',
  failedDetail:
    'Der Dienst versucht es innerhalb einer Stunde erneut. Alles andere funktioniert. Mit API-Zugang können Sie ' +
    'nach der Anmeldung echte Ausschreibungen abfragen.',
  tooMany: 'Aus Ihrem Netz kamen zu viele Anfragen an die Beispieldaten. Versuchen Sie es in einer Minute noch einmal.',
  ask: 'API abfragen',
  clear: 'Neu beginnen',
  filters: 'Filter',
  record: 'Ein Datensatz',
  recordHint: 'Eine ID zeigt einen Datensatz statt einer Liste.',
  meaning: 'Was das heißt',
  found: (count, isCapped) =>
    isCapped
      ? `Mehr als ${count} Datensätze passen.`
      : `${count} ${count === '1' ? 'Datensatz passt' : 'Datensätze passen'}.`,
  next: 'Nächste Seite',
  shortened: (bytes) => `Gekürzt: Die ganze Antwort hat ${bytes} Zeichen.`,
  noAnswer: 'Die API hat nicht geantwortet. Versuchen Sie es gleich noch einmal.',
  token: 'Ihr Token steht in der Variablen TENDER_TOKEN.',
  language: 'Sprache des Beispiels',
}

export const explorerTexts = withShared(en, de)
