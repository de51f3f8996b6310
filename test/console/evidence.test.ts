// What the matcher says of a pair is read in the language of the page: each of its signs, rules and contradictions has
// words.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { evidenceText, ruleName } from '../../src/console/tenders/evidence.ts'
import { evidenceTexts } from '../../src/console/tenders/evidence-texts.ts'
import { buyerPoints, cpvPoints, deadlinePoints, placePoints } from '../../src/consolidate/match/thresholds.ts'
import { type Contradiction, contradictionLine } from '../../src/domain/contradiction.ts'

const sourceOf = (name: string): string =>
  readFileSync(new URL(`../../src/consolidate/match/${name}.ts`, import.meta.url), 'utf8')
const found = (pattern: RegExp, ...names: string[]): string[] =>
  names.flatMap((name) => [...sourceOf(name).matchAll(pattern)].map((match) => match[1]!))

test('each sign that has points is named', () => {
  const of = (name: string, points: { readonly [relation: string]: number }) =>
    Object.entries(points).flatMap(([relation, value]) => (value === 0 ? [] : [`${name} ${relation}`]))
  const signs = [
    ...of('buyer', buyerPoints),
    ...of('deadline', deadlinePoints),
    ...of('CPV', cpvPoints),
    ...of('place', placePoints),
    ...found(/\['([\w ]+)', /g, 'decide'),
  ]
  expect(signs.length).toBeGreaterThan(20)
  expect([...new Set(signs)].sort()).toEqual(Object.keys(evidenceTexts.de.signs).sort())
})

test('each rule is named', () => {
  const vetoes = /^type VetoName =\n([\s\S]*?)\n\n/m.exec(sourceOf('vetoes'))![1]!
  const rules = [
    ...found(/rule: '([\w-]+)'/g, 'decide', 'same-portal', 'partition'),
    ...found(/none\('([\w-]+)'/g, 'decide'),
    ...found(/(?:return|\?) '([\w-]+-title|title-and-buyer)'/g, 'decide'),
    ...[...vetoes.matchAll(/'([\w-]+)'/g)].map(([, name]) => `veto-${name}`),
    'award-number',
    'named-call',
    'unlike',
  ]
  expect(rules.length).toBeGreaterThan(30)
  expect([...new Set(rules)].sort()).toEqual(Object.keys(evidenceTexts.de.rules).sort())
  expect(ruleName('veto-time', 'de')).toBe('zeitlich zu weit auseinander')
  expect(ruleName('later', 'de')).toBe('later')
})

test('points are said in German, and what is no list of points stays as it is', () => {
  for (const [evidence, said] of [
    [
      'title +5.1, buyer equal +2.4, place conflict -2.0',
      'Titel +5,1; Auftraggeber gleich +2,4; Orte verschieden −2,0',
    ],
    ['4711', '4711'],
    ['a result names 123-2026', 'a result names 123-2026'],
  ] as const)
    expect(evidenceText({ evidence }, 'de')).toBe(said)
  expect(evidenceText({ evidence: 'title +5.1, place conflict -2.0' }, 'en')).toBe('title +5.1, places differ −2.0')
  const contradiction = { code: 'toString', values: {} } as never
  expect(evidenceText({ evidence: 'as a newer version says it', contradiction }, 'de')).toBe(
    'as a newer version says it',
  )
})

type ValuesOf<Code extends Contradiction['code']> = Extract<Contradiction, { readonly code: Code }>['values']
const days = { days: -3 }
const contradictions: {
  readonly [Code in Contradiction['code']]: readonly [values: ValuesOf<Code>, english: string, german: string]
} = {
  countries: [{ left: ['DE'], right: ['AT', 'CH'] }, 'DE and AT,CH', 'DE und AT,CH'],
  'procedure-ids': [{ scope: 'bt-04' }, 'different ids of bt-04', 'verschiedene Kennungen von bt-04'],
  'named-call': [{ keys: ['1-2026', '2-2026'] }, 'a result names 1-2026, 2-2026', 'ein Ergebnis nennt 1-2026, 2-2026'],
  stages: [
    { stages: ['call', 'planning'] },
    'call and prior notice: only by reference',
    'Bekanntmachung und Vorankündigung: nur über einen Verweis',
  ],
  marks: [{ type: 'lot', left: ['1', '3'], right: ['2'] }, 'lot 1,3 and 2', 'Los 1,3 und 2'],
  copy: [
    {},
    'one is marked as a copy of an older procedure',
    'eine ist als Kopie eines älteren Verfahrens gekennzeichnet',
  ],
  numbering: [{}, 'different numbers of one numbering', 'verschiedene Nummern einer Zählung'],
  'award-numbers': [{ left: ['WBG2602'], right: ['WBG2601'] }, 'WBG2602 and WBG2601', 'WBG2602 und WBG2601'],
  'result-as-old': [{}, 'a result as old as the call', 'ein Ergebnis, das so alt ist wie die Bekanntmachung'],
  'result-as-old-as-other': [
    {},
    'a result as old as the call of the other',
    'ein Ergebnis, das so alt ist wie die Bekanntmachung der anderen Seite',
  ],
  'results-apart': [days, 'results -3 days apart', 'Ergebnisse -3 Tage auseinander'],
  'result-after': [days, 'result -3 days after the call', 'Ergebnis -3 Tage nach der Bekanntmachung'],
  'published-apart': [days, 'published -3 days apart', '-3 Tage auseinander veröffentlicht'],
  'deadlines-apart': [days, 'deadlines -3 days apart', 'Fristen -3 Tage auseinander'],
  numbers: [{ left: ['9'], right: ['10', '7'] }, '10,7 and 9', '10,7 und 9'],
  'title-words': [{ weight: 7.46 }, 'each title has words of its own (7.5)', 'jeder Titel hat eigene Wörter (7.5)'],
  buyers: [{}, 'different buyers', 'verschiedene Auftraggeber'],
  cpv: [{}, 'CPV codes of different kinds', 'CPV-Codes verschiedener Art'],
  descriptions: [{}, 'each description names something of its own', 'jede Beschreibung nennt etwas Eigenes'],
  unlike: [
    { left: ['33'], right: ['45', '71'] },
    'no word in common, CPV 33 and 45, 71',
    'kein gemeinsames Wort, CPV 33 und 45, 71',
  ],
}
test.each(Object.entries(contradictions))('%s is said in both languages', (code, [values, english, german]) => {
  const contradiction = { code, values } as Contradiction
  expect(evidenceText({ evidence: '', contradiction }, 'en')).toBe(english)
  expect(evidenceText({ evidence: '', contradiction }, 'de')).toBe(german)
  expect(german).not.toBe(english)
  if (code !== 'stages') expect(contradictionLine(contradiction)).toBe(english)
})

test('the line of stages that commands print has their names as codes', () => {
  const values = { stages: ['call', 'planning'] } as const
  expect(contradictionLine({ code: 'stages', values })).toBe('call and planning: only by reference')
})
