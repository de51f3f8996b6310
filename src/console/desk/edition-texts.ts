// Texts of the pages about editions and the gate.
import { withShared } from '../frame/shared-texts.ts'

const en = {
  lead: 'What was published, and when. A change is a record that is new, changed or archived.',
  empty: 'No edition yet',
  emptyBody: 'The first one is published when the first notices are consolidated.',
  edition: 'Edition',
  changes: 'Changes',
  tries: 'Held back before',
  page: (from: string, to: string) => `Editions ${from} to ${to}`,
  oneLead: (moment: string, ago: string) => `Published ${moment} UTC, ${ago}.`,
  since: 'After the previous one',
  checksum: 'Checksum',
  bySource: 'What it changed',
  bySourceNote: 'By the sources of the records. A record of several sources counts for each.',
  pruned: (shown: string, all: string) =>
    `${shown} of ${all} changes: the others were changed again since, and older versions are held for 26 hours.`,
  added: 'New',
  total: 'All records',
  noChange: 'It changed no record: only check times moved.',
  corrected: (rules: string) =>
    `Corrected by the service: the stock was derived again after changes of these rules: ${rules}.`,
  heldBefore: 'It was held back',
  heldBeforeNote: 'Before it was published, the gate said:',
  hold: (edition: string) => `Edition ${edition} is held back`,
  holdLead: (since: string, ago: string) =>
    `Since ${since} UTC, ${ago}. Customers receive the last edition until you decide.`,
  noHold: 'Nothing is held back',
  noHoldBody: 'The gate lets the next edition pass.',
  bound: 'Usual, at most',
  reasons: 'Reasons',
  tried: (count: string) => `Tried ${count} times; the newest answer is shown.`,
  reasonsCaption: 'Why the gate holds the edition back',
  waitBody:
    'Check the sources first. If the cause disappears, the next round publishes automatically. If the ' +
    'figures are correct, publish anyway; the next edition can follow an hour later at the earliest.',
  anyway: 'Publish anyway',
  anywayHint: 'Why these figures are correct. The reason stays in the audit log, with your name.',
  anywayShort: 'Write at least ten letters: people who read the log later must understand it.',
  publishedNotice: (edition: string) => `Edition ${edition} is published.`,
  goesOn: 'The edition is being written. It appears here when it is complete.',
  early: (moment: string) =>
    `Nothing was published: the next edition may be published at ${moment} UTC at the earliest.`,
  nothingNew: 'Nothing was published: nothing has changed since the last edition.',
  notPublished: 'Nothing was published.',
  heldNowBody: 'The gate waits for a decision.',
}

const de: typeof en = {
  lead: 'Was wann erschienen ist. Eine Änderung ist ein Datensatz, der neu, geändert oder archiviert ist.',
  empty: 'Noch keine Ausgabe',
  emptyBody: 'Die erste erscheint, wenn die ersten Bekanntmachungen zusammengeführt sind.',
  edition: 'Ausgabe',
  changes: 'Änderungen',
  tries: 'Vorher zurückgehalten',
  page: (from, to) => `Ausgaben ${from} bis ${to}`,
  oneLead: (moment, ago) => `Erschienen ${moment} UTC, ${ago}.`,
  since: 'Nach der vorigen',
  checksum: 'Prüfsumme',
  bySource: 'Was sie geändert hat',
  bySourceNote: 'Nach den Quellen der Datensätze. Ein Datensatz mehrerer Quellen zählt bei jeder.',
  pruned: (shown, all) =>
    `${shown} von ${all} Änderungen: Die anderen wurden seitdem erneut geändert; ältere Fassungen bleiben 26 Stunden.`,
  added: 'Neu',
  total: 'Alle Datensätze',
  noChange: 'Sie hat keinen Datensatz geändert: Nur die Zeiten der Prüfungen sind neu.',
  corrected: (rules) =>
    `Vom Dienst berichtigt: Der Bestand wurde nach Änderungen dieser Regeln neu abgeleitet: ${rules}.`,
  heldBefore: 'Sie wurde zurückgehalten',
  heldBeforeNote: 'Bevor sie erschien, meldete die Schranke:',
  hold: (edition) => `Ausgabe ${edition} wird zurückgehalten`,
  holdLead: (since, ago) => `Seit ${since} UTC, ${ago}. Kunden bekommen die letzte Ausgabe, bis Sie entscheiden.`,
  noHold: 'Nichts wird zurückgehalten',
  noHoldBody: 'Die Schranke lässt die nächste Ausgabe durch.',
  bound: 'Üblich, höchstens',
  reasons: 'Gründe',
  tried: (count) => `${count}-mal versucht; gezeigt ist die letzte Antwort.`,
  reasonsCaption: 'Warum die Schranke die Ausgabe zurückhält',
  waitBody:
    'Sehen Sie zuerst die Quellen an. Fällt die Ursache weg, veröffentlicht der nächste Durchlauf von ' +
    'selbst. Stimmen die Werte, veröffentlichen Sie trotzdem: Die nächste Ausgabe folgt frühestens eine ' +
    'Stunde später.',
  anyway: 'Trotzdem veröffentlichen',
  anywayHint: 'Warum diese Werte stimmen. Die Begründung bleibt mit Ihrem Namen im Protokoll.',
  anywayShort: 'Schreiben Sie mindestens zehn Buchstaben: Wer das Protokoll später liest, muss es verstehen.',
  publishedNotice: (edition) => `Ausgabe ${edition} ist erschienen.`,
  goesOn: 'Die Ausgabe wird geschrieben. Sie erscheint hier, wenn sie vollständig ist.',
  early: (moment) => `Nichts ist erschienen: Die nächste Ausgabe darf frühestens um ${moment} UTC kommen.`,
  nothingNew: 'Nichts ist erschienen: Seit der letzten Ausgabe hat sich nichts geändert.',
  notPublished: 'Nichts ist erschienen.',
  heldNowBody: 'Die Schranke wartet auf eine Entscheidung.',
}

export const editionTexts = withShared(en, de)
