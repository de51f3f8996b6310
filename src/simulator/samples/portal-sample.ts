// A made-up announcement in the form from which the cards write their own shapes.
import { type Instant, toInstant } from '../../domain/time.ts'
import { descriptionOf, type SampleCopy, titleOf } from './sample-world.ts'

/** A made-up announcement, from which portals write their own shapes. */
export type PortalSample = {
  readonly kind: 'planning' | 'call' | 'change' | 'cancellation' | 'award'
  /** UUID of the announcement. */
  readonly id: string
  /** From 1, raised with each new version of the same announcement. */
  readonly version: number
  /** Stays the same over all announcements of one procedure. */
  readonly procedureId: string
  /** A whole number that is unique on the portal, for portals that count. */
  readonly number: number
  readonly reference: string
  readonly publishedAt: Instant
  readonly deadline?: Instant
  readonly title: string
  readonly description: string
  /** ISO 639-1. */
  readonly language: string
  readonly buyer: {
    readonly name: string
    readonly nationalId: string
    readonly town: string
    readonly postalCode: string
    readonly country: string
    readonly nuts: string
    readonly email: string
    readonly url: string
  }
  /** Eight digits. */
  readonly cpv: string
  readonly nature: 'works' | 'supplies' | 'services'
  readonly procedureType: 'open' | 'restricted' | 'neg-w-call'
  readonly value?: { readonly amount: number; readonly currency: string }
  readonly lots: readonly {
    readonly id: string
    readonly title: string
    readonly cpv: string
    readonly amount: number
  }[]
  /** Present on awards. */
  readonly winners: readonly { readonly lotId: string; readonly name: string; readonly amount: number }[]
  readonly url: string
}

/** What a portal's announcements do not say, or not as others do: the tests expect its parser to read all else. */
export type PortalFormat = {
  /**
   * What is not there to be read. A kind: announcements of it look like others. `deadline-time`: the deadline is a day.
   * `award-cpv`, `award-value`: in awards alone; `awarded`: the value of an award is an estimate.
   * `second-call`: a procedure has one call. `versions`: a change has the number of what it changes, or another one.
   */
  readonly lacks?: readonly (
    | 'planning'
    | 'change'
    | 'cancellation'
    | 'buyer'
    | 'publication'
    | 'deadline'
    | 'deadline-time'
    | 'cpv'
    | 'award-cpv'
    | 'nature'
    | 'procedure'
    | 'estimate'
    | 'awarded'
    | 'award-value'
    | 'winner'
    | 'second-call'
    | 'versions'
  )[]
  /** The kinds that the portal publishes; default all. */
  readonly kinds?: readonly PortalSample['kind'][]
  /** What is read of open, restricted and negotiated procedures if the portal has fewer words. */
  readonly procedures?: readonly (PortalSample['procedureType'] | undefined)[]
  /** What is read of works, supplies and services, in the same way. */
  readonly natures?: readonly PortalSample['nature'][]
  /** The source whose notices these are, if two deliver the same ones; default the source itself. */
  readonly publisher?: string
}

export function portalSampleOf(copy: SampleCopy): PortalSample {
  const { procedure, notice } = copy
  const { buyer, subject } = procedure
  const language = procedure.languages[0]!
  const { currency } = buyer.region
  return {
    // portals with their own formats have no modification of a contract: it is a further award
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

/** An ID for each version: its last digit counts on from that of the first one. */
export function versionedId({ id, version }: Pick<PortalSample, 'id' | 'version'>): string {
  const last = (Number.parseInt(id.slice(-1), 16) + version - 1) % 16
  return id.slice(0, -1) + last.toString(16)
}
