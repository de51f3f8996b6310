// Texts of the first screen of an organization.
import { counted, formatNumber, pluralOf } from '../frame/format.ts'
import { withShared } from '../frame/shared-texts.ts'

const en = {
  needs: (count: number) =>
    count === 0
      ? 'Nothing needs your attention.'
      : count === 1
        ? 'One thing needs your attention.'
        : `${count} things need your attention.`,
  asOf: (at: string) => `As of ${at} UTC`,
  published: (records: string, changes: string) =>
    records === changes ? `${records} records, all new or changed` : `${records} records, ${changes} new or changed`,
  noEdition: 'Nothing has been published yet.',
  soon: 'Soon',
  failing: 'Failing',
  full: 'Nearly full',
  endpointFails: (name: string, since: string) => `Webhook “${name}” has been failing since ${since}`,
  endpointOff: (name: string) => `Webhook “${name}” is disabled`,
  endpointWaits: (count: number) =>
    count === 0
      ? 'Nothing is waiting.'
      : `${formatNumber(count, 'en')} ${pluralOf(count, 'en') === 'one' ? 'message waits' : 'messages wait'}; none is lost.`,
  seeWebhooks: 'See webhooks',
  tokenEnds: (name: string, when: string) => `Token “${name}” ends ${when}`,
  tokenWhat: 'Create the second token, deploy it, then revoke this one.',
  rotate: 'Rotate it',
  contractEnds: (when: string) => `The contract ends ${when}`,
  contractWhat: 'Afterwards the API answers 403. Your tokens are kept.',
  contractOver: 'The contract has ended',
  contractOverWhat: 'The API answers 403. Your tokens are kept.',
  limitNear: (peak: string, limit: string) => `${peak} of ${limit} requests in a minute`,
  limitWhat: (refused: string) => `${refused} requests were refused with 429 in 24 hours.`,
  seeUse: 'See the usage',
  hitsToday: 'Hits today',
  bySearch: 'By the search alone',
  strongGood: (strong: string, good: string) => `${strong} strong, ${good} good`,
  kept: 'Open hits you kept',
  closing: (count: string) => counted(count, 'closes this week', 'close this week'),
  peak: (peak: string, limit: string) => `most in a minute: ${peak} of ${limit}`,
  waiting: (count: string) => `${count} waiting`,
  best: 'Best hits of today',
  all: 'All hits',
  noHits: 'No hits today yet',
  noHitsDetail: 'They appear here after the next edition, best first.',
  tender: 'Tender',
  score: 'Score',
  fit: (score: number): string =>
    score >= 80 ? 'Strong fit' : score >= 60 ? 'Good fit' : score >= 40 ? 'Partial fit' : 'Weak fit',
  publishedValue: 'published',
  week: '7 days',
  paused: 'paused',
  ways: 'Where to begin',
  waysDetail: 'Nothing has to be set up to look at tenders.',
  find: 'Find tenders',
  findDetail: 'By words, trade, region, value and deadline. You can save what you look for as a search.',
  access: 'Connect a program',
  accessDetail: 'Create a token and send the first request.',
  noAccessDetail: 'API access is set up by the operator of this service after a contract.',
  readDocs: 'How the API works',
  save: 'Save a search',
  saveDetail: 'Describe once what you are looking for. Each tender that matches becomes one hit.',
  sources: 'See the sources',
  sourcesDetail: 'Which portals are read, and how fresh they are.',
}

const de: typeof en = {
  needs: (count) =>
    count === 0
      ? 'Es gibt nichts zu tun.'
      : `${count === 1 ? 'Ein Punkt braucht' : `${count} Punkte brauchen`} Ihre Aufmerksamkeit.`,
  asOf: (at) => `Stand ${at} UTC`,
  published: (records, changes) =>
    records === changes
      ? `${records} Datensätze, alle neu oder geändert`
      : `${records} Datensätze, ${changes} neu oder geändert`,
  noEdition: 'Es wurde noch nichts veröffentlicht.',
  soon: 'Bald',
  failing: 'Gestört',
  full: 'Fast voll',
  endpointFails: (name, since) => `Webhook „${name}“ ist seit ${since} gestört`,
  endpointOff: (name) => `Webhook „${name}“ ist abgeschaltet`,
  endpointWaits: (count) =>
    count === 0
      ? 'Nichts wartet.'
      : `${formatNumber(count, 'de')} ${pluralOf(count, 'de') === 'one' ? 'Nachricht wartet' : 'Nachrichten warten'}; keine geht verloren.`,
  seeWebhooks: 'Zu den Webhooks',
  tokenEnds: (name, when) => `Token „${name}“ endet ${when}`,
  tokenWhat: 'Erstellen Sie das zweite Token, setzen Sie es ein, und widerrufen Sie dann dieses.',
  rotate: 'Wechseln',
  contractEnds: (when) => `Der Vertrag endet ${when}`,
  contractWhat: 'Danach antwortet die API mit 403. Ihre Token bleiben erhalten.',
  contractOver: 'Der Vertrag ist beendet',
  contractOverWhat: 'Die API antwortet mit 403. Ihre Token bleiben erhalten.',
  limitNear: (peak, limit) => `${peak} von ${limit} Anfragen in einer Minute`,
  limitWhat: (refused) => `${refused} Anfragen wurden in 24 Stunden mit 429 abgewiesen.`,
  seeUse: 'Zur Nutzung',
  hitsToday: 'Treffer heute',
  bySearch: 'Nur nach der Suche',
  strongGood: (strong, good) => `${strong} starke, ${good} gute`,
  kept: 'Behalten und noch offen',
  closing: (count) => counted(count, 'endet diese Woche', 'enden diese Woche'),
  peak: (peak, limit) => `Spitze: ${peak} von ${limit} je Minute`,
  waiting: (count) => counted(count, 'wartet', 'warten'),
  best: 'Beste Treffer von heute',
  all: 'Alle Treffer',
  noHits: 'Heute noch keine Treffer',
  noHitsDetail: 'Sie erscheinen hier nach der nächsten Ausgabe, die besten zuerst.',
  tender: 'Ausschreibung',
  score: 'Punkte',
  fit: (score) =>
    score >= 80 ? 'Passt sehr gut' : score >= 60 ? 'Passt gut' : score >= 40 ? 'Passt teilweise' : 'Passt wenig',
  publishedValue: 'veröffentlicht',
  week: '7 Tage',
  paused: 'angehalten',
  ways: 'Wo Sie anfangen können',
  waysDetail: 'Um Ausschreibungen anzusehen, müssen Sie nichts einrichten.',
  find: 'Ausschreibungen finden',
  findDetail: 'Nach Wörtern, Branche, Region, Wert und Frist. Was Sie suchen, können Sie als Suche speichern.',
  access: 'Ein Programm verbinden',
  accessDetail: 'Ein Token erstellen und die erste Anfrage senden.',
  noAccessDetail: 'Den API-Zugang richtet der Betreiber dieses Dienstes nach einem Vertrag ein.',
  readDocs: 'So funktioniert die API',
  save: 'Eine Suche speichern',
  saveDetail: 'Beschreiben Sie einmal, was Sie suchen. Jede passende Ausschreibung wird ein Treffer.',
  sources: 'Die Quellen ansehen',
  sourcesDetail: 'Welche Portale gelesen werden und wie aktuell sie sind.',
}

export const overviewTexts = withShared(en, de)
