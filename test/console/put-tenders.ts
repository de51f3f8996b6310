// Puts made-up tenders into the stock of a console.
import { canonicalJson, contentHash } from '../../src/consolidate/canonical.ts'
import type { TenderContent } from '../../src/domain/tender.ts'
import type { Store } from '../../src/store/database/database.ts'
import { upsertTenders } from '../../src/store/stock/tenders.ts'
import type { ConsoleWorld } from './console-world.ts'

/** As the consolidation would leave them; they wait for the next edition. */
export async function putTenders({ db }: Pick<Store, 'db'>, contents: readonly TenderContent[]): Promise<void> {
  await upsertTenders(
    db,
    contents.map((each) => {
      const content = canonicalJson(each)
      return {
        tenderId: each.id,
        foundingKey: each.id,
        content,
        contentHash: contentHash(content),
        archiveReason: each.archiveReason ?? null,
        nextTransitionMs: null,
        mergedInto: each.mergedInto ?? null,
        sources: '["ted"]',
      }
    }),
  )
}

/** And publishes them, until they are found. */
export async function publishTenders(world: ConsoleWorld, contents: readonly TenderContent[]): Promise<void> {
  await putTenders(world.store, contents)
  await world.publish()
  await world.editions.indexed(30_000)
}
