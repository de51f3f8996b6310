// A bidding event of the Georgia Procurement Registry to a notice.
import { member } from '../../ocds/json.ts'
import { homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'us-georgia', profile: 'georgia-gpr-events', language: 'en', currency: 'USD' })

export const parseGeorgia = jsonParser(home, (entry, text) => {
  const system = text('sourceId')
  const key = text('esourceNumberKey', 'esourceNumber')
  const state = text('status') ?? ''
  const isIntention = member(entry, 'soleSource') === true
  const isAwarded = /award/i.test(state)
  return {
    // Two systems have separate numbers.
    id: key && `${system ?? 'gpr'}/${key}${isAwarded ? '/award' : ''}`,
    formType: isAwarded ? 'result' : isIntention ? 'dir-awa-pre' : 'competition',
    noticeType: text('bidProcessType') ?? 'event',
    procedureId: key && `${system ?? 'gpr'}/${key}`,
    reference: text('esourceNumber'),
    title: text('title'),
    publishedAt: member(entry, 'postingDateSort'),
    deadline: isAwarded ? undefined : member(entry, 'closingDateSort'),
    buyer: { name: text('agencyName') },
    procedureType: isIntention ? 'neg-wo-call' : undefined,
    nationalProcedure: text('bidProcessType'),
    outcome: isAwarded ? 'awarded' : undefined,
    isCancelled: /cancel/i.test(state),
    url:
      key &&
      `https://ssl.doas.state.ga.us/gpr/eventDetails?eSourceNumber=${encodeURIComponent(key)}&sourceSystemType=${encodeURIComponent(system ?? '')}`,
  }
})
