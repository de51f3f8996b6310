// Made-up opportunities of SAM.gov, as the interface and as the daily table write them.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import type { SampleWriters } from '../own-writers.ts'
import { csvRow, localTime } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['change', 'cpv', 'nature', 'procedure', 'estimate'], publisher: 'us-sam' }

const zone = 'America/New_York'
const types = {
  planning: 'Presolicitation',
  call: 'Solicitation',
  change: 'Solicitation',
  cancellation: 'Solicitation (Cancelled)',
  award: 'Award Notice',
} as const

const idOf = (sample: PortalSample): string => `${sample.id.replaceAll('-', '').slice(0, -1)}${sample.version % 10}`

function writeSam(sample: PortalSample): string {
  return JSON.stringify({
    noticeId: idOf(sample),
    title: sample.title,
    solicitationNumber: sample.reference,
    // Levels are divided by full stops.
    fullParentPathName: sample.buyer.name.replaceAll('.', ' '),
    postedDate: localTime(sample.publishedAt, zone, 'yyyy-MM-dd'),
    type: types[sample.kind],
    baseType: types[sample.kind],
    responseDeadLine: sample.deadline?.replace('.000Z', '+00:00') ?? null,
    naicsCode: '236220',
    classificationCode: 'Y1AA',
    active: 'Yes',
    award:
      sample.kind === 'award'
        ? {
            date: localTime(sample.publishedAt, zone, 'yyyy-MM-dd'),
            number: sample.reference,
            amount: String(sample.value?.amount ?? ''),
            awardee: { name: sample.winners[0]?.name ?? null },
          }
        : null,
    pointOfContact: [{ type: 'primary', email: sample.buyer.email }],
    description: 'https://api.sam.gov/prod/opportunities/v1/noticedesc?noticeid=0',
    placeOfPerformance: { city: { name: sample.buyer.town }, zip: sample.buyer.postalCode },
    uiLink: sample.url,
  })
}

function writeSamRow(sample: PortalSample): string {
  const isAward = sample.kind === 'award'
  return csvRow({
    NoticeId: idOf(sample),
    Title: sample.title,
    'Sol#': sample.reference,
    'Department/Ind.Agency': '',
    'Sub-Tier': '',
    Office: sample.buyer.name,
    PostedDate: sample.publishedAt.replace('T', ' ').replace('Z', '+00'),
    Type: types[sample.kind],
    ResponseDeadLine: sample.deadline?.replace('.000Z', '+00:00'),
    NaicsCode: '236220',
    ClassificationCode: 'Y1AA',
    PopCity: sample.buyer.town,
    PopZip: sample.buyer.postalCode,
    Active: 'Yes',
    AwardDate: isAward ? localTime(sample.publishedAt, zone, 'yyyy-MM-dd') : '',
    Award$: isAward ? sample.value?.amount : '',
    Awardee: isAward ? sample.winners[0]?.name : '',
    PrimaryContactEmail: sample.buyer.email,
    Link: sample.url,
    Description: sample.description,
  })
}

export const writers: SampleWriters = { 'us-sam': writeSam, 'us-sam-bulk': writeSamRow }
