// Sessions of the console and the links that begin them. Only hashes of their keys are stored.
import { sql } from 'kysely'
import { dayMs, hourMs, minuteMs } from '../../domain/time.ts'
import { bump } from '../database/change-signal.ts'
import { type Executor, inTransaction, type Store } from '../database/database.ts'
import { hasPeople, proveMail } from './people.ts'

export type Session = {
  /** SHA-256 of the cookie's value, in hex. */
  readonly sessionId: string
  readonly personId: string
  readonly createdAt: number
  /** Accurate to five minutes. */
  readonly seenAt: number
  /** When the identity was last proven. */
  readonly signedInAt: number
  readonly agent: string
  readonly addressPrefix: string
}

/** How long an unused session lasts, and how long any session does. */
export const idleSessionMs = 12 * hourMs
export const longestSessionMs = 30 * dayMs
/** Maximum number of sessions of one person: a further one ends the oldest. */
const maxSessions = 10
/** How long a link by mail or from the command line is valid. */
export const linkMs = 10 * minuteMs
/** Number of the lock: arbitrary, but the same in every process. */
const linkLock = 7_271_103

/** All sessions that have not ended by `now`. */
export async function listSessions(db: Executor, now: number): Promise<Session[]> {
  const { rows } = await sql<Session>`
    select encode(session_hash, 'hex') as "sessionId", person_id as "personId",
      session.created_at as "createdAt", seen_at as "seenAt", signed_in_at as "signedInAt", agent, address_prefix as "addressPrefix"
    from session join person using (person_id)
    where ended_at is null and seen_at > ${now - idleSessionMs} and session.created_at > ${now - longestSessionMs}`.execute(
    db,
  )
  return rows
}

/** Starts a session in place of `replaces`. Old ones of the same person beyond the maximum end. */
export async function startSession(trx: Executor, session: Session, replaces: string | undefined): Promise<void> {
  if (replaces !== undefined) await sql`delete from session where session_hash = ${bytesOf(replaces)}`.execute(trx)
  await sql`
    insert into session (session_hash, person_id, created_at, seen_at, signed_in_at, agent, address_prefix)
    values (${bytesOf(session.sessionId)}, ${session.personId}, ${session.createdAt}, ${session.seenAt},
      ${session.signedInAt}, ${session.agent}, ${session.addressPrefix})`.execute(trx)
  await sql`
    delete from session where person_id = ${session.personId} and session_hash not in (
      select session_hash from session where person_id = ${session.personId}
      order by created_at desc, session_hash limit ${maxSessions}::integer)`.execute(trx)
  await sql`delete from session where created_at < ${session.createdAt - longestSessionMs}`.execute(trx)
  await bump(trx, 'console')
}

/** Records that a session is in use. */
export async function touchSession(db: Executor, sessionId: string, now: number): Promise<void> {
  await sql`update session set seen_at = ${now} where session_hash = ${bytesOf(sessionId)} and seen_at < ${now}`.execute(
    db,
  )
}

/** Ends one session, or all of a person but one. */
export async function endSessions(
  trx: Executor,
  which: { readonly sessionId: string } | { readonly personId: string; readonly but?: string },
): Promise<void> {
  if ('sessionId' in which) await sql`delete from session where session_hash = ${bytesOf(which.sessionId)}`.execute(trx)
  else
    await sql`
      delete from session where person_id = ${which.personId}
        and session_hash <> ${which.but === undefined ? Buffer.alloc(0) : bytesOf(which.but)}`.execute(trx)
  await bump(trx, 'console')
}

export type NewLink = {
  readonly keyHash: string
  /** The person whom it signs in. */
  readonly personId?: string
  /** The invitation that it accepts; without a person either, the link creates the first person. */
  readonly invitationId?: string
  readonly now: number
  /** Absent: ten minutes from now. */
  readonly until?: number
}

/** Creates a link that can be used once. */
export async function createSignInLink(
  trx: Executor,
  { keyHash, personId, invitationId, now, until = now + linkMs }: NewLink,
): Promise<void> {
  await sql`delete from sign_in_link where until_ms < ${now - dayMs}`.execute(trx)
  await sql`
    insert into sign_in_link (key_hash, person_id, invitation_id, created_at, until_ms)
    values (${bytesOf(keyHash)}, ${personId ?? null}, ${invitationId ?? null}, ${now}, ${until})`.execute(trx)
}

/**
 * Creates a link, unless its person or invitation has `most` unused ones of the last ten minutes: false then. Several
 * simultaneous calls do not create more either.
 */
export async function createLinkUnlessEnough(store: Pick<Store, 'db'>, link: NewLink, most: number): Promise<boolean> {
  return inTransaction(store, async (trx) => {
    await sql`select pg_advisory_xact_lock(${linkLock})`.execute(trx)
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from sign_in_link
      where person_id is not distinct from ${link.personId ?? null}
        and invitation_id is not distinct from ${link.invitationId ?? null}
        and used_at is null and created_at > ${link.now - linkMs}`.execute(trx)
    if (rows[0]!.count >= most) return false
    await createSignInLink(trx, link)
    return true
  })
}

/**
 * Returns the mail address of the person whom a valid link signs in, without using it up; `mail` is undefined for the
 * first person. Undefined for an invitation.
 */
export async function findSignInLink(
  db: Executor,
  keyHash: string,
  now: number,
): Promise<{ readonly mail: string | undefined } | undefined> {
  const { rows } = await sql<{ mail: string | null }>`
    select mail from sign_in_link left join person using (person_id)
    where key_hash = ${bytesOf(keyHash)} and used_at is null and until_ms > ${now} and invitation_id is null
      and (person_id is not null or not exists (select from person where ended_at is null))`.execute(db)
  return rows[0] && { mail: rows[0].mail ?? undefined }
}

/**
 * Uses a link up. `person`: whom it signs in; if nobody exists, `within` creates the first person. `gone`: unknown,
 * used, too old, an invitation, or for the first person if there is one.
 */
export async function takeSignInLink(
  store: Pick<Store, 'db'>,
  { keyHash, now }: { readonly keyHash: string; readonly now: number },
  within: (trx: Executor) => Promise<string>,
): Promise<{ readonly kind: 'person'; readonly personId: string } | { readonly kind: 'gone' }> {
  return inTransaction(store, async (trx) => {
    // two first persons wait for each other here
    await sql`select from change_signal where topic = 'console' for update`.execute(trx)
    const { rows } = await sql<{ person_id: string | null }>`
      update sign_in_link set used_at = ${now}
      where key_hash = ${bytesOf(keyHash)} and used_at is null and until_ms > ${now} and invitation_id is null
      returning person_id`.execute(trx)
    const link = rows[0]
    if (!link) return { kind: 'gone' }
    if (link.person_id !== null) {
      await proveMail(trx, link.person_id)
      return { kind: 'person', personId: link.person_id }
    }
    if (await hasPeople(trx)) return { kind: 'gone' }
    return { kind: 'person', personId: await within(trx) }
  })
}

const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex')

/**
 * Ends all sessions and links to sign in: in a stock that is older than what people did since, those that they ended
 * would work again.
 */
export async function endAllSessions(trx: Executor): Promise<void> {
  await sql`delete from session`.execute(trx)
  await sql`delete from sign_in_link`.execute(trx)
  await bump(trx, 'console')
}
