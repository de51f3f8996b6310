// The digest of a copy, and whether an edition has the same (docs/sync/digest.md): sums modulo 2^256 of the SHA-256 of
// records.
import type { TenderRecord } from '../types.ts'
import { instantMs } from './instants.ts'
import { isLost } from './lost-record.ts'

/** What a copy holds, as 64 hexadecimal digits each. */
export type CopyDigest = {
  readonly records: number
  /** Sum over the records that are not archived. */
  readonly open: string
  readonly all: string
  /** The newest `lastModified` among them; missing in an empty copy. */
  readonly newest?: string
}

/** What an answer says about its edition. */
export type EditionDigest = { readonly edition: number; readonly open: string; readonly all: string }

/** The value of `X-Stock-Digest`; undefined for none, or for a form that this version does not know. */
export function parseDigest(text: string | null): { readonly open: string; readonly all: string } | undefined {
  const [, open, all] = /^open=([0-9a-f]{64}), all=([0-9a-f]{64})$/.exec(text ?? '') ?? []
  return open === undefined || all === undefined ? undefined : { open, all }
}

/** How objects with the same members in the same order are written: sorted names, and what precedes their values. */
const forms = new Map<string, readonly { readonly name: string; readonly key: string }[]>()
/** Far more than records have. */
const mostForms = 1000

function formOf(members: object) {
  const names = Object.keys(members)
  const print = JSON.stringify(names)
  const known = forms.get(print)
  if (known) return known
  const form = names.sort().map((name) => ({ name, key: `${JSON.stringify(name)}:` }))
  if (forms.size === mostForms) forms.clear()
  forms.set(print, form)
  return form
}

function written(value: unknown, omitted?: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += (text === '' ? '[' : ',') + written(item)
    return text === '' ? '[]' : `${text}]`
  }
  for (const { name, key } of formOf(value))
    if (name !== omitted)
      text += (text === '' ? '{' : ',') + key + written((value as { [name: string]: unknown })[name])
  return text === '' ? '{}' : `${text}}`
}

// An even number of backslashes before makes the u a plain letter: each pair is one that stands for itself.
const halfPair = /(\\\\)|\\ud[89a-f][0-9a-f]{2}/g

/**
 * A value that JSON.parse returned, as canonical JSON (RFC 8785): members ordered by the UTF-16 code units of their
 * names, numbers and strings as ECMAScript writes them. Half a surrogate pair, which the RFC refuses and no file holds,
 * is U+FFFD. `omitted`: a member of the value itself that is left out.
 */
export function canonicalJson(value: unknown, omitted?: string): string {
  const text = written(value, omitted)
  // JSON.stringify writes half a pair as an escape, and a pair as itself.
  return text.includes('\\ud') ? text.replace(halfPair, (_, pair) => pair ?? '\uFFFD') : text
}

/** The hashed part of a record: `checkedAt` moves while the record stays the same (C26). */
export const hashedForm = (record: object): string => canonicalJson(record, 'checkedAt')

/** What a lost record adds to a sum: nothing, as no edition has it. */
export const lostHash = '0'.repeat(64)

/**
 * SHA-256 of a record, as 64 hexadecimal digits, or zeros for a lost one; for runtimes that have nothing but Web
 * Crypto.
 */
export async function webRecordHash(record: object): Promise<string> {
  if (isLost(record)) return lostHash
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(hashedForm(record)))
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

const modulus = 1n << 256n
const digits = (sum: bigint): string => (sum % modulus).toString(16).padStart(64, '0')

/** A digest that is being computed. */
export class DigestSum {
  #records = 0
  #open = 0n
  #all = 0n
  #newest: string | number | undefined
  #newestMs = Number.NEGATIVE_INFINITY

  /**
   * `hash`: 64 hexadecimal digits. `isOpen`: the record is not archived. `lastModified`: as text, or in milliseconds.
   */
  add(hash: string, isOpen: boolean, lastModified: string | number): void {
    const number = BigInt(`0x${hash}`)
    this.#records++
    this.#all += number
    if (isOpen) this.#open += number
    const ms = typeof lastModified === 'number' ? lastModified : instantMs(lastModified)
    if (ms <= this.#newestMs) return
    this.#newestMs = ms
    this.#newest = lastModified
  }

  get digest(): CopyDigest {
    return {
      records: this.#records,
      open: digits(this.#open),
      all: digits(this.#all),
      ...(this.#newest !== undefined && {
        newest: typeof this.#newest === 'number' ? new Date(this.#newest).toISOString() : this.#newest,
      }),
    }
  }
}

export const isOpenRecord = ({ archiveReason }: TenderRecord): boolean => archiveReason === undefined

/** A state's part about the copy: what it held when the last run ended, and which edition that was. */
export type KnownCopy = Omit<CopyDigest, 'newest'> & {
  /** Missing if the pages of the run came from more than one edition, or did not name it. */
  readonly edition?: number
  /**
   * False: the copy was found to be that edition. True: it differed, and a whole run over everything did not help, so
   * that none is repeated for it. Missing: they were not compared.
   */
  readonly isDifferent?: boolean
  /**
   * The `Date` of the first answer that came from an older edition than `edition`, while no run has reached that one
   * again.
   */
  readonly behindSince?: string
}

/**
 * Whether the copy differs from the edition; undefined where they cannot be compared. `since`: the newest edition that
 * anything came from, now or earlier; an older one comes from a node that lags. `reached`: the newest `lastModified`
 * that lists have delivered. A record that was fetched by its id, or that a run before a crash left, may be newer than
 * both, and of a later edition: a copy with such a record can be equal, but it does not count as different.
 */
export function differsFrom(
  { open, all, newest }: CopyDigest,
  stock: EditionDigest | undefined,
  { keepArchived, since, reached }: { keepArchived: boolean; since: number; reached: string | undefined },
): boolean | undefined {
  if (!stock || stock.edition < since) return undefined
  if (keepArchived ? all === stock.all : open === stock.open) return false
  const mayBeLater = newest !== undefined && (reached === undefined || instantMs(newest) > instantMs(reached))
  return mayBeLater ? undefined : true
}
