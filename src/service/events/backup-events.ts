// Backups.
import type { Instant } from '../../domain/time.ts'

/** Which redactions a restore applies, and whether the backup is signed. */
export type RestoredRedactions = {
  /** The file of redactions that a restore applies; null for none. */
  readonly redactionsFrom: string | null
  /** The secret key was there, and the manifest was made with it. */
  readonly isAuthenticated: boolean
}

/** A backup: where it is, and of which state. */
export type BackupFacts = {
  readonly location: string
  readonly takenAt: Instant
  /** Null before the first edition. */
  readonly edition: number | null
  readonly rows: number
  readonly parts: number
  readonly bytes: number
  readonly documentsOutside: string | null
}

export type BackupEvents = {
  backedUp: BackupFacts & { readonly longestHoldMs: number | null; readonly seconds: number }
  backupVerified: BackupFacts & RestoredRedactions & { readonly isTargetEmpty: boolean }
  /** `kept`, `removed`: of the backups beside it. */
  drilled: BackupFacts & {
    /** Of the newest edition, computed from what was restored; null without an edition. */
    readonly digest: string | null
    readonly seconds: number
    readonly kept: number
    readonly removed: readonly string[]
  }
  /** `republished`: records that the next edition publishes again. */
  restored: BackupFacts & RestoredRedactions & { readonly republished: number; readonly advice: readonly string[] }
}
