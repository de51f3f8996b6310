// Every example is run as its README says, against a real API over several editions, and its copy compared with the edition.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type SeenRecord, sinkConformance } from '../../client/src/sinks/sink-conformance.ts'
import type { Sink } from '../../client/src/sync/sink.ts'
import type { TenderRecord } from '../../client/src/types.ts'
import { type ApiWorld, startApi } from '../api-world.ts'
import { randomOf } from '../generate/random.ts'
import { contentById, editionContent, publishNext, type Row } from '../integrations/stock-world.ts'
import { newFolder, runExample } from './run-example.ts'

/** A copy whose first run brought what was open: all open records, and of the archived ones those that it once had. */
async function expectEqual(world: ApiWorld, rows: readonly Row[]): Promise<void> {
  const edition = await editionContent(world)
  const copy = contentById(rows)
  const expected = [...edition].filter(([id, record]) => !('archiveReason' in (record as Row)) || copy.has(id))
  expect(copy).toEqual(new Map(expected))
}

describe('node-script', () => {
  const program = 'examples/node-script/sync.mjs'

  test.each([1, 2])('keeps its file equal to the edition (seed %i)', async (seed) => {
    await using world = await startApi()
    const random = randomOf(seed)
    const file = join(newFolder(), 'tenders.json')
    for (let edition = 1; edition <= 5; edition++) {
      publishNext(world, random, 150)
      const { code, output, errors } = await runExample(world, program, [file])
      expect(code, errors).toBe(0)
      expect(output).toContain(edition === 1 ? 'first run' : 'delta run')
      await expectEqual(world, JSON.parse(readFileSync(file, 'utf8')).records)
    }
  })

  test('ends with 4 and leaves the file as it was when the token is wrong', async () => {
    await using world = await startApi()
    publishNext(world, randomOf(3))
    const file = join(newFolder(), 'tenders.json')
    await runExample(world, program, [file])
    const before = readFileSync(file, 'utf8')
    const refused = await runExample({ ...world, token: 'wrong' }, program, [file])
    expect(refused.code).toBe(4)
    expect(refused.errors).toContain('401')
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  describe('its target keeps what every sink must keep', async () => {
    const { jsonFileSink } = (await import('../../examples/node-script/json-file-sink.mjs' as string)) as {
      jsonFileSink: (file: string) => Sink
    }
    const cases = sinkConformance(async () => {
      const file = join(newFolder(), 'tenders.json')
      const read = (): readonly TenderRecord[] => {
        try {
          return JSON.parse(readFileSync(file, 'utf8')).records
        } catch {
          return []
        }
      }
      const seenOf = (record: TenderRecord): SeenRecord => ({
        state: record.archiveReason === undefined ? 'open' : record.archiveReason === 'merged' ? 'merged' : 'closed',
        lastModified: record.lastModified,
        title: record.title,
        record,
        ...(record.mergedInto !== undefined && { mergedInto: record.mergedInto }),
      })
      return {
        open: async () => jsonFileSink(file),
        seen: async () => new Map(read().map((record) => [record.id, seenOf(record)])),
        close: async () => {},
      }
    })
    // It has no pages to go on from (commitsPages: false), so no run of it is ever resumed.
    for (const { name, run } of cases) if (!name.startsWith('to resume')) test(name, run)
  })
})
