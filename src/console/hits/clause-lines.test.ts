// Every reason of a clause, of a part of the score and of a rule is said in both languages, with the names of trades,
// regions and countries in place of their codes; the lines of the hit itself have the codes.
import { describe, expect, test } from 'vitest'
import type { TenderRecord } from '../../domain/tender.ts'
import { dayMs } from '../../domain/time.ts'
import { clauseLine } from '../../hits/clause-reason.ts'
import type { CompanyProfile } from '../../hits/company-profile.ts'
import { fitOf } from '../../hits/fit/fit.ts'
import { readFitModel } from '../../hits/fit/fit-model.ts'
import { type FitRule, type PartReason, partLine, ruleLine } from '../../hits/fit/fit-reason.ts'
import { clausesOf } from '../../hits/plain-match.ts'
import type { SearchFilter } from '../../hits/saved-search.ts'
import { html } from '../frame/html.ts'
import { clauseText, filterLine, matchedText, partText, ruleText } from './clause-lines.ts'
import { clauseTexts } from './clause-texts.ts'

const now = Date.UTC(2026, 10, 23)
const many = ['90', '905', '906', '907', '909', '77', '79', '80', '85', '92', '98'].map((code) => code.padEnd(8, '0'))
/** A CPV code, or a NUTS code of a region. */
const code = /\b(?:\d{8}|[A-Z]{2}[0-9A-Z]{1,3})\b/

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
const road = 'Straßeninstandhaltungsarbeiten'
const roads = 'Bauarbeiten, Fundamentierungsarbeiten und Oberbauarbeiten für Fernstraßen und Straßen'
const wordsOf = (word: string): SearchFilter => ({ words: [word] })

const pairs = [record(), bare, inLots].flatMap((each) =>
  [wanted, other, ...['asphaltarbeiten', 'deckenbau', 'decke', 'tarmac', 'resurfacing'].map(wordsOf)].map(
    (filter) => [filter, each] as const,
  ),
)
const clauses = pairs.flatMap(([filter, each]) => clausesOf(filter, each, now))
/** As a reader sees it. */
const seen = (content: Parameters<typeof html>[1]): string =>
  html`${content}`.text
    .replace(/<bdi[^>]*>|<\/bdi>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('\u00a0', ' ')

/** What only English says. */
const english = /\b(?:by|the|of|is|not|in lot|lies|title|description|tender|days|text has|any|left|excluded|nothing)\b/

test('a range of values that is open at one end says so', () => {
  const textOf = (filter: SearchFilter) => clauseLine(clausesOf(filter, record(), now)[0]!.reason)
  expect(textOf({ valueMax: 300_000 })).toBe('250000 EUR lies in 0 to 300000 EUR')
  expect(textOf({ valueMin: 100_000 })).toBe('250000 EUR lies in 100000 to any EUR')
})

describe('clauses', () => {
  test('name trades, regions and kinds in both languages, never by a code', () => {
    expect(clauses.length).toBeGreaterThan(60)
    for (const language of ['en', 'de'] as const)
      for (const each of clauses) expect(seen(clauseText(each, language)), each.reason.code).not.toMatch(code)
    const shown = clauses.map((each) => `${each.clause}: ${seen(clauseText(each, 'en'))}`)
    for (const expected of [
      'cpv: Road-maintenance works – in Construction, foundation and surface works for highways, roads',
      'cpv: Road-maintenance works in lot 2 – in Construction, foundation and surface works for highways, roads',
      'nuts: Munich (city) – in Upper Bavaria',
      'nuts: it is not in France, Nord-Ovest',
      'contract nature: Works in lot 2',
      'status: Open',
      'value: €250,000 – in your range from €100,000',
      'value: €250,000 – not in your range of €1 to €2',
    ])
      expect(shown).toContain(expected)
    const trade = { clause: 'cpv', reason: { code: 'code', values: { held: '45233141', own: '45233141', lot: null } } }
    expect(seen(matchedText(trade as never, '', 'en'))).toBe('trade: Road-maintenance works')
    // programs get the codes
    expect(clauses.map(({ reason }) => clauseLine(reason))).toContain('45233141 by 45233000')
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
      `cpv: ${road} – in ${roads}`,
      `cpv: ${road} in Los 2 – in ${roads}`,
      'nuts: sie ist nicht in Frankreich, Nord-Ovest',
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
      'value: 250.000 € – in Ihrer Spanne ab 100.000 €',
      'value: 250.000 € – nicht in Ihrer Spanne von 1 € bis 2 €',
      'value: der Wert ist nicht bekannt',
      'deadline: noch 10 Tage, verlangt sind 5',
      'deadline: die Frist ist nicht bekannt',
      'authority: es ist nicht B',
      'authority: Landkreis A, by lot 3',
      'archived: die Ausschreibung ist archiviert: abgelaufen',
      'excluded cpv: nichts davon',
      `excluded cpv: ${road} – in Bauarbeiten`,
      'excluded word: „asphalt“ im Titel von Los 2',
    ])
      expect([...shown]).toContain(expected)
    const values = { held: '45233141', own: '45233000', lot: null }
    expect(seen(matchedText({ clause: 'cpv', reason: { code: 'code', values } }, '', 'de'))).toBe(
      `Branche: ${road} – in ${roads}`,
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

  const [held, own] = ['DE212', 'DE21']
  const place = 'München, Kreisfreie Stadt'
  const parts: {
    readonly [Code in PartReason['code']]: readonly [Extract<PartReason, { code: Code }>['values'], string]
  } = {
    unknown: [{}, 'nicht bekannt: zählt nicht, die anderen Teile zählen mehr'],
    'other-sector': [{ code: '45233141' }, `${road} – keine Ihrer Branchen`],
    'own-code': [{ code: '45233141' }, `${road} – eine Ihrer Branchen`],
    'below-own-code': [{ code: '45233141', own: '45233000' }, `${road} – in Ihrer Branche ${roads}`],
    'above-own-code': [{ code: '45233000', own: '45233141' }, `${roads} – weiter als Ihre Branche ${road}`],
    'shared-beginning': [
      { code: '45233141', own: '45233000', shared: '45' },
      `${road} – verwandt mit Ihrer Branche ${roads}`,
    ],
    'title-like': [{ code: '45233141', own: '45233000' }, `nach dem Titel: ${road} – wie Ihre Branche ${roads}`],
    'title-other': [{ code: '45233141' }, `nach dem Titel: ${road} – keine Ihrer Branchen`],
    'same-for-all': [{}, 'bei allen Treffern der Suche gleich: zählt nicht'],
    'no-words': [{}, 'keine Wörter zum Vergleichen'],
    'no-wins': [{}, 'keine früheren Zuschläge zum Vergleichen'],
    'nearest-wins': [{}, 'Ähnlichkeit von Texten, Titeln und Auftraggeber mit den nächsten früheren Zuschlägen'],
    'other-region': [{ code: held }, `${place} – keine Ihrer Regionen`],
    'own-region': [{ code: held }, `${place} – eine Ihrer Regionen`],
    'in-own-region': [{ code: held, own }, `${place} – in Ihrer Region Oberbayern`],
    'around-own-region': [{ code: held, own }, `${place} – um Ihre Region Oberbayern`],
    'near-own-region': [{ code: held, own }, `${place} – bei Ihrer Region Oberbayern`],
    euros: [{ value: 5 }, '5 €'],
  }
  test.each(Object.entries(parts))(
    'a part of the score that says %s follows the language',
    (name, [values, german]) => {
      const reason = { code: name, values } as PartReason
      expect(seen(partText(reason, '', 'de'))).toBe(german)
      const said = seen(partText(reason, '', 'en'))
      expect(said).not.toMatch(code)
      expect(said).not.toBe(german)
      if (Object.keys(values).length === 0) expect(said).toBe(partLine(reason))
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
    expect(rules.map((rule) => seen(ruleText(rule, '', 'en'))).slice(2)).toEqual([
      expect.stringMatching(/^an authority that you have worked for: \+\d+/),
      'left out: Road-maintenance works – in Construction work',
      'left out: "asphalt" as "asphaltarbeiten" in the title',
      'not one of your countries: Germany',
      'not what you offer: Works',
    ])
    expect(rules.map((rule) => seen(ruleText(rule, '', 'de')))).toEqual([
      expect.stringMatching(/^nichts zum Vergleichen: \d+$/),
      expect.stringMatching(/^nichts zum Vergleichen: \d+$/),
      expect.stringMatching(/^ein früherer Auftraggeber von Ihnen: \+\d+/),
      `ausgeschlossen: ${road} – in Bauarbeiten`,
      'ausgeschlossen: „asphalt“ als „asphaltarbeiten“ im Titel',
      'keines Ihrer Länder: Deutschland',
      'nicht, was Sie anbieten: Bauleistung',
    ])
  })

  test('what a search requires is one line', () => {
    expect(seen(filterLine(wanted, 'de'))).toBe(
      `Branchen ${roads}; ` +
        'Regionen Oberbayern; Wörter asphalt; Auftraggeber Landkreis A, by lot 3; Auftragsarten Bauleistung; ' +
        'Verfahren Offen; alle Wörter asphalt, decke; Status Offen; ' +
        'Wert ab 100.000; Tage bis zur Frist 5; ohne Branchen Abwasser- und Abfallbeseitigungs-, Reinigungs- und Umweltschutzdienste; ' +
        'ohne Regionen Frankreich; ohne Wörter reinigung; ohne Auftraggeber B',
    )
    expect(seen(filterLine(wanted, 'en'))).toContain(
      'value from 100,000; days until the deadline 5; without trades Sewage',
    )
  })
})
