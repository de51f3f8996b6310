import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldLetters } from './name-words.ts'
import { openTokenTable } from './token-table.ts'
import { jointWords, tokensOf } from './words.ts'

test.each([
  ['Maler- und Lackierarbeiten', ['malerarbeiten']],
  ['Glas-, Rahmen- u. Fassaden-Reinigung', ['glasreinigung', 'rahmenreinigung']],
  ['Los 3: Sanitär-, Heizungs- und Lüftungsarbeiten, Haus A', ['sanitararbeiten', 'heizungsarbeiten']],
  ['Unterhalts-/Glasreinigung', ['unterhaltsreinigung']],
  ['Kanal- und Straßenbau', ['kanalbau']],
  ['Erd- und Tiefbauarbeiten', ['erdbauarbeiten', 'erdarbeiten']],
  ['Um- und Ausbau', ['umbau']],
  ['Bundes- und Kreisstraßen', []],
  ['Lackierarbeiten', []],
  ['Ost-West-Trasse, Neubau', []],
  ['vor- und nachher', []],
])('%s', (text, words) => {
  expect(jointWords(text)).toEqual(words)
})

test('a table reads them after the words of the text, also where it reads slowly', () => {
  const seen: string[] = []
  const table = openTokenTable((token) => Int32Array.of(seen.push(token) - 1))
  const read = (text: string) => {
    const found: string[] = []
    table.read(text, (numbers, start) => void found.push(seen[numbers[start]!]!))
    return found
  }
  expect(read('Maler- und Lackierarbeiten')).toEqual(['maler', 'und', 'lackierarbeiten', 'malerarbeiten'])
  expect(read('ﬁx: Maler- und Lackierarbeiten')).toEqual(['fix', 'maler', 'und', 'lackierarbeiten', 'malerarbeiten'])
  const parts = [
    'Neubau',
    'Straße',
    'ß',
    '№ 7',
    '😀',
    'ﬁx',
    'ä',
    '\u0301',
    '\u00ad',
    ' ',
    '-',
    ', ',
    'Maler- und Lackierarbeiten',
  ]
  const text = fc.array(fc.constantFrom(...parts, 'x'.repeat(300)), { maxLength: 9 }).map((chosen) => chosen.join(''))
  const joined = text.filter((each) => each.normalize('NFC') === each)
  fc.assert(
    fc.property(joined, (each) => {
      expect(read(each)).toEqual([...tokensOf(each), ...jointWords(each)])
    }),
  )
})
test('a letter is folded alone as it is among others, and by its neighbors where it depends on them', () => {
  const byUnicode = (text: string) =>
    text
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase()
      .replaceAll('ß', 'ss')
  const differing = Array.from({ length: 0x2200 }, (_, code) => String.fromCharCode(code)).filter((character) =>
    ['', 'Ab', 'ü'].some((beside) => {
      const text = `${beside}${character}${character}${beside}`
      return foldLetters(text) !== byUnicode(text)
    }),
  )
  expect(differing).toEqual([])
  expect(foldLetters('ΟΔΟΣ Σ')).toBe(byUnicode('ΟΔΟΣ Σ'))
})
