// Every place that shows the deadline of a tender means the same one, says for what it is, and shows it in the time of
// the authority with the name of the zone.
import { expect, test } from 'vitest'
import { type Deadline, firstDeadline } from '#flat/record/first-deadline'
import { painter } from '../cli/paint.ts'
import { eventText } from '../cli/texts/event-text.ts'
import { digestContent } from '../digests/digest-content.ts'
import type { TenderRecord } from '../domain/tender.ts'
import { watchedState } from '../hits/hit-changes.ts'
import { clausesOf } from '../hits/plain-match.ts'
import type { PageHit } from '../store/hits/hit-lists.ts'
import { webhookLine } from '../webhooks/listen.ts'
import { hitRow } from './customers/overview-pages.ts'
import { reviewBody } from './desk/review-body.ts'
import { html } from './frame/html.ts'
import type { Language } from './frame/languages.ts'
import { clauseText } from './hits/clause-lines.ts'
import { hitItem } from './hits/hit-parts.ts'
import { renderDigestLetter } from './mails/digest-letter.ts'
import { tenderBody } from './tenders/tender-body.ts'
import { tenderHistory } from './tenders/tender-history.ts'

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

function letterOf(of: TenderRecord, language: Language) {
  const tenders = [{ tenderId: of.id, isClosed: false, matches: '[]', body: JSON.stringify(of) }]
  const digests = [{ digestId: '1', organization: 'Acme', lastEdition: 0, searchNo: 1, search: 'Roads' }]
  const content = digestContent({ digests, language, edition: 1, hits: { count: 1, tenders }, rest: [] })
  return renderDigestLetter({ content, person: 'anna@example.org', at: now, leaving: undefined }, 'https://x.example')
}

function shown(of: TenderRecord): Record<string, string> {
  const clause = clausesOf({ minDaysToDeadline: 7 }, of, now).find((each) => each.clause === 'deadline')!
  const { text } = letterOf(of, 'en')
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
      "digest": "Deadline: 1 Dec 2026, 11:00 UTC, in 9 days, to participate",
      "german": "<bdi>noch 9 Tage für die Teilnahme, verlangt sind 7</bdi>",
      "listener": "search.hit 78: Resurfacing (Roads, to participate until 2026-12-01 11:00 UTC)",
      "page": "Deadline for requests to participate 1 Dec 2026, 1",
      "state": "participation 2026-12-01",
    }
  `)
})

test('one to submit', () => {
  expect(shown(submitted)).toMatchInlineSnapshot(`
    {
      "clause": "<bdi>28 days are left, 7 are asked for</bdi>",
      "digest": "Deadline: 20 Dec 2026, 11:00 UTC, in 28 days, for bids",
      "german": "<bdi>noch 28 Tage, verlangt sind 7</bdi>",
      "listener": "search.hit 78: Resurfacing (Roads, for bids until 2026-12-20 11:00 UTC)",
      "page": "Submission deadline 20 Dec 2026, 11:00 UTC in 28 days ·",
      "state": "submission 2026-12-20",
    }
  `)
})

/** What each place says of the deadline, without marks of HTML. */
function places(of: TenderRecord, language: Language): Record<string, string> {
  const deadline = firstDeadline(of)!
  const { timeZone = null } = of
  const plain = (markup: string) => markup.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
  const side = { key: 'ted:1-2026', id: of.id, title: of.title, deadline, timeZone }
  const pair = { isOneRecord: false, isExactlyLinked: false, references: [], decision: null, verdict: null } as const
  const hit = {
    hitId: 'h',
    searchNo: 1,
    searchVersion: 1,
    tenderId: of.id,
    edition: 1,
    madeAt: now,
    fitScore: 78,
    fit: '{"parts":[],"profile":null}',
    matched: '[]',
    reasons: null,
    state: 'new',
    isClosed: false,
    deadline: Date.parse(deadline.at),
    deadlineKind: deadline.kind,
    deliveries: [],
  } as const
  const view = {
    hit: hit as PageHit,
    record: of,
    list: '',
    next: undefined,
    search: undefined,
    organizationId: 'o',
    now,
    language,
  }
  const data = { search: { name: 'Roads' }, fitScore: 78, tender: of }
  const notice = {
    key: 'ted:2-2026',
    formType: 'change',
    publisher: 'ted',
    joinedBy: { rule: 'id', with: 'x', evidence: '' },
  }
  const changes = [{ member: 'submissionDate', before: record.submissionDate, after: record.participationDate }]
  return {
    hits: plain(hitItem(view).text),
    tender: plain(tenderBody(of, { language, now, explained: undefined }).text),
    history: plain(tenderHistory({ notices: [{ ...notice, changes }] } as never, { language, zone: of.timeZone }).text),
    reviews: plain(reviewBody({ ...pair, left: side, right: side } as never, { language, now } as never).text),
    today: plain(
      html`${hitRow(of, { ...hit, isBySearch: false, ...milliseconds(deadline) }, { language, now } as never)}`.text,
    ),
    digest: letterOf(of, language).text,
    digestPage: letterOf(of, language).html,
    listen: webhookLine({ id: '1', type: 'search.hit', isRepeated: false, data }),
    review: eventText({ event: 'reviewPair', ...pair, left: side, right: side }, painter(false), () => now)!,
  }
}

const milliseconds = ({ at, kind }: Deadline) => ({ deadlineMs: Date.parse(at), deadlineKind: kind })

/** 11:00 UTC on 1 December, where the authority is. */
test.each([
  ['Pacific/Honolulu', '1 Dec 2026, 01:00 GMT-10', '1. Dez. 2026, 01:00 GMT-10', '2026-12-01 01:00 GMT-10'],
  ['Atlantic/Azores', '1 Dec 2026, 10:00 GMT-1', '1. Dez. 2026, 10:00 GMT-1', '2026-12-01 10:00 GMT-1'],
  ['Europe/London', '1 Dec 2026, 11:00 GMT', '1. Dez. 2026, 11:00 GMT', '2026-12-01 11:00 GMT'],
  ['Europe/Berlin', '1 Dec 2026, 12:00 CET', '1. Dez. 2026, 12:00 MEZ', '2026-12-01 12:00 CET'],
  ['Asia/Kathmandu', '1 Dec 2026, 16:45 GMT+5:45', '1. Dez. 2026, 16:45 GMT+5:45', '2026-12-01 16:45 GMT+5:45'],
  ['Pacific/Tongatapu', '2 Dec 2026, 00:00 GMT+13', '2. Dez. 2026, 00:00 GMT+13', '2026-12-02 00:00 GMT+13'],
  [undefined, '1 Dec 2026, 11:00 UTC', '1. Dez. 2026, 11:00 UTC', '2026-12-01 11:00 UTC'],
])('every place shows it in the zone %s, and for what it is', (timeZone, english, german, plain) => {
  const inZone = { ...record, ...(timeZone !== undefined && { timeZone }) }
  const commands = ['listen', 'review']
  const kinds = {
    en: { participation: /to participate/, submission: /for bids|Submission deadline/ },
    de: { participation: /Teilnahme/, submission: /für Angebote|Angebotsfrist/ },
  }
  for (const language of ['en', 'de'] as const)
    for (const kind of ['participation', 'submission'] as const) {
      const of = kind === 'participation' ? inZone : { ...inZone, submissionDate: record.participationDate! }
      for (const [place, text] of Object.entries(places(of, language))) {
        const isCommand = commands.includes(place)
        const said = isCommand ? plain : language === 'en' ? english : german
        expect(text, `${place} in ${language}`).toContain(said)
        if (place !== 'history')
          expect(text, `${place} in ${language}`).toMatch(kinds[isCommand ? 'en' : language][kind])
      }
    }
})
