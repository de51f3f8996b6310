import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { archivedOf, recordOf, type SeenRecord, sinkConformance } from '../testing/sink-conformance.ts'
import { type ExecEvent, execSink } from './exec-sink.ts'

/** A program that adds what it reads to a file, or ends with the code that is in another. */
const program = `
  const fs = require('node:fs')
  const [, log, code] = process.argv
  const text = fs.readFileSync(0, 'utf8')
  fs.appendFileSync(log, text)
  process.exitCode = fs.existsSync(code) ? Number(fs.readFileSync(code, 'utf8')) : 0`

function programWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'tender-exec-'))
  const log = join(folder, 'given.ndjson')
  const code = join(folder, 'code')
  const given = (): ExecEvent[] =>
    existsSync(log)
      ? readFileSync(log, 'utf8')
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as ExecEvent)
      : []
  return {
    folder,
    code,
    given,
    open: () => execSink({ command: [process.execPath, '-e', program, log, code], folder: join(folder, 'sync') }),
  }
}

describe('the exec sink', () => {
  const cases = sinkConformance(async () => {
    const { folder, given, open } = programWorld()
    return {
      open: async () => open(),
      seen: async () => {
        const seen = new Map<string, SeenRecord>()
        for (const event of given()) {
          const { record } = event
          seen.set(record.id, {
            state: event.op === 'merge' ? 'merged' : record.archiveReason ? 'closed' : 'open',
            lastModified: record.lastModified,
            title: record.title,
            ...(event.op === 'merge' && { mergedInto: event.into }),
            record,
          })
        }
        return seen
      },
      writes: async () => given().length,
      close: async () => rmSync(folder, { recursive: true, force: true }),
    }
  })
  for (const { name, run } of cases) it(name, run)

  const delta = { kind: 'delta', filterHash: 'f1', resumed: false, keepArchived: false } as const
  const state = { schema: 1, filterHash: 'f1' } as const

  it('closes an archived survivor that it had to create, in the same batch (C158)', async () => {
    const { folder, given, open } = programWorld()
    const sink = open()
    await sink.begin(delta)
    const survivor = recordOf(1, 1, { status: 'awarded', archiveReason: 'awarded' })
    await sink.upsert([survivor])
    await sink.close([survivor])
    await sink.commit(state, 'run')
    await sink.end()
    expect(given().map(({ op, record }) => [op, record.id])).toEqual([
      ['upsert', survivor.id],
      ['close', survivor.id],
    ])
    rmSync(folder, { recursive: true, force: true })
  })

  it('delivers again what a killed program had read', async () => {
    const { folder, given, open } = programWorld()
    const killed = execSink({ command: ['/bin/sh', '-c', 'cat >/dev/null; kill -9 $$'], folder: join(folder, 'sync') })
    await killed.begin(delta)
    await killed.upsert([recordOf(1)])
    await expect(killed.commit(state, 'run')).rejects.toThrow(/SIGKILL/)
    await killed.discard()
    await killed.end()
    const again = open()
    await again.begin(delta)
    await again.upsert([recordOf(1)])
    await again.commit(state, 'run')
    await again.end()
    expect(given().map(({ record }) => record.id)).toEqual([recordOf(1).id])
    rmSync(folder, { recursive: true, force: true })
  })

  it('delivers again what a failed program received, but nothing that it confirmed', async () => {
    const { folder, code, given, open } = programWorld()
    const sink = open()
    await sink.begin(delta)
    await sink.upsert([recordOf(1)])
    await sink.commit(state, 'page')
    await sink.upsert([recordOf(2)])
    writeFileSync(code, '7')
    await expect(sink.commit(state, 'run')).rejects.toThrow(/ended with exit code 7/)
    await sink.discard()
    await sink.end()
    rmSync(code)
    const again = open()
    await again.begin(delta)
    await again.upsert([recordOf(1), recordOf(2)])
    await again.commit(state, 'run')
    await again.end()
    expect(given().map(({ record }) => record.title)).toEqual([1, 2, 2].map((number) => recordOf(number).title))
    rmSync(folder, { recursive: true })
  })

  it('closes what a program may have accepted without confirmation, before anything else depends on it', async () => {
    const { folder, code, given, open } = programWorld()
    const sink = open()
    await sink.begin(delta)
    await sink.upsert([recordOf(1)])
    writeFileSync(code, '7')
    await expect(sink.commit(state, 'run')).rejects.toThrow(/exit code 7/)
    rmSync(code)
    const again = open()
    await again.begin(delta)
    const closed = archivedOf(1, 1)
    await again.close([closed])
    await again.commit(state, 'run')
    await again.end()
    expect(given().map(({ op }) => op)).toEqual(['upsert', 'upsert', 'close'])
    const last = open()
    await last.begin(delta)
    await last.close([closed])
    await last.commit(state, 'run')
    await last.end()
    expect(given()).toHaveLength(3)
    rmSync(folder, { recursive: true })
  })

  it('names a program that does not exist', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tender-exec-'))
    const sink = execSink({ command: [join(folder, 'missing')], folder: join(folder, 'sync') })
    await sink.begin(delta)
    await sink.upsert([recordOf(1)])
    await expect(sink.commit(state, 'run')).rejects.toThrow(/missing cannot be run/)
    await sink.end()
    rmSync(folder, { recursive: true })
  })

  it('does not hang on a program that reads nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tender-exec-'))
    const sink = execSink({ command: [process.execPath, '-e', 'process.exit(3)'], folder: join(folder, 'sync') })
    await sink.begin(delta)
    await sink.upsert(Array.from({ length: 500 }, (_, index) => recordOf(index, 0, { description: 'x'.repeat(2000) })))
    await expect(sink.commit(state, 'run')).rejects.toThrow(/exit code 3/)
    await sink.end()
    rmSync(folder, { recursive: true })
  })
})
