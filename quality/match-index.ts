// Blocks of records in memory, as the store keeps them in its index: which records may be one tender.
import { blockingKeys, maxHoldersOf } from '../src/consolidate/match/blocking-keys.ts'
import { decide } from '../src/consolidate/match/decide.ts'
import type { Cluster, MatchContext, MatchEdge, MatchRecord, Verdict } from '../src/consolidate/match/match-record.ts'
import { partition } from '../src/consolidate/match/partition.ts'
import { twinKey } from '../src/consolidate/match/twin-key.ts'

/** A verdict on two records, by `decide` or by other rules. */
export type Rules = (a: MatchRecord, b: MatchRecord, context: MatchContext) => Verdict

export class MatchIndex {
  /** The rules of the service, unless others are tested. */
  rules: Rules = decide
  readonly records = new Map<string, MatchRecord>()
  readonly #holders = new Map<string, string[]>()
  readonly #twins = new Map<string, Map<string, number>>()

  add(record: MatchRecord): void {
    this.records.set(record.key, record)
    for (const key of blockingKeys(record)) {
      const holders = this.#holders.get(key)
      if (holders) holders.push(record.key)
      else this.#holders.set(key, [record.key])
    }
    this.#countTwin(record, 1)
  }

  /** Counts a record that nothing will be compared with as a twin of others. */
  count(record: MatchRecord): void {
    this.#countTwin(record, 1)
  }

  #countTwin(record: MatchRecord, step: number): void {
    const key = twinKey(record)
    if (key === undefined) return
    const counts = this.#twins.get(key) ?? new Map<string, number>()
    for (const publisher of record.publishers) counts.set(publisher, (counts.get(publisher) ?? 0) + step)
    this.#twins.set(key, counts)
  }

  /** Runs `body` as if the record did not exist. */
  without<T>(record: MatchRecord, body: () => T): T {
    const wasHeld = this.records.delete(record.key)
    this.#countTwin(record, -1)
    try {
      return body()
    } finally {
      if (wasHeld) this.records.set(record.key, record)
      this.#countTwin(record, 1)
    }
  }

  candidates(record: MatchRecord): MatchRecord[] {
    const found = new Set<string>()
    for (const key of blockingKeys(record)) {
      const holders = this.#holders.get(key) ?? []
      if (holders.length <= maxHoldersOf(key)) for (const holder of holders) found.add(holder)
    }
    found.delete(record.key)
    return [...found].map((key) => this.records.get(key)).filter((candidate) => candidate !== undefined)
  }

  /** Number of records of one portal with the buyer and title of one of the two; at least the two themselves. */
  twins(a: MatchRecord, b: MatchRecord): number {
    const counts = [twinKey(a), twinKey(b)].flatMap((key) => [...(this.#twins.get(key ?? '')?.values() ?? [])])
    return Math.max(1, ...counts)
  }

  edge(a: MatchRecord, b: MatchRecord): MatchEdge {
    const [left, right] = a.key < b.key ? [a, b] : [b, a]
    return { left: left.key, right: right.key, ...this.rules(left, right, { twins: this.twins(a, b) }) }
  }

  /** All edges whose verdict is not `none`. */
  edges(): MatchEdge[] {
    const found: MatchEdge[] = []
    for (const record of this.records.values())
      for (const other of this.candidates(record))
        if (record.key < other.key) {
          const edge = this.edge(record, other)
          if (edge.kind !== 'none') found.push(edge)
        }
    return found
  }

  clusters(): Cluster[] {
    return partition([...this.records.values()], this.edges(), [])
  }

  /**
   * The cluster to which a record that is not in the index would belong. Its candidates are compared with each other
   * too: whether they are one tender decides whether a second one is a rival.
   */
  place(record: MatchRecord): { readonly candidates: readonly MatchRecord[]; readonly cluster: Cluster } {
    const candidates = this.candidates(record)
    const own = candidates.map((candidate) => this.edge(record, candidate)).filter(({ kind }) => kind !== 'none')
    const near = candidates.filter(({ key }) => own.some(({ left, right }) => left === key || right === key))
    const among = near.flatMap((a, index) =>
      near
        .slice(index + 1)
        .map((b) => this.edge(a, b))
        .filter(({ kind }) => kind !== 'none'),
    )
    const clusters = partition([record, ...near], [...own, ...among], [])
    return { candidates, cluster: clusters.find(({ keys }) => keys.includes(record.key))! }
  }
}
