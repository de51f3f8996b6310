// Pages of the audit log: each begins directly below the last entry of the previous one.
import { expect, test } from 'vitest'
import type { ListedAuditEntry } from '../store/audit.ts'
import { auditList, beforeOf, entriesOnPage } from './audit-list.ts'

const entries = (count: number): ListedAuditEntry[] =>
  Array.from({ length: count }, (_, index) => ({
    entryNo: 1000 - index,
    at: 0,
    actor: 'a@example.org',
    organizationId: undefined,
    action: 'hit.mark',
    subject: `${index}`,
    detail: {},
    addressPrefix: '',
  }))
const list = (count: number) =>
  auditList(entries(count), { language: 'en', path: '/operator/audit', isNewest: true }).text

test('a page has its entries and a link to the next older one, if there is one', () => {
  const page = list(entriesOnPage + 1)
  expect(page.match(/<tr>/g)).toHaveLength(entriesOnPage + 1)
  const [, older] = /href="\/operator\/audit(\?before=\d+)"/.exec(page)!
  // entries below this one: the first that was not shown is among them
  expect(beforeOf(new URLSearchParams(older))).toBe(1000 - entriesOnPage + 1)
  expect(list(entriesOnPage)).not.toContain('?before=')
})
