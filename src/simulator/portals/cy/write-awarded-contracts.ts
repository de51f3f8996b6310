// Made-up rows of Cyprus's table of awarded contracts.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { csvRow, localTime } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['deadline', 'versions'], kinds: ['award'] }

const natures = { works: 'Έργα', services: 'Υπηρεσίες', supplies: 'Προμήθειες' } as const
const procedures = {
  open: 'Ανοικτή διαδικασία',
  restricted: 'Κλειστή διαδικασία',
  'neg-w-call': 'Ανταγωνιστική διαδικασία με διαπραγμάτευση',
} as const

export function write(sample: PortalSample): string {
  const day = localTime(sample.publishedAt, 'Asia/Nicosia', 'dd-MM-yyyy 00:00:00')
  return csvRow({
    CFTID: 6_000_000 + sample.number,
    'CfT CA Unique ID': sample.reference,
    CFTTITLE: sample.title,
    ORGANIZATIONNAME: sample.buyer.name,
    'Contract Type El': natures[sample.nature],
    'Procedure El': procedures[sample.procedureType],
    CPVCODES: `${sample.cpv}-0`,
    'Estimated Value': sample.value?.amount,
    AWARDEDCONTRVALUE: sample.value?.amount,
    EONAME: sample.winners[0]?.name,
    AWARDDATE: day,
    'Date Published': day,
    'Above or Below threshold': 'Κάτω',
    'EU funding': 'Όχι',
  })
}
