// Who changes something, when, and the entry of the audit log that each change leaves.
import { createHash } from 'node:crypto'
import type { Executor } from '../store/database/database.ts'
import { type AuditEntry, addAuditEntry } from '../store/people/audit.ts'
import type { Circumstances } from '../store/people/organizations.ts'

/** Who changes something, and from which network. */
export type Actor = {
  /** A mail address, `operator` for the command line, or `service` for what happens by itself. */
  readonly actor: string
  readonly addressPrefix: string
}

/** The actor of commands. */
export const commandActor: Actor = { actor: 'operator', addressPrefix: '' }

/** The actor of what happens at its time, without anybody. */
export const serviceActor: Actor = { actor: 'service', addressPrefix: '' }

/** Who acts, at what time, and with which random numbers. */
export type Acting = Actor & Circumstances

/** Who acts and at what time, for a change that draws nothing. */
export type ActingNow = Omit<Acting, 'random'>

/** Somebody whose mail address only the change finds out: a person who signs in or joins. */
export type Newcomer = Omit<Acting, 'actor'>

/** What an entry says besides who acted and when. Without `organizationId` it concerns the whole service. */
export type Entry = Pick<AuditEntry, 'action' | 'subject'> &
  Partial<Pick<AuditEntry, 'detail' | 'organizationId' | 'causes'>>

/** Adds the entry of a change. Call it in the transaction of the change. */
export const record = (
  trx: Executor,
  { actor, addressPrefix, now }: ActingNow,
  { organizationId, detail = {}, ...entry }: Entry,
): Promise<void> => addAuditEntry(trx, { at: now, actor, addressPrefix, organizationId, detail, ...entry })

/** A version of what a form shows that has no number of its own: it tells two states apart. */
export const versionOf = (values: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 16)
