// `tenderstock simulate`: the portals of all sources on this machine, for trials of a source and of what goes wrong.
import { toInstant } from '../../domain/time.ts'
import type { Clock } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import { aborted } from '../../platform/within.ts'
import { corpusShelf } from '../../simulator/corpus-shelf.ts'
import { type Faults, readFaults } from '../../simulator/faults.ts'
import { sampleEpoch, sampleSeed } from '../../simulator/samples/sample-documents.ts'
import { sampleShelf } from '../../simulator/shelf.ts'
import { startSimulator } from '../../simulator/start-simulator.ts'
import { loadSources } from '../../sources/registry.ts'
import type { Emit } from '../events/command-event.ts'
import { sourceNamed } from './source-operations.ts'

/** Number of procurements of each portal at the start: enough that every day has an entry. */
const basePerPortal = 80

export type SimulateOptions = {
  /** Ids; empty: all sources. */
  readonly sources: readonly string[]
  /** `NAME` or `NAME=share`. */
  readonly faults: readonly string[]
  /** Folder of real notices instead of made-up ones. */
  readonly corpus?: string
  readonly port: number
  readonly seed?: string
  /** How many times faster time runs for the portals. */
  readonly speed: number
  readonly clock: Clock
  readonly emit: Emit
  /** Aborted by the first signal to stop. */
  readonly stop: AbortSignal
}

/**
 * Serves until it is stopped. Throws OperatorError for an unknown source or fault, a missing folder or a port in use.
 */
export async function simulate(options: SimulateOptions): Promise<void> {
  const { clock, emit, stop } = options
  const all = await loadSources()
  const shelf = options.corpus === undefined ? undefined : await corpusShelf(options.corpus)
  const chosen =
    options.sources.length > 0
      ? options.sources.map((id) => sourceNamed(all, id))
      : [...all.values()].filter(({ id }) => !shelf || shelf.sourceIds.includes(id))
  const startedAt = clock()
  const portalClock = () => startedAt + Math.round((clock() - startedAt) * options.speed)
  const seed = options.seed ?? sampleSeed
  const epoch = sampleEpoch(startedAt)
  const faults = faultsOf(options.faults)
  const simulator = await startSimulator({
    sources: chosen,
    shelf: shelf ?? sampleShelf({ seed, epoch, base: basePerPortal }),
    clock: portalClock,
    seed,
    epoch,
    faults,
    port: options.port,
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new OperatorError(
      'port-in-use',
      `Port ${options.port} is in use; stop the program that listens there, or choose another with --port.`,
    )
  })
  try {
    for (const source of chosen)
      emit({
        event: 'simulatedPortal',
        source: source.id,
        title: source.title,
        hosts: [...new Set(simulator.hostsOf(source.id))],
        entries: simulator.published(source.id).length,
      })
    emit({
      event: 'simulating',
      base: simulator.base,
      portals: chosen.length,
      faults: Object.fromEntries(Object.entries(faults)),
      isMadeUp: shelf === undefined,
      seed,
      now: toInstant(portalClock()),
      speed: options.speed,
      example: chosen[0]?.id ?? 'ted',
    })
    await aborted(stop)
    emit({ event: 'simulated', requests: simulator.requestCount(), faults: { ...simulator.faultCounts() } })
  } finally {
    await simulator.close()
  }
}

function faultsOf(written: readonly string[]): Faults {
  try {
    return readFaults(written)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new OperatorError('invalid-option', `${error.message[0]!.toUpperCase()}${error.message.slice(1)}.`)
  }
}
