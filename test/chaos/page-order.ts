// Faults that our client tolerates but others may not: a page that holds a record twice, or a record of the previous
// page.
import type { IncomingHttpHeaders } from 'node:http'
import { gunzipSync } from 'node:zlib'

type Page = {
  readonly data: readonly { readonly id: string; readonly lastModified: string }[]
  nextCursor: string | null
}

export class PageOrder {
  /** Key of the last record before each cursor that was given out. */
  readonly #lastBefore = new Map<string, string>()
  /** The faults, one line each. */
  readonly faults: string[] = []

  /** Checks a whole answer to `url`: the records of a list ascend by lastModified, then id, over all its pages. */
  look(url: string, headers: IncomingHttpHeaders, body: Buffer): void {
    const { pathname, searchParams } = new URL(url, 'http://api')
    if (pathname !== '/v1/tenders') return
    let page: Page
    try {
      page = JSON.parse((headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString()) as Page
    } catch (error) {
      this.faults.push(`${url}: ${String(error)}`)
      return
    }
    const { data, nextCursor } = page
    let last = this.#lastBefore.get(searchParams.get('cursor') ?? '') ?? ''
    for (const { id, lastModified } of data) {
      const key = `${lastModified} ${id}`
      if (key <= last) this.faults.push(`${url}: ${key} follows ${last}`)
      last = key
    }
    if (nextCursor !== null) this.#lastBefore.set(nextCursor, last)
  }
}
