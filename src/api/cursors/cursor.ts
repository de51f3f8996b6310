// Cursors (D28 to D31) are sealed against reading, altering and creating one, and stateless, so that they survive
// restarts.
import { createCipheriv, createDecipheriv, hash, type KeyObject } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { canonicalFilter, filterParameters, type TenderFilter } from '../../domain/filter.ts'
import { dayMs, minuteMs } from '../../domain/time.ts'
import { writeId } from '../../edition/format/record-id.ts'
import type { RecordKey } from '../../edition/read/edition-view.ts'
import type { Clock } from '../../platform/clock.ts'
import { maxCursorLength } from '../parameters/parameters.ts'

const cursorLifeMs = dayMs
/**
 * Maximum time that a cursor may come "from the future": within it the clocks differ, beyond it the cursor is forged
 * (D31).
 */
const clockSkewMs = minuteMs

/**
 * Key of 32 bytes that seals cursors. Numbers rise; the newest key seals, all open. `lastEdition`: the key opens no
 * cursor of a later edition, because that number now belongs to another edition (a restored database).
 */
export type CursorKey = { readonly keyId: number; readonly key: KeyObject; readonly lastEdition?: number }

/** The position of a run: the last record delivered, and the edition to which the run is pinned (R2). */
type CursorPosition = { readonly after: RecordKey; readonly edition: number }
export type OpenedCursor =
  | { readonly state: 'valid'; readonly position: CursorPosition }
  | { readonly state: 'expired' | 'invalid' }
  /**
   * Sealed with a key that this process has not seen: refresh the ring and open again; if the key is still unknown, the
   * cursor is invalid.
   */
  | { readonly state: 'unknownKey' }
  | { readonly state: 'mismatch'; readonly parameters: readonly string[] }

export type CursorSealer = {
  /** Seals a position into a base64url text of at most 512 characters. */
  readonly seal: (position: CursorPosition, filter: TenderFilter, organizationId: string) => string
  /** Checks in this order: genuine, organization, age, filters (D30). */
  readonly open: (text: string, filter: TenderFilter, organizationId: string) => OpenedCursor
  /** Reads the key ring again; resolves immediately if it was just read or cannot be read. */
  readonly refresh: () => Promise<void>
}

/** The keys of this moment, never empty. */
export type CursorKeyRing = { readonly keys: () => readonly CursorKey[]; readonly refresh: () => Promise<void> }

// AES-256-GCM (NIST SP 800-38D). Header (authenticated, in plain text): version 1, key id 4, random nonce 12. Then the
// encrypted content, then the tag.
const cipherName = 'aes-256-gcm'
const version = 1
const nonceStart = 1 + 4
const headerLength = nonceStart + 12
const tagLength = 16
const printLength = 2
const filterHashLength = 16
const printsLength = filterHashLength + filterParameters.length * printLength
// Bytes of the content: lastModified 6, id 16, edition 4, issue time 6, organization 8, filters.
const filtersStart = 6 + 16 + 4 + 6 + 8
const contentLength = filtersStart + printsLength
const cursorLengthMin = headerLength + filtersStart + filterHashLength + tagLength

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

/**
 * Two bytes per parameter that tell which ones differ; 0 for one that does not filter. Only the hash of all decides.
 */
function printOf(filter: TenderFilter, member: keyof TenderFilter): number {
  const value = filter[member]
  if (value === undefined || (member === 'archived' && filter.updatedSince !== undefined)) return 0
  return crc32(JSON.stringify(value)) & 0xffff || 1
}

/**
 * What a cursor stores of its filters: a hash of all, and a print of each. A version with another number of parameters
 * stores fewer or more prints; new parameters come last, so a missing print is that of an absent filter (C141).
 */
function filterPrints(filter: TenderFilter): Buffer {
  const prints = Buffer.allocUnsafe(printsLength)
  sha256(canonicalFilter(filter)).copy(prints, 0, 0, filterHashLength)
  filterParameters.forEach(([member], index) => {
    prints.writeUInt16BE(printOf(filter, member), filterHashLength + index * printLength)
  })
  return prints
}

/** Maximum number of filters, and of organizations, to remember: every client of a delta has its own. */
const rememberedMax = 4096

/** Latest results by key: the pages of a run request the same again and again. */
function remember<T>(make: () => T, key: string, remembered: Map<string, T>): T {
  const known = remembered.get(key)
  if (known !== undefined) return known
  const made = make()
  if (remembered.size >= rememberedMax) remembered.clear()
  remembered.set(key, made)
  return made
}

const idWords = new Uint32Array(4)

/** The content of a genuine cursor; undefined for any other. */
function contentOf(bytes: Buffer, { key }: CursorKey): Buffer | undefined {
  const nonce = bytes.subarray(nonceStart, headerLength)
  const decipher = createDecipheriv(cipherName, key, nonce, { authTagLength: tagLength })
  decipher.setAAD(bytes.subarray(0, headerLength))
  decipher.setAuthTag(bytes.subarray(-tagLength))
  const content = decipher.update(bytes.subarray(headerLength, -tagLength))
  try {
    decipher.final()
    return content
  } catch {
    return undefined
  }
}

function positionIn(content: Buffer): CursorPosition {
  const hex = content.toString('hex', 6, 22)
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  return { after: { lastModified: content.readUIntBE(0, 6), id }, edition: content.readUInt32BE(22) }
}

/**
 * The ring is read at each use, so it may change while the service runs; it keeps a key for at least 25 h after the key
 * sealed its last cursor. `randomBytes` provides the nonce.
 */
export function createCursorSealer(options: {
  readonly ring: CursorKeyRing
  readonly clock: Clock
  readonly randomBytes: (count: number) => Uint8Array
}): CursorSealer {
  const { clock } = options
  const { keys, refresh } = options.ring
  const prints = new Map<string, Buffer>()
  const organizations = new Map<string, Buffer>()
  const printsOf = (filter: TenderFilter): Buffer =>
    remember(() => filterPrints(filter), canonicalFilter(filter), prints)
  const printOfOrganization = (organizationId: string): Buffer =>
    remember(() => sha256(organizationId).subarray(0, 8), organizationId, organizations)
  const newestKey = (): CursorKey => keys().reduce((newest, key) => (key.keyId > newest.keyId ? key : newest))

  function seal(position: CursorPosition, filter: TenderFilter, organizationId: string): string {
    const key = newestKey()
    const header = Buffer.allocUnsafe(headerLength)
    header[0] = version
    header.writeUInt32BE(key.keyId, 1)
    header.set(options.randomBytes(headerLength - nonceStart), nonceStart)
    const content = Buffer.allocUnsafe(contentLength)
    content.writeUIntBE(position.after.lastModified, 0, 6)
    writeId(position.after.id, idWords, 0)
    for (let index = 0; index < idWords.length; index++) content.writeUInt32BE(idWords[index]!, 6 + index * 4)
    content.writeUInt32BE(position.edition, 22)
    content.writeUIntBE(clock(), 26, 6)
    content.set(printOfOrganization(organizationId), 32)
    content.set(printsOf(filter), filtersStart)
    const cipher = createCipheriv(cipherName, key.key, header.subarray(nonceStart), { authTagLength: tagLength })
    cipher.setAAD(header)
    const encrypted = cipher.update(content)
    cipher.final()
    return Buffer.concat([header, encrypted, cipher.getAuthTag()]).toString('base64url')
  }

  function open(text: string, filter: TenderFilter, organizationId: string): OpenedCursor {
    if (text.length > maxCursorLength) return { state: 'invalid' }
    const bytes = Buffer.from(text, 'base64url')
    // The decoder skips foreign characters and spare bits; only the one spelling that we issued counts (C53).
    if (bytes.length < cursorLengthMin || bytes.toString('base64url') !== text) return { state: 'invalid' }
    if (bytes[0] !== version) return { state: 'invalid' }
    const keyId = bytes.readUInt32BE(1)
    const ring = keys()
    const key = ring.find((entry) => entry.keyId === keyId)
    // A key leaves the ring only when all its cursors have expired, so a client that slept for days still learns to
    // restart.
    if (!key) {
      if (keyId > 0 && ring.every((entry) => entry.keyId > keyId)) return { state: 'expired' }
      return { state: ring.every((entry) => entry.keyId < keyId) ? 'unknownKey' : 'invalid' }
    }
    const content = contentOf(bytes, key)
    if (content?.compare(printOfOrganization(organizationId), 0, 8, 32, 40) !== 0) return { state: 'invalid' }
    const ageMs = clock() - content.readUIntBE(26, 6)
    if (ageMs < -clockSkewMs) return { state: 'invalid' }
    if (ageMs > cursorLifeMs) return { state: 'expired' }
    if (key.lastEdition !== undefined && positionIn(content).edition > key.lastEdition) return { state: 'expired' }
    const wanted = printsOf(filter)
    const hashEnd = filtersStart + filterHashLength
    if (wanted.compare(content, filtersStart, hashEnd, 0, filterHashLength) === 0)
      return { state: 'valid', position: positionIn(content) }
    const sealed = Buffer.alloc(printsLength)
    content.copy(sealed, 0, filtersStart)
    const parameters = filterParameters.flatMap(([, name], index) => {
      const start = filterHashLength + index * printLength
      return wanted.readUInt16BE(start) === sealed.readUInt16BE(start) ? [] : [name]
    })
    return { state: 'mismatch', parameters }
  }

  return { seal, open, refresh }
}
