// Made-up publications of simap.ch in the members of its publication-details, and the entries of its project search.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { idOfVersion, localTime, localTimeOf } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['estimate'], procedures: ['open', 'restricted', 'restricted'] }

const zone = 'Europe/Zurich'
const types = {
  planning: 'advance_notice',
  call: 'tender',
  change: 'tender',
  cancellation: 'abandonment',
  award: 'award',
} as const
const orderTypes = { works: 'construction', supplies: 'supply', services: 'service' } as const
const processTypes = { open: 'open', restricted: 'selective', 'neg-w-call': 'selective' } as const

const texts = (language: string, text: string) => ({ de: null, en: null, fr: null, it: null, [language]: text })

/** One publication, as its details are answered. */
export function write(notice: PortalSample): string {
  const isAward = notice.kind === 'award'
  const id = idOfVersion(notice)
  const published = localTime(notice.publishedAt, zone, 'yyyy-MM-dd')
  const type = types[notice.kind]
  const cpvCode = { code: notice.cpv, label: texts(notice.language, notice.cpv) }
  const correctedPubId =
    notice.kind === 'change' ? idOfVersion({ id: notice.id, version: Math.max(1, notice.version - 1) }) : null
  return JSON.stringify({
    'project-info': {
      stateContractArea: false,
      publicationTed: false,
      procOfficeAddress: {
        postalCode: notice.buyer.postalCode,
        countryId: notice.buyer.country,
        cantonId: 'BE',
        name: texts(notice.language, notice.buyer.name),
        phone: null,
        email: notice.buyer.email,
        url: texts(notice.language, notice.buyer.url),
        city: texts(notice.language, notice.buyer.town),
      },
      title: texts(notice.language, notice.title),
      documentsSourceType: 'documents_source_simap',
      processType: processTypes[notice.procedureType],
      orderType: orderTypes[notice.nature],
    },
    procurement: {
      orderDescription: texts(notice.language, `<p>${notice.description}</p>`),
      orderType: orderTypes[notice.nature],
      processType: processTypes[notice.procedureType],
      additionalCpvCodes: [],
      cpvCode,
    },
    dates: isAward
      ? undefined
      : {
          publicationDate: published,
          offerDeadline: localTimeOf(notice.deadline, zone, 'yyyy-MM-ddTHH:mm:ssxxx') ?? null,
        },
    decision: isAward
      ? {
          vendors: notice.winners.map((winner) => ({
            vendorName: winner.name,
            vendorAddress: { countryId: 'CH' },
            price: { currency: 'chf', price: winner.amount, vatType: 'no' },
          })),
          numberOfSubmissions: notice.winners.length + 1,
          awardDecisionDate: published,
        }
      : undefined,
    id,
    type,
    projectType: 'tender',
    correction: null,
    lots: isAward
      ? undefined
      : notice.lots.map((lot, index) => ({
          lotNumber: index + 1,
          title: texts(notice.language, lot.title),
          cpvCode: { code: lot.cpv },
        })),
    base: {
      corrected: false,
      cpvCode,
      orderType: orderTypes[notice.nature],
      publicationTed: false,
      id,
      title: texts(notice.language, notice.title),
      projectType: 'tender',
      processType: processTypes[notice.procedureType],
      lotsType: notice.lots.length > 1 ? 'with' : 'without',
      type,
      publicationNumber: `${notice.number}-${String(notice.version).padStart(2, '0')}`,
      projectId: notice.procedureId,
      publicationDate: published,
      creationLanguage: notice.language,
      correctedPubId,
      referencingPubId: null,
      projectNumber: String(notice.number),
    },
    hasProjectDocuments: !isAward,
    ted: null,
  })
}
