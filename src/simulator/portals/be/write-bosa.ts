// Made-up publications of the Belgian e-Procurement search.
import type { PortalFormat, PortalSample } from '../../samples/portal-sample.ts'
import { formTypeOf, idOfVersion, localTime } from '../write-sample-values.ts'

export const format: PortalFormat = { lacks: ['change', 'estimate', 'award-value', 'winner'] }

const subtypes = { planning: 'E2', competition: 'E3', result: 'E4' } as const

export function write(notice: PortalSample): string {
  const texts = (text: string) => [{ language: notice.language.toUpperCase(), text }]
  const published = localTime(notice.publishedAt, 'Europe/Brussels', 'yyyy-MM-dd')
  return JSON.stringify({
    publicationWorkspaceId: notice.procedureId,
    procedureId: notice.procedureId,
    noticeIds: [idOfVersion(notice)],
    referenceNumber: notice.reference,
    publicationReferenceNumbersBDA: [`${notice.publishedAt.slice(0, 4)}-${notice.number}`],
    publicationReferenceNumbersTED: [],
    publicationType: notice.kind === 'award' ? 'PASSIVE' : 'ACTIVE',
    noticeSubType: subtypes[formTypeOf(notice)],
    publicationLanguages: [notice.language.toUpperCase()],
    publicationDate: published,
    dispatchDate: published,
    dossier: {
      number: `PPP-${notice.number}`,
      titles: texts(notice.title),
      descriptions: texts(notice.description),
      procurementProcedureType: notice.procedureType.toUpperCase().replaceAll('-', '_'),
    },
    organisation: { organisationId: 1, organisationNames: texts(notice.buyer.name) },
    cpvMainCode: { code: `${notice.cpv}-0`, descriptions: [] },
    cpvAdditionalCodes: [],
    natures: [notice.nature.toUpperCase()],
    nutsCodes: ['BE100'],
    vaultSubmissionDeadline: notice.deadline ?? null,
    tedPublished: false,
    cancelledAt: notice.kind === 'cancellation' ? notice.publishedAt : null,
    lots: notice.lots.map((lot) => ({ titles: texts(lot.title), descriptions: [] })),
  })
}
