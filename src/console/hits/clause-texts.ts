// Texts of the clauses of a search and of the fit score: their names, and why each is as it is, with trades and regions
// by name. The lines of the hit itself, which programs get, have the codes.
import { codeLabel } from '../../domain/code-labels.ts'
import type { Lines } from '../../domain/lines.ts'
import { type ClauseReason, clauseLines, lotName, type Place } from '../../hits/clause-reason.ts'
import { type FitRule, type PartReason, partLines, ruleLines } from '../../hits/fit/fit-reason.ts'
import type { ClauseName } from '../../hits/plain-match.ts'
import { formatMoney } from '../frame/format.ts'
import type { Language, Texts } from '../frame/languages.ts'
import { criteriaTexts } from './criteria-texts.ts'
import { searchesTexts } from './searches-texts.ts'

/** The name of a CPV or NUTS code; the code itself if it is not listed. */
const called =
  (language: Language) =>
  (code: string): string =>
    codeLabel(/^\d/.test(code) ? 'cpv' : 'nuts', code, language) ?? code
const countryIn = (code: string, language: Language): string =>
  new Intl.DisplayNames(language, { type: 'region', fallback: 'code' }).of(code) ?? code

const [inEnglish, inGerman] = [called('en'), called('de')]
const ofNames = (names: { readonly [code: string]: string }, code: string): string => names[code] ?? code
const englishNature = (code: string): string => ofNames(criteriaTexts.en.natures, code)
const englishProcedure = (code: string): string => ofNames(searchesTexts.en.procedureNames, code)
const englishStatus = (code: string): string => ofNames(criteriaTexts.en.statuses, code)
const englishLot = (lot: string | null): string => (lot === null ? '' : ` in lot ${lotName(lot)}`)
const englishList = (listed: readonly string[], more: number): string =>
  more === 0 ? listed.join(', ') : `${listed.join(', ')} and ${more} more`

const englishRange = (from: number | null, to: number | null): string => {
  const euros = (value: number): string => formatMoney(value, 'EUR', 'en')
  if (from === null || to === null) return from === null ? `up to ${euros(to ?? 0)}` : `from ${euros(from)}`
  return `of ${euros(from)} to ${euros(to)}`
}

const englishReasons = {
  ...clauseLines,
  'value-inside': ({ value, currency, from, to }) =>
    `${formatMoney(value, currency, 'en')} – in your range ${englishRange(from, to)}`,
  'value-outside': ({ value, currency, from, to }) =>
    `${formatMoney(value, currency, 'en')} – not in your range ${englishRange(from, to)}`,
  code: ({ held, own, lot }) =>
    held === own
      ? `${inEnglish(held)}${englishLot(lot)}`
      : `${inEnglish(held)}${englishLot(lot)} – in ${inEnglish(own)}`,
  'no-code': ({ listed, more }) => `nothing in it is ${englishList(listed.map(inEnglish), more)}`,
  'no-region': ({ listed, more }) => `it is not in ${englishList(listed.map(inEnglish), more)}`,
  nature: ({ nature, lot }) => `${englishNature(nature)}${englishLot(lot)}`,
  'no-nature': ({ listed, more }) => `neither tender nor lot is ${englishList(listed.map(englishNature), more)}`,
  procedure: ({ procedure }) => englishProcedure(procedure),
  'other-procedure': ({ procedure, listed, more }) =>
    `${procedure === null ? 'none' : englishProcedure(procedure)} is not ${englishList(listed.map(englishProcedure), more)}`,
  status: ({ status }) => englishStatus(status),
  'other-status': ({ status, listed, more }) =>
    `${englishStatus(status)} is not ${englishList(listed.map(englishStatus), more)}`,
} satisfies Lines<ClauseReason>

const englishParts = {
  ...partLines,
  euros: ({ value }) => formatMoney(value, 'EUR', 'en'),
  'other-sector': ({ code }) => `${inEnglish(code)} – none of your trades`,
  'own-code': ({ code }) => `${inEnglish(code)} – one of your trades`,
  'below-own-code': ({ code, own }) => `${inEnglish(code)} – in your trade ${inEnglish(own)}`,
  'above-own-code': ({ code, own }) => `${inEnglish(code)} – wider than your trade ${inEnglish(own)}`,
  'shared-beginning': ({ code, own }) => `${inEnglish(code)} – related to your trade ${inEnglish(own)}`,
  'title-like': ({ code, own }) => `by its title: ${inEnglish(code)} – like your trade ${inEnglish(own)}`,
  'title-other': ({ code }) => `by its title: ${inEnglish(code)} – none of your trades`,
  'other-region': ({ code }) => `${inEnglish(code)} – none of your regions`,
  'own-region': ({ code }) => `${inEnglish(code)} – one of your regions`,
  'in-own-region': ({ code, own }) => `${inEnglish(code)} – in your region ${inEnglish(own)}`,
  'around-own-region': ({ code, own }) => `${inEnglish(code)} – around your region ${inEnglish(own)}`,
  'near-own-region': ({ code, own }) => `${inEnglish(code)} – near your region ${inEnglish(own)}`,
} satisfies Lines<PartReason>

const englishRules = {
  ...ruleLines,
  'past-authority': ({ points }) => `an authority that you have worked for: +${points}`,
  'excluded-code': (values) => `left out: ${englishReasons.code(values)}`,
  'excluded-word': (values) => `left out: ${clauseLines.word(values)}`,
  'other-country': ({ country }) => `not one of your countries: ${countryIn(country, 'en')}`,
  'other-nature': ({ nature }) => `not what you offer: ${englishNature(nature)}`,
} satisfies Lines<FitRule>

const en = {
  names: {
    archived: 'archived',
    cpv: 'trade',
    nuts: 'region',
    word: 'word',
    authority: 'authority',
    'contract nature': 'contract nature',
    procedure: 'procedure',
    status: 'status',
    value: 'value',
    deadline: 'deadline',
    'excluded cpv': 'trades left out',
    'excluded nuts': 'regions left out',
    'excluded word': 'words left out',
    'excluded authority': 'authorities left out',
  } as { readonly [clause in ClauseName]: string },
  reasons: englishReasons as Lines<ClauseReason>,
  parts: englishParts as Lines<PartReason>,
  rules: englishRules as Lines<FitRule>,
  members: {
    cpv: 'trades',
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
  called: inEnglish,
}

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
  more === 0 ? listed.join(', ') : `${listed.join(', ')} und ${more} weitere`
const germanLot = (lot: string | null | undefined, word: string): string =>
  lot === null || lot === undefined ? '' : ` ${word} Los ${lotName(lot)}`
const germanPlace = ({ text, lot, language }: Place): string =>
  `${text === 'title' ? 'im Titel' : 'in der Beschreibung'}${germanLot(lot, 'von')}${language === undefined ? '' : ` (${language})`}`
const germanRange = (from: number | null, to: number | null): string => {
  const euros = (value: number): string => formatMoney(value, 'EUR', 'de')
  if (from === null || to === null) return from === null ? `bis ${euros(to ?? 0)}` : `ab ${euros(from)}`
  return `von ${euros(from)} bis ${euros(to)}`
}

const germanReasons = {
  code: ({ held, own, lot }) =>
    `${inGerman(held)}${germanLot(lot, 'in')}${held === own ? '' : ` – in ${inGerman(own)}`}`,
  word: ({ word, token, place }) => `„${word}“${token === null ? '' : ` als „${token}“`} ${germanPlace(place)}`,
  archived: ({ reason }) => `die Ausschreibung ist archiviert: ${ofNames(archiveReasons, reason)}`,
  'no-code': ({ listed, more }) => `nichts darin ist ${germanList(listed.map(inGerman), more)}`,
  'no-region': ({ listed, more }) => `sie ist nicht in ${germanList(listed.map(inGerman), more)}`,
  nature: ({ nature, lot }) => `${germanNature(nature)}${germanLot(lot, 'in')}`,
  'no-nature': ({ listed, more }) => `weder Ausschreibung noch Los ist ${germanList(listed.map(germanNature), more)}`,
  procedure: ({ procedure }) => germanProcedure(procedure),
  'other-procedure': ({ procedure, listed, more }) =>
    `${procedure === null ? 'keines' : germanProcedure(procedure)} ist nicht ${germanList(listed.map(germanProcedure), more)}`,
  status: ({ status }) => germanStatus(status),
  'other-status': ({ status, listed, more }) =>
    `${germanStatus(status)} ist nicht ${germanList(listed.map(germanStatus), more)}`,
  'value-inside': ({ value, currency, from, to }) =>
    `${formatMoney(value, currency, 'de')} – in Ihrer Spanne ${germanRange(from, to)}`,
  'value-outside': ({ value, currency, from, to }) =>
    `${formatMoney(value, currency, 'de')} – nicht in Ihrer Spanne ${germanRange(from, to)}`,
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
  'other-sector': ({ code }) => `${inGerman(code)} – keine Ihrer Branchen`,
  'own-code': ({ code }) => `${inGerman(code)} – eine Ihrer Branchen`,
  'below-own-code': ({ code, own }) => `${inGerman(code)} – in Ihrer Branche ${inGerman(own)}`,
  'above-own-code': ({ code, own }) => `${inGerman(code)} – weiter als Ihre Branche ${inGerman(own)}`,
  'shared-beginning': ({ code, own }) => `${inGerman(code)} – verwandt mit Ihrer Branche ${inGerman(own)}`,
  'title-like': ({ code, own }) => `nach dem Titel: ${inGerman(code)} – wie Ihre Branche ${inGerman(own)}`,
  'title-other': ({ code }) => `nach dem Titel: ${inGerman(code)} – keine Ihrer Branchen`,
  'same-for-all': () => 'bei allen Treffern der Suche gleich: zählt nicht',
  'no-words': () => 'keine Wörter zum Vergleichen',
  'no-wins': () => 'keine früheren Zuschläge zum Vergleichen',
  'nearest-wins': () => 'Ähnlichkeit von Texten, Titeln und Auftraggeber mit den nächsten früheren Zuschlägen',
  'other-region': ({ code }) => `${inGerman(code)} – keine Ihrer Regionen`,
  'own-region': ({ code }) => `${inGerman(code)} – eine Ihrer Regionen`,
  'in-own-region': ({ code, own }) => `${inGerman(code)} – in Ihrer Region ${inGerman(own)}`,
  'around-own-region': ({ code, own }) => `${inGerman(code)} – um Ihre Region ${inGerman(own)}`,
  'near-own-region': ({ code, own }) => `${inGerman(code)} – bei Ihrer Region ${inGerman(own)}`,
  euros: ({ value }) => formatMoney(value, 'EUR', 'de'),
} satisfies Lines<PartReason>

const germanRules = {
  'nothing-to-compare': ({ points }) => `nichts zum Vergleichen: ${points}`,
  'past-authority': ({ points }) => `ein früherer Auftraggeber von Ihnen: +${points}`,
  'excluded-code': (values) => `ausgeschlossen: ${germanReasons.code(values)}`,
  'excluded-word': (values) => `ausgeschlossen: ${germanReasons.word(values)}`,
  'other-country': ({ country }) => `keines Ihrer Länder: ${countryIn(country, 'de')}`,
  'other-nature': ({ nature }) => `nicht, was Sie anbieten: ${germanNature(nature)}`,
} satisfies Lines<FitRule>

const de: typeof en = {
  names: {
    archived: 'Archiv',
    cpv: 'Branche',
    nuts: 'Region',
    word: 'Wort',
    authority: 'Auftraggeber',
    'contract nature': 'Auftragsart',
    procedure: 'Verfahren',
    status: 'Status',
    value: 'Wert',
    deadline: 'Frist',
    'excluded cpv': 'Branchen, ausgeschlossen',
    'excluded nuts': 'Regionen, ausgeschlossen',
    'excluded word': 'Wörter, ausgeschlossen',
    'excluded authority': 'Auftraggeber, ausgeschlossen',
  },
  reasons: germanReasons,
  parts: germanParts,
  rules: germanRules,
  members: {
    cpv: 'Branchen',
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
  called: inGerman,
}

export const clauseTexts: Texts<typeof en> = { en, de }
