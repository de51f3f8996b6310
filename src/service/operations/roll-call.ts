// Before an edition is written, those who may hold a later one than the database say what they hold: the bucket, and
// all processes with an edition log. The wait is bounded, and who did not answer is named.
import { setTimeout as delay } from 'node:timers/promises'
import { toInstant } from '../../domain/time.ts'
import { newestInBucket } from '../../edition/write/bucket-source.ts'
import { steadyClock, systemClock, systemSleep } from '../../platform/clock.ts'
import type { Config } from '../../platform/config.ts'
import type { Random } from '../../platform/random.ts'
import { within } from '../../platform/within.ts'
import type { Store } from '../../store/database/database.ts'
import { beginRollCall, forgetWitness, reportEdition, unheardWitnesses } from '../../store/editions/edition-witness.ts'
import { type Bucket, openBucket } from '../../store/files/bucket.ts'
import { witnessEveryMs } from '../nodes/witness-editions.ts'

/** A process whose report was lost with the state of the database has said it again after this time. */
const shortestWaitMs = 2 * witnessEveryMs
/**
 * How long to wait for a process or the bucket; less than a lease of the publication lasts
 * (store/editions/publication.ts).
 */
const longestWaitMs = 10_000
const lookEveryMs = 100
const bucketTimeoutMs = 5000
const bucketWitness = { witnessId: 'bucket', name: 'the bucket' }

export type RollCall = {
  readonly store: Pick<Store, 'db' | 'engine'>
  readonly config: Pick<Config, 'editions'>
  readonly random: Random
  readonly version: string
  /** Called with a sentence about each witness that was not heard. */
  readonly warn: (message: string) => void
}

export async function callRoll(options: RollCall): Promise<void> {
  await Promise.all([hearBucket(options), options.store.engine === 'embedded' ? undefined : hearProcesses(options)])
}

async function hearProcesses({ store, random, warn }: RollCall): Promise<void> {
  const { db } = store
  const call = random.uuid()
  await beginRollCall(db, call)
  const startedAt = steadyClock()
  await delay(shortestWaitMs)
  let unheard = await unheardWitnesses(db, call, bucketWitness.witnessId)
  while (unheard.length > 0 && steadyClock() - startedAt < longestWaitMs) {
    await delay(lookEveryMs)
    unheard = await unheardWitnesses(db, call, bucketWitness.witnessId)
  }
  for (const { witnessId, name, reportedAt } of unheard) {
    warn(
      `The publication went on without ${name}, which has not said for ${longestWaitMs / 1000} s which ` +
        `edition it holds, and last did at ${toInstant(reportedAt)}. If it comes back with a later one, it ` +
        'answers 503 until an operator decides.',
    )
    // it reports again when it is back; one that is gone is not waited for twice
    await forgetWitness(db, witnessId)
  }
}

async function hearBucket({ store, config, random, version, warn }: RollCall): Promise<void> {
  if (!config.editions) return
  const bucket = openBucket(config.editions, {
    clock: systemClock,
    sleep: systemSleep,
    random,
    version,
    named: 'the address in TENDERSTOCK_EDITIONS',
    timeoutMs: bucketTimeoutMs,
  })
  try {
    await within(hear(store, bucket), longestWaitMs)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    warn(`The publication went on without the bucket, which did not say which edition it holds: ${why}`)
  } finally {
    await bucket.close()
  }
}

/** Notes what the bucket holds, as the processes do it themselves. */
export async function hear({ db }: Pick<Store, 'db'>, bucket: Pick<Bucket, 'get'>): Promise<void> {
  const newest = await newestInBucket(bucket)
  if (newest) await reportEdition(db, bucketWitness, newest)
  else await forgetWitness(db, bucketWitness.witnessId)
}
