// `npm run proof -- redaction`: 10,000 made-up people, redacted in one batch, cannot be found by any promised spelling,
// and nothing of texts about somebody else is removed.
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { redactionRule, redactor } from '../../src/domain/redaction.ts'
import { proofCount } from '../proof/proof-count.ts'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'
import { counterTextsOf, madeUpPerson, spellingsOf, tracesIn } from './made-up-people.ts'

const count = proofCount({ share: 25, full: 10_000 })

test('the redactions of many people remove each promised spelling, and nothing of a text about somebody else', () => {
  const random = randomOf(seed)
  const people = Array.from({ length: count }, (_, number) => madeUpPerson(random, 'zq', number))
  const key = randomBytes(32)
  const rules = people.flatMap(({ name, mail, phone }) => [
    redactionRule(key, 'name', name),
    redactionRule(key, 'email', mail),
    redactionRule(key, 'phone', phone),
  ])
  const { text: clean } = redactor(key, rules)
  const published: string[] = []
  const removed: string[] = []
  for (const person of people) {
    for (const spelling of spellingsOf(person)) {
      const left = clean(`Please ask (${spelling}), and nobody else.`)
      // the spelling is one of theirs, and what is around it stays
      expect(tracesIn(spelling, 'zq'), spelling).toHaveLength(1)
      if (tracesIn(left, 'zq').length > 0 || !/^Please ask \(.*\), and nobody else\.$/s.test(left))
        published.push(spelling)
    }
    for (const text of counterTextsOf(person)) if (clean(text) !== text) removed.push(text)
  }
  expect(published).toEqual([])
  expect(removed).toEqual([])
}, 1_200_000)
