// Lookups and moves of a CRM's own objects, as the mapping describes them: ids that the ledger lost, and objects
// attached to a record that is merged into another.

import { SinkError } from '../faults/sink-error.ts'
import type { LedgerEntry } from './crm-ledger.ts'
import { type CrmRequest, type CrmRequests, reasonIn } from './crm-requests.ts'
import { filledJson } from './filled-json.ts'
import type { HttpMapping, MappedBatch, MappedMove } from './http-mapping.ts'
import { valueAt } from './mapped-properties.ts'

export function* inBatches<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size)
}

/** The request of a mapping for several items. */
export function batchRequest(batch: MappedBatch, items: readonly { readonly [name: string]: unknown }[]): CrmRequest {
  const ids = items.map(({ externalId }) => `'${String(externalId)}'`).join(',')
  const filled = items.map((values) => filledJson(batch.item ?? '{externalId}', values))
  return {
    method: batch.method,
    path: batch.path.replaceAll('{quotedIds}', encodeURIComponent(ids)),
    ...(batch.body !== undefined && { body: filledJson(batch.body, { items: filled }) }),
  }
}

/** Returns entries for ids that the CRM knows although the ledger may not. Empty if the mapping has no lookup. */
export async function lookUp(
  { name, lookup }: HttpMapping,
  requests: CrmRequests,
  ids: readonly string[],
): Promise<Map<string, LedgerEntry>> {
  const found = new Map<string, LedgerEntry>()
  if (!lookup) return found
  for (const batch of inBatches(ids, lookup.batchSize)) {
    const answer = await requests.send(
      batchRequest(
        lookup,
        batch.map((externalId) => ({ externalId })),
      ),
    )
    if (answer.result === 'refused') throw new SinkError(`${name} refuses the lookup of the mapping: ${answer.reason}`)
    const results = valueAt(answer.body, lookup.results)
    if (!Array.isArray(results))
      throw new SinkError(`The answer of ${name} to the mapping's lookup has no ${lookup.results}.`)
    for (const result of results) {
      const id = String(valueAt(result, lookup.externalId)).toLowerCase()
      const modified = Date.parse(String(lookup.lastModified && valueAt(result, lookup.lastModified)))
      found.set(id, {
        id,
        crmId: String(valueAt(result, lookup.crmId)),
        lastModified: new Date(Number.isNaN(modified) ? 0 : modified).toISOString(),
      })
    }
  }
  return found
}

/** Moves what is attached to one object of the CRM to another. Returns their number, or the reason of a refusal. */
export async function moveItems(
  mapping: HttpMapping,
  requests: CrmRequests,
  { list, write }: MappedMove,
  { from, into }: { readonly from: string; readonly into: string },
): Promise<{ readonly count: number } | { readonly reason: string }> {
  const items: string[] = []
  for (let path: string | undefined = list.path.replaceAll('{from}', encodeURIComponent(from)); path; ) {
    const answer = await requests.send({ method: 'GET', path })
    if (answer.result === 'refused') return { reason: answer.reason }
    const results = valueAt(answer.body, list.results)
    if (!Array.isArray(results)) return { reason: `no ${list.results} in the answer` }
    items.push(...results.map((result) => String(valueAt(result, list.id))))
    const next: unknown = list.next === undefined ? undefined : valueAt(answer.body, list.next)
    path = typeof next === 'string' && next !== '' ? next : undefined
  }
  for (const batch of inBatches(items, write.batchSize)) {
    const answer = await requests.send(
      batchRequest(
        write,
        batch.map((item) => ({ item, from, into })),
      ),
    )
    if (answer.result === 'refused') return { reason: answer.reason }
    const reason = failureIn(mapping, answer.body)
    if (reason !== undefined) return { reason }
  }
  return { count: items.length }
}

/** An entry that failed (a list of results), or the first of a list of errors. */
function failureIn({ upsert: { answer } }: HttpMapping, body: unknown): string | undefined {
  const list = answer.kind === 'ordered' ? body : valueAt(body, answer.errors ?? 'errors')
  if (!Array.isArray(list)) return undefined
  const failed =
    answer.kind === 'ordered' ? list.find((entry) => valueAt(entry, answer.success ?? 'success') !== true) : list[0]
  return failed === undefined ? undefined : reasonIn(JSON.stringify(valueAt(failed, 'errors.0') ?? failed))
}
