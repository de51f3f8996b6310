// A made-up procurement, and what is announced about it.
import type { SampleBuyer } from './sample-buyer.ts'
import type { SampleLanguage, Subject, Words } from './vocabulary.ts'

/** Id of the source whose portal it is; those of the common world are in `samplePortals`. */
export type SamplePortal = string

export type SampleLot = {
  readonly lotId: string
  readonly cpv: string
  readonly title: Words
  /** Whole units of the region's currency, excluding VAT. */
  readonly value: number
}

export type SampleProcedure = {
  readonly index: number
  readonly family: 'ted' | 'doe' | 'doe-national' | 'legacy' | 'doffin' | 'uk' | 'records' | 'feed' | 'own'
  readonly procedureId: string
  readonly reference: string
  readonly buyer: SampleBuyer
  readonly subject: Subject
  readonly languages: readonly SampleLanguage[]
  readonly lots: readonly SampleLot[]
  readonly procedureType: 'open' | 'restricted' | 'neg-w-call'
  /** Sum of the lots; absent when the authority does not publish it. */
  readonly value: number | undefined
  readonly isFramework: boolean
  readonly notices: readonly SampleNotice[]
}

export type SampleLotResult = {
  readonly lotId: string
  readonly winner: string | undefined
  readonly value: number
  readonly receivedTenders: number
}

/** `cancellation` re-publishes the call with a reason; `modification` changes the contract after its award. */
export type SampleNoticeKind = 'planning' | 'call' | 'change' | 'cancellation' | 'award' | 'modification'

export type SampleNotice = {
  readonly kind: SampleNoticeKind
  readonly noticeId: string
  readonly version: string
  /** Official journal number, `123456-2024`. */
  readonly publicationNumber: string
  /** Epoch milliseconds of the publication on the portal that comes first. */
  readonly at: number
  /** Portals that carry a copy, with the delay of each. */
  readonly copies: readonly { readonly portal: SamplePortal; readonly delayMs: number }[]
  /** Epoch milliseconds; absent on planning notices. */
  readonly deadline: number | undefined
  readonly previous: SampleNotice | undefined
  readonly results: readonly SampleLotResult[]
}
