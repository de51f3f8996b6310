// What the parsers read from the made-up documents of all portals has a fingerprint. If it changes, stored documents
// have to be parsed again, which only a higher version causes.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { canonicalForm } from '../../src/domain/stock-digest.ts'
import { sampleShelf } from '../../src/simulator/shelf.ts'
import { simulated } from '../../src/simulator/simulated-source.ts'
import { parserOf } from '../../src/sources/parse-document.ts'
import { parserVersion } from '../../src/sources/parser-version.ts'
import { loadSources } from '../../src/sources/registry.ts'

const file = 'test/sources/parser-fingerprint.json'
const day = Date.UTC(2026, 5, 1)

test('what the parsers read has the fingerprint of parserVersion', async () => {
  const shelf = sampleShelf({ seed: 'parser fingerprint', epoch: day, base: 6 })
  const hash = createHash('sha256')
  let notices = 0
  for (const source of [...(await loadSources()).values()].sort((a, b) => (a.id < b.id ? -1 : 1)))
    for (const { id, text } of shelf.entries(simulated(source), day)) {
      const parts = parserOf(source)(Buffer.from(text()))
      notices += parts.filter((part) => 'notice' in part).length
      hash.update(`${source.id} ${id} ${canonicalForm(JSON.parse(JSON.stringify(parts)))}\n`)
    }
  expect(notices).toBeGreaterThan(500)
  const found = { parserVersion, sha256: hash.digest('hex') }
  expect(
    found,
    'The parsers read something else: raise parserVersion (src/sources/parser-version.ts) and write ' +
      `${JSON.stringify(found)} with the new version into ${file}. When only made-up documents changed, keep ` +
      'the version.',
  ).toEqual(JSON.parse(readFileSync(file, 'utf8')))
})
