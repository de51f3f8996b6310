// What the matcher says of a pair is read in the language of the page: each of its set phrases has words.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { evidenceText, ruleName } from '../../src/console/evidence.ts'
import { evidenceTexts } from '../../src/console/text/evidence-texts.ts'
import { buyerPoints, cpvPoints, deadlinePoints, placePoints } from '../../src/consolidate/match/thresholds.ts'

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
  ]
  expect(rules.length).toBeGreaterThan(30)
  expect([...new Set(rules)].sort()).toEqual(Object.keys(evidenceTexts.de.rules).sort())
  expect(ruleName('veto-time', 'de')).toBe('zeitlich zu weit auseinander')
  expect(ruleName('later', 'de')).toBe('later')
})

test('each set phrase is said in German, with its values as they are', () => {
  const fixed = found(/detail: '([^']+)'/g, 'vetoes')
  expect(fixed.length).toBeGreaterThan(4)
  for (const phrase of [...fixed, 'an operator joined them', 'the one procedure that refers to it'])
    expect([phrase, evidenceText(phrase, 'de')]).not.toEqual([phrase, phrase])
  for (const [evidence, said] of [
    [
      'title +5.1, buyer equal +2.4, place conflict -2.0',
      'Titel +5,1; Auftraggeber gleich +2,4; Orte verschieden −2,0',
    ],
    ['WBG2602 and WBG2601', 'WBG2602 und WBG2601'],
    ['a result names 123-2026', 'ein Ergebnis nennt 123-2026'],
    ['each title has words of its own (7.5)', 'jeder Titel hat eigene Wörter (7.5)'],
    ['result -3 days after the call', 'Ergebnis -3 Tage nach der Bekanntmachung'],
    ['lot 1 and 2', 'Los 1 und 2'],
    ['call and planning: only by reference', 'Bekanntmachung und Vorankündigung: nur über einen Verweis'],
    ['different ids of bt-04', 'verschiedene Kennungen von bt-04'],
    ['4711', '4711'],
  ] as const)
    expect(evidenceText(evidence, 'de')).toBe(said)
  expect(evidenceText('title +5.1, place conflict -2.0', 'en')).toBe('title +5.1, places differ −2.0')
})
