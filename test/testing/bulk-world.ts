// An edition log of made-up tenders, the files of its editions, and the API that hands out both, in this process.
import { createSecretKey } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline, Readable, Transform } from 'node:stream'
import { createBulkLinks } from '../../src/api/bulk/bulk-links.ts'
import { createCursorSealer } from '../../src/api/cursors/cursor.ts'
import { createLocalLimiter } from '../../src/api/limits/limiter-memory.ts'
import { buildApi } from '../../src/api/server.ts'
import { openTokenTable } from '../../src/api/tokens/token-table.ts'
import { hourMs, toInstant } from '../../src/domain/time.ts'
import { BulkFiles } from '../../src/edition/bulk/bulk-files.ts'
import type { BulkState } from '../../src/edition/bulk/bulk-state.ts'
import { appendEdition, openEditionLog } from '../../src/edition/write/edition-log.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { generateTender } from './generate/stock.ts'
import { createTestTokens } from './test-tokens.ts'

const start = Date.UTC(2026, 10, 2, 1)

/** Stops what is sent of files after so many bytes of all of them; `reached` is called then. */
type Hold = { bytes: number; readonly reached: () => void }

function heldBy(hold: Hold, file: Readable): Readable {
  const held = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      const isReached = chunk.length >= hold.bytes
      held.push(isReached ? chunk.subarray(0, hold.bytes) : chunk)
      hold.bytes -= chunk.length
      if (isReached) hold.reached()
      else done()
    },
  })
  return pipeline(file, held, () => {}) as Readable
}

/** `records`: of a file; `addressOf`: where else a file is. */
export async function openBulkWorld({
  seed = 7,
  records = 50_000,
  size = 'small' as 'small' | 'real',
  requestsPerMinute = 60,
  addressOf = undefined as ((name: string) => Promise<string> | undefined) | undefined,
} = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'bulk-world-'))
  const stock = { seed, count: 0, now: start, size } as const
  let now = start
  const clock = () => now
  const log = await openEditionLog(join(folder, 'editions'), { clock })
  const shown: { state: BulkState | undefined } = { state: undefined }
  const show = (state: BulkState | undefined): void => {
    shown.state = state
  }
  const bulk = join(folder, 'bulk')
  const files = new BulkFiles({ folder: bulk, log, clock, records, show })
  const tokens = createTestTokens()
  const token = tokens.add('one', { hasBulkFiles: true, requestsPerMinute })
  const keys = [{ keyId: 1, key: createSecretKey(systemRandom.bytes(32)) }]
  const ring = { keys: () => keys, refresh: async () => {} }
  const table = await openTokenTable({ source: tokens, clock, pollMs: 100, refreshEveryMs: 0 })
  const asked: string[] = []
  const app = buildApi({
    reader: log,
    tokens: table,
    limiter: createLocalLimiter(() => performance.now()),
    cursors: createCursorSealer({ ring, clock, randomBytes: systemRandom.bytes }),
    clock,
    random: systemRandom,
    docsUrl: 'https://docs.test.example',
    isOverloaded: () => false,
    bulk: {
      folder: bulk,
      state: () => shown.state,
      links: createBulkLinks({ ring, clock, randomBytes: systemRandom.bytes }),
      grantOf: table.grantOf,
      ...(addressOf && { addressOf }),
    },
    log: { info: ({ path }: { path: string }) => asked.push(path), warn: () => {}, error: () => {} } as never,
  })
  const held: { hold: Hold | undefined } = { hold: undefined }
  app.addHook('onSend', async (_request, _reply, payload) =>
    held.hold && payload instanceof Readable ? heldBy(held.hold, payload) : payload,
  )
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const known = new Set<number>()
  let edition = 0
  return {
    log,
    files,
    tokens,
    token,
    origin,
    shown,
    held,
    bulk,
    /** Paths of the requests that were answered. */
    asked,
    pass: (ms: number) => {
      now += ms
    },
    /** Publishes these tenders, an hour later; some are archived, some merged into the one before them. */
    publish: async (numbers: Iterable<number>, version = edition) => {
      edition++
      now += hourMs
      const changed = [...numbers]
      const entries = function* () {
        for (const [index, number] of changed.entries()) {
          known.add(number)
          const { mergedInto: _, ...content } = generateTender(stock, number, version)
          const isMerged = number % 17 === 16
          const tender = isMerged
            ? {
                ...content,
                status: 'merged',
                archiveReason: 'merged',
                mergedInto: generateTender(stock, number - 1, 0).id,
              }
            : content.archiveReason === 'merged'
              ? { ...content, status: 'closed', archiveReason: 'expired' }
              : content
          const lastModified = now - changed.length + index
          const { id, ...rest } = tender
          yield {
            lastModified,
            body: JSON.stringify({ id, ...rest, lastModified: toInstant(lastModified) }),
            sources: '["ted"]',
          }
        }
      }
      const info = { edition, lastModified: now - 1, publishedAt: now, records: 0, changes: changed.length }
      const list = [...entries()]
      await appendEdition(log, { ...info, records: known.size, checks: { ted: now } }, list)
    },
    [Symbol.asyncDispose]: async () => {
      await app.close()
      await table.close()
      await log.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type BulkWorld = Awaited<ReturnType<typeof openBulkWorld>>
