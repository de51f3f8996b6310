// Real answers of portals through the reading of entries: as many as a parser of the whole finds, byte for byte.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { plainTree } from '../../../test/plain-tree.ts'
import type { Entries } from '../delivery.ts'
import type { Json } from '../fetch.ts'
import { parseJson } from '../json.ts'
import { parseXml } from '../xml/xml.ts'
import { csvCells } from './answers/csv-rows.ts'
import { valueAt } from './answers/json-pointer.ts'
import { readEntries } from './answers/read-entries.ts'

const corpus = join(import.meta.dirname, '../../../../shared/corpus')
const hasCorpus = existsSync(corpus)

function filesBelow(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(corpus, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .map((name) => join(corpus, folder, name))
}

async function textsIn(bytes: Buffer, entries: Entries, chunkBytes: number): Promise<string[]> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let start = 0; start < bytes.length; start += chunkBytes) yield bytes.subarray(start, start + chunkBytes)
  }
  const texts: string[] = []
  const reading = readEntries(chunks(), { address: 'corpus', entries, damage: 'throw', scratchFolder: '/nonexistent' })
  for (let next = await reading.next(); !next.done; next = await reading.next())
    for (const { bytes: entry } of next.value) texts.push(Buffer.from(entry).toString('utf8'))
  return texts
}

const shapes: readonly { readonly folder: string; readonly at: string }[] = [
  { folder: 'ocds', at: '/releases' },
  { folder: 'ted-api-v3', at: '/notices' },
]

describe.skipIf(!hasCorpus)('answers of the corpus', () => {
  test.each(shapes)('$folder: the entries at $at, in chunks of any size', async ({ folder, at }) => {
    let found = 0
    for (const file of filesBelow(folder, /\.json$/)) {
      const bytes = readFileSync(file)
      const list = valueAt(parseJson(bytes.toString('utf8')) as Json, at)
      if (!Array.isArray(list)) continue
      for (const chunkBytes of [1021, 65_536]) {
        const texts = await textsIn(bytes, { format: 'json', at }, chunkBytes)
        expect(texts.map((text) => parseJson(text))).toEqual(list)
      }
      found += list.length
    }
    console.log(`corpus: ${found} entries at ${at} of ${folder}`)
    expect(found).toBeGreaterThan(0)
  })

  test('Atom: every entry of a page, as the parser of the whole reads it', async () => {
    const files = filesBelow('other-portals/placsp-es-synthetic', /\.xml$/)
    let found = 0
    for (const file of files) {
      const bytes = readFileSync(file)
      const root = parseXml(bytes.toString('utf8'))
      const expected = root.name === 'entry' ? [root] : root.children.filter(({ name }) => name === 'entry')
      const texts = await textsIn(bytes, { format: 'xml', element: 'entry' }, 777)
      const read = texts.map((text) => parseXml(text))
      const entries = root.name === 'entry' ? read : read.map(({ children }) => children[0]!)
      expect(entries.map(plainTree)).toEqual(expected.map(plainTree))
      found += expected.length
    }
    console.log(`corpus: ${found} entries of Atom in ${files.length} files`)
    expect(found).toBeGreaterThan(5)
  })

  test('CSV: every row has as many cells as its header', async () => {
    let found = 0
    for (const file of filesBelow('other-portals/spain-regional-samples', /\.csv$/)) {
      const bytes = readFileSync(file)
      const header = bytes.toString('utf8', 0, bytes.indexOf(10))
      const delimiter = ['§', ';', ','].find((sign) => header.includes(sign))!
      for (const text of await textsIn(bytes, { format: 'csv', delimiter }, 501)) {
        const end = text.indexOf('\n')
        expect(csvCells(text.slice(end + 1), delimiter)).toHaveLength(csvCells(text.slice(0, end), delimiter).length)
        found++
      }
    }
    console.log(`corpus: ${found} rows of CSV`)
    expect(found).toBeGreaterThan(5)
  })
})
