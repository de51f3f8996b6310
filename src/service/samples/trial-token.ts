// The trial organization and its one token: made with the sample portals, kept in a file that only its owner reads.

import { chmod, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandActor } from '../../actions/acting.ts'
import { hashToken, makeToken } from '../../domain/token.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import type { Store } from '../../store/database/database.ts'
import {
  changeOrganization,
  createOrganization,
  createToken,
  listTokens,
  loadTokens,
  trialOrganization,
} from '../../store/people/organizations.ts'

export type TrialToken =
  /** The first start: the token was not shown yet. */
  | { readonly kind: 'made'; readonly file: string; readonly plaintext: string }
  /** From an earlier start, and still valid. */
  | { readonly kind: 'kept'; readonly file: string }
  /** It was revoked, or its file is gone: only the operator can create another. */
  | { readonly kind: 'gone' }

/** Makes the trial token, only once per stock. */
export async function ensureTrialToken(
  store: Store,
  options: {
    readonly dataFolder: string
    readonly requestsPerMinute?: number
    readonly clock: Clock
    readonly random: Random
  },
): Promise<TrialToken> {
  const { clock, random, requestsPerMinute } = options
  const { organization } = await createOrganization(
    store.db,
    { name: trialOrganization, hasBulkFiles: true, ...(requestsPerMinute !== undefined && { requestsPerMinute }) },
    { now: clock(), random },
  )
  const { organizationId } = organization
  if (requestsPerMinute !== undefined && organization.requestsPerMinute !== requestsPerMinute)
    await changeOrganization(store, organizationId, { requestsPerMinute })
  const file = join(options.dataFolder, 'trial-token')
  if ((await listTokens(store.db, organizationId)).length > 0)
    return (await isValid(store, organizationId, file, clock)) ? { kind: 'kept', file } : { kind: 'gone' }
  // The file is written first: a kill in between leaves a text that is not a token yet, and the next start creates the
  // token.
  const plaintext = makeToken(random.bytes)
  await writeFile(`${file}.new`, `${plaintext}\n`, { mode: 0o600 })
  await chmod(`${file}.new`, 0o600)
  await rename(`${file}.new`, file)
  await createToken(
    store,
    { organizationId, name: 'trial', plaintext, createdBy: commandActor.actor },
    { now: clock(), random },
  )
  return { kind: 'made', file, plaintext }
}

async function isValid(store: Store, organizationId: string, file: string, clock: Clock): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const hash = hashToken(text.trim())
  const grants = await loadTokens(store.db)
  return grants.some(
    (grant) =>
      grant.organizationId === organizationId &&
      grant.tokenHash === hash &&
      (grant.expiresAt ?? Number.POSITIVE_INFINITY) > clock(),
  )
}
