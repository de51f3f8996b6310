// `tenderstock serve` with TENDERSTOCK_EDITIONS: the API alone, from a bucket. Nothing here uses a database.
import { createSecretKey } from 'node:crypto'
import { resolve } from 'node:path'
import { bucketSource } from '../../edition/write/bucket-source.ts'
import { steadyClock, systemClock, systemSleep } from '../../platform/clock.ts'
import type { BucketLocation } from '../../platform/config.ts'
import { openLog } from '../../platform/log.ts'
import { systemRandom } from '../../platform/random.ts'
import { createSealer } from '../../platform/sealing.ts'
import { openBucket } from '../../store/files/bucket.ts'
import { addressWarnings } from '../readers/public-addresses.ts'
import { openNodeState } from '../watch/node-state.ts'
import { answerUntilStopped, checkPortsAndFolder, type NodeOptions, openAnswering } from './answering.ts'
import { bucketUse } from './bucket-use.ts'
import { watchBucket } from './bucket-watch.ts'
import { keptHead } from './kept-head.ts'
import { openUseLedger } from './use-ledger.ts'

/** How long the bucket may take to answer before it counts as silent. */
const bucketTimeoutMs = 10_000

export async function serveFromBucket(options: NodeOptions, location: BucketLocation): Promise<void> {
  const { config, emit, version } = options
  const dataFolder = resolve(options.dataFolder)
  const log = openLog(options.logLevel)
  const clock = systemClock
  await using open = new AsyncDisposableStack()
  await checkPortsAndFolder(options)
  const bucket = openBucket(location, {
    clock,
    sleep: systemSleep,
    random: systemRandom,
    version,
    named: 'the address in TENDERSTOCK_EDITIONS',
    timeoutMs: bucketTimeoutMs,
  })
  open.defer(bucket.close)
  const source = bucketSource(bucket, keptHead(dataFolder))
  const sealer = createSealer(createSecretKey(config.secretKey!), systemRandom.bytes)
  const state = openNodeState()
  emit({ event: 'opened', data: dataFolder, engine: 'bucket' })
  for (const message of addressWarnings({ config, host: options.apiHost })) emit({ event: 'warning', message })
  const watch = await watchBucket({ bucket, source, sealer, dataFolder, clock, steadyClock, state, log })
  open.defer(() => watch.close())
  const use = openUseLedger({ sink: bucketUse(bucket, sealer, systemRandom), clock, random: systemRandom, log })
  open.defer(() => use.close())
  const node = await openAnswering(options, {
    dataFolder,
    source,
    database: watch,
    clock,
    state,
    log,
    clockShift: new Float64Array(new SharedArrayBuffer(8)),
    tokens: watch.tokens,
    cursorKeys: watch.cursorKeys,
    // limits of an organization are shared through Redis, but the number of processes that share them is unknown here
    processCount: Int32Array.of(1),
    onUse: use.add,
    redactedAt: watch.redactedAt,
    defer: (close) => open.defer(close),
  })
  await node.takeOver({ isOlderAccepted: options.isOlderAccepted }).catch((error: unknown) => {
    // what the log holds is served
    if (!node.editions.newest) throw error
    log.warn({ error: String(error) }, 'the bucket delivers no editions; the last one is served')
  })
  await answerUntilStopped(options, node)
}
