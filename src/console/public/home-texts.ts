// Texts of the first page.
import { formatNumber } from '../frame/format.ts'
import { withShared } from '../frame/shared-texts.ts'

const en = {
  title: 'One record for every public tender',
  heading: 'One record for every public tender.',
  lead: (site: string) =>
    `Many portals publish the same tender in different words. ${site} joins the notices, keeps one record with a fixed ` +
    'ID, and tells you and your systems what changed.',
  gets: [
    'A mail in the morning with the new tenders that fit you, by deadline',
    'A search by words, trade, region, value and deadline, with the history of each tender',
    'The same records by API, webhook or file, for a copy that lacks none',
  ],
  quote: 'Ask for a quote',
  quoteHeading: 'What does it cost?',
  quoteText:
    'Access is agreed with each company: it depends on whether people search or systems copy. Say in five fields what you ' +
    'need, and a person answers.',
  picture: 'The hits of a saved search in the console: deadline, value, and the reason in words.',
  pictureAlt: 'Page with made-up hits: each with title, authority, deadline, value and why it fits',
  samples: 'Three made-up tenders',
  samplesText: 'As the search shows them. Open one for its deadlines, lots, documents and history.',
  docs: 'Read the documentation',
  find: 'Find tenders',
  flow: 'Three notices of one tender, from three portals, become one record',
  slips: [
    ['TED', '684213-2026 · 2 lots'],
    ['Federal portal', 'Version 02 · new deadline'],
    ['Aurenbach district', 'Documents, contact'],
  ],
  open: 'Open',
  notices: '3 notices',
  deadlineValue: '4 Dec 2026, 12:00',
  valueText: '€ 1,284,000',
  published: 'published',
  now: 'The stock now',
  recordsNote: 'one for each tender',
  newestNote: (edition: number, changes: number) =>
    `no. ${formatNumber(edition, 'en')}, ${formatNumber(changes, 'en')} ${changes === 1 ? 'change' : 'changes'}`,
  portals: 'Portals read',
  portalsNote: 'each on its own timetable',
  noEdition: 'not yet',
  pictures: 'The stock in charts: by week, portal and CPV',
  ways: 'Three ways in',
  waysLead: 'Start with the one that fits your job. The first two need no account.',
  findHeading: 'You decide on bids',
  findText: 'Look for tenders by words, trade, region, value and deadline, and save what you look for.',
  findLink: 'Find tenders',
  docsHeading: 'You build the connection',
  docsText: 'Two GET operations, one cursor, one timestamp. A copy in your CRM or ERP takes an afternoon.',
  docsLink: 'Begin with the quick start',
  signInHeading: 'You own the contract',
  signInText: 'Manage tokens, people, searches and webhooks of your organization, without a password.',
  newHeading: 'Ask only for what is new',
  newText:
    'Send the largest lastModified you hold. You receive every record that is new, changed or archived since then, in order, and nothing else.',
  mergeText:
    'When two notices turn out to be one tender, one record is archived and points to the one that remains. Your copy never holds both.',
  fieldsLink: 'See every field, and how often it is filled',
  request: 'Changes since your last run',
}

const de: typeof en = {
  title: 'Ein Datensatz pro Ausschreibung',
  heading: 'Ein Datensatz pro Ausschreibung.',
  lead: (site) =>
    `Viele Portale veröffentlichen dieselbe Ausschreibung mit anderen Worten. ${site} führt die Bekanntmachungen ` +
    'zusammen, pflegt einen Datensatz mit fester ID und sagt Ihnen und Ihren Systemen, was sich geändert hat.',
  gets: [
    'Morgens eine E-Mail mit den neuen Ausschreibungen, die zu Ihnen passen, nach Frist',
    'Eine Suche nach Wörtern, Branche, Region, Wert und Frist, mit der Geschichte jeder Ausschreibung',
    'Dieselben Datensätze als API, Webhook oder Datei, für eine Kopie, in der keiner fehlt',
  ],
  quote: 'Angebot anfragen',
  quoteHeading: 'Was kostet das?',
  quoteText:
    'Der Zugang wird mit jedem Unternehmen vereinbart: Es kommt darauf an, ob Menschen suchen oder Systeme kopieren. ' +
    'Schreiben Sie in fünf Feldern, was Sie brauchen, und ein Mensch antwortet.',
  picture: 'Die Treffer einer gespeicherten Suche in der Konsole: Frist, Wert und der Grund in Worten.',
  pictureAlt: 'Seite mit erfundenen Treffern, jeder mit Titel, Auftraggeber, Frist, Wert und dem Grund',
  samples: 'Drei erfundene Ausschreibungen',
  samplesText: 'So zeigt sie die Suche. Öffnen Sie eine, um Fristen, Lose, Unterlagen und Geschichte zu sehen.',
  docs: 'Dokumentation lesen',
  find: 'Ausschreibungen finden',
  flow: 'Drei Bekanntmachungen einer Ausschreibung aus drei Portalen werden zu einem Datensatz',
  slips: [
    ['TED', '684213-2026 · 2 Lose'],
    ['Bundesportal', 'Version 02 · neue Frist'],
    ['Landkreis Aurenbach', 'Unterlagen, Kontakt'],
  ],
  open: 'Offen',
  notices: '3 Bekanntmachungen',
  deadlineValue: '4. Dez. 2026, 12:00',
  valueText: '1.284.000 €',
  published: 'veröffentlicht',
  now: 'Der Bestand jetzt',
  recordsNote: 'einer für jede Ausschreibung',
  newestNote: (edition, changes) =>
    `Nr. ${formatNumber(edition, 'de')}, ${formatNumber(changes, 'de')} ${changes === 1 ? 'Änderung' : 'Änderungen'}`,
  portals: 'Gelesene Portale',
  portalsNote: 'jedes nach eigenem Zeitplan',
  noEdition: 'noch keine',
  pictures: 'Der Bestand in Diagrammen: nach Woche, Portal und CPV',
  ways: 'Drei Einstiege',
  waysLead: 'Beginnen Sie mit dem, der zu Ihrer Aufgabe passt. Für die ersten zwei brauchen Sie kein Konto.',
  findHeading: 'Sie entscheiden über Angebote',
  findText: 'Suchen Sie nach Wörtern, Branche, Region, Wert und Frist, und speichern Sie, was Sie suchen.',
  findLink: 'Ausschreibungen finden',
  docsHeading: 'Sie bauen die Anbindung',
  docsText: 'Zwei GET-Operationen, ein Cursor, ein Zeitstempel. Eine Kopie in CRM oder ERP braucht einen Nachmittag.',
  docsLink: 'Mit dem Schnellstart beginnen',
  signInHeading: 'Sie verantworten den Vertrag',
  signInText: 'Verwalten Sie Token, Personen, Suchen und Webhooks Ihrer Organisation, ohne Passwort.',
  newHeading: 'Nur Neues abrufen',
  newText:
    'Senden Sie das größte lastModified, das Sie haben. Sie erhalten jeden Datensatz, der seither neu, ' +
    'geändert oder archiviert ist, der Reihe nach, und sonst nichts.',
  mergeText:
    'Erweisen sich zwei Bekanntmachungen als eine Ausschreibung, wird ein Datensatz archiviert und nennt den, der bleibt. Ihre Kopie hat nie beide.',
  fieldsLink: 'Alle Felder, und wie oft sie gefüllt sind',
  request: 'Änderungen seit Ihrem letzten Lauf',
}

export const homeTexts = withShared(en, de)
