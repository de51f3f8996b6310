// Counts the requests of each token in memory, for the API access page: a map and an addition for each request.
import { minuteMs } from '../../domain/time.ts'
import type { Clock } from '../../platform/clock.ts'
import type { TokenGrant } from '../../store/people/organizations.ts'

/** What a token requested in a part of a minute. */
export type TokenUse = {
  readonly organizationId: string
  readonly tokenId: string
  /** Beginning of the minute, epoch milliseconds. */
  readonly minute: number
  readonly answered: number
  /** Requests refused with 429. */
  readonly refused: number
  /** Records in the answers, and their bytes as sent. */
  readonly records: number
  readonly bytes: number
  /** Of one of its requests: the client's address, and the name that the client gives itself. */
  readonly address: string
  readonly agent: string
}

type Counts = { -readonly [member in keyof TokenUse]: TokenUse[member] }

/** Maximum number of characters of a client's name that are stored. */
const longestAgent = 100

/** Where a request comes from. */
type Origin = { readonly address: () => string; readonly agent?: string | undefined }

/** Requests since the last `take`. */
export class UseCounter {
  readonly #clock: Clock
  readonly #counts = new Map<string, Counts>()
  #finished: Counts[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a request that was admitted, or refused because of the limit. */
  count(grant: TokenGrant, isAdmitted: boolean, origin: Origin): void {
    const counts = this.#countsOf(grant, origin)
    if (isAdmitted) counts.answered++
    else counts.refused++
  }

  /** Counts what the answer to an admitted request holds. */
  read(grant: TokenGrant, what: { readonly records: number; readonly bytes: number }, origin: Origin): void {
    const counts = this.#countsOf(grant, origin)
    counts.records += what.records
    counts.bytes += what.bytes
  }

  #countsOf({ tokenId, organizationId }: TokenGrant, { address, agent = '' }: Origin): Counts {
    const now = this.#clock()
    const minute = now - (now % minuteMs)
    let counts = this.#counts.get(tokenId)
    if (counts?.minute !== minute) {
      if (counts) this.#finished.push(counts)
      const origin = { address: address(), agent: agent.slice(0, longestAgent) }
      counts = { organizationId, tokenId, minute, answered: 0, refused: 0, records: 0, bytes: 0, ...origin }
      this.#counts.set(tokenId, counts)
    }
    return counts
  }

  /** Returns the counts and starts over. */
  take(): TokenUse[] {
    const taken = [...this.#finished, ...this.#counts.values()]
    this.#finished = []
    this.#counts.clear()
    return taken
  }
}
