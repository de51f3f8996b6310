// A notice or a contract of KIMDIS to a notice.
import type { ProcedureType } from '../../../domain/codes.ts'
import type { Place } from '../../../domain/notice.ts'
import { compact } from '../../compact.ts'
import { member, objectsOf, textAt } from '../../ocds/json.ts'
import { durationIn, wordIn } from '../../read-values.ts'
import { cleanField } from '../../text.ts'
import { firstMatch, homeOf, jsonParser } from '../read-published-entry.ts'

const home = homeOf({ publisher: 'gr-kimdis', profile: 'kimdis-opendata', language: 'el', currency: 'EUR' })

const natures = { works: /Έργα|Εργα/i, supplies: /Προμήθει|Αγαθ/i, services: /Υπηρεσί|Μελέτ/i }

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

export const parseKimdis = jsonParser(home, (entry, text) => {
  const number = text('referenceNumber')
  // Contracts are numbered `26SYMV…`, notices `26PROC…`; the members differ as well.
  const isContract =
    /^\d{2}SYMV/i.test(number ?? '') ||
    (!/^\d{2}PROC/i.test(number ?? '') && member(entry, 'contractingDataDetails') !== undefined)
  const procedure = text('typeOfProcedure/value', 'procedureType/value')
  const details = [...objectsOf(entry, 'objectDetails'), ...objectsOf(entry, 'objectDetailsList')]
  const value = member(entry, 'totalCostWithoutVAT')
  const isCancelled = member(entry, 'cancelled') === true
  return {
    id: number,
    formType: isContract ? 'result' : 'competition',
    noticeType: isContract ? 'contract' : 'notice',
    title: text('title'),
    description: details.map((detail) => textAt(detail, 'shortDescription')).find((text) => text?.trim()),
    publishedAt: member(entry, 'submissionDate') ?? text('contractSignedDate', 'signedDate'),
    deadline: isContract ? undefined : member(entry, 'finalSubmissionDate'),
    buyer: { name: text('organization/value'), nationalId: text('organizationVatNumber') },
    cpv: details.map((detail) => member(detail, 'cpvs')),
    nuts: [text('nutsCode/key'), member(entry, 'nutsCodes')],
    place: placeOf(text('nutsCity'), text('nutsPostalCode')),
    duration: durationIn(
      member(entry, 'contractDuration'),
      text('contractDurationUnitOfMeasure/value', 'contractDurationUnitOfMeasure'),
    ),
    estimatedValue: isContract ? undefined : value,
    awardedValue: isContract ? value : undefined,
    procedureType: wordIn(procedures, procedure),
    nationalProcedure: procedure,
    nature: firstMatch(natures, text('contractType/value')),
    outcome: isContract ? (isCancelled ? 'not-awarded' : 'awarded') : undefined,
    winners: objectsOf(entry, 'contractingDataDetails', 'contractingMembersDataList').map((winner) => ({
      name: textAt(winner, 'name'),
      nationalId: textAt(winner, 'vatNumber'),
    })),
    contractDate: isContract ? text('contractSignedDate', 'signedDate') : undefined,
    isCancelled,
    changes: text('amendsNoticeRefNo'),
    url:
      number === undefined
        ? undefined
        : `https://cerpp.eprocurement.gov.gr/khmdhs-opendata/${isContract ? 'contract' : 'notice'}/attachment/${encodeURIComponent(number.trim())}`,
  }
})

/** Where the contract is performed; both members may be missing. */
function placeOf(city: string | undefined, postalCode: string | undefined): Place | undefined {
  const place = compact<Place>({ city: cleanField(city), postalCode: cleanField(postalCode, 50) })
  return Object.keys(place).length > 0 ? { country: 'GR', ...place } : undefined
}
