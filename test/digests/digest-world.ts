// Searches with hits as the matching writes them, and people with digests, on a clock that the test moves.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { serviceActor } from '../../src/actions/acting.ts'
import { endRecipient } from '../../src/actions/digests.ts'
import { renderDigestLetter } from '../../src/console/mails/digest-letter.ts'
import type { MailServer } from '../../src/digests/mail-server.ts'
import { makeDigests } from '../../src/digests/make-digests.ts'
import { type SendOptions, sendMails } from '../../src/digests/send-mails.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { createDigestNow } from '../../src/service/operations/digest-operations.ts'
import type { Executor, Store } from '../../src/store/database/database.ts'
import type { TakenMail } from '../../src/store/people/mails.ts'
import { createOrganization } from '../../src/store/people/organizations.ts'

export const domain = 'example.org'

export type HitWish = {
  readonly title?: string
  readonly fitScore?: number
  readonly deadline?: string
  readonly archiveReason?: string
  readonly record?: { readonly [member: string]: unknown }
}

const reasons = JSON.stringify({
  parts: [],
  rules: [],
  matched: [{ clause: 'cpv', reason: { code: 'code', values: { held: '45000000', own: '45000000', lot: null } } }],
})

/** A hit of the edition that is being matched, with its published record. */
async function addHit(db: Executor, searchNo: number, wish: HitWish = {}): Promise<string> {
  const { title = 'Asphalt', fitScore = 78, deadline, archiveReason, record } = wish
  const [tenderId, hitId] = [randomUUID(), randomUUID()]
  const body = {
    id: tenderId,
    title,
    contractAmount: null,
    lots: [],
    cpvCodes: [],
    nutsCodes: [],
    originalSources: [],
    ...(deadline !== undefined && { submissionDate: deadline }),
    ...record,
  }
  await sql`
    with stamp as (select coalesce(max(last_modified), 0) + 1 as at from edition_entry),
    entry as (
      insert into edition_entry (last_modified, edition, tender_id, body, sources)
      select at, 1, ${tenderId}, ${JSON.stringify(body)}, '[]' from stamp
    ), tender as (
      insert into tender (tender_id, founding_key, content, content_hash, sources)
      values (${tenderId}, ${tenderId}, '{}', '', '[]')
    ), published as (
      insert into published_tender (tender_id, first_edition, content_hash, last_modified, sources)
      select ${tenderId}, 1, '', at, '[]' from stamp
    )
    insert into hit (search_no, tender_id, hit_id, edition, last_modified, search_version, fit_score, fit, matched, reasons, made_at,
      score_now, last_edition, archive_reason, deadline_ms, state_modified, digest_edition)
    select ${searchNo}::integer, ${tenderId}, ${hitId}, k.edition + 1, at, 1, ${fitScore}::smallint, '{}', '[]', ${reasons}, 0, ${fitScore}::smallint,
      k.edition + 1, ${archiveReason ?? null}, ${deadline === undefined ? null : Date.parse(deadline)}::bigint, at, k.edition + 1
    from stamp, hit_mark k`.execute(db)
  return hitId
}

/** Hits without records, many at a time, of the edition that is being matched. */
export async function addBareHits(db: Executor, searchNo: number, edition: number, count: number): Promise<void> {
  await sql`
    insert into hit (search_no, tender_id, hit_id, edition, last_modified, search_version, fit_score, fit, matched, made_at,
      score_now, last_edition, state_modified, digest_edition)
    select ${searchNo}::integer, id, id, k.edition + 1, 1, 1, 50, '{}', '[]', 0, 50, k.edition + 1, 1, k.edition + 1
    from hit_mark k, lateral (
      select format('%s-%s-%s', ${searchNo}::integer, ${edition}::integer, n) as id
      from generate_series(1, ${count}::integer) as n) ids`.execute(db)
}

/** All mails are sent: the next ones may be made. */
export const endMails = (db: Executor) => sql`update mail set state = 'sent', ended_at = 0`.execute(db)

/** Marks the edition as matched completely: its hits belong to digests. */
const endEdition = (db: Executor) => sql`update hit_mark set edition = edition + 1`.execute(db)

export async function addSearch(store: Pick<Store, 'db'>, organizationId: string, name: string): Promise<number> {
  const { rows } = await sql<{ searchNo: number }>`
    with made as (
      insert into saved_search (search_id, organization_id, name, created_at, created_by)
      values (${randomUUID()}, ${organizationId}, ${name}, 0, 'test') returning search_no
    ), version as (
      insert into saved_search_version (search_no, version, from_edition, is_active, filter, filter_hash, threshold, created_at)
      select search_no, 1, 1, true, '{}', '', 50, 0 from made
    )
    select search_no as "searchNo" from made`.execute(store.db)
  return rows[0]!.searchNo
}

/** An organization Acme with a search Roads. */
export async function openDigestWorld(made: Store, startAt = Date.parse('2026-11-20T12:00:00Z')) {
  let now = startAt
  let store = made
  const clock = () => now
  const accepted = new Map<string, TakenMail>()
  await sql`insert into setting values ('stock-id', 'stock') on conflict do nothing`.execute(store.db)
  const { organization } = await createOrganization(store.db, { name: 'Acme' }, { now, random: systemRandom })
  const { organizationId } = organization
  const searchNo = await addSearch(store, organizationId, 'Roads')
  const subscribe = async (to: string, options: { readonly [name: string]: unknown } = {}): Promise<string> => {
    let id = ''
    await createDigestNow(
      { store, clock, random: systemRandom, config: {} },
      { command: 'digest create', operands: [], options: { organization: 'Acme', search: 'Roads', to, ...options } },
      (event) => {
        if (event.event === 'digest') id = event.id
      },
    )
    return id
  }
  return {
    organizationId,
    searchNo,
    clock,
    now: clock,
    subscribe,
    addHit: (wish: HitWish = {}, search = searchNo) => addHit(store.db, search, wish),
    endEdition: () => endEdition(store.db),
    advance: (ms: number) => {
      now += ms
    },
    /** The same stock, opened again. */
    reopened: (again: Store) => {
      store = again
    },
    make: (onStep?: (step: string) => void) => makeDigests(store, { clock, domain, ...(onStep && { onStep }) }),
    send: (server: Pick<MailServer, 'send'>, changed: Partial<SendOptions> = {}) =>
      sendMails(
        {
          store,
          clock,
          random: () => 0.5,
          server,
          accepted,
          endRecipient: (trx, digestId, error) =>
            endRecipient(trx, { ...serviceActor, now }, { digestId, error }, domain),
          leaving: undefined,
          renderDigest: (letter) => renderDigestLetter(letter, 'https://tenders.example'),
          renderAccountMail: async () => undefined,
          ...changed,
        },
        new AbortController().signal,
      ),
  }
}
