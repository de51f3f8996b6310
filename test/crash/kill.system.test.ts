// Kill -9 at any moment loses nothing that was acknowledged, on the embedded engine.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openStore } from '../../src/store/database/database.ts'
import { seed } from '../testing/seed.ts'

/** KILLS sets how often the writer is killed, SEED repeats a run. */
const kills = Number(process.env.KILLS ?? 20)
const killsOfFirstStart = Math.ceil(kills / 5)
const writer = fileURLToPath(new URL('writer.ts', import.meta.url))

/** mulberry32: enough to spread the moments, and repeatable. */
function randomFrom(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Ready = { rows: number; last: number; wrong: number; torn: number; counter: number }
type Run = { readonly ready: Ready | undefined; readonly acknowledged: number }

/** One lifetime of the writer: killed `delayMs` after its start, or after it was ready. */
async function runAndKill(dataFolder: string, from: 'start' | 'ready', delayMs: number): Promise<Run> {
  const child = spawn(process.execPath, [writer, dataFolder], { stdio: ['ignore', 'pipe', 'pipe'] })
  const kill = () => child.kill('SIGKILL')
  let timer = from === 'start' ? setTimeout(kill, delayMs) : undefined
  let ready: Ready | undefined
  let acknowledged = 0
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    const said = JSON.parse(line) as { event: string; last: number } & Ready
    if (said.event === 'committed') acknowledged = said.last
    if (said.event !== 'ready') return
    ready = said
    timer ??= setTimeout(kill, delayMs)
  })
  const [[, signal]] = await Promise.all([once(child, 'exit'), once(lines, 'close')])
  clearTimeout(timer)
  if (signal !== 'SIGKILL') throw new Error(`the writer ended by itself: ${errors}`)
  return { ready, acknowledged }
}

test('the data folder of another process is refused, and is free as soon as that process is killed', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'tenderstock-test-'))
  const child = spawn(process.execPath, [writer, dataFolder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  await once(child.stdout, 'data')
  await expect(openStore({ dataFolder })).rejects.toThrow(/is in use by another Tenderstock process; stop that one/)
  child.kill('SIGKILL')
  await exited
  const store = await openStore({ dataFolder })
  await store.close()
  await rm(dataFolder, { recursive: true })
})

test(`nothing acknowledged is lost over ${kills} kills, ${killsOfFirstStart} of them while the first start creates the database`, {
  timeout: 60_000 + kills * 20_000,
}, async () => {
  const random = randomFrom(seed)
  let dataFolder = await mkdtemp(join(tmpdir(), 'tenderstock-test-'))
  let acknowledged = 0
  let groups = 0
  let unready = 0

  const check = (run: Run) => {
    if (!run.ready) return
    const { rows, last, wrong, torn, counter } = run.ready
    expect({ seed, wrong, torn, last, counter }).toEqual({ seed, wrong: 0, torn: 0, last: rows, counter: rows })
    expect(rows).toBeGreaterThanOrEqual(acknowledged)
    // Later kills count from the present content: a commit may have been interrupted before its acknowledgement.
    groups += Math.max(0, run.acknowledged - rows) / 5
    acknowledged = Math.max(rows, run.acknowledged)
  }

  for (let kill = 0; kill < killsOfFirstStart; kill++) {
    const run = await runAndKill(dataFolder, 'start', random() * 3000)
    check(run)
    if (run.ready) {
      await rm(dataFolder, { recursive: true })
      dataFolder = await mkdtemp(join(tmpdir(), 'tenderstock-test-'))
      acknowledged = 0
    } else unready += 1
  }
  for (let kill = killsOfFirstStart; kill < kills; kill++) {
    const isWhileOpening = kill % 5 === 0
    const run = await runAndKill(
      dataFolder,
      isWhileOpening ? 'start' : 'ready',
      random() * (isWhileOpening ? 800 : 600),
    )
    check(run)
    if (!run.ready) unready += 1
  }
  const last = await runAndKill(dataFolder, 'ready', 0)
  check(last)
  console.log(
    `kill -9 (seed ${seed}): ${kills} kills, ${unready} of them before it was open, ${groups * 5} acknowledged rows in ${groups} transactions, 0 lost`,
  )
  expect(groups).toBeGreaterThan(0)
  await rm(dataFolder, { recursive: true })
})
