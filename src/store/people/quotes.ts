// Requests of companies for a quote: what the form on the first page asked, and what became of it.
import { sql } from 'kysely'
import { dayMs } from '../../domain/time.ts'
import type { Executor } from '../database/database.ts'

/** How long requests are kept, answered or not. */
const keptMs = 180 * dayMs

/** What a company may need, by code. */
export const quoteNeeds = ['search', 'api', 'webhooks', 'files'] as const
export type QuoteNeed = (typeof quoteNeeds)[number]

export type QuoteOutcome = 'accepted' | 'declined'

/** What somebody asked. */
export type QuoteInput = {
  readonly name: string
  readonly company: string
  /** A mail address that nobody has proven: nothing is sent there. */
  readonly mail: string
  readonly message: string
  readonly needs: readonly QuoteNeed[]
  readonly language: 'en' | 'de'
}

/** Times in epoch milliseconds. */
export type Quote = QuoteInput & {
  readonly quoteId: string
  readonly createdAt: number
  readonly state: 'open' | QuoteOutcome
  readonly closedAt: number | null
  /** A mail address, or `operator` for the command line. */
  readonly closedBy: string | null
  /** The organization that was set up for it. */
  readonly organizationId: string | null
}

const columns = sql`quote_id as "quoteId", name, company, mail, message, needs, language, created_at as "createdAt", state,
  closed_at as "closedAt", closed_by as "closedBy", organization_id as "organizationId"`

/** Needs and languages of a later version are not known here. */
const quoteOf = (row: Omit<Quote, 'needs'> & { readonly needs: string }): Quote => ({
  ...row,
  needs: quoteNeeds.filter((need) => row.needs.split(',').includes(need)),
  language: row.language === 'de' ? 'de' : 'en',
})

export async function insertQuote(
  trx: Executor,
  { quoteId, name, company, mail, message, needs, language }: QuoteInput & Pick<Quote, 'quoteId'>,
  now: number,
): Promise<void> {
  await sql`
    insert into quote (quote_id, name, company, mail, message, needs, language, created_at)
    values (${quoteId}, ${name}, ${company}, ${mail}, ${message}, ${needs.join(',')}, ${language}, ${now})`.execute(trx)
}

/** How many were asked after `since`, by anybody. */
export async function countQuotes(db: Executor, since: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from quote where created_at > ${since}`.execute(db)
  return rows[0]!.count
}

/** The open ones first, then the newest. */
export async function listQuotes(db: Executor, limit: number): Promise<Quote[]> {
  const { rows } = await sql<Parameters<typeof quoteOf>[0]>`
    select ${columns} from quote order by state <> 'open', created_at desc, quote_id limit ${limit}::integer`.execute(
    db,
  )
  return rows.map(quoteOf)
}

export async function findQuote(db: Executor, quoteId: string): Promise<Quote | undefined> {
  const { rows } = await sql<Parameters<typeof quoteOf>[0]>`
    select ${columns} from quote where quote_id = ${quoteId}`.execute(db)
  return rows.map(quoteOf)[0]
}

/** Closes an open one. False where there is none: of several at once, one closes it. */
export async function endQuote(
  trx: Executor,
  end: {
    readonly quoteId: string
    readonly state: QuoteOutcome
    readonly by: string
    readonly organizationId?: string
  },
  now: number,
): Promise<boolean> {
  const { quoteId, state, by, organizationId = null } = end
  const { numAffectedRows } = await sql`
    update quote set state = ${state}, closed_at = ${now}, closed_by = ${by}, organization_id = ${organizationId}
    where quote_id = ${quoteId} and state = 'open'`.execute(trx)
  return numAffectedRows === 1n
}

/** Deletes one before its time, with the mails about it that are kept. False where there is none. */
export async function deleteQuote(trx: Executor, quoteId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from quote where quote_id = ${quoteId}`.execute(trx)
  if (numAffectedRows !== 1n) return false
  await sql`delete from mail where digest_id is null and position(${`"quoteId":"${quoteId}"`}::text in content) > 0`.execute(
    trx,
  )
  return true
}

/** Deletes those that were asked more than 180 days ago. */
export async function pruneQuotes(db: Executor, now: number): Promise<void> {
  await sql`delete from quote where created_at < ${now - keptMs}`.execute(db)
}
