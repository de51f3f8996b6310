// The outbox of mails: queued in the transaction of their cause, sent by one process at a time, kept for a while.
import { sql } from 'kysely'
import { dayMs } from '../../domain/time.ts'
import type { Executor } from '../database/database.ts'

/** How long mails that were sent or given up are kept. */
const mailHistoryMs = 30 * dayMs
/** Maximum number of attempts that is stored. */
const maxAttemptsCounted = 30_000

export type NewMail = {
  readonly messageId: string
  /**
   * JSON: DigestContent (digests/digest-content.ts) of a digest, otherwise AccountMail
   * (console/mails/account-mails.ts).
   */
  readonly content: string
  readonly now: number
} & ({ readonly digestId: string } | { /** A mail address. */ readonly person: string })

/** Queues a mail. An existing one does not change. */
export async function insertMail(trx: Executor, mail: NewMail): Promise<void> {
  const { messageId, content, now } = mail
  const [digestId, person] = 'digestId' in mail ? [mail.digestId, null] : [null, mail.person]
  await sql`
    insert into mail (message_id, digest_id, person, content, due_at, created_at)
    values (${messageId}, ${digestId}, ${person}, ${content}, ${now}, ${now})
    on conflict (message_id) do nothing`.execute(trx)
}

/** A mail that one process holds exclusively until `takenUntil`. */
export type TakenMail = {
  readonly messageId: string
  /** Null: a mail of the console. */
  readonly digestId: string | null
  readonly person: string
  /** JSON of NewMail. */
  readonly content: string
  /** Attempts made so far. */
  readonly attempts: number
  /** How many of them the server refused, and how many because there is no such recipient. */
  readonly refusals: number
  readonly gone: number
  readonly createdAt: number
  readonly takenUntil: number
}

/** Takes the mail that has been due longest. Undefined when none is due, or others hold those that are. */
export async function takeMail(
  db: Executor,
  { now, leaseMs }: { readonly now: number; readonly leaseMs: number },
): Promise<TakenMail | undefined> {
  const { rows } = await sql<TakenMail>`
    update mail m set taken_until = ${now + leaseMs}
    where m.message_id = (
      select message_id from mail where state = 'due' and due_at <= ${now} and taken_until <= ${now}
      order by due_at, message_id limit 1 for update skip locked)
    returning m.message_id as "messageId", m.digest_id as "digestId",
      coalesce(m.person, (select person from digest g where g.digest_id = m.digest_id)) as person,
      m.content, m.attempts, coalesce(m.refusals, 0) as refusals, coalesce(m.gone, 0) as gone,
        m.created_at as "createdAt", m.taken_until as "takenUntil"`.execute(db)
  return rows[0]
}

type MailOutcome = (
  | { readonly state: 'sent' }
  | { readonly state: 'given-up'; readonly error: string }
  | { readonly state: 'due'; readonly error: string; readonly dueAt: number }
) &
  Pick<TakenMail, 'attempts' | 'refusals' | 'gone'>

/**
 * Records an attempt and releases the mail; false if nothing changed. After its time is up, a process records only that
 * the mail was sent.
 */
export async function recordMail(
  db: Executor,
  { messageId, takenUntil }: TakenMail,
  outcome: MailOutcome,
  at: number,
): Promise<boolean> {
  const { state, refusals, gone } = outcome
  const { numAffectedRows } = await sql`
    update mail set state = ${state}, attempts = ${Math.min(outcome.attempts, maxAttemptsCounted)}::smallint, taken_until = 0,
      refusals = ${refusals}::smallint, gone = ${gone}::smallint,
      last_error = ${state === 'sent' ? null : outcome.error}, due_at = ${state === 'due' ? outcome.dueAt : at},
      ended_at = ${state === 'due' ? null : at}::bigint
    where message_id = ${messageId} and state = 'due' and (taken_until = ${takenUntil} or ${state === 'sent'}::boolean)`.execute(
    db,
  )
  return numAffectedRows === 1n
}

/** Whether the server has accepted a mail since then. */
export async function isServerAccepting(db: Executor, since: number): Promise<boolean> {
  const { rows } = await sql`select from mail where state = 'sent' and ended_at >= ${since} limit 1`.execute(db)
  return rows.length > 0
}

/**
 * When the next attempt is due of a mail with hits that was made for a person and not accepted yet, tried or not;
 * undefined without one.
 */
export async function waitingMailDueAt(db: Executor, person: string): Promise<number | undefined> {
  const { rows } = await sql<{ dueAt: number }>`
    select m.due_at as "dueAt" from mail m join digest g using (digest_id)
    where lower(g.person) = lower(${person}) and m.state = 'due' order by m.due_at limit 1`.execute(db)
  return rows[0]?.dueAt
}

/** Removes a mail that is no longer wanted. */
export async function dropMail(db: Executor, { messageId, takenUntil }: TakenMail): Promise<void> {
  await sql`delete from mail where message_id = ${messageId} and taken_until = ${takenUntil}`.execute(db)
}

/** Releases a mail without an attempt. */
export async function returnMail(db: Executor, { messageId, takenUntil }: TakenMail): Promise<void> {
  await sql`
    update mail set taken_until = 0 where message_id = ${messageId} and taken_until = ${takenUntil}`.execute(db)
}

/** A mail with hits that is kept. */
export async function findDigestMail(
  db: Executor,
  messageId: string,
): Promise<{ readonly digestId: string; readonly person: string; readonly content: string } | undefined> {
  const { rows } = await sql<{ digestId: string; person: string; content: string }>`
    select digest_id as "digestId", g.person, m.content from mail m join digest g using (digest_id)
    where m.message_id = ${messageId}`.execute(db)
  return rows[0]
}

/** Mails with hits of a digest: its own, and those of its person that name it. Others wait until the caller is done. */
export async function lockMailsWith(
  trx: Executor,
  digestId: string,
): Promise<{ readonly messageId: string; readonly digestId: string; readonly content: string }[]> {
  const { rows } = await sql<{ messageId: string; digestId: string; content: string }>`
    select message_id as "messageId", digest_id as "digestId", content from mail where digest_id in (
      select digest_id from digest where lower(person) = (select lower(person) from digest where digest_id = ${digestId}))
      and (digest_id = ${digestId} or position(${digestId}::text in content) > 0)
    order by message_id for update`.execute(trx)
  return rows
}

/** Undefined removes the mail. */
export async function rewriteMail(trx: Executor, messageId: string, content: string | undefined): Promise<void> {
  if (content === undefined) await sql`delete from mail where message_id = ${messageId}`.execute(trx)
  else await sql`update mail set content = ${content} where message_id = ${messageId}`.execute(trx)
}

/** Counts of digests and of all mails, for people. */
export type MailCounts = {
  readonly digests: number
  readonly due: number
  readonly givenUp: number
  /** Of mails that could not be sent yet: when the oldest was created, and the newest answer; null without one. */
  readonly failingSince: number | null
  readonly lastError: string | null
}

export async function countMails(db: Executor): Promise<MailCounts> {
  const { rows } = await sql<MailCounts>`
    select (select count(*) from digest)::integer as digests,
      (select count(*) from mail where state = 'due')::integer as due,
      (select count(*) from mail where state = 'given-up')::integer as "givenUp",
      (select min(created_at) from mail where state = 'due' and attempts > 0) as "failingSince",
      (select last_error from mail where state = 'due' and attempts > 0 order by created_at desc limit 1) as "lastError"`.execute(
    db,
  )
  return rows[0]!
}

/** Deletes mails that ended more than 30 days ago, at most `limit`; it waits for nobody. True when there are more. */
export async function pruneMails(db: Executor, now: number, limit: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from mail where message_id in (
      select message_id from mail where ended_at < ${now - mailHistoryMs} order by ended_at limit ${limit}::integer
      for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0) === limit
}
