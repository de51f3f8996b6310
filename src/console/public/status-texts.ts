// Texts of the status and of the changelog.

import { withShared } from '../frame/shared-texts.ts'
import type { DayState } from './status-board.ts'

const dayStatesInEnglish: { readonly [state in DayState]: string } = {
  onTime: 'On time',
  late: 'Late',
  held: 'Held back',
  none: 'Not in service yet',
}

const alarmsInEnglish: { readonly [kind: string]: string } = {
  failing: 'does not answer',
  silent: 'answers, but has delivered nothing new for days',
  totals: 'delivers less than it announces',
  counts: 'delivers unusually many or few notices',
  rejections: 'delivers many unreadable documents',
}

const en = {
  description: (site: string) =>
    `Whether ${site} is running: editions of the last 90 days, portals, incidents and maintenance.`,
  fine: 'Everything is running',
  fineDetail: (at: string) => `The newest edition appeared at ${at} UTC.`,
  late: 'The next edition is late',
  lateDetail: (at: string) =>
    `The newest edition is of ${at} UTC. The API answers from it; nothing is lost, and your next run brings what is new.`,
  held: 'An edition is held back',
  heldDetail: (at: string) =>
    `A check found something unusual in the new data, and people are looking at it. The edition of ${at} UTC is served meanwhile.`,
  incident: 'There is an incident',
  waiting: 'No edition has been published yet',
  asOf: (at: string) => `As of ${at} UTC, read at most a minute ago`,
  asOfBefore: (at: string) => `As of ${at} UTC`,
  noDatabase: 'The database does not answer at the moment',
  noDatabaseDetail: 'The API answers from the newest edition meanwhile. The figures below were read before.',
  editions: 'Editions of the last 90 days',
  editionsDetail:
    'On time: never more than two hours between two editions. Late: more than that. Held back: a check stopped an edition until people had looked at it.',
  finding: (onTime: number, late: number, held: number) =>
    `${onTime} days on time, ${late} days late, ${held} days with an edition held back`,
  dayTitle: (day: string, state: string, editions: number) =>
    `${day}: ${state}, ${editions === 1 ? '1 edition' : `${editions} editions`}`,
  count: 'Editions',
  longestGap: 'Longest pause',
  minutes: (minutes: string) => `${minutes} min`,
  dayStates: dayStatesInEnglish,
  daysAgo: (days: number) => `${days} days ago`,
  lowerBars: 'Late; lower: held back',
  sourcesFine: (count: string) => `${count} work`,
  sourcesBad: (count: string) => `${count} have a problem`,
  sourcesNone: 'No portal has been read yet.',
  trouble: 'What is wrong',
  alarms: alarmsInEnglish,
  otherAlarm: 'is being looked at',
  incidents: 'Incidents and maintenance',
  noIncidents: 'No incident in the last 90 days.',
  maintenance: 'Maintenance: the API is closed',
  from: (from: string, to: string) => `${from} to ${to} UTC`,
  fromOn: (from: string) => `Since ${from} UTC`,
  feed: 'Follow by Atom',
  byMail: 'Follow by mail',
  feedTitle: (site: string) => `${site}: incidents`,
  changelogLead: 'What changed in the service and its API, by version.',
  changelogFeed: 'Tenderstock: changes',
}

const dayStatesInGerman: typeof dayStatesInEnglish = {
  onTime: 'Pünktlich',
  late: 'Verspätet',
  held: 'Zurückgehalten',
  none: 'Noch kein Betrieb',
}

const alarmsInGerman: typeof alarmsInEnglish = {
  failing: 'antwortet nicht',
  silent: 'antwortet, liefert aber seit Tagen nichts Neues',
  totals: 'liefert weniger, als es ankündigt',
  counts: 'liefert ungewöhnlich viele oder wenige Bekanntmachungen',
  rejections: 'liefert viele unlesbare Dokumente',
}

const de: typeof en = {
  description: (site) => `Ob ${site} läuft: Ausgaben der letzten 90 Tage, Portale, Störungen und Wartungen.`,
  fine: 'Alles läuft',
  fineDetail: (at) => `Die neueste Ausgabe erschien am ${at} UTC.`,
  late: 'Die nächste Ausgabe ist verspätet',
  lateDetail: (at) =>
    `Die neueste Ausgabe ist vom ${at} UTC. Die API antwortet aus ihr; nichts geht verloren, und Ihr nächster Lauf bringt das Neue.`,
  held: 'Eine Ausgabe wird zurückgehalten',
  heldDetail: (at) =>
    `Eine Prüfung fand Ungewöhnliches in den neuen Daten, und Menschen sehen es sich an. Bis dahin gilt die Ausgabe vom ${at} UTC.`,
  incident: 'Es gibt eine Störung',
  waiting: 'Es ist noch keine Ausgabe erschienen',
  asOf: (at) => `Stand ${at} UTC, höchstens eine Minute alt`,
  asOfBefore: (at) => `Stand ${at} UTC`,
  noDatabase: 'Die Datenbank antwortet gerade nicht',
  noDatabaseDetail: 'Die API antwortet weiter aus der neuesten Ausgabe. Die folgenden Angaben wurden vorher gelesen.',
  editions: 'Ausgaben der letzten 90 Tage',
  editionsDetail:
    'Pünktlich: nie mehr als zwei Stunden zwischen zwei Ausgaben. Verspätet: mehr als das. Zurückgehalten: ' +
    'eine Prüfung hielt eine Ausgabe an, bis Menschen sie angesehen hatten.',
  finding: (onTime, late, held) =>
    `${onTime} Tage pünktlich, ${late} Tage verspätet, ${held} Tage mit einer zurückgehaltenen Ausgabe`,
  dayTitle: (day, state, editions) => `${day}: ${state}, ${editions === 1 ? '1 Ausgabe' : `${editions} Ausgaben`}`,
  count: 'Ausgaben',
  longestGap: 'Längste Pause',
  minutes: (minutes) => `${minutes} Min.`,
  dayStates: dayStatesInGerman,
  daysAgo: (days) => `Vor ${days} Tagen`,
  lowerBars: 'Verspätet; niedriger: zurückgehalten',
  sourcesFine: (count) => `${count} funktionieren`,
  sourcesBad: (count) => `${count} gestört`,
  sourcesNone: 'Es wurde noch kein Portal gelesen.',
  trouble: 'Was nicht stimmt',
  alarms: alarmsInGerman,
  otherAlarm: 'wird geprüft',
  incidents: 'Störungen und Wartungen',
  noIncidents: 'Keine Störung in den letzten 90 Tagen.',
  maintenance: 'Wartung: Die API ist geschlossen',
  from: (from, to) => `${from} bis ${to} UTC`,
  fromOn: (from) => `Seit ${from} UTC`,
  feed: 'Mit Atom verfolgen',
  byMail: 'Per E-Mail verfolgen',
  feedTitle: (site) => `${site}: Störungen`,
  changelogLead: 'Was sich am Dienst und seiner API geändert hat, nach Version. Die Einträge sind auf Englisch.',
  changelogFeed: 'Tenderstock: Änderungen',
}

export const statusTexts = withShared(en, de)
