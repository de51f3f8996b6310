// A row of Cyprus's table of awarded contracts to a notice of that award.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type Row, readRowDocument } from '../../read-portal-notice.ts'
import { wordIn } from '../../read-values.ts'
import { type PortalHome, readPublishedEntry, wordsOf } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'cy-awarded-contracts',
  profile: 'cy-cfts-awarded',
  language: 'el',
  zone: 'Asia/Nicosia',
  country: 'CY',
  currency: 'EUR',
}

const procedures: { readonly [word: string]: ProcedureType } = {
  'ανοικτη διαδικασια': 'open',
  ανοικτη: 'open',
  'κλειστη διαδικασια': 'restricted',
  κλειστη: 'restricted',
  'διαδικασια με διαπραγματευση χωρις προηγουμενη δημοσιευση': 'neg-wo-call',
  'ανταγωνιστικη διαδικασια με διαπραγματευση': 'neg-w-call',
  'ανταγωνιστικος διαλογος': 'comp-dial',
}

export function parseAwardedContracts(bytes: Uint8Array): ParsedPart[] {
  return readRowDocument(bytes, readRow)
}

function readRow(row: Row): Notice | Rejection {
  const tenderId = wordsOf(row['CFTID'])
  const winner = wordsOf(row['EONAME']) ?? wordsOf(row['EONAMES'])
  const procedure = row['Procedure El']
  return readPublishedEntry(home, {
    // Several contracts of one tender differ by who won.
    id: tenderId && (winner === undefined ? tenderId : `${tenderId}/${winner.toLowerCase().slice(0, 120)}`),
    formType: 'result',
    noticeType: 'award',
    procedureId: tenderId,
    reference: row['CfT CA Unique ID'],
    title: row['CFTTITLE'],
    publishedAt: row['AWARDDATE']?.trim() ? row['AWARDDATE'] : row['Date Published'],
    buyer: { name: row['ORGANIZATIONNAME'] },
    cpv: row['CPVCODES'],
    nuts: 'CY000',
    estimatedValue: row['Estimated Value'],
    awardedValue: row['AWARDEDCONTRVALUE'],
    procedureType: wordIn(procedures, procedure),
    nationalProcedure: procedure,
    nature: natureOf(row['Contract Type El'] ?? ''),
    outcome: 'awarded',
    winners: winner === undefined ? [] : [{ name: winner }],
    contractDate: row['AWARDDATE'],
    url:
      tenderId &&
      `https://www.eprocurement.gov.cy/epps/cft/prepareViewCfTWS.do?resourceId=${encodeURIComponent(tenderId)}`,
  })
}

function natureOf(type: string): string | undefined {
  if (/έργα/i.test(type)) return 'works'
  if (/προμήθειες/i.test(type)) return 'supplies'
  return /υπηρεσίες/i.test(type) ? 'services' : undefined
}
