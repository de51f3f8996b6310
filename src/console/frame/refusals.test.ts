// Refusals of commands are recognized by their shape: English stays as the command says it, German is German.
import { expect, test } from 'vitest'
import { refusalTexts } from './refusal-texts.ts'
import { refusalText } from './refusals.ts'

const { en, de } = refusalTexts

test.each(Object.keys(en) as (keyof typeof en)[])('%s', (name) => {
  const parts = ['one-1', 'two_2', 'https://x.example'].slice(0, en[name].length) as [string, string, string]
  const sentence = en[name](...parts)
  expect(refusalText(sentence, 'en')).toBe(sentence)
  expect(refusalText(sentence, 'de')).toBe(de[name](...parts))
})

test('another sentence is not recognized', () => {
  expect(refusalText('There is no disk space left.', 'de')).toBeUndefined()
})
