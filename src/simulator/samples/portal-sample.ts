// A made-up announcement in the form from which the cards write their own shapes.
import { toInstant } from '../../domain/time.ts'
import type { PortalSample } from '../../sources/source.ts'
import { descriptionOf, type SampleCopy, titleOf } from './sample-world.ts'

export function portalSampleOf(copy: SampleCopy): PortalSample {
  const { procedure, notice } = copy
  const { buyer, subject } = procedure
  const language = procedure.languages[0]!
  const { currency } = buyer.region
  return {
    // portals with shapes of their own know no modification of a contract: it is a further award
    kind: notice.kind === 'modification' ? 'award' : notice.kind,
    id: notice.noticeId,
    version: Number(notice.version),
    procedureId: procedure.procedureId,
    number: Number(notice.publicationNumber.split('-')[0]),
    reference: procedure.reference,
    publishedAt: toInstant(copy.at),
    ...(notice.deadline !== undefined && { deadline: toInstant(notice.deadline) }),
    title: titleOf(procedure, language),
    description: descriptionOf(procedure, language),
    language: language === 'nb' ? 'no' : language,
    buyer: {
      name: buyer.name,
      nationalId: buyer.nationalId,
      town: buyer.town,
      postalCode: buyer.postalCode,
      country: buyer.region.country,
      nuts: buyer.nuts,
      email: buyer.email,
      url: buyer.url,
    },
    cpv: subject.cpv,
    nature: subject.nature,
    procedureType: procedure.procedureType,
    ...(procedure.value !== undefined && { value: { amount: procedure.value, currency } }),
    lots: procedure.lots.map((lot) => ({ id: lot.lotId, title: lot.title[language], cpv: lot.cpv, amount: lot.value })),
    winners: notice.results.flatMap(({ lotId, winner, value }) =>
      winner === undefined ? [] : [{ lotId, name: winner, amount: value }],
    ),
    url: `https://portal.example/${copy.portal}/${notice.noticeId}`,
  }
}
