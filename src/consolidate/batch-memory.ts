// What was computed for a batch before its turn came, and is valid in it only for the very same notices.
import type { Notice } from '../domain/notice.ts'
import { mergeTender, type TenderDraft } from './merge.ts'
import { type Matcher, type PreparedRecord, preparedRecord, recordKeyOf } from './rematch.ts'
import type { Component } from './resolve.ts'

/**
 * The results of the expensive pure functions of one transaction: called again with the same notices, they are not
 * computed again. Contents are compared, so it does not matter what others have written meanwhile.
 */
export class BatchMemory {
  /** Notices by their contents. */
  readonly parsed = new Map<string, Notice>()
  readonly #matcher: Matcher
  readonly #now: number
  readonly #records = new Map<string, Made<PreparedRecord>>()
  readonly #drafts = new Map<string, Made<TenderDraft>>()

  constructor(matcher: Matcher, now: number) {
    this.#matcher = matcher
    this.#now = now
  }

  preparedRecord(component: Component): PreparedRecord {
    return remembered(this.#records, recordKeyOf(component), component, () => preparedRecord(this.#matcher, component))
  }

  tenderDraft(tenderId: string, component: Component): TenderDraft {
    return remembered(this.#drafts, tenderId, component, (notices) =>
      mergeTender(tenderId, notices, { now: this.#now, isSucceeded: component.isSucceeded }),
    )
  }
}

type Made<Result> = { readonly notices: readonly Notice[]; readonly isSucceeded: boolean; readonly result: Result }

function remembered<Result>(
  known: Map<string, Made<Result>>,
  key: string,
  { units, isSucceeded }: Component,
  make: (notices: readonly Notice[]) => Result,
): Result {
  const notices = units.map(({ notice }) => notice)
  const found = known.get(key)
  // equal contents were parsed once, so the same notices are the same objects
  const isSame =
    found?.isSucceeded === isSucceeded &&
    found.notices.length === notices.length &&
    found.notices.every((notice, index) => notice === notices[index])
  if (isSame) return found.result
  const result = make(notices)
  known.set(key, { notices, isSucceeded, result })
  return result
}
