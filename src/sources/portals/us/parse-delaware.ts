// An open bid of Delaware to a notice.
import { member, textAt } from '../../ocds/json.ts'
import { homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'us-delaware', profile: 'delaware-open-bids', language: 'en', currency: 'USD' })

export const parseDelaware = jsonParser(home, (entry, text) => {
  const number = text('contractnumber')
  const agency = text('agencycode')
  return {
    id: number,
    formType: 'competition',
    noticeType: 'bid',
    procedureId: number,
    reference: number,
    title: text('contracttitle'),
    publishedAt: text('opendate'),
    deadline: text('deadlinedate'),
    buyer: { name: agency && `State of Delaware, ${agency}` },
    url: textAt(member(entry, 'bidurl'), 'url'),
  }
})
