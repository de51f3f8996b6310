// Says in the database which edition this process holds: when that changes, when a publisher asks, and again when the
// database has forgotten it, because it went back to an earlier state.
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { EditionLog } from '../../edition/write/edition-log.ts'
import { every } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Random } from '../../platform/random.ts'
import { within } from '../../platform/within.ts'
import type { Store } from '../../store/database/database.ts'
import {
  forgetWitness,
  reportEdition,
  viewOfWitness,
  type Witness,
  type WitnessView,
} from '../../store/editions/edition-witness.ts'

/** A publisher waits for twice this time at least (roll-call.ts). */
export const witnessEveryMs = 1000
/** How long a stopping process waits for the database. */
const longestEndMs = 1000

type Watched = {
  readonly store: Pick<Store, 'looks'>
  readonly editions: Pick<EditionLog, 'newest' | 'stockId' | 'contest'>
}

/** Says it now if the database does not know it, or a publisher has asked since. */
export async function witness({ store, editions }: Watched, self: Witness): Promise<void> {
  const { looks: db } = store
  const view = await viewOfWitness(db, self.witnessId)
  const { newest, stockId } = editions
  if (newest === undefined || stockId === undefined) {
    if (view.answered !== null) await forgetWitness(db, self.witnessId)
    return
  }
  const { edition, lastModified, checksum = '' } = newest
  const seen = { edition, lastModified, checksum, stockId }
  if (!isKnown(view, seen)) await reportEdition(db, self, seen)
  else editions.contest(view.isContested)
}

const isKnown = (
  { call, answered, edition, checksum }: WitnessView,
  newest: { readonly edition: number; readonly checksum: string },
): boolean => answered === (call ?? '') && edition === newest.edition && checksum === newest.checksum

/**
 * The id of the witness whose log lies in this folder: a process that was killed and is started again is the same one,
 * so nobody waits for the killed one. A copy of the folder elsewhere is another witness.
 */
export async function witnessIdIn(dataFolder: string, random: Pick<Random, 'uuid'>): Promise<string> {
  const path = join(dataFolder, 'witness')
  await writeFile(path, random.uuid(), { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const kept = await readFile(path, 'utf8')
  return createHash('sha256')
    .update(JSON.stringify([kept, hostname(), dataFolder]))
    .digest('hex')
    .slice(0, 32)
}

/** The embedded engine has one process, whose own log is compared before each publication. */
export async function witnessEditions({
  store,
  editions,
  dataFolder,
  random,
  log,
}: Watched & {
  readonly store: Store
  /** Where the edition log lies. */
  readonly dataFolder: string
  readonly random: Random
  readonly log: Log
}): Promise<() => Promise<void>> {
  if (store.engine === 'embedded') return async () => {}
  const self = { witnessId: await witnessIdIn(dataFolder, random), name: `the process ${process.pid} on ${hostname()}` }
  let looking: Promise<void> | undefined
  const look = () => {
    looking ??= witness({ store, editions }, self)
      .catch((error: unknown) => log.debug({ error: String(error) }, 'cannot say which edition is held; retrying'))
      .finally(() => {
        looking = undefined
      })
    return looking
  }
  void look()
  const end = every(witnessEveryMs, () => void look())
  return async () => {
    end()
    const ended = Promise.resolve(looking).then(() => forgetWitness(store.looks, self.witnessId))
    await within(
      ended.catch(() => {}),
      longestEndMs,
    )
  }
}
