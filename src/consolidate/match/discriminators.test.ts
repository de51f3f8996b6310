import { expect, test } from 'vitest'
import { discriminatorsOf } from './discriminators.ts'

const numerals = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x', 'xi', 'xii']

test.each(numerals.map((text, index) => [text.toUpperCase(), index + 1] as const))('%s is %d', (text, number) => {
  const marks = discriminatorsOf(`Neubau der Schule, Los ${number}`, '')
  expect(Object.values(marks.discriminators)).toContainEqual([String(number)])
  expect(discriminatorsOf(`Neubau der Schule, Los ${text}`, '')).toEqual(marks)
})

test('a number with zeros in front is the number', () => {
  expect(discriminatorsOf('Neubau, Los 007', '')).toEqual(discriminatorsOf('Neubau, Los 7', ''))
  expect(discriminatorsOf('Neubau', '')).toEqual({ discriminators: {}, isInTitle: false })
})
