// How many sources there are, need a key, or are off: every place that says it counts the same.
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { isActive, sourceStates } from '../src/domain/source-state.ts'
import { systemClock } from '../src/platform/clock.ts'
import { openLog } from '../src/platform/log.ts'
import { systemRandom } from '../src/platform/random.ts'
import type { CommandEvent } from '../src/service/events/command-event.ts'
import { listSources } from '../src/service/operations/source-operations.ts'
import { startLiveSources } from '../src/service/rounds/live-sources.ts'
import { stockReads } from '../src/service/start/stock-reads.ts'
import { loadSources } from '../src/sources/registry.ts'
import { openTestStore } from './world.ts'

type Figures = { readonly total: number; readonly active: number; readonly keyed: number; readonly off: number }

const folder = await mkdtemp(join(tmpdir(), 'tenderstock-figures-'))
afterAll(() => rm(folder, { recursive: true }))
const root = join(import.meta.dirname, '..')
const numbersIn = (path: string, sentence: RegExp): Figures => {
  const found = sentence.exec(readFileSync(join(root, path), 'utf8').replaceAll('\n', ' '))
  const [total, active, keyed, off] = (found?.slice(1) ?? []).map(Number) as [number, number, number, number]
  return { total, active, keyed, off }
}

test('commands, console and the page of sources give the same figures', async () => {
  await using store = await openTestStore('embedded')
  const sources = await loadSources()
  const events: CommandEvent[] = []
  const emit = (event: CommandEvent) => void events.push(event)
  const common = { store, clock: systemClock, random: systemRandom, keyOf: () => undefined, dataFolder: folder }
  // the only error that the start of reading reports is that nothing answers
  const stop = AbortSignal.abort()
  const live = startLiveSources({
    ...common,
    emit,
    stop,
    sources,
    named: [],
    workers: 1,
    version: '0',
    contact: 'https://operator.example',
    log: openLog('silent'),
    http: { send: () => Promise.reject(new Error('no request is made here')) },
  })
  await live.done
  await listSources(common as never, { command: 'source list', options: {}, operands: [] }, emit)
  const started = events.find((event) => event.event === 'sourcesStarted')!
  const listed = events.find((event) => event.event === 'sources')!
  const { lines } = await stockReads(common as never, { newest: undefined }).sources()
  const inConsole = (state: string) => lines.filter((line) => line.state === state).length
  const all = [...sources.values()]

  const figures: Figures = {
    total: all.length,
    active: all.filter(({ access, offBecause }) => access.kind === 'open' && offBecause === undefined).length,
    keyed: all.filter(({ access, offBecause }) => access.kind === 'key' && offBecause === undefined).length,
    off: all.filter(({ offBecause }) => offBecause !== undefined).length,
  }
  expect(figures.active + figures.keyed + figures.off).toBe(figures.total)
  expect({
    total: started.running + started.keysMissing.length + started.off,
    active: started.running,
    keyed: started.keysMissing.length,
    off: started.off,
  }).toEqual(figures)
  expect({
    total: listed.total,
    active: sourceStates.filter(isActive).reduce((sum, state) => sum + listed.states[state], 0),
    keyed: listed.states['key-missing'],
    off: listed.states.off,
  }).toEqual(figures)
  const [keyed, off] = [inConsole('key-missing'), inConsole('off')]
  expect({ total: lines.length, active: lines.length - keyed - off, keyed, off }).toEqual(figures)
  const page = /\*\*(\d+) sources in .*? (\d+) need no setup, (\d+) need a key, (\d+) run only when they are named/
  expect(numbersIn('docs/sources/README.md', page)).toEqual(figures)
})
