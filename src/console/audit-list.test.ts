// Pages of the audit log: each begins directly below the last entry of the previous one.
import { expect, test } from 'vitest'
import type { ListedAuditEntry } from '../store/audit.ts'
import { auditList, beforeOf, entriesOnPage } from './audit-list.ts'

const entries = (count: number, detail: ListedAuditEntry['detail'] = {}): ListedAuditEntry[] =>
  Array.from({ length: count }, (_, index) => ({
    entryNo: 1000 - index,
    at: 0,
    actor: 'a@example.org',
    organizationId: undefined,
    action: 'hit.mark',
    subject: `${index}`,
    detail,
    addressPrefix: '',
  }))
const list = (count: number, detail?: ListedAuditEntry['detail']) =>
  auditList(entries(count, detail), { language: 'en', path: '/operator/audit', isNewest: true }).text

test('a page has its entries and a link to the next older one, if there is one', () => {
  const page = list(entriesOnPage + 1)
  expect(page.match(/<tr>/g)).toHaveLength(entriesOnPage + 1)
  const [, older] = /href="\/operator\/audit(\?before=\d+)"/.exec(page)!
  // entries below this one: the first that was not shown is among them
  expect(beforeOf(new URLSearchParams(older))).toBe(1000 - entriesOnPage + 1)
  expect(list(entriesOnPage)).not.toContain('?before=')
})

test('details name days as people do, and leave out what is empty', () => {
  const startsAt = Date.UTC(2026, 10, 26)
  const page = list(1, { startsAt, endsAt: null, requestsPerMinute: 60, note: '' }).replace(/<[^>]*>/g, '')
  expect(page).toContain('startsAt: 26 Nov 2026, 00:00, requestsPerMinute: 60')
  expect(page).not.toMatch(/endsAt|note|1795/)
  expect(page).toContain('1 entry')
})
