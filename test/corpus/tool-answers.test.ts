// What assistants read of collected notices, in tokens: no record is above 9,000, no 20 results are above 3,000.
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cutRecord, shortTenders } from '#mcp/short-record'
import { notice } from '#mcp/tool-definitions'
import { readCorpusRecords } from '../../quality/corpus-records.ts'
import { countTokens } from '../tools/count-tokens.ts'

const uuidOf = (key: string): string =>
  hash('sha256', key).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')

const corpus = join(import.meta.dirname, '../../../shared/corpus')

test.skipIf(!existsSync(corpus))('answers about the corpus fit', { timeout: 600_000 }, async () => {
  // published ids are UUIDs, which cost more tokens than their letters say
  const records = (await readCorpusRecords(corpus)).map((record) => ({ ...record, id: uuidOf(record.id) }))
  expect(records.length).toBeGreaterThan(1000)
  const whole = records.map((record) => countTokens(JSON.stringify({ notice, ...cutRecord(record, 0) })))
  const lists = Array.from({ length: records.length / 5 }, (_, index) => records.slice(index * 5, index * 5 + 20))
  const pages = lists.map((list) => countTokens(JSON.stringify({ notice, tenders: shortTenders(list) })))
  const say = (name: string, counts: readonly number[]): void => {
    const sorted = counts.toSorted((left, right) => left - right)
    console.log(`${name}: median ${sorted[sorted.length >> 1]}, largest ${sorted.at(-1)} tokens, of ${sorted.length}`)
  }
  say('whole', whole)
  say('20 results', pages)
  expect(Math.max(...whole)).toBeLessThanOrEqual(9000)
  expect(Math.max(...pages)).toBeLessThanOrEqual(3000)
})
