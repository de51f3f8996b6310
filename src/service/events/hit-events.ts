// Company profiles, saved searches and hits.
import type { CompanyProfile } from '../../hits/company-profile.ts'
import type { ExplainedMatch } from '../../hits/explain-match.ts'
import type { Clause } from '../../hits/plain-match.ts'
import type { SearchFilter } from '../../hits/saved-search.ts'
import type { Preview } from '../../hits/search-stock.ts'
import type { HeldEdition, ListedHit } from '../../store/hits/hits.ts'
import type { StoredProfile, StoredSearch } from '../../store/hits/searches.ts'

export type HitEvents = {
  profile: Omit<StoredProfile, 'content'> & { profile: CompanyProfile }
  search: Pick<StoredSearch, 'searchId' | 'organizationId' | 'name' | 'createdAt' | 'profileId' | 'threshold'> &
    Pick<StoredSearch, 'version' | 'fromEdition'> & {
      state: 'active' | 'paused'
      filter: SearchFilter
      /** Name of the profile that scores are computed against; null: the search itself. */
      profile: string | null
      /** Editions with too many hits for the search: their deliveries wait. */
      held: readonly HeldEdition[]
    }
  searchPreview: Pick<Preview, 'open' | 'lastDays'> & { filter: SearchFilter; threshold: number }
  openDelivered: { search: string; hits: number }
  matched: { editions: number; hits: number; unseen: number }
  hit: Omit<ListedHit, 'tenderId'> & { tender: string }
  hitsReleased: { search: string; edition: number; deliveries: number }
  matchExplained: Omit<ExplainedMatch, 'clauses' | 'reasons'> & {
    id: string
    search: string
    clauses: readonly (Pick<Clause, 'clause' | 'holds'> & {
      /** What satisfied it, or why nothing did. */
      readonly text: string
    })[]
  }
  profileDeleted: { id: string; name: string }
  /** `messages`: those that waited, and are not sent. */
  searchDeleted: { id: string; name: string; hits: number; messages: number }
}
