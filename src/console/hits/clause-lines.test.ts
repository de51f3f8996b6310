// Every reason of a clause, of a part of the score and of a rule is said in both languages: English as in the hit,
// German throughout.
import { describe, expect, test } from 'vitest'
import type { TenderRecord } from '../../domain/tender.ts'
import { dayMs } from '../../domain/time.ts'
import { clauseLine } from '../../hits/clause-reason.ts'
import type { CompanyProfile } from '../../hits/company-profile.ts'
import { fitOf } from '../../hits/fit/fit.ts'
import { readFitModel } from '../../hits/fit/fit-model.ts'
import { type FitRule, type PartReason, partLine, ruleLine } from '../../hits/fit/fit-reason.ts'
import { clausesOf, matchedLine, matchOf } from '../../hits/plain-match.ts'
import type { SearchFilter } from '../../hits/saved-search.ts'
import { html } from '../frame/html.ts'
import { clauseText, filterLine, matchedText, partText, ruleText } from './clause-lines.ts'
import { clauseTexts } from './clause-texts.ts'

const now = Date.UTC(2026, 10, 23)
const many = Array.from({ length: 11 }, (_, index) => `${90_000_000 + index}`)

const record = (given: Partial<TenderRecord> = {}): TenderRecord =>
  ({
    id: '00000000-0000-8000-8000-000000000001',
    title: 'Asphaltarbeiten',
    description: 'Deckenbau der Straße',
    contractAmount: { value: 250_000, currency: 'EUR', estimated: false },
    contractingAuthority: { name: 'Landkreis A, by lot 3', country: 'DE' },
    contractNature: 'works',
    procedureType: 'open',
    status: 'open',
    cpvCodes: ['45233141'],
    nutsCodes: ['DE212'],
    submissionDate: new Date(now + 10 * dayMs).toISOString(),
    lots: [],
    originalSources: [],
    ...given,
  }) as never

const bare = record({
  contractAmount: null,
  procedureType: undefined,
  contractNature: undefined,
  submissionDate: undefined,
  archiveReason: 'expired',
  cpvCodes: [],
  nutsCodes: [],
  title: 'x',
  description: undefined,
} as never)
const inLots = record({
  cpvCodes: [],
  contractNature: 'supplies',
  title: 'x',
  description: undefined,
  lots: [
    { lotId: 'LOT-0002', cpvCodes: ['45233141'], contractNature: 'works', title: 'Asphalt', description: 'Decke' },
  ],
  translations: { en: { title: 'Tarmac', description: 'resurfacing' } },
} as never)

const wanted: SearchFilter = {
  cpv: ['45233000'],
  nuts: ['DE21'],
  words: ['asphalt'],
  authorities: ['Landkreis A, by lot 3'],
  contractNatures: ['works'],
  procedures: ['open'],
  allWords: ['asphalt', 'decke'],
  status: ['open'],
  valueMin: 100_000,
  minDaysToDeadline: 5,
  excluded: { cpv: ['90000000'], nuts: ['FR'], words: ['reinigung'], authorities: ['B'] },
}
const other: SearchFilter = {
  cpv: many,
  nuts: ['FR', 'ITC'],
  words: ['reinigung', 'winterdienst'],
  authorities: ['B'],
  contractNatures: ['services', 'supplies'],
  procedures: ['restricted', 'neg-w-call'],
  allWords: ['asphalt', 'winterdienst'],
  status: ['planned', 'awardIntended'],
  valueMin: 1,
  valueMax: 2,
  minDaysToDeadline: 30,
  excluded: { cpv: ['45000000'], nuts: ['DE'], words: ['asphalt', 'decke'], authorities: ['Landkreis A, by lot 3'] },
}
const wordsOf = (word: string): SearchFilter => ({ words: [word] })

const pairs = [record(), bare, inLots].flatMap((each) =>
  [wanted, other, ...['asphaltarbeiten', 'deckenbau', 'decke', 'tarmac', 'resurfacing'].map(wordsOf)].map(
    (filter) => [filter, each] as const,
  ),
)
const clauses = pairs.flatMap(([filter, each]) => clausesOf(filter, each, now))
/** As a reader sees it. */
const seen = (content: Parameters<typeof html>[1]): string =>
  html`${content}`.text.replace(/<bdi[^>]*>|<\/bdi>/g, '').replaceAll('&quot;', '"')

/** What only English says. */
const english = /\b(?:by|the|of|is|not|in lot|lies|title|description|tender|days|text has|any|left|excluded|nothing)\b/

test('a range of values that is open at one end says so', () => {
  const textOf = (filter: SearchFilter) => clauseLine(clausesOf(filter, record(), now)[0]!.reason)
  expect(textOf({ valueMax: 300_000 })).toBe('250000 EUR lies in 0 to 300000 EUR')
  expect(textOf({ valueMin: 100_000 })).toBe('250000 EUR lies in 100000 to any EUR')
})

describe('clauses', () => {
  test('are the sentences of the hit in English', () => {
    expect(clauses.length).toBeGreaterThan(60)
    for (const each of clauses) expect(seen(clauseText(each, 'en'))).toBe(clauseLine(each.reason))
    for (const [filter, each] of pairs)
      for (const clause of matchOf(filter, each, now) ?? [])
        expect(seen(matchedText(clause, '', 'en'))).toBe(matchedLine(clause))
  })

  test('have no English in German except names, and no mark of English', () => {
    const shown = new Set<string>()
    for (const each of clauses) {
      const said = html`${clauseText(each, 'de')}`.text
      expect(said, each.reason.code).not.toContain('lang="en"')
      if (!/Landkreis A/.test(said))
        expect(said.replace(/„[^“]*“|&quot;[^&]*&quot;/g, ''), each.reason.code).not.toMatch(english)
      shown.add(`${each.clause}: ${seen(clauseText(each, 'de'))}`)
    }
    for (const expected of [
      'cpv: 45233141 durch 45233000',
      'cpv: 45233141 in Los 2 durch 45233000',
      `cpv: kein Code der Ausschreibung oder eines Loses liegt in ${many.slice(0, 8).join(', ')} und 3 mehr`,
      'nuts: keine Region der Ausschreibung liegt in FR, ITC',
      'word: „asphalt“ als „asphaltarbeiten“ im Titel',
      'word: „asphalt“ im Titel von Los 2',
      'word: „tarmac“ im Titel (en)',
      'word: „resurfacing“ in der Beschreibung (en)',
      'word: „decke“ als „deckenbau“ in der Beschreibung',
      'contract nature: Bauleistung',
      'contract nature: Bauleistung in Los 2',
      'contract nature: weder Ausschreibung noch Los ist Dienstleistung, Lieferung',
      'procedure: Offen ist nicht Nicht offen, Verhandlung mit Aufruf',
      'procedure: keines ist nicht Offen',
      'status: Offen',
      'status: Offen ist nicht Angekündigt, noch keine Angebote, Direktvergabe angekündigt',
      'word: kein Text hat „winterdienst“',
      'value: 250000 EUR liegt in 100000 bis unbegrenzt EUR',
      'value: 250000 EUR liegt nicht in 1 bis 2 EUR',
      'value: der Wert ist nicht bekannt',
      'deadline: noch 10 Tage, verlangt sind 5',
      'deadline: die Frist ist nicht bekannt',
      'authority: es ist nicht B',
      'authority: Landkreis A, by lot 3',
      'archived: die Ausschreibung ist archiviert: abgelaufen',
      'excluded cpv: nichts davon',
      'excluded cpv: 45233141 durch 45000000',
      'excluded word: „asphalt“ im Titel von Los 2',
    ])
      expect([...shown]).toContain(expected)
    const values = { held: '45233141', own: '45233000', lot: null }
    expect(seen(matchedText({ clause: 'cpv', reason: { code: 'code', values } }, '', 'de'))).toBe(
      'CPV: 45233141 durch 45233000',
    )
  })

  test('each reason occurs', () => {
    const { 'days-left-to-participate': _, ...others } = clauseTexts.en.reasons
    expect([...new Set(clauses.map(({ reason }) => reason.code))].sort()).toEqual(Object.keys(others).sort())
  })

  test('the line of a hit that has no code, or one that only a newer version knows, stays as it is', () => {
    const line = 'toString: <b>'
    const shown = '<bdi lang="en">toString: &lt;b&gt;</bdi>'
    const newer = { code: 'toString', values: {} } as never
    expect(html`${matchedText(undefined, line, 'de')}`.text).toBe(shown)
    expect(html`${matchedText({ clause: 'toString' as never, reason: newer }, line, 'de')}`.text).toBe(shown)
    expect(html`${matchedText({ clause: 'cpv', reason: newer }, line, 'de')}`.text).toBe(shown)
    expect(html`${partText(undefined, line, 'de')}${partText(null, line, 'de')}`.text).toBe(shown + shown)
    expect(html`${partText(newer, line, 'de')}${ruleText(newer, line, 'de')}`.text).toBe(shown + shown)
  })

  const [code, own] = ['DE212', 'DE2']
  const parts: {
    readonly [Code in PartReason['code']]: readonly [Extract<PartReason, { code: Code }>['values'], string]
  } = {
    unknown: [{}, 'nicht bekannt: zählt nicht, die anderen Teile zählen mehr'],
    'other-sector': [{ code }, 'DE212 hat mit Ihren Codes nichts gemeinsam'],
    'own-code': [{ code }, 'DE212 ist einer Ihrer Codes'],
    'below-own-code': [{ code, own }, 'DE212 liegt unter Ihrem DE2'],
    'above-own-code': [{ code, own }, 'DE212 umfasst Ihren DE2'],
    'shared-beginning': [{ code, own, shared: '45' }, 'DE212 und Ihr DE2 haben 45 gemeinsam'],
    'no-words': [{}, 'keine Wörter zum Vergleichen'],
    'no-wins': [{}, 'keine früheren Zuschläge zum Vergleichen'],
    'nearest-wins': [{}, 'Ähnlichkeit von Texten, Titeln und Auftraggeber mit den nächsten früheren Zuschlägen'],
    'other-region': [{ code }, 'DE212 ist keine Ihrer Regionen'],
    'own-region': [{ code }, 'DE212 ist eine Ihrer Regionen'],
    'in-own-region': [{ code, own }, 'DE212 liegt in Ihrer Region DE2'],
    'around-own-region': [{ code, own }, 'DE212 umfasst Ihre Region DE2'],
    'near-own-region': [{ code, own }, 'DE212 liegt bei Ihrer Region DE2'],
    euros: [{ value: 5 }, '5 EUR'],
  }
  test.each(Object.entries(parts))(
    'a part of the score that says %s follows the language',
    (name, [values, german]) => {
      const reason = { code: name, values } as PartReason
      expect(seen(partText(reason, '', 'en'))).toBe(partLine(reason))
      expect(seen(partText(reason, '', 'de'))).toBe(german)
      if (name !== 'euros') expect(partLine(reason)).not.toBe(german)
    },
  )

  test('rules of the score follow the language', () => {
    const model = readFitModel()
    const profiles: readonly CompanyProfile[] = [
      {},
      { pastAuthorities: ['Landkreis A, by lot 3'] },
      { excludedCpv: ['45000000'] },
      { excludedWords: ['asphalt'] },
      { countries: ['FR'] },
      { contractNatures: ['services'] },
    ]
    const rules: FitRule[] = profiles.flatMap((profile) => {
      const { fit, reasons } = fitOf({ profileId: null, profile, wins: [] }, record(), model)
      expect(fit.rules).toEqual(reasons.rules.map(ruleLine))
      return reasons.rules
    })
    expect(new Set(rules.map((rule) => rule.code))).toEqual(new Set(Object.keys(clauseTexts.de.rules)))
    expect(rules.map((rule) => seen(ruleText(rule, '', 'en')))).toEqual(rules.map(ruleLine))
    expect(rules.map((rule) => seen(ruleText(rule, '', 'de')))).toEqual([
      expect.stringMatching(/^nichts zum Vergleichen: \d+$/),
      expect.stringMatching(/^nichts zum Vergleichen: \d+$/),
      expect.stringMatching(/^früherer Auftraggeber \+\d+/),
      'ausgeschlossen: 45233141 durch 45000000',
      'ausgeschlossen: „asphalt“ als „asphaltarbeiten“ im Titel',
      'Land DE',
      'Auftragsart Bauleistung',
    ])
  })

  test('what a search requires is one line', () => {
    expect(seen(filterLine(wanted, 'de'))).toBe(
      'CPV 45233000; Regionen DE21; Wörter asphalt; Auftraggeber Landkreis A, by lot 3; Auftragsarten Bauleistung; ' +
        'Verfahren Offen; alle Wörter asphalt, decke; Status Offen; ' +
        'Wert ab 100.000; Tage bis zur Frist 5; ohne CPV 90000000; ohne Regionen FR; ohne Wörter reinigung; ohne Auftraggeber B',
    )
    expect(seen(filterLine(wanted, 'en'))).toContain(
      'value from 100,000; days until the deadline 5; without CPV 90000000',
    )
  })
})
