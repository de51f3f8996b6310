// A small stock on a server for trials of faults: tenders that change when they are told to, tokens, editions.
import { contentHash } from '../../src/consolidate/canonical.ts'
import type { TenderContent } from '../../src/domain/tender.ts'
import { systemRandom } from '../../src/platform/random.ts'
import type { Store } from '../../src/store/database.ts'
import { createOrganization, createToken } from '../../src/store/organizations.ts'
import { upsertTenders } from '../../src/store/tenders.ts'
import { generateTender } from '../generate/stock.ts'

const stock = { seed: 7, count: 0, now: Date.UTC(2026, 0, 1), size: 'small' } as const

/** Without merges: their survivors need not be in so small a stock. */
function tenderOf(number: number, version: number): TenderContent {
  const { mergedInto, ...tender } = generateTender(stock, number, version)
  return mergedInto === undefined ? tender : { ...tender, status: 'closed', archiveReason: 'expired' }
}

/** Writes as many tenders, each with new content in each version. */
export async function putTenders(store: Pick<Store, 'db'>, count: number, version: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, number) => {
    const tender = tenderOf(number, version)
    const content = JSON.stringify(tender)
    return {
      tenderId: tender.id,
      foundingKey: tender.id,
      content,
      contentHash: contentHash(content),
      nextTransitionMs: null,
      mergedInto: null,
      sources: '["ted"]',
    }
  })
  await upsertTenders(store.db, rows)
}

/** An organization with as many tokens (at most two), in plain text and by id. */
export async function makeTokens(
  store: Store,
  name: string,
  count: number,
): Promise<readonly { readonly token: string; readonly tokenId: string }[]> {
  const circumstances = { now: Date.now(), random: systemRandom }
  const { organization } = await createOrganization(store.db, { name, requestsPerMinute: 6000 }, circumstances)
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
