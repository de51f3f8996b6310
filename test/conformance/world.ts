// What the assertions share: a running service, its answers as values, and the fixtures by name.
import { expect } from 'vitest'
import { type FixtureTimes, fixtureTimes } from './fixtures.ts'
import { type Answer, type RequestOptions, type Service, send } from './trial-process.ts'

export type WireRecord = {
  readonly id: string
  readonly status: string
  readonly title: string
  readonly lastModified: string
  readonly checkedAt: string
  readonly archiveReason?: string
  readonly mergedInto?: string
  readonly submissionDate?: string
  readonly publicationDate?: string
  readonly contractAmount: { readonly value: number; readonly currency: string; readonly estimated: boolean } | null
  readonly cpvCodes: readonly string[]
  readonly nutsCodes: readonly string[]
  readonly procedureType?: string
  readonly lots: readonly { readonly cpvCodes: readonly string[] }[]
  readonly originalSources: readonly unknown[]
  readonly [member: string]: unknown
}

export type WirePage = { readonly data: readonly WireRecord[]; readonly nextCursor: string | null }
export type WireProblem = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  readonly [member: string]: unknown
}

export class World {
  times: FixtureTimes = fixtureTimes(Date.now())
  service: Service | undefined
  base = ''
  token = ''
  /** Fixture names by id, from the titles of the first state. */
  readonly nameOf = new Map<string, string>()
  readonly idOf = new Map<string, string>()
  /** All records of the first and of the second state, by id. */
  first = new Map<string, WireRecord>()
  second = new Map<string, WireRecord>()

  get started(): Service {
    if (!this.service) throw new Error('no service of our own')
    return this.service
  }

  request(path: string, options: RequestOptions = {}): Promise<Answer> {
    return send(this.base, path, { token: this.token, ...options })
  }

  async page(query: string): Promise<WirePage> {
    const answer = await this.request(`/v1/tenders${query === '' ? '' : `?${query}`}`)
    if (answer.status !== 200) throw new Error(`${query}: ${answer.status} ${answer.body}`)
    return answer.json() as WirePage
  }

  /** All records of a query over all its pages. */
  async list(query: string, limit = 100): Promise<WireRecord[]> {
    const all: WireRecord[] = []
    let cursor: string | null = null
    do {
      const parts: string[] = [query, `limit=${limit}`, cursor === null ? '' : `cursor=${encodeURIComponent(cursor)}`]
      const page: WirePage = await this.page(parts.filter((part) => part !== '').join('&'))
      all.push(...page.data)
      cursor = page.nextCursor
    } while (cursor !== null)
    return all
  }

  async state(): Promise<Map<string, WireRecord>> {
    return new Map((await this.list('archived=true')).map((record) => [record.id, record]))
  }

  /** Names of the fixtures that a query finds; other records do not count. */
  async found(query: string): Promise<string[]> {
    return (await this.list(query)).map(({ id }) => this.nameOf.get(id)).filter((name) => name !== undefined)
  }

  /** Asserts which fixtures a query finds, and which it does not. */
  async expectFound(
    query: string,
    { holds = [], lacks = [] }: { readonly holds?: readonly string[]; readonly lacks?: readonly string[] },
  ): Promise<void> {
    const found = new Set(await this.found(query))
    expect(
      holds.filter((name) => !found.has(name)),
      `not found by ${query}`,
    ).toEqual([])
    expect(
      lacks.filter((name) => found.has(name)),
      `found by ${query}`,
    ).toEqual([])
  }

  async record(name: string): Promise<WireRecord> {
    const id = this.idOf.get(name)
    if (id === undefined) throw new Error(`no fixture ${name}`)
    return (await this.request(`/v1/tenders/${id}`)).json() as WireRecord
  }

  async expectProblem(answer: Answer, status: number, slug: string): Promise<WireProblem> {
    expect(answer.status, answer.body.toString()).toBe(status)
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json(;|$)/)
    const problem = answer.json() as WireProblem
    expect(problem.type).toMatch(new RegExp(`/access#error-${slug}$`))
    expect(problem.status).toBe(status)
    for (const member of ['title', 'detail', 'instance'] as const) expect(typeof problem[member]).toBe('string')
    expect(problem.detail).not.toMatch(/\bat .*\.ts:\d+|select .* from|node_modules|127\.0\.0\.1:\d{4,5}\/[^a]/i)
    return problem
  }

  /** Reads the fixtures' ids from a state. */
  learn(state: ReadonlyMap<string, WireRecord>): void {
    for (const { id, title } of state.values()) {
      const match = /^Fixture (\S+)$/.exec(title)
      if (!match) continue
      this.nameOf.set(id, match[1]!)
      this.idOf.set(match[1]!, id)
    }
  }
}

/** Order of lists: by lastModified, then id. */
export function isOrdered(records: readonly WireRecord[]): boolean {
  return records.every((record, index) => {
    const before = records[index - 1]
    return (
      !before ||
      before.lastModified < record.lastModified ||
      (before.lastModified === record.lastModified && before.id < record.id)
    )
  })
}
