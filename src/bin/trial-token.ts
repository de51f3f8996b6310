// The trial organisation and the token that `start` prints: the same one at every start, kept in a file that only its owner reads.
import { chmod, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hashToken } from '../domain/token.ts'
import type { Clock } from '../platform/clock.ts'
import type { Random } from '../platform/random.ts'
import type { Store } from '../store/database.ts'
import { changeOrganization, createOrganization, createToken, loadTokens } from '../store/organizations.ts'

export const trialOrganization = 'Trial'

/** The plaintext, or undefined when both tokens of the organisation are taken and neither is in the file. */
export async function ensureTrialToken(
  store: Store,
  options: {
    readonly dataFolder: string
    readonly requestsPerMinute?: number
    readonly clock: Clock
    readonly random: Random
  },
): Promise<string | undefined> {
  const { clock, random, requestsPerMinute } = options
  const { organization } = await createOrganization(
    store.db,
    { name: trialOrganization, ...(requestsPerMinute !== undefined && { requestsPerMinute }) },
    { now: clock(), random },
  )
  const { organizationId } = organization
  if (requestsPerMinute !== undefined && organization.requestsPerMinute !== requestsPerMinute) {
    await changeOrganization(store, organizationId, { requestsPerMinute })
  }
  const path = join(options.dataFolder, 'trial-token')
  const kept = await readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )
  if (kept !== undefined) {
    const hash = hashToken(kept)
    const grants = await loadTokens(store.db)
    const isValid = grants.some(
      (grant) =>
        grant.organizationId === organizationId &&
        grant.tokenHash === hash &&
        (grant.expiresAt ?? Number.POSITIVE_INFINITY) > clock(),
    )
    if (isValid) return kept
  }
  const created = await createToken(store, { organizationId, name: 'printed by start' }, { now: clock(), random })
  if (created.kind !== 'created') return undefined
  // a kill between the two leaves a token that nobody knows in one of the two slots; the other one is still free
  await writeFile(`${path}.new`, `${created.plaintext}\n`, { mode: 0o600 })
  await chmod(`${path}.new`, 0o600)
  await rename(`${path}.new`, path)
  return created.plaintext
}
