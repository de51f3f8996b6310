// Loads the matcher with the searches and profiles that hold for an edition, read in pieces.
import type { Store } from '../store/database/database.ts'
import { Pace } from '../store/database/paced.ts'
import {
  profilesFor,
  publishedBodies,
  type StoredProfile,
  type StoredSearch,
  searchesFor,
} from '../store/hits/searches.ts'
import type { CompanyProfile, LoadedProfile } from './company-profile.ts'
import type { Matcher } from './matcher.ts'
import type { Search, SearchFilter } from './saved-search.ts'

/** Returns the searches, by number. `serial` names them for the matcher. */
export async function loadMatcher(
  store: Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>,
  matcher: Pick<Matcher, 'load'>,
  edition: number,
  serial: number,
): Promise<ReadonlyMap<number, StoredSearch>> {
  const pace = new Pace(store.engine)
  const searches = new Map<number, StoredSearch>()
  const loaded: Search[] = []
  for (let afterNo: number | null = 0; afterNo !== null; ) {
    const after: number = afterNo
    const page = await pace.run((limit) => searchesFor(store.db, edition, after, limit))
    for (const search of page.searches) {
      searches.set(search.searchNo, search)
      loaded.push(searchOf(search))
    }
    afterNo = page.lastNo
  }
  const profiles: LoadedProfile[] = []
  for (let afterId: string | undefined = ''; afterId !== undefined; ) {
    const after: string = afterId
    const page: readonly StoredProfile[] = await pace.run((limit) => profilesFor(store.db, edition, after, limit))
    for (const profile of page) profiles.push(await loadedProfile(store, profile))
    afterId = page.at(-1)?.profileId
  }
  await matcher.load(loaded, profiles, serial)
  return searches
}

/** A stored search as the matcher loads it. What is stored was parsed before. */
function searchOf({ searchNo, version, filter, profileId, threshold }: StoredSearch): Search {
  return { searchNo, version, filter: JSON.parse(filter) as SearchFilter, profileId, threshold }
}

/** A stored profile with the records of its past wins, as far as they are published. */
export async function loadedProfile(store: Pick<Store, 'db'>, stored: StoredProfile): Promise<LoadedProfile> {
  const profile = JSON.parse(stored.content) as CompanyProfile
  const wins = profile.pastWins ? await publishedBodies(store.db, profile.pastWins) : new Map<string, string>()
  return { profileId: stored.profileId, profile, wins: [...wins.values()] }
}
