// Uses of tokens that nodes without a database counted: small sealed objects, which the publisher adds to the database
// once each.
import { minuteMs } from '../../domain/time.ts'
import type { Random } from '../../platform/random.ts'
import type { Sealer } from '../../platform/sealing.ts'
import type { Store } from '../../store/database/database.ts'
import { addOnce } from '../../store/editions/edition-export.ts'
import type { Bucket } from '../../store/files/bucket.ts'
import { addApiUse, allTokens, noteOrigins, type TokenOrigin, type UsedMinute } from '../../store/people/api-use.ts'
import { touchTokens } from '../../store/people/organizations.ts'
import type { UseSink } from './use-ledger.ts'

/** Prefix of the paths of these objects. */
const start = 'from-nodes/use-'
const context = 'use 1'

type Use = {
  readonly minuteMs: number
  readonly minutes: readonly UsedMinute[]
  readonly origins: readonly TokenOrigin[]
}

/** Writes what a node counted. */
export function bucketUse(bucket: Pick<Bucket, 'put'>, sealer: Sealer, random: Random): UseSink {
  const put = (name: string, use: Use) =>
    bucket.put(`${start}${name}.sealed`, sealer.seal(Buffer.from(JSON.stringify(use)), context))
  return {
    add: ({ name, minuteMs, minutes }) => put(name, { minuteMs, minutes, origins: [] }),
    note: (origins) => put(random.uuid(), { minuteMs: 0, minutes: [], origins }),
  }
}

/**
 * Adds what nodes have written since, and removes it. An object that cannot be opened is removed without being counted.
 */
export async function addNodesUse(
  store: Pick<Store, 'db'>,
  bucket: Pick<Bucket, 'list' | 'get' | 'remove'>,
  { sealer, now }: { readonly sealer: Sealer; readonly now: number },
): Promise<void> {
  const uses: { path: string; use: Use | undefined }[] = []
  for (const { path } of await bucket.list(start)) {
    const bytes = await bucket.get(path)
    const opened = bytes && sealer.open(bytes, context)
    uses.push({ path, use: opened && (JSON.parse(opened.toString()) as Use) })
  }
  // the busiest minute of an hour is found when minutes come in order
  uses.sort((left, right) => (left.use?.minuteMs ?? 0) - (right.use?.minuteMs ?? 0))
  for (const { path, use } of uses) {
    if (use)
      await addOnce(store, { name: path, now }, async (trx) => {
        if (use.minutes.length > 0) await addApiUse(trx, use.minuteMs, use.minutes)
        const used = use.minutes.flatMap(({ tokenId }) => (tokenId === allTokens ? [] : [tokenId]))
        await touchTokens(trx, used, use.minuteMs + minuteMs)
        await noteOrigins(trx, use.origins)
      })
    // a node whose answer was lost may write it again: its name is kept for a week (`pruneAdded`)
    await bucket.remove(path)
  }
}
