// Redactions.
import type { RedactionKind } from '../../domain/redaction.ts'

export type RedactionEvents = {
  /** What a redaction affected, or would affect; `isDryRun`: nothing was changed. */
  redacted: {
    id: string
    isDryRun: boolean
    notices: number
    records: number
    /** Ids of the first records, at most 100. */
    recordIds: readonly string[]
    /** The members of the notices in which it was found, with the number of notices. */
    members: { readonly [member: string]: number }
    /** Bodies of messages to endpoints, mails, and other stored copies. */
    bodies: number
    mails: number
    others: number
    /**
     * Dry run: where the words of a name stand close to each other and are not one of its spellings, at most 100
     * places. The command removes none of them.
     */
    suspects: readonly { readonly notice: string; readonly member: string; readonly text: string }[]
    /** The file that `redact import` reads after a restore; absent for a dry run. */
    recordedIn?: string
  }
  redaction: {
    id: string
    kinds: { readonly [kind in RedactionKind]: number }
    reason: string
    madeAt: number
    /** Null: not everything stored has been processed yet. */
    appliedAt: number | null
  }
  redactionUndone: { id: string; notices: number }
  redactionsImported: { added: number; undone: number; known: number }
}
