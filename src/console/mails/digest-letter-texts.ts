// Texts of the mail with the hits of a person.
import type { Texts } from '../frame/languages.ts'

const en = {
  subject: (count: string, searches: string) => `${count} new ${count === '1' ? 'tender' : 'tenders'}: ${searches}`,
  andMore: (count: number) => `${count} more`,
  groups: {
    near: 'Deadline within 7 days',
    later: 'Later deadlines',
    none: 'Without a known deadline',
    closed: 'No longer open',
  },
  deadline: 'Deadline',
  foundBy: 'Found by',
  untitled: 'A tender without a title',
  gone: 'A tender that is no longer in the stock',
  notice: 'Notice on the portal',
  more: (count: string) => `And ${count} more, not listed here.`,
  all: (count: string) => `See all ${count} on one page`,
  why: (person: string) => `${person} receives the hits of these searches by mail:`,
  leaveOne: 'stop this search',
  others: (count: number) => `and ${count} more`,
  terms: 'Change day, hour, time zone or language',
  leaveAll: 'End all these mails',
  leaveByMail: 'To end these mails, answer with the word “unsubscribe”.',
}

const de: typeof en = {
  subject: (count, searches) => `${count} neue ${count === '1' ? 'Ausschreibung' : 'Ausschreibungen'}: ${searches}`,
  andMore: (count) => `${count} weitere`,
  groups: {
    near: 'Frist in den nächsten 7 Tagen',
    later: 'Spätere Fristen',
    none: 'Ohne bekannte Frist',
    closed: 'Nicht mehr offen',
  },
  deadline: 'Frist',
  foundBy: 'Gefunden von',
  untitled: 'Eine Ausschreibung ohne Titel',
  gone: 'Eine Ausschreibung, die nicht mehr im Bestand ist',
  notice: 'Bekanntmachung im Portal',
  more: (count) => `Und ${count} weitere, die hier nicht stehen.`,
  all: (count) => `Alle ${count} auf einer Seite ansehen`,
  why: (person) => `${person} bekommt die Treffer dieser Suchen per E-Mail:`,
  leaveOne: 'diese Suche beenden',
  others: (count) => `und ${count} weitere`,
  terms: 'Tag, Stunde, Zeitzone oder Sprache ändern',
  leaveAll: 'Alle diese E-Mails beenden',
  leaveByMail: 'Um diese E-Mails zu beenden, antworten Sie mit dem Wort „unsubscribe“.',
}

export const digestLetterTexts: Texts<typeof en> = { en, de }
