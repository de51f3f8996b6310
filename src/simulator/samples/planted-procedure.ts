// A procurement of the sample world that is written down instead of drawn: one lot, one portal.
import { dayMs, hourMs, wallToEpochMs } from '../../domain/time.ts'
import { buyerIn } from './sample-buyer.ts'
import type { SampleNotice, SampleProcedure } from './sample-procedure.ts'
import { seededUuid } from './seeded.ts'
import type { Region, Words } from './vocabulary.ts'

export type PlantedProcedure = {
  /** What its ids are made of. */
  readonly key: string
  /** Its number in the sample world: beyond every one that the growing world reaches. */
  readonly index: number
  readonly family: Extract<SampleProcedure['family'], 'records' | 'feed' | 'doe' | 'doe-national' | 'ted'>
  readonly portal: string
  readonly region: Region
  /** Place in the region's list of towns. */
  readonly town: number
  /** Place in the region's list of authorities; default the first. */
  readonly authority?: number
  /** The same in all languages. */
  readonly title: string
  readonly reference: string
  readonly cpv: string
  readonly nature: 'works' | 'supplies' | 'services'
  readonly procedureType?: SampleProcedure['procedureType']
  readonly value: number
  readonly isValuePublished?: boolean
  /** Epoch milliseconds of the call, and how many days later it is due, at 11 o'clock. */
  readonly at: number
  readonly daysToDeadline: number
  readonly award?: { readonly winner: string; readonly value: number; readonly days: number }
}

export function plantedProcedure(planted: PlantedProcedure): SampleProcedure {
  const { key, index, family, region, title, cpv, nature, value } = planted
  const words: Words = { de: title, en: title, fr: title, pl: title, nb: title }
  return {
    index,
    family,
    procedureId: seededUuid(`${key}|procedure`),
    reference: planted.reference,
    buyer: buyerIn(region, region.towns[planted.town]!, planted.authority ?? 0),
    subject: { cpv, nature, thousands: [value / 1000, value / 1000], title: words, lots: [] },
    languages: region.languages,
    lots: [{ lotId, cpv, title: words, value }],
    procedureType: planted.procedureType ?? 'open',
    value: planted.isValuePublished ? value : undefined,
    isFramework: false,
    notices: noticesOf(planted),
  }
}

const lotId = 'LOT-0001'

function noticesOf({ key, index, family, portal, region, at, daysToDeadline, award }: PlantedProcedure) {
  const noticeOf = (kind: 'call' | 'award', publishedAt: number) => ({
    kind,
    noticeId:
      family === 'doe-national'
        ? `${70_000_000 + index * 10}`
        : seededUuid(`${key}|notice${kind === 'call' ? '' : `|${kind}`}`),
    version: '01',
    publicationNumber: `${100_000 + index * 8 + (kind === 'call' ? 0 : 1)}-${new Date(publishedAt).getUTCFullYear()}`,
    at: publishedAt,
    copies: [{ portal, delayMs: 0 }],
    results: [],
  })
  const due = Math.floor((at + daysToDeadline * dayMs) / dayMs) * dayMs + 11 * hourMs
  const call: SampleNotice = {
    ...noticeOf('call', at),
    deadline: wallToEpochMs(due, region.zone),
    previous: undefined,
  }
  if (!award) return [call]
  const { winner, value, days } = award
  const result: SampleNotice = {
    ...noticeOf('award', at + days * dayMs),
    deadline: undefined,
    previous: call,
    results: [{ lotId, winner, value, receivedTenders: 4 }],
  }
  return [call, result]
}
