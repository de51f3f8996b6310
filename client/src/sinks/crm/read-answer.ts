// The outcome of each record of a batch, by the answer and the mapping. A record that the answer does not mention
// never counts as written.
import type { MappedAnswer } from './http-mapping.ts'
import { valueAt } from './mapped-properties.ts'

/** `code` undefined: the answer does not mention the record, so it is worth another attempt. */
export type ItemOutcome =
  | { readonly result: 'ok'; readonly crmId: string | undefined }
  | { readonly result: 'failed'; readonly code: string | undefined; readonly reason: string }

const textAt = (from: unknown, path: string | undefined): string | undefined => {
  const value = path === undefined ? undefined : valueAt(from, path)
  return value === undefined || value === null ? undefined : String(value)
}

function failure(answer: MappedAnswer, error: unknown): ItemOutcome {
  const code = textAt(error, answer.errorCode) ?? 'unknown'
  const message = textAt(error, answer.errorMessage) ?? JSON.stringify(error)?.slice(0, 300) ?? 'no reason given'
  return { result: 'failed', code, reason: `${code}: ${message}` }
}

const unmentioned: ItemOutcome = { result: 'failed', code: undefined, reason: 'the answer does not mention the record' }

/** One outcome per id, in their order. */
export function readAnswer(answer: MappedAnswer, body: unknown, ids: readonly string[]): ItemOutcome[] {
  const list = answer.results === undefined ? body : valueAt(body, answer.results)
  const results: readonly unknown[] = Array.isArray(list) ? list : []
  if (answer.kind === 'ordered') {
    // If the number of entries differs, results cannot be assigned: all are sent again, instead of mistaking one for
    // another.
    if (results.length !== ids.length) return ids.map(() => unmentioned)
    return results.map((result) => {
      if (valueAt(result, answer.success ?? '') === true) return { result: 'ok', crmId: textAt(result, answer.crmId) }
      const errors = valueAt(result, answer.errors ?? '')
      return failure(answer, Array.isArray(errors) ? errors[0] : errors)
    })
  }
  const outcomes = new Map<string, ItemOutcome>()
  for (const result of results)
    for (const key of keysOf(result, answer.resultKeys))
      outcomes.set(key, { result: 'ok', crmId: textAt(result, answer.crmId) })
  const errors = valueAt(body, answer.errors ?? '')
  // An error wins over a result: if both are given, a person checks it, and it does not count as written.
  for (const error of Array.isArray(errors) ? errors : [])
    for (const key of keysOf(error, answer.errorKeys)) outcomes.set(key, failure(answer, error))
  return ids.map((id) => outcomes.get(id.toLowerCase()) ?? unmentioned)
}

function keysOf(from: unknown, paths: readonly string[] = []): string[] {
  for (const path of paths) {
    const value = valueAt(from, path)
    if (value !== undefined && value !== null) return [value].flat().map((key) => String(key).toLowerCase())
  }
  return []
}
