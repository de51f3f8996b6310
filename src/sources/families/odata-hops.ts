// OData services that keep parts of an entry in other sets: its lots, their codes. They are requested in batches, page
// by page.
import { Refused } from '../../platform/http.ts'
import { fetchOf } from '../deliver/fetch-of.ts'
import type { Delivery } from '../delivery.ts'
import type { Fetch, FetchContext } from '../fetch.ts'
import type { ReceivedDocument } from '../files.ts'

/** Rows of another set that belong to an entry, or to rows of the hop before. */
export type Hop = {
  /** Their name in the document. */
  readonly name: string
  /** Address of the set. */
  readonly url: string
  /** The requested member of the rows … */
  readonly key: string
  /** … and the member it equals, of the entry or of the rows of the hop before. */
  readonly of: string
}

/** Maximum number of keys in one request; more make the URL longer than some servers accept. */
const batchSize = 100

type HopEntry = { readonly text: string; readonly members: { readonly [name: string]: unknown } }

/**
 * The delivery with the rows of the hops added to every entry: documents are `{"notice":…,"lots":[…],"codes":[…]}`,
 * byte for byte as in the answers. Keys that are not whole numbers are not requested; an entry without one stays
 * unchanged.
 */
export function withHops(like: Delivery, hops: readonly Hop[]): Delivery {
  const within = fetchOf(like)
  const fetch: Fetch = async function* (context) {
    const steps = within(context)
    for (;;) {
      const next = await steps.next()
      if (next.done) return next.value
      yield { ...next.value, documents: await joined(next.value.documents, hops, context) }
    }
  }
  return { kind: 'own', fetch, like }
}

async function joined(
  documents: readonly ReceivedDocument[],
  hops: readonly Hop[],
  context: FetchContext,
): Promise<ReceivedDocument[]> {
  const entries = documents.map((document) => (document.unreadable ? undefined : rowOf(document)))
  const found: Map<number, HopEntry[]>[] = []
  let rows = entries.filter((entry) => entry !== undefined)
  for (const hop of hops) {
    const byKey = await rowsOf(hop, [...new Set(rows.flatMap((row) => keyIn(row, hop.of)))], context)
    found.push(byKey)
    rows = [...byKey.values()].flat()
  }
  return documents.map((document, index) => {
    const entry = entries[index]
    if (!entry || keyIn(entry, hops[0]?.of ?? '').length === 0) return document
    const parts = [`"notice":${entry.text}`]
    let own = [entry]
    hops.forEach(({ name, of }, step) => {
      const keys = new Set(own.flatMap((row) => keyIn(row, of)))
      own = [...keys].flatMap((key) => found[step]!.get(key) ?? [])
      parts.push(`${JSON.stringify(name)}:[${own.map(({ text }) => text).join(',')}]`)
    })
    return { ...document, bytes: Buffer.from(`{${parts.join(',')}}`) }
  })
}

/** The rows of a set by their key. */
async function rowsOf(hop: Hop, keys: readonly number[], context: FetchContext): Promise<Map<number, HopEntry[]>> {
  const byKey = new Map<number, HopEntry[]>()
  for (let start = 0; start < keys.length; start += batchSize) {
    const batch = keys.slice(start, start + batchSize)
    const reading = fetchOf({
      kind: 'link-next',
      request: {
        url: `${hop.url}?$filter=${hop.key}%20in%20(${batch.join(',')})`,
        headers: { accept: 'application/json' },
      },
      entries: { format: 'json', at: '/value' },
      next: '/@odata.nextLink',
    })({ ...context, checkpoint: undefined })
    let step = await reading.next()
    while (!step.done) {
      for (const document of step.value.documents) {
        const row = document.unreadable ? undefined : rowOf(document)
        if (!row) throw new Refused(`${hop.url}: a row cannot be read`)
        for (const key of keyIn(row, hop.key)) byKey.set(key, [...(byKey.get(key) ?? []), row])
      }
      step = await reading.next()
    }
    if (step.value.kind !== 'complete' && step.value.kind !== 'empty')
      throw new Refused(`${hop.url}: the rows of a batch did not come whole (${step.value.kind})`)
  }
  return byKey
}

function rowOf({ bytes }: ReceivedDocument): HopEntry | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const members: unknown = JSON.parse(text)
    return typeof members === 'object' && members !== null && !Array.isArray(members)
      ? { text, members: members as HopEntry['members'] }
      : undefined
  } catch {
    return undefined
  }
}

function keyIn({ members }: HopEntry, name: string): number[] {
  const key = members[name]
  return typeof key === 'number' && Number.isSafeInteger(key) ? [key] : []
}
