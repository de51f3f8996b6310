import { describe, expect, test } from 'vitest'
import type { MatchTitle } from './match-record.ts'
import { translatedShare, WordTables } from './translated-words.ts'

function titleOf(language: string, text: string): MatchTitle {
  const words = text.split(' ')
  return { language, words, weights: words.map(() => 1), joined: text, isTruncated: false }
}

const german = titleOf('de', 'reinigung schule nordhalde')
const french = titleOf('fr', 'nettoyage toiture nordhalde')

describe('share of two titles in two languages', () => {
  const tables = new WordTables({ 'de-fr': 'reinig nettoy propre\nschule ecole' })

  test('words of the table and names count on both sides', () => {
    expect(translatedShare(german, french, tables)).toBeCloseTo(4 / 6)
    expect(translatedShare(french, german, tables)).toBeCloseTo(4 / 6)
    expect(translatedShare(german, titleOf('fr', 'travaux'), tables)).toBe(0)
  })

  test('weights count, not words', () => {
    expect(translatedShare({ ...german, weights: [6, 1, 1] }, french, tables)).toBeCloseTo(9 / 11)
  })

  test('a table is read in both directions', () => {
    const turned = new WordTables({ 'fr-pl': 'nettoy sprzat' })
    expect(translatedShare(titleOf('pl', 'sprzatanie'), titleOf('fr', 'nettoyage'), turned)).toBe(1)
    expect(turned.between('pl', 'fr')?.('sprzat', 'nettoy')).toBe(true)
  })

  test('two languages without a table of their own are read by way of English', () => {
    const pivoted = new WordTables({ 'en-pl': 'cleani sprzat\nschool szkola', 'cs-en': 'uklid cleani' })
    expect(translatedShare(titleOf('cs', 'uklid'), titleOf('pl', 'szkola'), pivoted)).toBe(0)
    expect(translatedShare(titleOf('cs', 'uklid'), titleOf('fr', 'nettoyage'), pivoted)).toBeUndefined()
    expect(translatedShare(titleOf('cs', 'uklid'), titleOf('pl', 'sprzatanie'), pivoted)).toBe(1)
  })

  test('it is undefined if nothing is known of the two languages, or a title has no words', () => {
    expect(translatedShare(german, titleOf('tr', 'temizlik nordhalde'), tables)).toBeUndefined()
    const none: MatchTitle = { language: 'fr', words: [], weights: [], joined: '', isTruncated: false }
    expect(translatedShare({ ...none, language: 'de' }, none, tables)).toBeUndefined()
  })
})

test('each official language of the European Union, and Norwegian, has a table with English', () => {
  const languages = 'bg cs da de el es et fi fr ga hr hu it lt lv mt nl no pl pt ro sk sl sv'.split(' ')
  const unknown = languages.filter(
    (language) => translatedShare(titleOf(language, 'x'), titleOf('en', 'y')) === undefined,
  )
  expect(unknown).toEqual([])
})
