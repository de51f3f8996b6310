// The fast parser of XML on every real document: it reads nearly all of them, and none differently from saxes.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readPath } from '../../src/sources/files.ts'
import { decodeText, parseAnyXml, parseXmlBytes, type XmlElement } from '../../src/sources/xml/xml.ts'
import { FlatElement } from '../../src/sources/xml/xml-element.ts'
import { plainTree } from '../plain-tree.ts'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const isThere = existsSync(join(corpus, 'MANIFEST.tsv'))

describe.skipIf(!isThere)('every XML document of the corpus', () => {
  it('gives the same tree on the fast path and in the full parser', { timeout: 300_000 }, async () => {
    const counts = { quick: 0, thorough: 0 }
    for (const folder of [
      'ted-eforms',
      'ted-legacy',
      'doffin-eforms',
      'eforms-de',
      'eforms-sdk-examples',
      'other-portals',
    ])
      for await (const { address, bytes, unreadable } of readPath(join(corpus, folder))) {
        if (unreadable || bytes[0] !== 0x3c) continue
        const read = orUndefined(() => parseXmlBytes(bytes))
        if (!(read instanceof FlatElement)) {
          counts.thorough++
          continue
        }
        counts.quick++
        const expected = JSON.stringify(plainTree(parseAnyXml(decodeText(bytes))))
        if (JSON.stringify(plainTree(read)) !== expected) expect.fail(`${address} is read in two ways`)
      }
    console.log(`corpus: ${counts.quick} documents of XML by the quick way, ${counts.thorough} by the thorough one`)
    expect(counts.quick).toBeGreaterThan(3_000)
    expect(counts.thorough).toBeLessThan(counts.quick / 50)
  })
})

function orUndefined(read: () => XmlElement): XmlElement | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
