// The portals of the simulator with everything that reads them, on a clock that skips every wait.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPoliteHosts } from '../../src/ingest/polite.ts'
import type { RunOptions } from '../../src/ingest/run-options.ts'
import type { Sleep } from '../../src/platform/clock.ts'
import { openHttp } from '../../src/platform/http.ts'
import { seeded } from '../../src/simulator/samples/seeded.ts'
import { type Shelf, sampleShelf } from '../../src/simulator/shelf.ts'
import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/start-simulator.ts'
import type { Source } from '../../src/sources/source.ts'

/** The made-up present of these tests: a Wednesday noon. */
export const worldStart = Date.UTC(2026, 10, 18, 12)

export type SimulatedPortals = AsyncDisposable & {
  readonly simulator: Simulator
  readonly shelf: Shelf
  readonly clock: () => number
  /** Moves the clock. */
  readonly advance: (ms: number) => void
  /** The options of runs; every source that needs a key has one. `signal` ends the run. */
  readonly runOptions: (worker: string, signal?: AbortSignal) => RunOptions
}

/** Starts the portals of these sources. */
export async function simulatedPortals(
  sources: Iterable<Source>,
  options: Partial<Omit<SimulatorOptions, 'sources' | 'clock'>> & { readonly seed: string; readonly start?: number },
): Promise<SimulatedPortals> {
  let now = options.start ?? worldStart
  const clock = () => now
  const epoch = options.epoch ?? now
  const shelf = options.shelf ?? sampleShelf({ seed: options.seed, epoch, base: 4, arrivalHours: 12 })
  const simulator = await startSimulator({ dripMs: 1, ...options, sources, shelf, clock, epoch })
  const http = openHttp({ network: 'loopback', route: simulator.route, timeoutMs: 5000 })
  const random = seeded(`${options.seed}|polite`)
  const sleep: Sleep = async (ms, signal) => {
    signal.throwIfAborted()
    now += Math.max(0, Math.ceil(ms))
    await new Promise((resolve) => setImmediate(resolve))
    signal.throwIfAborted()
  }
  const hosts = createPoliteHosts({
    http,
    clock,
    sleep,
    random: () => random.next(),
    contact: 'https://operator.example/contact',
    version: '0.0.0-test',
  })
  const scratchFolder = await mkdtemp(join(tmpdir(), 'tenderstock-portals-'))
  return {
    simulator,
    shelf,
    clock,
    advance: (ms) => {
      now += ms
    },
    runOptions: (worker, signal = new AbortController().signal) => ({
      clock,
      hosts,
      keyOf: () => 'a-key-for-tests',
      scratchFolder,
      worker,
      sleep,
      signal,
    }),
    [Symbol.asyncDispose]: async () => {
      await simulator.close()
      await http.close()
      await rm(scratchFolder, { recursive: true, force: true })
    },
  }
}
