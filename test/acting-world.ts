// A stock in which Anna acts for an organization that is new in each test, and the log of what she did.
import { afterAll, beforeAll } from 'vitest'
import type { Acting } from '../src/actions/acting.ts'
import { addOrganization } from '../src/actions/organizations.ts'
import { systemRandom } from '../src/platform/random.ts'
import { type Executor, inTransaction } from '../src/store/database/database.ts'
import { listAuditEntries } from '../src/store/people/audit.ts'
import { openTestStore, type TestStore } from './world.ts'

export const now = Date.UTC(2026, 10, 23, 8)
export const anna: Acting & { readonly mailDomain: string } = {
  actor: 'anna@example.org',
  addressPrefix: '192.0.2.0/24',
  now,
  random: systemRandom,
  mailDomain: 'example.org',
}

export let store: TestStore

export const run = <Result>(work: (trx: Executor) => Promise<Result>): Promise<Result> => inTransaction(store, work)

/** A new organization of Anna's. */
export async function newOrganization(): Promise<{ readonly name: string; readonly organizationId: string }> {
  const name = systemRandom.uuid()
  const { organization } = await run((trx) => addOrganization(trx, anna, { name, requestsPerMinute: 60 }))
  return { name, organizationId: organization.organizationId }
}

/** Actions in the log of an organization, the oldest first, without the first ones, which made what is tested. */
export const logged = async (organizationId: string, first: number): Promise<string[]> =>
  (await listAuditEntries(store.db, { organizationId, limit: 20 }))
    .reverse()
    .map(({ action }) => action)
    .slice(first)

/** Opens the stock for the tests of a file. */
export function openActingWorld(): void {
  beforeAll(async () => {
    store = await openTestStore('embedded')
  })
  afterAll(() => store[Symbol.asyncDispose]())
}
