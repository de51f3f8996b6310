// The read API as typed calls. Standard `fetch` only; no dependency.
import { type Problem, ProblemError } from './problem-error.ts'
import type { TenderList, TenderRecord, TendersQuery } from './types.ts'

/** The quota after a request: the three X-RateLimit headers; `resetSeconds` until `remaining` can rise. */
export type RateLimit = { readonly limit: number; readonly remaining: number; readonly resetSeconds: number }

/** One answer of the list, with what its headers said. */
export type Page = TenderList & { readonly rateLimit: RateLimit; readonly requestId: string | null }

export type TenderClientOptions = {
  /** Where the API is, without `/v1`: `https://api.example.org`. */
  readonly baseUrl: string
  /** The organisation's access token. */
  readonly token: string
  readonly fetch?: typeof globalThis.fetch
}

const number = (headers: Headers, name: string): number => Number(headers.get(name) ?? Number.NaN)

/** Reads tenders. Every answer that is not 2xx throws a ProblemError; retries and sync are the caller's. */
export class TenderClient {
  readonly #baseUrl: string
  readonly #token: string
  readonly #fetch: typeof globalThis.fetch

  constructor(options: TenderClientOptions) {
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '')
    this.#token = options.token
    this.#fetch = options.fetch ?? globalThis.fetch
  }

  /** One record by its id; archived and merged ones too. Unknown: ProblemError with slug `not-found`. */
  async get(id: string, signal?: AbortSignal): Promise<TenderRecord> {
    const response = await this.#request(`/v1/tenders/${encodeURIComponent(id)}`, signal)
    return (await response.json()) as TenderRecord
  }

  /** One page; pass the `nextCursor` of the page before as `cursor`, with the same filters. */
  async page(query: TendersQuery = {}, signal?: AbortSignal): Promise<Page> {
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
    const text = parameters.toString()
    const response = await this.#request(`/v1/tenders${text && `?${text}`}`, signal)
    const { headers } = response
    return {
      ...((await response.json()) as TenderList),
      rateLimit: {
        limit: number(headers, 'x-ratelimit-limit'),
        remaining: number(headers, 'x-ratelimit-remaining'),
        resetSeconds: number(headers, 'x-ratelimit-reset'),
      },
      requestId: headers.get('x-request-id'),
    }
  }

  /** All pages from the first (or from `cursor`) to the end of the list. */
  async *pages(query: TendersQuery = {}, signal?: AbortSignal): AsyncGenerator<Page> {
    let cursor = query.cursor
    do {
      const page: Page = await this.page(cursor === undefined ? query : { ...query, cursor }, signal)
      yield page
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
  }

  /** All records of the list, in the order of `lastModified`. */
  async *list(query: TendersQuery = {}, signal?: AbortSignal): AsyncGenerator<TenderRecord> {
    for await (const page of this.pages(query, signal)) yield* page.data
  }

  async #request(path: string, signal: AbortSignal | undefined): Promise<Response> {
    const response = await this.#fetch(this.#baseUrl + path, {
      headers: { authorization: `Bearer ${this.#token}`, accept: 'application/json' },
      redirect: 'error',
      ...(signal && { signal }),
    })
    if (response.ok) return response
    const body: unknown = await response.json().catch(() => undefined)
    const problem: Problem = {
      type: 'about:blank',
      title: response.statusText || 'Error',
      status: response.status,
      detail: 'The answer was no problem document; something between the client and the API made it.',
      instance: path.split('?')[0]!,
      ...(typeof body === 'object' && body !== null ? body : {}),
    }
    throw new ProblemError(problem)
  }
}
