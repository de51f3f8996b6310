// Pages of the audit log: each begins directly below the last entry of the previous one.
import { expect, test } from 'vitest'
import type { HoldReason } from '../../domain/hold-reason.ts'
import type { ListedAuditEntry } from '../../store/people/audit.ts'
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
  expect(page.match(/<tr>/g) ?? [], 'rows of the page').toHaveLength(entriesOnPage + 1)
  const [, older] = /href="\/operator\/audit(\?before=\d+)"/.exec(page)!
  // entries below this one: the first that was not shown is among them
  expect(beforeOf(new URLSearchParams(older))).toBe(1000 - entriesOnPage + 1)
  expect(list(entriesOnPage)).not.toContain('?before=')
})

test('details are words and days as people say them, without what is empty', () => {
  const startsAt = Date.UTC(2026, 10, 26)
  const page = list(1, { startsAt, endsAt: null, requestsPerMinute: 6000, note: '' }).replace(/<[^>]*>/g, '')
  expect(page).toContain('begins: 26 Nov 2026, 00:00, requests per minute: 6,000')
  expect(page).not.toMatch(/ends|note|1795/)
  expect(page).toContain('1 entry')
})

test('details say what was there before, and show a member of another version by its name', () => {
  const detail = { rate: 3, rateBefore: 10, hasApiAccess: true, until: '2026-11-26T08:00:00.000Z', constructor: 'x' }
  const german = auditList(entries(1, detail), { language: 'de', path: '', isNewest: true }).text
  expect(german.replace(/<(?!code)[^>]*>/g, '')).toMatch(
    /pro Sekunde: 3, pro Sekunde vorher: 10, API-Zugang: ja, bis: 26\. Nov\. 2026, 08:00, <code>constructor: x/,
  )
})

test('events are words, also several, and a token is named by its hint and not by its id', () => {
  const detail = { kinds: 'search.hit, search.hit.changed', kindsBefore: '', hint: 'tdr_live_…abcd', tokenId: '0a1b' }
  const plain = (given: typeof detail | { tokenId: string }) => list(1, given).replace(/<[^>]*>/g, '')
  expect(plain(detail)).toContain('events: new hits, changes of their tenders, token: tdr_live_…abcd')
  expect(plain(detail)).not.toMatch(/search\.hit|0a1b/)
  expect(plain({ tokenId: '0a1b' })).not.toContain('0a1b')
})

test('codes are words in both languages, and the own organization is no id', () => {
  const organizationId = '00000001-7d3e-8b64-9a10-5c2e7f4b9d31'
  const detail = { state: 'kept', role: 'owner', from: 'Acme', to: 'member', rhythm: 'atOnce' }
  const [entry] = entries(1, detail)
  const shown = (language: 'en' | 'de') =>
    auditList([{ ...entry!, organizationId, subject: organizationId }], { language, path: '', isNewest: true })
      .text.replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .replaceAll(' ,', ',')
  expect(shown('de')).toMatch(
    /diese Organisation Zustand: behalten, Rolle: Inhaber, von: Acme, zu: Mitglied, Rhythmus: sofort/,
  )
  expect(shown('en')).toMatch(/this organization state: kept, role: Owner, from: Acme, to: member, rhythm: immediately/)
})

test('an edition, and why it was held, are said in the language of the page', () => {
  const held =
    '60 of 61 documents received since the last edition were rejected (98 %; at most 10 % is usual). Another <reason>.'
  const [entry] = entries(1, { held })
  const shown = (changed: Partial<ListedAuditEntry>): string =>
    auditList([{ ...entry!, ...changed }], { language: 'de', path: '', isNewest: true })
      .text.replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
  const causes: HoldReason[] = [
    { code: 'rejections', values: { rejected: 60, documents: 61, most: 0.1 } },
    { code: 'no-records', values: {} },
  ]
  expect(shown({ subject: 'edition 2', causes })).toMatch(
    /Ausgabe 2 .*60 von 61 Dokumenten .* geändert\. Es gibt noch keine Datensätze/,
  )
  // an entry of an older version
  expect(shown({})).toContain('60 of 61 documents')
  expect(shown({})).toContain('Another &lt;reason&gt;.')
})
