// Every place that shows the deadline of a tender means the same one, and says when it is one to participate.
import { expect, test } from 'vitest'
import { digestContent } from '../digests/digest-content.ts'
import { renderDigest } from '../digests/render-digest.ts'
import type { TenderRecord } from '../domain/tender.ts'
import { watchedState } from '../hits/hit-changes.ts'
import { clausesOf } from '../hits/plain-match.ts'
import { webhookLine } from '../webhooks/listen.ts'
import { html } from './frame/html.ts'
import { clauseText } from './hits/clause-lines.ts'
import { tenderBody } from './tenders/tender-body.ts'

const record = {
  id: '00000000-0000-8000-8000-000000000001',
  lastModified: '2026-11-22T06:00:00.000Z',
  checkedAt: '2026-11-22T06:00:00.000Z',
  title: 'Resurfacing',
  status: 'open',
  contractAmount: null,
  cpvCodes: ['45233141'],
  nutsCodes: [],
  lots: [],
  originalSources: [],
  submissionDate: '2026-12-20T11:00:00.000Z',
  participationDate: '2026-12-01T11:00:00.000Z',
} as TenderRecord
const { participationDate: _, ...submitted } = record
const now = Date.parse('2026-11-22T11:00:00.000Z')

function shown(of: TenderRecord): Record<string, string> {
  const clause = clausesOf({ minDaysToDeadline: 7 }, of, now).find((each) => each.clause === 'deadline')!
  const best = [{ isClosed: false, isUrgent: false, body: JSON.stringify(of) }]
  const digest = digestContent({ search: 'Roads', zone: 'UTC' }, { count: 1, best })
  const { text } = renderDigest(digest, undefined)
  const data = { search: { name: 'Roads' }, fitScore: 78, tender: of }
  const { deadlineMs, deadlineKind } = watchedState(of)
  const page = tenderBody(of, { language: 'en', now, explained: undefined }).text.replace(/<[^>]*>/g, ' ')
  return {
    clause: html`${clauseText(clause, 'en')}`.text,
    german: html`${clauseText(clause, 'de')}`.text,
    digest: /Deadline.*/.exec(text)![0],
    listener: webhookLine({ id: '1', type: 'search.hit', isRepeated: false, data }),
    state: `${deadlineKind} ${new Date(deadlineMs!).toISOString().slice(0, 10)}`,
    page: /(Submission deadline|Deadline for).{0,40}/s.exec(page)![0].replace(/\s+/g, ' ').trim(),
  }
}

test('one to participate', () => {
  expect(shown(record)).toMatchInlineSnapshot(`
    {
      "clause": "<bdi>9 days are left to participate, 7 are asked for</bdi>",
      "digest": "Deadline to participate: 2026-12-01 11:00 (UTC)",
      "german": "<bdi>noch 9 Tage für die Teilnahme, verlangt sind 7</bdi>",
      "listener": "search.hit 78: Resurfacing (Roads, to participate until 2026-12-01)",
      "page": "Deadline for requests to participate 1 Dec 2026, 1",
      "state": "participation 2026-12-01",
    }
  `)
})

test('one to submit', () => {
  expect(shown(submitted)).toMatchInlineSnapshot(`
    {
      "clause": "<bdi>28 days are left, 7 are asked for</bdi>",
      "digest": "Deadline: 2026-12-20 11:00 (UTC)",
      "german": "<bdi>noch 28 Tage, verlangt sind 7</bdi>",
      "listener": "search.hit 78: Resurfacing (Roads, until 2026-12-20)",
      "page": "Submission deadline 20 Dec 2026, 11:00 UTC in 28 days ·",
      "state": "submission 2026-12-20",
    }
  `)
})
