// The content of a form, in one language and in terms of both schema generations, before it becomes a notice.
import type { LotResult, Money, NoticeLot, NoticeReference, Organization } from '../../domain/notice.ts'

/** A date as published, possibly with a time; neither has a zone. */
export type PlainDateTime = { readonly date: string; readonly time?: string }

export type FormLot = {
  readonly lotId: string
  readonly title?: string
  readonly description?: string
  readonly cpvCodes: readonly string[]
  readonly nutsCodes: readonly string[]
  /** Main site of performance as free text. */
  readonly site?: string
  readonly estimatedValue?: Money
  readonly duration?: NonNullable<NoticeLot['duration']>
  readonly result?: LotResult
}

/** One AWARD_CONTRACT (or AWARD_OF_CONTRACT, or the result of a contest). */
export type FormAward = {
  readonly lotNumber?: string
  readonly title?: string
  /** What the contract or lot was first estimated to be worth. */
  readonly estimatedValue?: Money
  readonly result: LotResult
}

/** One CHANGE of a corrigendum; `deadline` if it moves the receipt of tenders or requests. */
export type FormChange = { readonly lotNumbers?: string; readonly deadline: PlainDateTime }

export type FormContent = {
  readonly title?: string
  readonly description?: string
  readonly referenceNumber?: string
  readonly contractNature?: string
  readonly procedureType?: string
  readonly procedureTypeNational?: string
  readonly legalBasis?: string
  readonly buyers: readonly Organization[]
  readonly buyerProfileUrl?: string
  readonly documentsUrl?: string
  readonly submissionUrl?: string
  readonly cpvCodes: readonly string[]
  readonly estimatedValue?: Money
  readonly awardedValue?: Money
  readonly isFramework?: boolean
  readonly isDynamicPurchasingSystem?: boolean
  readonly isDynamicPurchasingSystemTerminated?: boolean
  readonly deadline?: PlainDateTime
  readonly validityEnd?: PlainDateTime
  readonly dispatchDate?: PlainDateTime
  readonly lots: readonly FormLot[]
  readonly awards: readonly FormAward[]
  readonly references: readonly { readonly publicationNumber: string; readonly kind?: NoticeReference['kind'] }[]
  readonly changes: readonly FormChange[]
}
