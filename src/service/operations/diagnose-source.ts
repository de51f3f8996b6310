// A portal that answers otherwise than its card expects: what changed, and which file says how it was. Pure.
import type { CheckResult } from '../../ingest/check-source.ts'
import { editDistance } from '../../platform/nearest-word.ts'
import type { Source } from '../../sources/source.ts'

export type Diagnosis = {
  /** `moved`: nothing answers at its address, or a page for people; `list`: no entry is where it was; `fields`: entries
   * have other names. */
  readonly kind: 'moved' | 'list' | 'fields'
  /** From the root of the repository. */
  readonly file: string
  /** The members that the card reads and the answer lacks, each with the new one that may have taken its place. */
  readonly lost: readonly { readonly name: string; readonly now: string | null }[]
  /** Where it leads now, if the portal said so. */
  readonly host: string | null
  /** Where its new address may stand, if the portal does not say it: its pages, and programs of others that read it. */
  readonly lookAt: readonly string[]
}

export type Seen = {
  readonly result: Pick<CheckResult, 'verdict' | 'documents' | 'requests'>
  /** Names in the documents that arrived, in the answers, and in made-up documents as the portal wrote them. */
  readonly names: ReadonlySet<string>
  readonly answerNames: ReadonlySet<string>
  /** Names of each made-up document. Empty: the portal has no shape of its own. */
  readonly usual: readonly ReadonlySet<string>[]
  /** Where the portal last led to; null: nowhere. */
  readonly host: string | null
  /** Files beside the card that read its documents, from the root of the repository. */
  readonly parsers: readonly string[]
}

/** The file of a card. */
export const cardFileOf = (id: string): string =>
  id.includes('-') ? `src/sources/portals/${id.replace('-', '/')}.ts` : `src/sources/${id}/${id}.ts`

/** Codes are data; what counts are members and elements. */
const isMember = (name: string) => !name.includes('=')
const lastStep = (name: string) => name.split('/').at(-1)!

/** The kind of made-up documents that shares most names with those that arrived; empty without any. */
export function mostLike<Document>(
  names: ReadonlySet<string>,
  kinds: readonly (readonly Document[])[],
  namesOf: (document: Document) => ReadonlySet<string>,
): readonly Document[] {
  const likeness = (documents: readonly Document[]): number => {
    const all = new Set(documents.flatMap((each) => [...namesOf(each)]))
    const both = [...all].filter((name) => names.has(name)).length
    return both / Math.max(1, all.size + names.size - both)
  }
  return kinds.toSorted((a, b) => likeness(b) - likeness(a))[0] ?? []
}

/** Undefined: the answer is as the card expects, and has all names that its documents usually have. */
export function diagnose(source: Source, seen: Seen): Diagnosis | undefined {
  const { result, host } = seen
  const file = cardFileOf(source.id)
  if (isGone(source, seen))
    return { kind: 'moved', file, lost: [], host, lookAt: host === null ? pagesAbout(source) : [] }
  if (result.documents === 0) {
    if (result.verdict === 'quiet') return undefined
    const known = source.expects.shape.filter((name) => !seen.answerNames.has(withoutPlaces(name)))
    return { kind: 'list', file, lost: lostOf(known.map(withoutPlaces), seen.answerNames), host, lookAt: [] }
  }
  // what every made-up document has, and none that arrived
  const always = [...(seen.usual[0] ?? [])].filter(
    (name) => isMember(name) && seen.usual.every((names) => names.has(name)),
  )
  const lost = lostOf(
    always.filter((name) => !seen.names.has(name)),
    new Set([...seen.names].filter((name) => !seen.usual.some((names) => names.has(name)))),
  )
  if (lost.length > 0) return { kind: 'fields', file: seen.parsers[0] ?? file, lost, host, lookAt: [] }
  return result.verdict === 'ok' || result.verdict === 'quiet'
    ? undefined
    : { kind: 'fields', file: seen.parsers[0] ?? file, lost: [], host, lookAt: [] }
}

/**
 * No entry arrived: nothing answered, all that answered were pages for people, or it led elsewhere. A portal that has
 * notices every day does not lack the file of every day that a check asks for.
 */
function isGone(source: Source, { result, answerNames, host }: Seen): boolean {
  if (result.documents > 0) return false
  const isMissing =
    result.requests.length > 0 && result.requests.every(({ status }) => status === 404 || status === 410)
  if (result.verdict === 'quiet') return isMissing && (source.expects.perDay?.[0] ?? 0) > 0
  if (isMissing) return true
  const readsPages = JSON.stringify(source.channels[0].delivery).includes('"format":"html"')
  if (answerNames.has('<html>') && !readsPages) return true
  return result.verdict === 'unreachable' && (host !== null || answerNames.size === 0)
}

const pagesAbout = ({ homepage, documentation, clients = [] }: Source): string[] => [
  homepage,
  ...(documentation === undefined ? [] : [documentation]),
  ...clients,
]

/** A pointer of a card without the places in lists: `/releases/0/ocid` is `/releases/ocid`. */
const withoutPlaces = (pointer: string): string =>
  pointer.startsWith('/') ? pointer.replace(/\/\d+(?=\/|$)/g, '') : `<${pointer}>`

/** Each lost name with the new one that is most like it, one below the same member first. */
function lostOf(lost: readonly string[], candidates: ReadonlySet<string>): Diagnosis['lost'] {
  const free = new Set([...candidates].filter(isMember))
  return lost.map((name) => {
    const [parent, own] = [name.slice(0, name.length - lastStep(name).length), lastStep(name)]
    const ranked = [...free]
      .map((each) => ({
        each,
        distance:
          editDistance(own.toLowerCase(), lastStep(each).toLowerCase()) / Math.max(own.length, 1) +
          (each.startsWith(parent) && !each.slice(parent.length).includes('/') ? 0 : 0.5),
      }))
      .sort((a, b) => a.distance - b.distance)
    const [best, second] = ranked
    // a single new name beside the lost one took its place, however it is called
    const isClear = best !== undefined && (best.distance < 0.7 || second === undefined)
    if (isClear) free.delete(best.each)
    return { name, now: isClear ? best.each : null }
  })
}
