// Texts of the stock in charts.
import { withShared } from '../frame/shared-texts.ts'

const en = {
  title: 'The stock in charts',
  lead: 'What is in the newest edition, and how soon it arrived. Every chart has its table.',
  edition: (edition: string, at: string) => `Edition ${edition} of ${at}`,
  counted: (tenders: string) => `${tenders} tenders`,
  merged: (records: string) => `${records} merged records do not count`,
  counting: (done: string, all: string) => `Counting: ${done} of ${all} records`,
  newerIsCounted: (edition: string) => `Edition ${edition} is being counted`,
  noEdition: 'There is no edition yet.',
  nothing: 'Nothing has been counted yet',
  firstCount: 'The newest edition is being counted.',
  none: 'The edition has no tenders.',
  tenders: 'Tenders',
  weeks: 'Tenders by week',
  weeksDetail: (at: string) =>
    `By the day of the newest notice, from Monday to Sunday in UTC. The last week ends at ${at}.`,
  weeksFinding: (most: string, week: string, last: string) =>
    `Tenders by week of their newest notice, over 26 weeks. The most are ${most}, in the week from ${week}; the present week has ${last} so far.`,
  weekFrom: 'Week from',
  soFar: (week: string) => `${week} (so far)`,
  otherWeeks: 'Other weeks, or no date',
  portals: 'Tenders by portal',
  portalsDetail: 'A tender that several portals published counts for each.',
  portalsFinding: (count: string, first: string, most: string) =>
    `Tenders by portal, of ${count} portals. The most come from ${first}: ${most}.`,
  divisions: 'Tenders by CPV division',
  divisionsDetail: 'Codes of lots count too, and a tender with codes of several divisions counts in each.',
  divisionsFinding: (count: string, first: string, most: string) =>
    `Tenders by CPV division, of ${count} divisions. The largest is ${first}: ${most}.`,
  division: 'Division',
  unlisted: 'not a CPV division',
  withoutCode: 'Without a code',
  values: 'Tenders without a published value, by country',
  valuesDetail:
    'An estimate is made only where enough published values allow it. The spread is the upper end of its interval ' +
    'divided by the lower, in the median; four of five values are inside.',
  valuesFinding: (estimated: string, unpriced: string) =>
    `Tenders without a published value by country of the authority: ${estimated} of ${unpriced} are estimated.`,
  country: 'Country',
  noCountry: 'Country unknown',
  unpriced: 'Without a published value',
  estimated: 'Estimated',
  spread: 'Usual spread',
  ofAll: (part: string, all: string) => `${part} of ${all}`,
  delays: 'From publication to us, by portal',
  delaysDetail:
    'The time between the date of a notice and its arrival here, for the newest 10,000 documents. An edition ' +
    'follows within the hour. Where a portal writes only a day, the time counts from midnight.',
  delaysFinding: (portal: string, median: string) =>
    `Time from publication to arrival by portal. The slowest is ${portal} with a median of ${median}.`,
  delayTitle: (portal: string, median: string, ninth: string) =>
    `${portal}: half within ${median}, nine of ten within ${ninth}`,
  median: 'Half arrive within',
  ninth: 'Nine of ten within',
  noDelays: 'No notice has arrived yet that was published after its portal was first read.',
  fewNotices: 'No portal has five such notices yet.',
  notKnownNow: 'Unknown at the moment: the database is busy.',
}

const de: typeof en = {
  title: 'Der Bestand in Diagrammen',
  lead: 'Was in der neuesten Ausgabe steht, und wie schnell es ankam. Zu jedem Diagramm gehört eine Tabelle.',
  edition: (edition, at) => `Ausgabe ${edition} vom ${at}`,
  counted: (tenders) => `${tenders} Ausschreibungen`,
  merged: (records) => `${records} zusammengelegte Datensätze zählen nicht`,
  counting: (done, all) => `Wird gezählt: ${done} von ${all} Datensätzen`,
  newerIsCounted: (edition) => `Ausgabe ${edition} wird gerade gezählt`,
  noEdition: 'Es gibt noch keine Ausgabe.',
  nothing: 'Es wurde noch nichts gezählt',
  firstCount: 'Die neueste Ausgabe wird gerade gezählt.',
  none: 'Die Ausgabe enthält keine Ausschreibungen.',
  tenders: 'Anzahl',
  weeks: 'Ausschreibungen nach Woche',
  weeksDetail: (at) =>
    `Nach dem Tag der neuesten Bekanntmachung, von Montag bis Sonntag in UTC. Die letzte Woche endet am ${at}.`,
  weeksFinding: (most, week, last) =>
    `Ausschreibungen nach der Woche ihrer neuesten Bekanntmachung, über 26 Wochen. Die meisten sind ${most}, ` +
    `in der Woche vom ${week}; die laufende Woche hat bisher ${last}.`,
  weekFrom: 'Woche vom',
  soFar: (week) => `${week} (bisher)`,
  otherWeeks: 'Andere Wochen oder ohne Datum',
  portals: 'Ausschreibungen nach Portal',
  portalsDetail: 'Was mehrere Portale veröffentlicht haben, zählt bei jedem.',
  portalsFinding: (count, first, most) =>
    `Ausschreibungen nach Portal, von ${count} Portalen. Die meisten kommen von ${first}: ${most}.`,
  divisions: 'Ausschreibungen nach Abteilung des CPV',
  divisionsDetail: 'Codes von Losen zählen mit, und eine Ausschreibung mit Codes mehrerer Abteilungen zählt in jeder.',
  divisionsFinding: (count, first, most) =>
    `Ausschreibungen nach Abteilung des CPV, von ${count} Abteilungen. Die meisten sind ${first}: ${most}.`,
  division: 'Abteilung',
  unlisted: 'keine Abteilung des CPV',
  withoutCode: 'Ohne Code',
  values: 'Ausschreibungen ohne veröffentlichten Wert, nach Land',
  valuesDetail:
    'Geschätzt wird nur, wo genug veröffentlichte Werte es erlauben. Die Spanne ist das obere Ende des Bereichs ' +
    'geteilt durch das untere, im Median; vier von fünf Werten liegen darin.',
  valuesFinding: (estimated, unpriced) =>
    `Ausschreibungen ohne veröffentlichten Wert nach dem Land der Vergabestelle: ${estimated} von ${unpriced} sind geschätzt.`,
  country: 'Land',
  noCountry: 'Land unbekannt',
  unpriced: 'Ohne veröffentlichten Wert',
  estimated: 'Geschätzt',
  spread: 'Übliche Spanne',
  ofAll: (part, all) => `${part} von ${all}`,
  delays: 'Von der Veröffentlichung bis zu uns, nach Portal',
  delaysDetail:
    'Die Zeit zwischen dem Datum einer Bekanntmachung und ihrer Ankunft hier, für die neuesten 10.000 ' +
    'Dokumente. Eine Ausgabe folgt innerhalb einer Stunde. Wo ein Portal nur den Tag schreibt, zählt die Zeit ' +
    'ab Mitternacht.',
  delaysFinding: (portal, median) =>
    `Zeit von der Veröffentlichung bis zur Ankunft nach Portal. Am langsamsten ist ${portal} mit einem Median von ${median}.`,
  delayTitle: (portal, median, ninth) =>
    `${portal}: die Hälfte innerhalb von ${median}, neun von zehn innerhalb von ${ninth}`,
  median: 'Die Hälfte kommt innerhalb von',
  ninth: 'Neun von zehn innerhalb von',
  noDelays:
    'Es ist noch keine Bekanntmachung angekommen, die nach dem ersten Lesen ihres Portals veröffentlicht wurde.',
  fewNotices: 'Noch hat kein Portal fünf solche Bekanntmachungen.',
  notKnownNow: 'Im Moment nicht bekannt: Die Datenbank ist beschäftigt.',
}

export const stockTexts = withShared(en, de)
