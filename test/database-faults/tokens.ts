// Tokens for tests of faults.
import { systemRandom } from '../../src/platform/random.ts'
import type { Store } from '../../src/store/database/database.ts'
import { createOrganization, createToken } from '../../src/store/people/organizations.ts'

/** An organization with this many tokens (at most two), in plain text and by id. */
export async function makeTokens(
  store: Store,
  name: string,
  count: number,
  requestsPerMinute = 6000,
): Promise<readonly { readonly token: string; readonly tokenId: string }[]> {
  const circumstances = { now: Date.now(), random: systemRandom }
  const { organization } = await createOrganization(store.db, { name, requestsPerMinute }, circumstances)
  const made: { token: string; tokenId: string }[] = []
  for (let number = 1; number <= count; number++) {
    const outcome = await createToken(
      store,
      { organizationId: organization.organizationId, name: `token ${number}` },
      circumstances,
    )
    if (outcome.kind !== 'created') throw new Error(outcome.kind)
    made.push({ token: outcome.plaintext, tokenId: outcome.token.tokenId })
  }
  return made
}
