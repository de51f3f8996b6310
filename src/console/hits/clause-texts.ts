// Texts of the clauses of a search and of the fit score: their names, and why each is as it is. English lines are those
// of the hit itself.
import type { Lines } from '../../domain/lines.ts'
import { type ClauseReason, clauseLines, lotName, type Place } from '../../hits/clause-reason.ts'
import { type FitRule, type PartReason, partLines, ruleLines } from '../../hits/fit/fit-reason.ts'
import type { ClauseName } from '../../hits/plain-match.ts'
import type { Texts } from '../frame/languages.ts'
import { criteriaTexts } from './criteria-texts.ts'
import { searchesTexts } from './searches-texts.ts'

const en = {
  names: {
    archived: 'archived',
    cpv: 'cpv',
    nuts: 'nuts',
    word: 'word',
    authority: 'authority',
    'contract nature': 'contract nature',
    procedure: 'procedure',
    status: 'status',
    value: 'value',
    deadline: 'deadline',
    'excluded cpv': 'excluded cpv',
    'excluded nuts': 'excluded nuts',
    'excluded word': 'excluded word',
    'excluded authority': 'excluded authority',
  } as { readonly [clause in ClauseName]: string },
  reasons: clauseLines as Lines<ClauseReason>,
  parts: partLines as Lines<PartReason>,
  rules: ruleLines as Lines<FitRule>,
  members: {
    cpv: 'CPV',
    nuts: 'regions',
    words: 'words',
    authorities: 'authorities',
    contractNatures: 'contract natures',
    allWords: 'all words',
    procedures: 'procedures',
    status: 'status',
    valueMin: 'value from',
    valueMax: 'value to',
    minDaysToDeadline: 'days until the deadline',
  },
  /** Of what a search leaves out. */
  without: (member: string) => `without ${member}`,
}

const ofNames = (names: { readonly [code: string]: string }, code: string): string => names[code] ?? code
const germanNature = (code: string): string => ofNames(criteriaTexts.de.natures, code)
const germanProcedure = (code: string): string => ofNames(searchesTexts.de.procedureNames, code)
const germanStatus = (code: string): string => ofNames(criteriaTexts.de.statuses, code)
const archiveReasons = {
  expired: 'abgelaufen',
  cancelled: 'aufgehoben',
  awarded: 'vergeben',
  merged: 'zusammengelegt',
}

const germanList = (listed: readonly string[], more: number): string =>
  more === 0 ? listed.join(', ') : `${listed.join(', ')} und ${more} mehr`
const germanLot = (lot: string | null | undefined, word: string): string =>
  lot === null || lot === undefined ? '' : ` ${word} Los ${lotName(lot)}`
const germanPlace = ({ text, lot, language }: Place): string =>
  `${text === 'title' ? 'im Titel' : 'in der Beschreibung'}${germanLot(lot, 'von')}${language === undefined ? '' : ` (${language})`}`
const germanRange = (from: number | null, to: number | null): string => `${from ?? 0} bis ${to ?? 'unbegrenzt'} EUR`

const germanReasons = {
  code: ({ held, own, lot }) => `${held}${germanLot(lot, 'in')} durch ${own}`,
  word: ({ word, token, place }) => `„${word}“${token === null ? '' : ` als „${token}“`} ${germanPlace(place)}`,
  archived: ({ reason }) => `die Ausschreibung ist archiviert: ${ofNames(archiveReasons, reason)}`,
  'no-code': ({ listed, more }) => `kein Code der Ausschreibung oder eines Loses liegt in ${germanList(listed, more)}`,
  'no-region': ({ listed, more }) => `keine Region der Ausschreibung liegt in ${germanList(listed, more)}`,
  nature: ({ nature, lot }) => `${germanNature(nature)}${germanLot(lot, 'in')}`,
  'no-nature': ({ listed, more }) => `weder Ausschreibung noch Los ist ${germanList(listed.map(germanNature), more)}`,
  procedure: ({ procedure }) => germanProcedure(procedure),
  'other-procedure': ({ procedure, listed, more }) =>
    `${procedure === null ? 'keines' : germanProcedure(procedure)} ist nicht ${germanList(listed.map(germanProcedure), more)}`,
  status: ({ status }) => germanStatus(status),
  'other-status': ({ status, listed, more }) =>
    `${germanStatus(status)} ist nicht ${germanList(listed.map(germanStatus), more)}`,
  'value-inside': ({ value, currency, from, to }) => `${value} ${currency} liegt in ${germanRange(from, to)}`,
  'value-outside': ({ value, currency, from, to }) => `${value} ${currency} liegt nicht in ${germanRange(from, to)}`,
  'value-unknown': () => 'der Wert ist nicht bekannt',
  'days-left': ({ left, asked }) => `noch ${left} Tage, verlangt sind ${asked}`,
  'days-left-to-participate': ({ left, asked }) => `noch ${left} Tage für die Teilnahme, verlangt sind ${asked}`,
  'deadline-unknown': () => 'die Frist ist nicht bekannt',
  authority: ({ name }) => name,
  'other-authority': ({ listed, more }) => `es ist nicht ${germanList(listed, more)}`,
  'no-word': ({ listed, more }) =>
    `kein Text hat ${germanList(
      listed.map((word) => `„${word}“`),
      more,
    )}`,
  'nothing-excluded': () => 'nichts davon',
} satisfies Lines<ClauseReason>

const germanParts = {
  unknown: () => 'nicht bekannt: zählt nicht, die anderen Teile zählen mehr',
  'other-sector': ({ code }) => `${code} hat mit Ihren Codes nichts gemeinsam`,
  'own-code': ({ code }) => `${code} ist einer Ihrer Codes`,
  'below-own-code': ({ code, own }) => `${code} liegt unter Ihrem ${own}`,
  'above-own-code': ({ code, own }) => `${code} umfasst Ihren ${own}`,
  'shared-beginning': ({ code, own, shared }) => `${code} und Ihr ${own} haben ${shared} gemeinsam`,
  'no-words': () => 'keine Wörter zum Vergleichen',
  'no-wins': () => 'keine früheren Zuschläge zum Vergleichen',
  'nearest-wins': () => 'Ähnlichkeit von Texten, Titeln und Auftraggeber mit den nächsten früheren Zuschlägen',
  'other-region': ({ code }) => `${code} ist keine Ihrer Regionen`,
  'own-region': ({ code }) => `${code} ist eine Ihrer Regionen`,
  'in-own-region': ({ code, own }) => `${code} liegt in Ihrer Region ${own}`,
  'around-own-region': ({ code, own }) => `${code} umfasst Ihre Region ${own}`,
  'near-own-region': ({ code, own }) => `${code} liegt bei Ihrer Region ${own}`,
  euros: ({ value }) => `${value} EUR`,
} satisfies Lines<PartReason>

const germanRules = {
  'nothing-to-compare': ({ points }) => `nichts zum Vergleichen: ${points}`,
  'past-authority': ({ points }) => `früherer Auftraggeber +${points}`,
  'excluded-code': (values) => `ausgeschlossen: ${germanReasons.code(values)}`,
  'excluded-word': (values) => `ausgeschlossen: ${germanReasons.word(values)}`,
  'other-country': ({ country }) => `Land ${country}`,
  'other-nature': ({ nature }) => `Auftragsart ${germanNature(nature)}`,
} satisfies Lines<FitRule>

const de: typeof en = {
  names: {
    archived: 'Archiv',
    cpv: 'CPV',
    nuts: 'Region',
    word: 'Wort',
    authority: 'Auftraggeber',
    'contract nature': 'Auftragsart',
    procedure: 'Verfahren',
    status: 'Status',
    value: 'Wert',
    deadline: 'Frist',
    'excluded cpv': 'CPV, ausgeschlossen',
    'excluded nuts': 'Region, ausgeschlossen',
    'excluded word': 'Wort, ausgeschlossen',
    'excluded authority': 'Auftraggeber, ausgeschlossen',
  },
  reasons: germanReasons,
  parts: germanParts,
  rules: germanRules,
  members: {
    cpv: 'CPV',
    nuts: 'Regionen',
    words: 'Wörter',
    authorities: 'Auftraggeber',
    contractNatures: 'Auftragsarten',
    allWords: 'alle Wörter',
    procedures: 'Verfahren',
    status: 'Status',
    valueMin: 'Wert ab',
    valueMax: 'Wert bis',
    minDaysToDeadline: 'Tage bis zur Frist',
  },
  without: (member) => `ohne ${member}`,
}

export const clauseTexts: Texts<typeof en> = { en, de }
