// The combinations of further values through which a delivery is read.
import type { Each, Template } from '../delivery.ts'
import type { FetchContext } from '../fetch.ts'
import { unexpected } from './answers/answer-documents.ts'
import { EntryValues } from './answers/entry-value.ts'
import { readEntries } from './answers/read-entries.ts'
import { type Asking, headerValue } from './asking.ts'
import type { Values } from './fill-template.ts'

/** One combination; `key` identifies it and is in checkpoints. */
export type Combination = { readonly key: string; readonly values: { readonly [name: string]: string | number } }

const maxPages = 1000
const maxCombinations = 200_000

export const eachOf = (each: Each | readonly Each[] | undefined): readonly Each[] =>
  each === undefined ? [] : Array.isArray(each) ? (each as readonly Each[]) : [each as Each]

/**
 * All combinations, the first placeholder changing slowest. Values that the portal lists come in the order of their
 * text, so that a reading that was interrupted finds its place although the list changed.
 */
export async function combinationsOf(
  each: readonly Each[],
  asking: Asking,
  context: FetchContext,
  values: Values,
): Promise<readonly Combination[]> {
  let all: Combination[] = [{ key: '', values: {} }]
  for (const one of each) {
    const found = 'values' in one ? one.values : await listedValues(one, asking, context, values)
    // a mistake in the card, or a portal whose list has grown beyond what it was made for
    if (all.length * found.length > maxCombinations)
      throw new Error(`more than ${maxCombinations} values of {${one.name}}`)
    all = all.flatMap(({ key, values: others }) =>
      found.map((value) => ({
        key: key === '' ? String(value) : `${key}\u001f${value}`,
        values: { ...others, [one.name]: value },
      })),
    )
  }
  return all
}

/** Where a reading with the checkpoint `key` continues. */
export function combinationFrom(all: readonly Combination[], each: readonly Each[], key: string): number {
  const found = all.findIndex((one) => one.key === key)
  if (found >= 0) return found
  // A listed value that is gone: the later ones are still to be read.
  const behind = each.some((one) => 'list' in one) ? all.findIndex((one) => one.key > key) : 0
  return behind < 0 ? all.length : behind
}

async function listedValues(
  each: Extract<Each, { readonly list: Template }>,
  asking: Asking,
  context: FetchContext,
  values: Values,
): Promise<readonly string[]> {
  const found = new Set<string>()
  for (let page = 1; page <= maxPages; page++) {
    const answer = await asking.ask(each.list, { ...values, page }, '', {
      ...(each.entries.format === 'html' && { expects: 'page' as const }),
    })
    const reading = readEntries(answer.reply.chunks(), {
      address: answer.address,
      entries: each.entries,
      pointers: each.pages === undefined ? [] : [each.pages],
      damage: 'throw',
      scratchFolder: context.scratchFolder,
    })
    let next = await reading.next()
    for (; !next.done; next = await reading.next())
      for (const document of next.value) {
        const value = new EntryValues(document, each.entries).textAt(each.at)
        if (value !== undefined) found.add(value)
      }
    const pages =
      each.pages === undefined ? 1 : Number(headerValue(answer.reply, each.pages) ?? next.value.values.get(each.pages))
    if (Number.isNaN(pages)) throw unexpected(answer.address, `no number of pages at ${each.pages}`)
    if (page >= pages) return [...found].sort((a, b) => (a < b ? -1 : 1))
  }
  throw unexpected(asking.hide(each.list.url), `more than ${maxPages} pages of values for {${each.name}}`)
}
