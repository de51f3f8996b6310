// Digests.
import type { ListedDigest } from '../../store/hits/digests.ts'

export type DigestEvents = {
  digest: Omit<ListedDigest, 'digestId' | 'searchNo' | 'organizationId' | 'madeDay' | 'dueAt'> & {
    id: string
    /** When the next digest is due; null: as soon as there is something to send, or never, as the mails ended. */
    nextAt: number | null
  }
  /** `search` is null if it was deleted before. */
  digestRemoved: { id: string; search: string | null; person: string }
}
