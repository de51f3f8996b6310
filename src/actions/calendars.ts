// Changes of the address at which a calendar reads somebody's deadlines. Each runs in the transaction of its caller,
// and leaves one entry of the audit log. What somebody marks is theirs, and is in no log.
import type { Executor } from '../store/database/database.ts'
import { endCalendarFeed, putCalendarFeed } from '../store/people/calendars.ts'
import type { Person } from '../store/people/people.ts'
import { type ActingNow, record } from './acting.ts'

type Owner = Pick<Person, 'personId' | 'mail'>

/** Sets the address of which this is the hash; one that was there reads nothing any more. */
export async function createCalendarFeed(
  trx: Executor,
  acting: ActingNow,
  { personId, mail }: Owner,
  keyHash: string,
): Promise<void> {
  await putCalendarFeed(trx, { personId, keyHash, now: acting.now })
  await record(trx, acting, { action: 'calendar.create', subject: mail })
}

/** Does nothing if there is no address. */
export async function revokeCalendarFeed(trx: Executor, acting: ActingNow, { personId, mail }: Owner): Promise<void> {
  if (await endCalendarFeed(trx, personId)) await record(trx, acting, { action: 'calendar.revoke', subject: mail })
}
