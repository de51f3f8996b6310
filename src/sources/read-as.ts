// What a parser read, as the notice that it is: without placeholder deadlines and winners that are no names, and with
// its act.

import { asRead } from '../domain/acts/as-read.ts'
import { readAct } from '../domain/acts/read-act.ts'
import type { Notice, Rejection } from '../domain/notice.ts'
import { withoutSentinelDates } from './sentinel-dates.ts'
import { withNamedWinners } from './winners.ts'

/** The notice with its act; what announces no procurement is rejected, with the words that say so. */
export function readAs(parsed: Notice): Notice | Rejection {
  const notice = withNamedWinners(withoutSentinelDates(parsed))
  const act = readAct(notice)
  if (act.act === 'other')
    return { reason: 'not-procurement', path: '/title', detail: `no procurement: ${act.evidence}` }
  return asRead(notice, act)
}
