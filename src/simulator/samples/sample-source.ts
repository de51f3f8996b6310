// Fetches the documents of one sample portal over HTTP.
import type { HttpClient } from '../../platform/http.ts'
import type { ReceivedDocument } from '../../sources/files.ts'
import type { IndexEntry } from './sample-portals.ts'

const maxDocumentBytes = 16 * 1024 * 1024

/**
 * Everything that the portal's index lists. Documents that a portal announces and does not deliver are an outage
 * (Retryable): the run ends and the check of the source does not move.
 */
export async function* fetchSamplePortal(http: HttpClient, url: string): AsyncGenerator<ReceivedDocument> {
  const index = JSON.parse(
    text((await http.get(`${url}/index.json`, { maxBytes: maxDocumentBytes })).body),
  ) as IndexEntry[]
  for (const { path, isFeed } of index) {
    const address = `${url}/${path}`
    const reply = await http.get(address, { maxBytes: maxDocumentBytes })
    if (reply.status !== 200) continue
    // the port changes with every start: what is kept is the portal's name and the path
    const kept = address.replace(/^http:\/\/127\.0\.0\.1:\d+\//, 'sample://')
    if (!isFeed) {
      yield { address: kept, bytes: reply.body }
      continue
    }
    let line = 0
    for (const each of text(reply.body).split('\n')) {
      line += 1
      if (each.trim() !== '') yield { address: `${kept}#L${line}`, bytes: Buffer.from(each) }
    }
  }
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
