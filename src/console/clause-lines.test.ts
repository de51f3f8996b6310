// Sentences of clauses and rules are recognized by their shape: English stays as in the hit, German is German
// throughout.
import { describe, expect, test } from 'vitest'
import type { TenderRecord } from '../domain/tender.ts'
import { dayMs } from '../domain/time.ts'
import type { CompanyProfile } from '../hits/company-profile.ts'
import { fitOf } from '../hits/fit/fit.ts'
import { readFitModel } from '../hits/fit/fit-model.ts'
import { clausesOf, matchOf } from '../hits/plain-match.ts'
import type { SearchFilter } from '../hits/saved-search.ts'
import { clauseText, filterLine, matchedLine, ruleText } from './clause-lines.ts'
import { html } from './html.ts'

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
  const textOf = (filter: SearchFilter) => clausesOf(filter, record(), now)[0]!.text
  expect(textOf({ valueMax: 300_000 })).toBe('250000 EUR lies in 0 to 300000 EUR')
  expect(textOf({ valueMin: 100_000 })).toBe('250000 EUR lies in 100000 to any EUR')
})

describe('clauses', () => {
  test('are the sentences of the hit in English', () => {
    expect(clauses.length).toBeGreaterThan(60)
    for (const each of clauses) expect(seen(clauseText(each, 'en'))).toBe(each.text)
    for (const [filter, each] of pairs)
      for (const line of matchOf(filter, each, now) ?? []) expect(seen(matchedLine(line, 'en'))).toBe(line)
  })

  test('have no English in German except names, and no mark of English', () => {
    const shown = new Set<string>()
    for (const each of clauses) {
      const said = html`${clauseText(each, 'de')}`.text
      expect(said, each.text).not.toContain('lang="en"')
      if (!/Landkreis A/.test(said))
        expect(said.replace(/„[^“]*“|&quot;[^&]*&quot;/g, ''), each.text).not.toMatch(english)
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
    expect(seen(matchedLine('cpv: 45233141 by 45233000', 'de'))).toBe('CPV: 45233141 durch 45233000')
  })

  test('a sentence of unknown shape stays unchanged, marked as English', () => {
    expect(html`${matchedLine('cpv: something new', 'de')}`.text).toBe('CPV: <bdi lang="en">something new</bdi>')
    expect(html`${matchedLine('toString: <b>', 'de')}`.text).toBe('<bdi lang="en">toString: &lt;b&gt;</bdi>')
    expect(html`${ruleText('<b>', 'de')}`.text).toBe('<bdi lang="en">&lt;b&gt;</bdi>')
  })

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
    const rules = profiles.flatMap((profile) => {
      const { fit } = fitOf({ profileId: null, profile, wins: [] }, record(), model)
      return fit.rules
    })
    expect(rules.map((rule) => seen(ruleText(rule, 'en')))).toEqual(rules)
    expect(rules.map((rule) => seen(ruleText(rule, 'de')))).toEqual([
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
        'Verfahren Offen; Wert ab 100.000; Tage bis zur Frist 5; ohne CPV 90000000; ohne Regionen FR; ohne Wörter reinigung; ohne Auftraggeber B',
    )
    expect(seen(filterLine(wanted, 'en'))).toContain(
      'value from 100,000; days until the deadline 5; without CPV 90000000',
    )
  })
})
