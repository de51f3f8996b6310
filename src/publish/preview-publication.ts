// What publishing would do now, for people who decide about it.
import { holdLine } from '../domain/hold-reason.ts'
import { Pace } from '../store/database/paced.ts'
import { previewHistory } from '../store/editions/older-database.ts'
import { examine } from './examine.ts'
import { afterEpoch, type PublishingStore, type PublishOptions, tooEarly } from './publish.ts'

/** What the next edition would be, without publishing it. */
export type PublishPreview = {
  /** Its number. */
  readonly edition: number
  readonly records: number
  /** Records that are new or changed. */
  readonly changes: number
  /** Nothing differs from the newest edition. */
  readonly isNothingNew: boolean
  /** Why the gate would hold it back; empty when it would pass. */
  readonly reasons: readonly string[]
  /** The rules that changed since the newest edition (domain/stock-rules.ts). */
  readonly changedRules: readonly string[]
  readonly warnings: readonly string[]
  /** When it may be published; null: now. */
  readonly allowedAt: number | null
}

/** Returns what `publish` would do now. Only reads, so it can run beside a publisher. */
export async function previewPublication(store: PublishingStore, options: PublishOptions): Promise<PublishPreview> {
  const previous = await previewHistory(store.db, options.now)
  const pace = new Pace(store.engine)
  const examined = await examine({ db: store.db, limits: () => pace.limits() }, previous, options)
  const number = previous?.next ?? 1
  const allowedAt = tooEarly(previous, options)?.allowedAt ?? null
  if (examined === undefined)
    return {
      edition: number,
      records: previous?.records ?? 0,
      changes: 0,
      isNothingNew: true,
      reasons: [],
      changedRules: [],
      warnings: [],
      allowedAt,
    }
  const { pending, verdict, changedRules } = examined
  const epochAllowsAt = afterEpoch(previous, pending.changes)
  return {
    edition: number,
    records: (previous?.records ?? 0) + pending.added,
    changes: pending.changes,
    isNothingNew: false,
    reasons: verdict.kind === 'hold' ? verdict.reasons.map(holdLine) : [],
    changedRules,
    warnings: verdict.warnings.map(holdLine),
    allowedAt: epochAllowsAt > options.now ? Math.max(epochAllowsAt, allowedAt ?? 0) : allowedAt,
  }
}
