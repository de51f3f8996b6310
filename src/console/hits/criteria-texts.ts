// Texts of the fields that searches and profiles have in common.
import type { SearchStatus } from '../../hits/read-input.ts'
import { withShared } from '../frame/shared-texts.ts'

const en = {
  /** A button that only shows the form again. */
  look: 'Show the form again',
  correct: (count: number) => (count === 1 ? 'One thing to correct' : `${count} things to correct`),
  tooMany: (count: number, most: number) =>
    `${count} items are too many, ${most} are allowed. Use codes that cover others, or several searches.`,
  badNumber: (from: number, to: number) =>
    to > 1_000_000_000 ? 'Write a whole number of euros.' : `Write a whole number from ${from} to ${to}.`,
  emptyRange: (from: string) => `“To” must be higher than ${from}. Leave it empty for no upper end.`,
  noName: 'Give it a name.',
  longName: 'A name has at most 200 characters.',
  nameTaken: 'This name is already in use.',
  bad: {
    cpv: (item: string) => `“${item}” is not a CPV code: write 2 to 8 digits, such as 45233000 or 45.`,
    nuts: (item: string) => `“${item}” is not a NUTS code: write two letters and up to three characters, such as DE21.`,
    word: (item: string) =>
      `“${item}” cannot be searched for: a word has 2 to 60 letters or digits, no hyphen and no wildcards.`,
    authority: (item: string) => `“${item}” is not an authority: write names or national ids, one per line.`,
    country: (item: string) => `“${item}” is not a country: write two letters, such as DE.`,
    tender: (item: string) => `“${item}” is not the ID of a tender: copy it from the address of its page.`,
    nature: (item: string) => `“${item}” is not a contract nature.`,
    status: (item: string) => `“${item}” is not a status.`,
    procedure: (item: string) => `“${item}” is not a procedure.`,
  },
  sector: 'Trades, any of these',
  sectorHint: 'A code includes everything below it. Codes of lots count.',
  region: 'Regions, any of these',
  words: 'Words, any of these',
  wordsHint:
    'Separated by commas. With five letters or more, also as the beginning or end of a longer word: “asphalt” finds “Asphaltdeckschicht”.',
  value: 'Value in euros, without VAT',
  to: 'To',
  nature: 'Contract nature',
  statuses: { open: 'Open', planned: 'Announced, no bids yet', awardIntended: 'Direct award announced' } as {
    readonly [status in SearchStatus]: string
  },
  natures: { works: 'Works', supplies: 'Supplies', services: 'Services' },
  oneLine: 'One per line, with the name or national id that tenders have.',
}

const de: typeof en = {
  look: 'Formular erneut zeigen',
  correct: (count) => (count === 1 ? 'Eine Angabe ist zu korrigieren' : `${count} Angaben sind zu korrigieren`),
  tooMany: (count, most) =>
    `${count} Angaben sind zu viele, ${most} sind erlaubt. Nehmen Sie Codes, die andere umfassen, oder mehrere Suchen.`,
  badNumber: (from, to) =>
    to > 1_000_000_000 ? 'Geben Sie ganze Euro an.' : `Geben Sie eine ganze Zahl von ${from} bis ${to} an.`,
  emptyRange: (from) => `„Bis“ muss größer sein als ${from}. Lassen Sie das Feld leer, wenn es kein oberes Ende gibt.`,
  noName: 'Geben Sie einen Namen an.',
  longName: 'Ein Name hat höchstens 200 Zeichen.',
  nameTaken: 'Diesen Namen gibt es schon.',
  bad: {
    cpv: (item) => `„${item}“ ist kein CPV-Code: schreiben Sie 2 bis 8 Ziffern, etwa 45233000 oder 45.`,
    nuts: (item) => `„${item}“ ist kein NUTS-Code: schreiben Sie zwei Buchstaben und bis zu drei Zeichen, etwa DE21.`,
    word: (item) =>
      `„${item}“ kann nicht gesucht werden: ein Wort hat 2 bis 60 Buchstaben oder Ziffern, keinen Bindestrich und keine Musterzeichen.`,
    authority: (item) => `„${item}“ ist kein Auftraggeber: schreiben Sie Name oder nationale Kennung, je Zeile einen.`,
    country: (item) => `„${item}“ ist kein Land: schreiben Sie zwei Buchstaben, etwa DE.`,
    tender: (item) => `„${item}“ ist keine Kennung einer Ausschreibung: kopieren Sie sie aus der Adresse ihrer Seite.`,
    nature: (item) => `„${item}“ ist keine Auftragsart.`,
    status: (item) => `„${item}“ ist kein Status.`,
    procedure: (item) => `„${item}“ ist kein Verfahren.`,
  },
  sector: 'Branchen (mindestens eine)',
  sectorHint: 'Ein Code umfasst alles darunter. Codes von Losen zählen.',
  region: 'Regionen (mindestens eine)',
  words: 'Wörter (mindestens eines)',
  wordsHint:
    'Durch Kommas getrennt. Ab fünf Buchstaben auch als Anfang oder Ende eines längeren Wortes: „asphalt“ findet „Asphaltdeckschicht“.',
  value: 'Wert in Euro, ohne Umsatzsteuer',
  to: 'Bis',
  nature: 'Auftragsart',
  statuses: {
    open: 'Offen',
    planned: 'Angekündigt, noch keine Angebote',
    awardIntended: 'Direktvergabe angekündigt',
  },
  natures: { works: 'Bauleistung', supplies: 'Lieferung', services: 'Dienstleistung' },
  oneLine: 'Je Zeile einer, mit Name oder nationaler Kennung wie in den Ausschreibungen.',
}

export const criteriaTexts = withShared(en, de)
