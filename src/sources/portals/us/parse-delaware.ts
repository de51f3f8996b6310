// An open bid of Delaware to a notice.
import type { Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, textAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { type PortalHome, readPublishedEntry } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'us-delaware',
  profile: 'delaware-open-bids',
  language: 'en',
  zone: 'America/New_York',
  country: 'US',
  currency: 'USD',
}

export function parseDelaware(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readEntry)
}

function readEntry(entry: JsonObject): Notice | Rejection {
  const number = textAt(entry, 'contractnumber')
  const agency = textAt(entry, 'agencycode')
  return readPublishedEntry(home, {
    id: number,
    formType: 'competition',
    noticeType: 'bid',
    procedureId: number,
    reference: number,
    title: textAt(entry, 'contracttitle'),
    publishedAt: textAt(entry, 'opendate'),
    deadline: textAt(entry, 'deadlinedate'),
    buyer: { name: agency && `State of Delaware, ${agency}` },
    url: textAt(member(entry, 'bidurl'), 'url'),
  })
}
