// Made-up notices and contracts of KIMDIS.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['planning', 'change'] }

const zone = 'Europe/Athens'
const minutes = 'yyyy-MM-ddTHH:mm:ss'
const natures = { works: 'Έργα', services: 'Υπηρεσίες', supplies: 'Προμήθειες' } as const
const procedures = {
  open: { key: '1', value: 'Ανοιχτή διαδικασία' },
  restricted: { key: '2', value: 'Κλειστή διαδικασία' },
  'neg-w-call': { key: '3', value: 'Ανταγωνιστική διαδικασία με διαπραγμάτευση' },
} as const

export function write(sample: PortalSample): string {
  const isContract = sample.kind === 'award'
  const year = localTime(sample.publishedAt, zone, 'yyyy').slice(2)
  const number = String(sample.number).padStart(9, '0')
  return JSON.stringify({
    referenceNumber: `${year}${isContract ? 'SYMV' : 'PROC'}${number}`,
    title: sample.title,
    submissionDate: localTime(sample.publishedAt, zone, minutes),
    ...(isContract
      ? {
          signedDate: localTime(sample.publishedAt, zone, 'yyyy-MM-dd'),
          procedureType: procedures[sample.procedureType],
          contractingDataDetails: {
            contractingMembersDataList: sample.winners.map((winner) => ({ name: winner.name, vatNumber: '090000000' })),
          },
        }
      : {
          finalSubmissionDate: localTimeOf(sample.deadline, zone, minutes) ?? null,
          typeOfProcedure: procedures[sample.procedureType],
        }),
    organization: { key: '1', value: sample.buyer.name },
    organizationVatNumber: sample.buyer.nationalId,
    contractType: { key: '1', value: natures[sample.nature] },
    nutsCode: { key: sample.buyer.nuts, value: sample.buyer.town },
    totalCostWithoutVAT: sample.value?.amount ?? null,
    objectDetails: [{ shortDescription: sample.description, cpvs: [{ key: `${sample.cpv}-0`, value: sample.title }] }],
    cancelled: sample.kind === 'cancellation',
    amendsNoticeRefNo: null,
  })
}
