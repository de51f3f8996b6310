// The sample portals of `tenderstock start`: the simulator serves made-up notices, and the sources read them as they
// read portals.
import { join } from 'node:path'
import { dayMs, toInstant } from '../../domain/time.ts'
import { createPoliteHosts } from '../../ingest/polite.ts'
import { runSource } from '../../ingest/run-sources.ts'
import { systemSleep } from '../../platform/clock.ts'
import { OperatorError } from '../../platform/errors.ts'
import { openHttp } from '../../platform/http.ts'
import { sampleSeed } from '../../simulator/samples/sample-documents.ts'
import { sampleShelf } from '../../simulator/shelf.ts'
import { startSimulator } from '../../simulator/start-simulator.ts'
import { loadSources } from '../../sources/registry.ts'
import type { Source } from '../../sources/source.ts'
import type { SamplePortals } from '../control/portal-access.ts'
import { sourceNamed } from '../operations/source-operations.ts'
import type { LiveOptions } from '../rounds/live-sources.ts'

/** Read by default: a handful, so that the first start takes seconds. */
export const usualSampleSources = [
  'ted',
  'doe',
  'no-doffin',
  'gb-find-a-tender',
  'gb-contracts-finder',
  'gb-public-contracts-scotland',
  'fr-boamp',
  'es-placsp-643',
] as const

/** How many portals are read at the same time: while one waits for the database, another is parsed. */
const atOnce = 3

/** How many days of the past the made-up world covers; windows of hours would be too many for that. */
const pastDays = 135
const pastDaysOfHours = 30

export type SampleOptions = Pick<
  LiveOptions,
  'store' | 'dataFolder' | 'clock' | 'random' | 'emit' | 'stop' | 'version' | 'documentStore' | 'onReading'
> & {
  /** When the made-up world begins, in epoch milliseconds. */
  readonly epoch: number
  /** Ids of the sources whose portals are simulated; `all` for every one; empty for the usual ones. */
  readonly named: readonly string[]
}

export type SampleSources = SamplePortals & {
  /** IDs of the sources that are read. */
  readonly ids: readonly string[]
  /** Reads what is due of every source. Errors of portals are reported, and retried at the next reading. */
  readonly read: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Starts the portals on a free port of this machine. Throws OperatorError when a named source does not exist. */
export async function openSampleSources(options: SampleOptions): Promise<SampleSources> {
  const { store, clock, random, emit, stop, epoch } = options
  const sources = await loadSources()
  const named = options.named.length > 0 ? options.named : usualSampleSources
  const chosen = (named.includes('all') ? [...sources.values()] : named.map((id) => sourceNamed(sources, id))).map(
    inPrivate,
  )
  const simulator = await startSimulator({
    sources: chosen,
    shelf: sampleShelf({ seed: sampleSeed, epoch }),
    clock,
    seed: sampleSeed,
    epoch,
    // as with real portals, something now and then is not a notice: it is stored with the reason
    faults: { 'broken-member': { share: 0.3, sources: ['doe'] } },
  })
  const http = openHttp({ network: 'loopback', route: simulator.route })
  const hosts = createPoliteHosts({
    http,
    clock,
    sleep: systemSleep,
    random: () => random.bytes(4).readUInt32BE() / 2 ** 32,
    contact: 'https://portal.example',
    version: options.version,
  })
  emit({ event: 'portals', portals: chosen.length })
  const reported = new Set<string>()
  const readOne = async (source: Source) => {
    const days = source.channels.some(({ slots }) => slots.kind === 'hours') ? pastDaysOfHours : pastDays
    const results = await runSource(store, source, {
      clock,
      hosts,
      keyOf: () => 'sample-key',
      scratchFolder: join(options.dataFolder, 'scratch', String(process.pid)),
      worker: `samples ${process.pid} ${random.uuid()}`,
      sleep: systemSleep,
      signal: stop,
      backfillSince: toInstant(epoch - days * dayMs).slice(0, 10),
      backfillShare: 1,
      ...(options.onReading && { onReading: options.onReading }),
      ...(options.documentStore && { documentStore: options.documentStore }),
    })
    const sum = (of: (result: (typeof results)[number]) => number) =>
      results.reduce((total, each) => total + of(each), 0)
    const control = new Set(source.channels.flatMap(({ name, role }) => (role === 'control' ? [name] : [])))
    const entries = sum((each) => (control.has(each.channel) ? 0 : each.entries))
    const documents = sum(({ documents: count }) => count)
    if (documents > 0 || !reported.has(source.id)) {
      reported.add(source.id)
      const rejections = sum(({ rejections: count }) => count)
      emit({
        event: 'ingested',
        source: source.id,
        documents: Math.max(
          documents,
          sum(({ entries }) => entries),
        ),
        known: Math.max(0, entries - documents),
        notices: sum(({ notices }) => notices),
        rejections: rejections > 0 ? { rejected: rejections } : {},
      })
    }
    const failed = results.find(({ outcome }) => outcome === 'failed' || outcome === 'refused')
    if (failed) emit({ event: 'warning', message: `${source.id} ${failed.channel} ${failed.slot}: ${failed.detail}` })
  }
  return {
    hosts,
    ids: chosen.map(({ id }) => id),
    sourceOf: (sourceId) => chosen.find(({ id }) => id === sourceId),
    read: async () => {
      const waiting = [...chosen]
      const reader = async () => {
        for (let source = waiting.shift(); source && !stop.aborted; source = waiting.shift()) {
          try {
            await readOne(source)
          } catch (error) {
            // another process on this stock is reading it: one of them is enough
            if (!(error instanceof OperatorError)) throw error
          }
        }
      }
      const ended = await Promise.allSettled(Array.from({ length: atOnce }, reader))
      for (const each of ended) if (each.status === 'rejected') throw each.reason
    },
    close: async () => {
      await http.close()
      await simulator.close()
    },
  }
}

/** This machine needs no protection, and new notices appear immediately. */
function inPrivate(source: Source): Source {
  const { robots, userAgent } = source.politeness
  const [first, ...more] = source.channels.map((channel) =>
    channel.role === undefined || channel.role === 'current' ? { ...channel, timetable: '* * * * *' } : channel,
  )
  return {
    ...source,
    channels: [first!, ...more],
    politeness: {
      requestsPerMinute: 1_000_000,
      connections: 4,
      ...(robots !== undefined && { robots }),
      ...(userAgent !== undefined && { userAgent }),
    },
  }
}
