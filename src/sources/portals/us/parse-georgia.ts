// A bidding event of the Georgia Procurement Registry to a notice.
import type { Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, textAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { type PortalHome, readPublishedEntry } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'us-georgia',
  profile: 'georgia-gpr-events',
  language: 'en',
  zone: 'America/New_York',
  country: 'US',
  currency: 'USD',
}

export function parseGeorgia(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readEntry)
}

function readEntry(entry: JsonObject): Notice | Rejection {
  const system = textAt(entry, 'sourceId')
  const key = textAt(entry, 'esourceNumberKey') ?? textAt(entry, 'esourceNumber')
  const state = textAt(entry, 'status') ?? ''
  const isIntention = member(entry, 'soleSource') === true
  const isAwarded = /award/i.test(state)
  return readPublishedEntry(home, {
    // Two systems count on their own.
    id: key && `${system ?? 'gpr'}/${key}${isAwarded ? '/award' : ''}`,
    formType: isAwarded ? 'result' : isIntention ? 'dir-awa-pre' : 'competition',
    noticeType: textAt(entry, 'bidProcessType') ?? 'event',
    procedureId: key && `${system ?? 'gpr'}/${key}`,
    reference: textAt(entry, 'esourceNumber'),
    title: textAt(entry, 'title'),
    publishedAt: member(entry, 'postingDateSort'),
    deadline: isAwarded ? undefined : member(entry, 'closingDateSort'),
    buyer: { name: textAt(entry, 'agencyName') },
    procedureType: isIntention ? 'neg-wo-call' : undefined,
    nationalProcedure: textAt(entry, 'bidProcessType'),
    outcome: isAwarded ? 'awarded' : undefined,
    isCancelled: /cancel/i.test(state),
    url:
      key &&
      `https://ssl.doas.state.ga.us/gpr/eventDetails?eSourceNumber=${encodeURIComponent(key)}&sourceSystemType=${encodeURIComponent(system ?? '')}`,
  })
}
