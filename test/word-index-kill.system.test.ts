import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { TenderRecord } from '../src/domain/tender.ts'
import { hourMs, toInstant } from '../src/domain/time.ts'
import type { TenderQuestion } from '../src/edition/read/tender-question.ts'
import { appendEdition, type EditionLog, openEditionLog } from '../src/edition/write/edition-log.ts'
import { recordsOfEdition } from './edition-of-number.ts'
import { findPlainly } from './model/plain-find.ts'
import { type Random, randomOf } from './testing/generate/random.ts'
import { seed } from './testing/seed.ts'

console.log(`word-index-kill.test seed ${seed} (SEED repeats the moments)`)

/** Long enough for any load: nothing is measured by it. */
const patience = 60_000
const newest = { order: 'newest', offset: 0, limit: 500, at: 0 } as const

async function compare(log: EditionLog, random: Random): Promise<void> {
  await log.indexed(patience)
  const edition = log.newest!.edition
  const records = recordsOfEdition(edition) as TenderRecord[]
  const number = () => String(random.integer(0, edition))
  const words: (readonly string[])[] = [
    [],
    ['record'],
    [number()],
    ['edition', number()],
    [number(), number()],
    ['gone'],
  ]
  for (const allWords of words) {
    const question: TenderQuestion = { ...newest, allWords }
    const found = log.findTenders(question)
    expect([found.edition, found.indexed]).toEqual([edition, 1])
    const ids = found.positions.map((position) => log.meta(position).id)
    const plain = findPlainly(records, question)
    expect({ ...found, ids }).toMatchObject({
      total: plain.total,
      ids: plain.records.map(({ id }) => id),
      facets: plain.facets,
    })
  }
}

test('a word index whose process is killed at any moment, or whose files are damaged, equals a plain loop', async () => {
  const random = randomOf(seed)
  const folder = mkdtempSync(join(tmpdir(), 'word-index-kill-'))
  const wordsFolder = join(folder, 'words')
  let [inWriting, segments, damaged] = [0, 0, 0]
  for (let kill = 0; kill < 6; kill++) {
    const program = fileURLToPath(new URL('append-editions.ts', import.meta.url))
    const child = spawn(process.execPath, [program, folder, 'findable'], { stdio: ['ignore', 'pipe', 'inherit'] })
    // the moment is measured in bytes that the child has reported, not in time
    const enough = random.integer(100, 300)
    let output = ''
    for await (const text of child.stdout.setEncoding('utf8')) {
      output += text
      if (output.length >= enough) break
    }
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    const names = existsSync(wordsFolder) ? readdirSync(wordsFolder) : []
    if (names.some((name) => name.endsWith('.new'))) inWriting++
    segments = Math.max(segments, names.length)
    if (names.length > 0 && kill % 2 === 0) damaged += damage(join(wordsFolder, random.pick(names)), random)
    const log = await openEditionLog(folder, { clock: () => 0 })
    await compare(log, random)
    await log.close()
  }
  console.log(`6 kills, ${inWriting} while a file was written, at most ${segments} files, ${damaged} damaged`)
  expect(Math.min(segments, damaged)).toBeGreaterThan(0)
  rmSync(folder, { recursive: true })
}, 300_000)

/** Changes a byte, cuts the file, or removes it. */
function damage(path: string, random: Random): 1 {
  const { size } = statSync(path)
  const at = random.integer(0, Math.max(0, size - 1))
  const kind = random.integer(0, 2)
  if (kind === 0) rmSync(path)
  else if (kind === 1) truncateSync(path, at)
  else {
    const bytes = readFileSync(path)
    bytes[at]! ^= 1
    writeFileSync(path, bytes)
  }
  return 1
}

const idOf = (number: number): string => `${number.toString(16).padStart(8, '0')}-7d3e-8b64-9a10-5c2e7f4b9d31`

test('a word that was redacted is not found from the next edition on, and leaves the files with the old version', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'word-index-redact-'))
  const log = await openEditionLog(folder, { clock: () => 0, toleratedEntries: 0 })
  const append = (edition: number, numbers: readonly number[], title: string, records: number) =>
    appendEdition(
      log,
      {
        edition,
        lastModified: edition * 1000 + 999,
        publishedAt: edition * 30 * hourMs,
        records,
        changes: numbers.length,
        checks: {},
      },
      numbers.map((number) => ({
        lastModified: edition * 1000 + number,
        body: JSON.stringify({
          id: idOf(number),
          status: 'open',
          lastModified: toInstant(edition * 1000 + number),
          title,
          contractAmount: null,
          cpvCodes: [],
          nutsCodes: [],
          lots: [],
          originalSources: [],
        }),
        sources: '[]',
      })),
    )
  const found = async (word: string) => {
    await log.indexed(patience)
    return log.findTenders({ ...newest, allWords: [word] }).total
  }
  const files = () => {
    const words = join(folder, 'words')
    return readdirSync(words).map((name) => readFileSync(join(words, name)).toString('latin1'))
  }
  await append(1, [1, 2, 3], 'Call janeroe for the roof', 3)
  expect([await found('janeroe'), await found('roof')]).toEqual([3, 3])
  expect(files().some((text) => text.includes('janeroe'))).toBe(true)
  await append(2, [1, 2, 3], 'Call for the roof', 3)
  expect([await found('janeroe'), await found('roof')]).toEqual([0, 3])
  // the versions before are held no longer, and the log is copied without them
  await append(3, [4], 'Something else', 4)
  await append(4, [5], 'Something else', 5)
  await log.idle()
  for (let waited = 0; files().some((text) => text.includes('janeroe')) && waited < patience; waited += 50)
    await delay(50)
  expect(files().some((text) => text.includes('janeroe'))).toBe(false)
  expect([await found('janeroe'), await found('roof'), await found('else')]).toEqual([0, 3, 2])
  await log.close()
  rmSync(folder, { recursive: true })
}, 120_000)
