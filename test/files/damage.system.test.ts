// What `tender-sync verify` finds in the same files that people load, whatever is stored beside them.
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startOfTests } from '../api-world.ts'
import { plainId } from '../memory-editions.ts'
import { type CommandWorld, openCommandWorld } from '../tender-sync/command-world.ts'

const lot = { lotId: 'LOT-0001', status: 'open' as const, title: 'Roof', cpvCodes: [], nutsCodes: [] }
let world: CommandWorld
beforeAll(async () => {
  world = await openCommandWorld()
  world.api.editions.publish(
    startOfTests,
    Array.from({ length: 120 }, (_, number) => ({
      id: plainId(number),
      title: `Works, part ${number}`,
      description: 'first line\nsecond line',
      contractAmount: { value: 1000 + number, currency: 'EUR', estimated: false },
      lots: [lot],
    })),
  )
})
afterAll(() => world[Symbol.asyncDispose]())

type Edit = (text: string) => string
const rowOf = (text: string, number: number): string =>
  `${text.split('\r\n').find((row) => row.startsWith(`"${plainId(number)}"`))!}\r\n`
const csvDamage: readonly (readonly [what: string, file: 'tenders' | 'lots', edit: Edit, words: RegExp])[] = [
  [
    'a line feed without quotes',
    'tenders',
    (text) => text.replace('"first line\nsecond line"', 'first line\nsecond line'),
    /cannot be read as CSV/,
  ],
  [
    'a quote that was lost',
    'tenders',
    (text) => text.replace('"Works, part 7"', 'Works, part 7"'),
    /cannot be read as CSV/,
  ],
  ['one letter of a title', 'tenders', (text) => text.replace('Works, part 7"', 'Works, part 8"'), /differing +1/],
  ['an amount', 'tenders', (text) => text.replace('"1007"', '"1070"'), /differing +1/],
  ['a row that is gone', 'tenders', (text) => text.replace(rowOf(text, 9), ''), /holds lots of .*0009, which/],
  ['a row that stands twice', 'tenders', (text) => text + rowOf(text, 9), /holds the record .* twice/],
  ['a file that was cut off', 'tenders', (text) => text.slice(0, text.length / 2), /cannot be read as CSV|missing +\d/],
  ['a file that is empty', 'tenders', () => '', /lacks even a header/],
  ['another header', 'tenders', (text) => text.replace('last_modified', 'changed'), /different columns/],
  ['a lot', 'lots', (text) => text.replace('"Roof"', '"Root"'), /differing +1/],
  [
    'lots of a tender that is not there',
    'lots',
    (text) => text.replace(plainId(3), plainId(999)),
    /holds lots of .*000999/,
  ],
]

describe('tender-sync verify of CSV', () => {
  const sink = 'csv:$t.csv --option lots=$t-lots.csv'
  it.each(csvDamage)('finds %s, and the next run writes a deleted file again', async (_what, which, edit, words) => {
    const path = join(world.folder, which === 'lots' ? 't-lots.csv' : 't.csv')
    expect((await world.sync(`run ${world.url} --sink ${sink}`)).code).toBe(0)
    const text = readFileSync(path, 'utf8')
    const damaged = edit(text)
    expect(damaged).not.toBe(text)
    writeFileSync(path, damaged)
    const { code, out } = await world.sync(`verify ${world.url} --sink ${sink}`)
    expect(out).toMatch(words)
    expect(code).toBe(5)
    rmSync(path)
    expect((await world.sync(`verify ${world.url} --sink ${sink}`)).code).toBe(5)
    expect((await world.sync(`run ${world.url} --sink ${sink}`)).code).toBe(0)
    expect(await world.sync(`verify ${world.url} --sink ${sink}`)).toMatchObject({ code: 0 })
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('says which options are needed if it is called with different ones', async () => {
    await world.sync(`run ${world.url} --sink csv:$semi.csv --option delimiter=;`)
    const { code, out } = await world.sync(`verify ${world.url} --sink csv:$semi.csv`)
    expect(code).toBe(5)
    expect(out).toMatch(/verify needs the options of the run/)
    expect((await world.sync(`verify ${world.url} --sink csv:$semi.csv --option delimiter=; --json`)).code).toBe(0)
  })
})

describe('tender-sync verify of Parquet', () => {
  it('finds any changed byte, and a truncated file', async () => {
    const sink = 'parquet:$t.parquet'
    expect((await world.sync(`run ${world.url} --sink ${sink}`)).code).toBe(0)
    const path = join(world.folder, 't.parquet')
    const whole = readFileSync(path)
    for (let number = 0; number < 40; number++) {
      const bytes = Buffer.from(whole)
      bytes[Math.floor((whole.length * number) / 40)]! ^= 0x15
      writeFileSync(path, bytes)
      expect((await world.sync(`verify ${world.url} --sink ${sink}`)).code).toBe(5)
    }
    writeFileSync(path, whole)
    truncateSync(path, whole.length - 20)
    const cut = await world.sync(`verify ${world.url} --sink ${sink} --json`)
    expect(cut.code).toBe(5)
    expect(JSON.parse(cut.out.trimEnd().split('\n').at(-1)!)).toMatchObject({
      result: 'different',
      damage: expect.stringContaining('has changed since the last run wrote it'),
    })
    rmSync(path)
    expect((await world.sync(`run ${world.url} --sink ${sink}`)).code).toBe(0)
    expect((await world.sync(`verify ${world.url} --sink ${sink}`)).code).toBe(0)
  })
})

describe('tender-sync verify of NDJSON and SQLite', () => {
  it('finds another value of a field at an unchanged time', async () => {
    expect((await world.sync(`run ${world.url} --sink ndjson:$t.ndjson`)).code).toBe(0)
    const path = join(world.folder, 't.ndjson')
    writeFileSync(path, readFileSync(path, 'utf8').replace('Works, part 7"', 'Works, part 8"'))
    const ndjson = await world.sync(`verify ${world.url} --sink ndjson:$t.ndjson`)
    expect(ndjson.code).toBe(5)
    expect(ndjson.out).toMatch(/differing +1[\s\S]*open, with other values/)

    expect((await world.sync(`run ${world.url} --sink sqlite:$t.db`)).code).toBe(0)
    const db = new DatabaseSync(join(world.folder, 't.db'))
    db.exec(`UPDATE tender SET contract_value = 1 WHERE id = '${plainId(4)}';
      UPDATE tender SET record = replace(record, 'second line', 'other line') WHERE id = '${plainId(5)}'`)
    db.close()
    const sqlite = await world.sync(`verify ${world.url} --sink sqlite:$t.db`)
    expect(sqlite.code).toBe(5)
    expect(sqlite.out).toMatch(/differing +2/)
  })
})
