// The digest of an edition: two sums modulo 2^256 of the SHA-256 of records, one over those that are not archived, one
// over all. The order of the records does not matter, and a change subtracts the old record and adds the new one. Any
// program that holds the records can compute it (docs/sync/digest.md).
import { hash } from 'node:crypto'

/** Number of bytes in the hash of a record. */
export const recordHashLength = 32

const emptySum = '0'.repeat(2 * recordHashLength)

/** A digest as it is stored and sent: the value of `X-Stock-Digest`. */
const digestText = (open: string, all: string): string => `open=${open}, all=${all}`

/** The digest of an edition without records. */
export const emptyDigest = digestText(emptySum, emptySum)

/** Member names recur in every record. */
const quotedNames = new Map<string, string>()
/** Maximum number of quoted names to keep: languages, for example, add some to those of the schema. */
const maxQuotedNames = 1000

function quotedName(name: string): string {
  const known = quotedNames.get(name)
  if (known !== undefined) return known
  const quoted = `${JSON.stringify(name.toWellFormed())}:`
  if (quotedNames.size < maxQuotedNames) quotedNames.set(name, quoted)
  return quoted
}

/**
 * A value that JSON.parse returned, as canonical JSON (RFC 8785): members ordered by the UTF-16 code units of their
 * names, numbers and strings as ECMAScript writes them. Half a surrogate pair, which the RFC refuses and no file holds,
 * is U+FFFD. Throws RangeError for a number beyond the range of a double.
 */
export function canonicalForm(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('a number that no double holds')
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed())
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += (text === '' ? '[' : ',') + canonicalForm(item)
    return text === '' ? '[]' : `${text}]`
  }
  const members = value as { readonly [name: string]: unknown }
  for (const name of Object.keys(members).sort())
    text += (text === '' ? '{' : ',') + quotedName(name) + canonicalForm(members[name])
  return text === '' ? '{}' : `${text}}`
}

/** SHA-256 of the canonical form of a record without `checkedAt`, which moves while the record stays the same (C26). */
export function recordHash(record: object): Buffer {
  if (!('checkedAt' in record)) return hash('sha256', canonicalForm(record), 'buffer')
  const { checkedAt: _, ...content } = record
  return hash('sha256', canonicalForm(content), 'buffer')
}

/** The sums of a digest, 64 hexadecimal digits each; undefined for any other text. */
export function sumsOfDigest(digest: string): { readonly open: string; readonly all: string } | undefined {
  const [, open, all] = /^open=([0-9a-f]{64}), all=([0-9a-f]{64})$/.exec(digest) ?? []
  return open === undefined || all === undefined ? undefined : { open, all }
}

const words = recordHashLength / 4
const wordRange = 2 ** 32

/** A sum of hashes that is being computed: eight words, the most significant first. */
class HashSum {
  readonly #words = new Uint32Array(words)

  constructor(hex: string) {
    for (let word = 0; word < words; word++) this.#words[word] = Number.parseInt(hex.slice(word * 8, word * 8 + 8), 16)
  }

  add(bytes: Uint8Array, offset: number): void {
    let carry = 0
    for (let word = words - 1; word >= 0; word--) {
      const sum = this.#words[word]! + wordAt(bytes, offset + word * 4) + carry
      carry = sum >= wordRange ? 1 : 0
      this.#words[word] = sum
    }
  }

  subtract(bytes: Uint8Array, offset: number): void {
    let borrow = 0
    for (let word = words - 1; word >= 0; word--) {
      const difference = this.#words[word]! - wordAt(bytes, offset + word * 4) - borrow
      borrow = difference < 0 ? 1 : 0
      this.#words[word] = difference
    }
  }

  get hex(): string {
    let text = ''
    for (const word of this.#words) text += word.toString(16).padStart(8, '0')
    return text
  }
}

/** A digest that is being computed. Hashes are read at an offset of the given bytes. */
export class DigestSum {
  readonly #open: HashSum
  readonly #all: HashSum

  /** Continues from a digest. Throws RangeError for any other text. */
  constructor(digest: string = emptyDigest) {
    const sums = sumsOfDigest(digest)
    if (!sums) throw new RangeError(`not a digest: ${digest}`)
    this.#open = new HashSum(sums.open)
    this.#all = new HashSum(sums.all)
  }

  /** `isOpen`: the record is not archived. */
  add(hash: Uint8Array, isOpen: boolean, offset = 0): void {
    this.#all.add(hash, offset)
    if (isOpen) this.#open.add(hash, offset)
  }

  subtract(hash: Uint8Array, isOpen: boolean, offset = 0): void {
    this.#all.subtract(hash, offset)
    if (isOpen) this.#open.subtract(hash, offset)
  }

  /** Adds everything that `other` holds. */
  addAll(other: DigestSum): void {
    this.#open.add(Buffer.from(other.#open.hex, 'hex'), 0)
    this.#all.add(Buffer.from(other.#all.hex, 'hex'), 0)
  }

  get digest(): string {
    return digestText(this.#open.hex, this.#all.hex)
  }
}

function wordAt(bytes: Uint8Array, offset: number): number {
  return bytes[offset]! * 2 ** 24 + ((bytes[offset + 1]! << 16) | (bytes[offset + 2]! << 8) | bytes[offset + 3]!)
}
