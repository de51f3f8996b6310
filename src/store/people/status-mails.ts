// Mails about incidents and maintenance, to the Owners who want them.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'
import type { Posting } from './owner-mails.ts'

/** What happened. Times in epoch milliseconds. */
export type StatusNews = { readonly event: 'began' | 'changed' | 'ended' } & (
  | {
      readonly about: 'incident'
      readonly incidentId: string
      readonly title: string
      readonly detail: string
      readonly startedAt: number
    }
  | { readonly about: 'maintenance'; readonly until: number }
)

/** What waits to be mailed to one person. */
export type StatusNewsData = StatusNews & { readonly personId: string; readonly at: number }

const isSubscriber = sql`wants_status_mails and ended_at is null
  and exists (select from membership m where m.person_id = person.person_id and m.role = 'owner')`

/** Queues a mail to each subscriber, however many organizations they own. Call it in the transaction of its cause. */
export async function mailStatusNews(trx: Executor, news: StatusNews, { now, mailDomain }: Posting): Promise<void> {
  // one statement: with thousands of subscribers, one for each would outlast whoever waits
  const same = JSON.stringify({ ...news, at: now } satisfies Omit<StatusNewsData, 'personId'>)
  const local = sql`left(encode(sha256(convert_to(person_id || ' statusNews ' || ${same}, 'UTF8')), 'hex'), 32)`
  await sql`
    insert into mail (message_id, person, content, due_at, created_at)
    select '<' || ${local} || ${`@${mailDomain}>`}, mail,
      '{"kind":"statusNews","language":"' || case when language = 'de' then 'de' else 'en' end
        || '","data":{"personId":' || to_json(person_id)::text || ${`,${same.slice(1)}}`}, ${now}::bigint, ${now}::bigint
    from person where ${isSubscriber} order by person_id
    on conflict (message_id) do nothing`.execute(trx)
}

/** Whether a person asked for these mails and is an Owner still. */
export async function getsStatusMails(db: Executor, personId: string): Promise<boolean> {
  const { rows } = await sql`select from person where person_id = ${personId} and ${isSubscriber}`.execute(db)
  return rows.length > 0
}

/** Begins or ends these mails; those that wait are dropped when they are due. */
export async function setStatusMails(trx: Executor, personId: string, isWanted: boolean): Promise<void> {
  await sql`update person set wants_status_mails = ${isWanted || null} where person_id = ${personId}`.execute(trx)
}
