// Dates that a portal's form requires although there is no deadline: 2099, 9999, 1900.
import type { Notice, NoticeLot } from '../domain/notice.ts'
import type { Instant } from '../domain/time.ts'

/** Years of real deadlines. Systems that stay open for decades end before 2090; electronic notices began after 1990. */
const firstYear = '1990'
const yearAfterLast = '2090'

const isReal = (instant: Instant): boolean => instant >= firstYear && instant < yearAfterLast

const deadlines = ['submissionDate', 'participationDate', 'interestDate', 'validityEnd'] as const

function withoutSentinels<Holder extends object>(holder: Holder): Holder {
  const found = deadlines.filter((member) => {
    const value = (holder as { readonly [name in (typeof deadlines)[number]]?: Instant })[member]
    return value !== undefined && !isReal(value)
  })
  if (found.length === 0) return holder
  return Object.fromEntries(
    Object.entries(holder).filter(([name]) => !found.some((member) => member === name)),
  ) as Holder
}

/** The notice without deadlines of such years, its own and those of its lots. */
export function withoutSentinelDates(notice: Notice): Notice {
  const lots = notice.lots.map((lot): NoticeLot => withoutSentinels(lot))
  const isSame = lots.every((lot, index) => lot === notice.lots[index])
  return withoutSentinels(isSame ? notice : { ...notice, lots })
}
