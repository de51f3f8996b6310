// Reads several deliveries as one slot, one after the other: archives behind buttons of a page, the coming days.
import { fetchOf } from '../deliver/fetch-of.ts'
import type { Delivery } from '../delivery.ts'
import type { Fetch, FetchContext, Json, Slot } from '../fetch.ts'

export type Part = {
  /** Identifies the part, and stays the same from run to run: it is in checkpoints. */
  readonly key: string
  /** A function if the request is only known when this part begins. */
  readonly delivery: Delivery | (() => Promise<Delivery>)
  /** The span of this part, if it differs from that of the slot. */
  readonly slot?: Slot
}

/**
 * The fetch that finds its parts first and reads each with its delivery. A killed run continues inside its part; if
 * that part is gone, it restarts, as known documents cost nothing but their requests.
 */
export function inParts(find: (context: FetchContext) => Promise<readonly Part[]>): Fetch {
  return async function* (context) {
    const parts = await find(context)
    const kept = checkpointOf(context.checkpoint)
    const first = Math.max(
      0,
      parts.findIndex(({ key }) => key === kept?.part),
    )
    const missing: string[] = []
    for (const { key, delivery, slot } of parts.slice(first)) {
      const reading = fetchOf(typeof delivery === 'function' ? await delivery() : delivery)({
        ...context,
        slot: slot ?? context.slot,
        checkpoint: kept?.part === key ? kept.at : undefined,
      })
      let result = await reading.next()
      while (!result.done) {
        // What a part announces is not what the slot announces; each part compares its own.
        const { announced: _, checkpoint, ...step } = result.value
        yield { ...step, ...(checkpoint !== undefined && { checkpoint: { part: key, at: checkpoint } }) }
        result = await reading.next()
      }
      if (result.value.kind === 'short') missing.push(`${key}: ${result.value.missing}`)
    }
    return missing.length > 0 ? { kind: 'short', missing: missing.join('; ') } : { kind: 'complete' }
  }
}

function checkpointOf(json: Json | undefined): { readonly part: string; readonly at: Json } | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined
  const { part, at } = json as { readonly [name: string]: Json }
  return typeof part === 'string' && at !== undefined ? { part, at } : undefined
}
