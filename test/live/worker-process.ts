// One worker process of `several-workers.system.test.ts`: reads scripted sources from a portal on loopback, on a clock
// that runs fast.
import { setTimeout as delay } from 'node:timers/promises'
import { runWorkers } from '../../src/ingest/run-sources.ts'
import type { SourceReply } from '../../src/sources/fetch.ts'
import { openStore } from '../../src/store/database/database.ts'
import { scriptedPortal, scriptedSource } from '../scripted-source.ts'

/** The data that the parent passes as JSON in the only argument. */
export type WorkerTask = {
  readonly databaseUrl: string
  readonly dataFolder: string
  readonly worker: string
  readonly portal: string
  readonly sources: readonly string[]
  readonly since: string
  /** Instant at which the clock started, and the machine's time then. */
  readonly epoch: number
  readonly startedAt: number
  readonly speed: number
}

if (process.argv[2] !== undefined) await work(JSON.parse(process.argv[2]) as WorkerTask)

async function work(task: WorkerTask): Promise<void> {
  const store = await openStore({ databaseUrl: task.databaseUrl, dataFolder: task.dataFolder })
  const portal = scriptedPortal()
  const slots = { kind: 'day', since: task.since } as const
  const sources = task.sources.map((id) => scriptedSource(portal, { id, channel: { slots } }))
  const done = new AbortController()
  await runWorkers(store, sources, {
    all: sources,
    workers: 3,
    worker: task.worker,
    clock: () => task.epoch + (Date.now() - task.startedAt) * task.speed,
    sleep: (ms, signal) => delay(ms / task.speed, undefined, { signal }),
    signal: done.signal,
    scratchFolder: task.dataFolder,
    keyOf: () => undefined,
    hosts: {
      openConnection: ({ source }) => ({
        requests: () => 0,
        send: async ({ url }) => {
          const path = new URL(url).pathname + new URL(url).search
          const reply = await fetch(`${task.portal}/${source.id}${path}&worker=${task.worker}`)
          const bytes = Buffer.from(await reply.arrayBuffer())
          return {
            status: reply.status,
            headers: {},
            version: undefined,
            bytes: async () => bytes,
            chunks: async function* () {
              yield bytes
            },
          } satisfies SourceReply
        },
      }),
    },
    onFault: (source, error) => console.error(source, error),
    onNews: ({ due }) => due.size === 0 && done.abort(),
  })
  await store.close()
}
