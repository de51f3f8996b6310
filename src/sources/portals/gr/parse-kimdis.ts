// A notice or a contract of KIMDIS to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { type JsonObject, member, objectsOf, textAt } from '../../ocds/json.ts'
import { readJsonDocument } from '../../read-portal-notice.ts'
import { wordIn } from '../../read-values.ts'
import { type PortalHome, readPublishedEntry } from '../read-published-entry.ts'

const home: PortalHome = {
  publisher: 'gr-kimdis',
  profile: 'kimdis-opendata',
  language: 'el',
  zone: 'Europe/Athens',
  country: 'GR',
  currency: 'EUR',
}

const procedures: { readonly [word: string]: ProcedureType } = {
  'ανοιχτη διαδικασια': 'open',
  'ανοικτη διαδικασια': 'open',
  'κλειστη διαδικασια': 'restricted',
  'ανταγωνιστικη διαδικασια με διαπραγματευση': 'neg-w-call',
  'διαπραγματευση με προηγουμενη προκηρυξη διαγωνισμου (αρ.266)': 'neg-w-call',
  'διαπραγματευση χωρις προηγουμενη δημοσιευση': 'neg-wo-call',
  'απευθειας αναθεση': 'neg-wo-call',
  'ανταγωνιστικος διαλογος': 'comp-dial',
  'συμπραξη καινοτομιας': 'innovation',
}

export function parseKimdis(bytes: Uint8Array): ParsedPart[] {
  return readJsonDocument(bytes, readEntry)
}

function readEntry(entry: JsonObject): Notice | Rejection {
  const number = textAt(entry, 'referenceNumber')
  // Contracts are numbered 26SYMV…, notices 26PROC…; the members differ as well.
  const isContract =
    /^\d{2}SYMV/i.test(number ?? '') ||
    (!/^\d{2}PROC/i.test(number ?? '') && member(entry, 'contractingDataDetails') !== undefined)
  const procedure = textAt(entry, 'typeOfProcedure', 'value') ?? textAt(entry, 'procedureType', 'value')
  const details = [...objectsOf(entry, 'objectDetails'), ...objectsOf(entry, 'objectDetailsList')]
  const value = member(entry, 'totalCostWithoutVAT')
  const isCancelled = member(entry, 'cancelled') === true
  return readPublishedEntry(home, {
    id: number,
    formType: isContract ? 'result' : 'competition',
    noticeType: isContract ? 'contract' : 'notice',
    title: textAt(entry, 'title'),
    description: details.map((detail) => textAt(detail, 'shortDescription')).find((text) => text?.trim()),
    publishedAt: member(entry, 'submissionDate') ?? member(entry, 'signedDate'),
    deadline: isContract ? undefined : member(entry, 'finalSubmissionDate'),
    buyer: { name: textAt(entry, 'organization', 'value'), nationalId: textAt(entry, 'organizationVatNumber') },
    cpv: details.map((detail) => member(detail, 'cpvs')),
    nuts: textAt(entry, 'nutsCode', 'key'),
    estimatedValue: isContract ? undefined : value,
    awardedValue: isContract ? value : undefined,
    procedureType: wordIn(procedures, procedure),
    nationalProcedure: procedure,
    nature: natureOf(textAt(entry, 'contractType', 'value')),
    outcome: isContract ? (isCancelled ? 'not-awarded' : 'awarded') : undefined,
    winners: objectsOf(entry, 'contractingDataDetails', 'contractingMembersDataList').map((winner) => ({
      name: textAt(winner, 'name'),
      nationalId: textAt(winner, 'vatNumber'),
    })),
    contractDate: isContract ? textAt(entry, 'signedDate') : undefined,
    isCancelled,
    changes: textAt(entry, 'amendsNoticeRefNo'),
    url:
      number === undefined
        ? undefined
        : `https://cerpp.eprocurement.gov.gr/khmdhs-opendata/${isContract ? 'contract' : 'notice'}/attachment/${encodeURIComponent(number.trim())}`,
  })
}

function natureOf(type: string | undefined): string | undefined {
  if (type === undefined) return undefined
  if (/Έργα|Εργα/i.test(type)) return 'works'
  if (/Προμήθει|Αγαθ/i.test(type)) return 'supplies'
  return /Υπηρεσί|Μελέτ/i.test(type) ? 'services' : undefined
}
