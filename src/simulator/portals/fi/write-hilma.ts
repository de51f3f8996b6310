// Made-up entries of Hilma's search index.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { formTypeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['awarded', 'winner'] }

const mainTypes = {
  planning: 'PriorInformationNotices',
  competition: 'ContractNotices',
  result: 'ContractAwardNotices',
} as const

/** One entry of the index; the interface that hands out eForms wraps the XML itself. */
export function write(notice: PortalSample): string {
  const isEdition = notice.kind === 'change' || notice.kind === 'cancellation'
  const numberOf = (version: number) =>
    `${notice.publishedAt.slice(0, 4)}-${String((notice.number * 10 + version) % 1_000_000).padStart(6, '0')}`
  return JSON.stringify({
    id: String(notice.number * 10 + notice.version),
    noticeId: notice.number * 10 + notice.version,
    procedureId: notice.number,
    contractFolderId: notice.procedureId,
    noticeNumber: numberOf(notice.version),
    datePublished: notice.publishedAt,
    deadline: notice.deadline ?? null,
    mainType: mainTypes[formTypeOf(notice)],
    type: notice.kind === 'award' ? 'E4' : 'E3',
    titleFi: notice.title,
    titleSv: null,
    organisationNameFi: notice.buyer.name,
    organisationNationalRegistrationNumber: notice.buyer.nationalId,
    descriptionFi: notice.description,
    procedureType: notice.procedureType,
    procurementTypeCode: notice.nature,
    cpvCodes: notice.cpv,
    estimatedValue: notice.value?.amount ?? null,
    currency: notice.value?.currency ?? null,
    isNationalProcurement: true,
    isEuProcurement: false,
    isCorrigendum: notice.kind === 'change',
    isCancelled: notice.kind === 'cancellation',
    previousNoticeNumber: isEdition ? [numberOf(1)] : [],
    procurementDocumentsUrl: notice.url,
  })
}
