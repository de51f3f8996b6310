// Reads sources in the service: the contact that it sends, what it reports, and the rule that samples and live data
// never mix.
import { readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { FirstReading } from '../../domain/source-state.ts'
import { firstReading, isReadEnough } from '../../ingest/first-reading.ts'
import { hostGroups } from '../../ingest/host-groups.ts'
import { createPoliteHosts } from '../../ingest/polite.ts'
import type { SlotResult } from '../../ingest/run-slot.ts'
import { runWorkers } from '../../ingest/run-sources.ts'
import { lacksKey, whyOff } from '../../ingest/source-health.ts'
import { type Clock, systemSleep } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import type { HttpClient } from '../../platform/http.ts'
import type { Log } from '../../platform/log.ts'
import type { Random } from '../../platform/random.ts'
import { countCountries, type Sources } from '../../sources/registry.ts'
import type { Source } from '../../sources/source.ts'
import type { Store } from '../../store/database/database.ts'
import type { DocumentStore } from '../../store/files/document-store.ts'
import type { Emit } from '../events/command-event.ts'
import { sourceNamed } from '../operations/source-operations.ts'
import { watchNetwork } from './network-watch.ts'

export type LiveOptions = {
  readonly store: Store
  readonly dataFolder: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly emit: Emit
  /** Aborted when the service ends. */
  readonly stop: AbortSignal
  readonly http: Pick<HttpClient, 'send'>
  /** Contact of the operator for portals, and the program's version: every request carries them. */
  readonly contact: string
  readonly version: string
  readonly keyOf: (setting: string) => string | undefined
  readonly sources: Sources
  /** IDs of the only sources to run, including those that their cards turn off; empty: all that are not off. */
  readonly named: readonly string[]
  readonly workers: number
  /** Called when a reading has ended. */
  readonly onReading?: (result: SlotResult) => void
  /** `YYYY-MM-DD`. */
  readonly backfillSince?: string
  readonly documentStore?: DocumentStore
}

export type LiveSources = {
  /** Resolves when all workers are done, after `stop`. */
  readonly done: Promise<void>
  /** IDs of the sources that are read. */
  readonly ids: readonly string[]
  /** How far the first reading since the start is; undefined when it is over. */
  readonly firstReading: () => FirstReading | undefined
  /** Throws the newest error that did not come from a portal, until the affected source was read again. */
  readonly throwFault: () => void
}

/** Starts reading. Throws OperatorError when a named source does not exist or lacks its key, or when none would run. */
export function startLiveSources(options: LiveOptions): LiveSources {
  const { store, sources, emit, clock, random } = options
  const chosen = chooseSources(options)
  emit({
    event: 'sourcesStarted',
    running: chosen.running.length,
    countries: countCountries(chosen.running),
    off: chosen.off.length,
    keysMissing: chosen.keyless.map(({ id }) => id),
  })
  const scratchFolder = join(options.dataFolder, 'scratch')
  const groups = hostGroups(chosen.running)
  const network = watchNetwork(options.http, { emit, hosts: new Set(groups.values()).size })
  const hosts = createPoliteHosts({
    http: network,
    clock,
    sleep: systemSleep,
    random: () => random.bytes(4).readUInt32BE() / 2 ** 32,
    contact: options.contact,
    version: options.version,
  })
  let reading: FirstReading | undefined = firstReading(chosen.running, undefined)
  /** By source; errors from looking for due slots have no name. */
  const faults = new Map<string, unknown>()
  const work = () =>
    runWorkers(store, chosen.running, {
      all: sources.values(),
      workers: options.workers,
      clock,
      hosts,
      keyOf: options.keyOf,
      scratchFolder: join(scratchFolder, String(process.pid)),
      worker: `${hostname()} ${process.pid} ${random.uuid()}`,
      sleep: systemSleep,
      signal: options.stop,
      onReading: (result) => {
        options.onReading?.(result)
        const { sourceId: source, ...facts } = result
        faults.delete(source)
        faults.delete('')
        const report = result.outcome === 'failed' ? network.emitFailure : emit
        report({ event: 'sourceRead', source, ...facts })
      },
      onNews: (news) => {
        faults.delete('')
        if (reading) reading = firstReading(chosen.running, news)
        if (reading && isReadEnough(reading)) reading = undefined
      },
      onFault: (source, error) => {
        faults.set(source, error)
        options.log.error({ source, error: error instanceof Error ? error.stack : String(error) }, 'reading failed')
      },
      ...(options.backfillSince !== undefined && { backfillSince: options.backfillSince }),
      ...(options.documentStore && { documentStore: options.documentStore }),
    })
  const done = removeLeftovers(scratchFolder)
    .catch((error: unknown) => options.log.warn({ error: String(error) }, 'old archives could not be removed'))
    .then(work)
  const throwFault = () => {
    for (const error of faults.values()) throw error
  }
  return { done, ids: chosen.running.map(({ id }) => id), firstReading: () => reading, throwFault }
}

/** Removes archives that a killed process had unpacked: folders named after processes that no longer exist. */
async function removeLeftovers(scratchFolder: string): Promise<void> {
  const names = await readdir(scratchFolder).catch(() => [])
  for (const name of names) {
    const pid = Number(name)
    if (pid === process.pid || !isAlive(pid)) await rm(join(scratchFolder, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

type Chosen = {
  readonly running: readonly Source[]
  /** Would run with their keys. */
  readonly keyless: readonly Source[]
  /** Run only when they are named. */
  readonly off: readonly Source[]
}

function chooseSources({ sources, named, keyOf }: LiveOptions): Chosen {
  const hasKey = ({ access }: Source) => access.kind === 'open' || keyOf(access.setting) !== undefined
  if (named.length > 0) {
    const running = [...new Set(named)].map((id) => sourceNamed(sources, id))
    for (const source of running)
      if (!hasKey(source)) throw new OperatorError('source-off', `The source ${source.id} ${whyOff(source, false)}.`)
    return { running, keyless: [], off: [] }
  }
  const all = [...sources.values()]
  const isOff = (source: Source) => whyOff(source, hasKey(source)) !== undefined
  const keyless = all.filter((source) => lacksKey(source, hasKey(source)))
  return {
    running: all.filter((source) => !isOff(source)),
    keyless,
    off: all.filter((source) => isOff(source) && !keyless.includes(source)),
  }
}
