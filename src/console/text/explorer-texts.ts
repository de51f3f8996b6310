// Texts of the explorer.
import type { Texts } from './languages.ts'

const en = {
  title: 'Explorer',
  lead: 'Ask the API, see the request in three languages and the answer with its headers. The address of this page repeats it.',
  samples: 'These are made-up notices of the sample portals.',
  live: (organization: string) => `This asks the live API for ${organization} and counts against its limit.`,
  noAccess: 'Sign in to explore',
  noAccessDetail: 'The explorer asks the live API. It needs an organization with API access and a valid token.',
  signIn: 'Sign in',
  ask: 'Ask the API',
  clear: 'Start over',
  filters: 'Filters',
  request: 'Request',
  answer: 'Answer',
  headers: 'Headers',
  record: 'One record',
  recordHint: 'An id shows one record instead of a list.',
  meaning: 'What it means',
  codes: 'Look codes up',
  found: (count: string, isCapped: boolean) =>
    isCapped ? `More than ${count} records match.` : `${count} ${count === '1' ? 'record matches' : 'records match'}.`,
  next: 'Next page',
  copy: 'Copy',
  copied: 'Copied',
  shortened: (bytes: string) => `Shortened: the whole answer has ${bytes} characters.`,
  noAnswer: 'The API did not answer. Try again in a moment.',
  token: 'Your token stands in the variable TENDER_TOKEN.',
  language: 'Language of the example',
  header: 'Header',
  value: 'Value',
}

const de: typeof en = {
  title: 'Explorer',
  lead: 'Fragen Sie die API, und sehen Sie die Anfrage in drei Sprachen und die Antwort mit ihren Kopfzeilen. Die Adresse dieser Seite wiederholt sie.',
  samples: 'Das sind erfundene Bekanntmachungen der Beispielportale.',
  live: (organization) => `Das fragt die echte API für ${organization} und zählt zu ihrem Limit.`,
  noAccess: 'Zum Ausprobieren anmelden',
  noAccessDetail: 'Der Explorer fragt die echte API. Er braucht eine Organisation mit API-Zugang und gültigem Token.',
  signIn: 'Anmelden',
  ask: 'API fragen',
  clear: 'Neu beginnen',
  filters: 'Filter',
  request: 'Anfrage',
  answer: 'Antwort',
  headers: 'Kopfzeilen',
  record: 'Ein Datensatz',
  recordHint: 'Eine Id zeigt einen Datensatz statt einer Liste.',
  meaning: 'Was das heißt',
  codes: 'Codes nachschlagen',
  found: (count, isCapped) =>
    isCapped
      ? `Mehr als ${count} Datensätze passen.`
      : `${count} ${count === '1' ? 'Datensatz passt' : 'Datensätze passen'}.`,
  next: 'Nächste Seite',
  copy: 'Kopieren',
  copied: 'Kopiert',
  shortened: (bytes) => `Gekürzt: Die ganze Antwort hat ${bytes} Zeichen.`,
  noAnswer: 'Die API hat nicht geantwortet. Versuchen Sie es gleich noch einmal.',
  token: 'Ihr Token steht in der Variablen TENDER_TOKEN.',
  language: 'Sprache des Beispiels',
  header: 'Kopfzeile',
  value: 'Wert',
}

export const explorerTexts: Texts<typeof en> = { en, de }
