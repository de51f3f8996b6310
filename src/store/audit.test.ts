// The audit log is read in pages: each entry is on one of them.
import { expect, test } from 'vitest'
import { drawnEngines, openTestStore } from '../../test/world.ts'
import { addAuditEntry, listAuditEntries } from './audit.ts'

test.each(drawnEngines)('each entry is on one page, the newest first (%s)', async (engine) => {
  await using store = await openTestStore(engine)
  for (let at = 1; at <= 5; at++)
    await addAuditEntry(store.db, {
      at,
      actor: 'operator',
      organizationId: undefined,
      action: 'stock.rebuild',
      subject: String(at),
      detail: {},
      addressPrefix: '',
    })
  const subjects: string[] = []
  for (let before: number | undefined; ; ) {
    const page = await listAuditEntries(store.db, { limit: 2, ...(before !== undefined && { before }) })
    if (page.length === 0) break
    subjects.push(...page.map(({ subject }) => subject))
    expect(subjects.length).toBeLessThanOrEqual(5)
    before = page.at(-1)!.entryNo
  }
  expect(subjects).toEqual(['5', '4', '3', '2', '1'])
})
