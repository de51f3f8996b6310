import { expect, test } from 'vitest'
import { openTokenTable } from './token-table.ts'
import { jointWords } from './words.ts'

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
    table.read(text, ([number]) => void found.push(seen[number!]!))
    return found
  }
  expect(read('Maler- und Lackierarbeiten')).toEqual(['maler', 'und', 'lackierarbeiten', 'malerarbeiten'])
  expect(read('ﬁx: Maler- und Lackierarbeiten')).toEqual(['fix', 'maler', 'und', 'lackierarbeiten', 'malerarbeiten'])
})
