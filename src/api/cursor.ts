// Cursors (D28 to D31): sealed, so that nobody reads, alters or makes one; stateless, so that they survive restarts.
import { createDecipheriv, hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { canonicalFilter, type TenderFilter } from '../domain/filter.ts'
import { dayMs, minuteMs } from '../domain/time.ts'
import type { RecordKey } from '../edition/edition-reader.ts'
import { writeId } from '../edition/record-id.ts'
import type { Clock } from '../platform/clock.ts'
import { type CtrHmac, createCtrHmac, nonceLength, tagLength } from './ctr-hmac.ts'
import { maxCursorLength } from './parameters.ts'

const cursorLifeMs = dayMs
/** How far a cursor may come "from the future": within it the clocks differ, beyond it the cursor is forged (D31). */
const clockSkewMs = minuteMs

/** A key that seals cursors: 32 bytes. Numbers rise; the newest seals, all open. */
export type CursorKey = { readonly keyId: number; readonly key: Uint8Array }

/** Where a run stands: the last record delivered, and the edition that the run is pinned to (R2). */
type CursorPosition = { readonly after: RecordKey; readonly edition: number }
export type OpenedCursor =
  | { readonly state: 'valid'; readonly position: CursorPosition }
  | { readonly state: 'expired' | 'invalid' }
  /** Sealed with a key that this process has not seen: refresh the ring and open again; if it stays so, it is invalid. */
  | { readonly state: 'unknownKey' }
  | { readonly state: 'mismatch'; readonly parameters: readonly string[] }

export type CursorSealer = {
  /** A base64url text of at most 512 characters. */
  readonly seal: (position: CursorPosition, filter: TenderFilter, organizationId: string) => string
  /** Checks in this order: genuine, organization, age, filters (D30). */
  readonly open: (text: string, filter: TenderFilter, organizationId: string) => OpenedCursor
  /** Reads the key ring again; resolves at once when it was just read or cannot be read. */
  readonly refresh: () => Promise<void>
}

/** The keys of this moment, never empty. */
export type CursorKeyRing = { readonly keys: () => readonly CursorKey[]; readonly refresh: () => Promise<void> }

// Header (authenticated, in the clear): version 1, key id 4, nonce 12. Then the sealed content, then the tag of 16 bytes.
// Version 1 was sealed with AES-256-GCM, version 2 as ctr-hmac.ts tells.
const version = 2
const headerLength = 1 + 4 + nonceLength
const filterNames = [
  ['cpv', 'cpv'],
  ['nuts', 'nuts'],
  ['publishedSince', 'published_since'],
  ['updatedSince', 'updated_since'],
  ['deadlineAfter', 'deadline_after'],
  ['valueMin', 'value_min'],
  ['valueMax', 'value_max'],
  ['procedure', 'procedure'],
  ['archived', 'archived'],
] as const
const printLength = 2
const filterHashLength = 16
const printsLength = filterHashLength + filterNames.length * printLength
// Content: lastModified 6, id 16, edition 4, issue time 6, organization 8, filters.
const contentLength = 6 + 16 + 4 + 6 + 8 + printsLength
const cursorLength = headerLength + contentLength + tagLength

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

/** Two bytes of a parameter, to name those that differ; 0 for one that does not filter. Only the hash of all decides. */
function printOf(filter: TenderFilter, member: (typeof filterNames)[number][0]): number {
  const value = filter[member]
  if (value === undefined || (member === 'archived' && filter.updatedSince !== undefined)) return 0
  return crc32(JSON.stringify(value)) & 0xffff || 1
}

/** What a cursor keeps of its filters: a hash of all, and the print of each. */
function filterPrints(filter: TenderFilter): Buffer {
  const prints = Buffer.allocUnsafe(printsLength)
  sha256(canonicalFilter(filter)).copy(prints, 0, 0, filterHashLength)
  filterNames.forEach(([member], index) => {
    prints.writeUInt16BE(printOf(filter, member), filterHashLength + index * printLength)
  })
  return prints
}

/** Filters, and organizations: every client of a delta has its own. */
const rememberedMax = 4096

/** The last results by key: the pages of a run ask the same again and again. */
function remember<T>(make: () => T, key: string, remembered: Map<string, T>): T {
  const known = remembered.get(key)
  if (known !== undefined) return known
  const made = make()
  if (remembered.size >= rememberedMax) remembered.clear()
  remembered.set(key, made)
  return made
}

const idWords = new Uint32Array(4)

/** The content of a genuine cursor, which the next one may overwrite; undefined for any other. */
function contentOf(bytes: Buffer, { message, content, open }: CtrHmac): Buffer | undefined {
  bytes.copy(message)
  return open() ? content : undefined
}

/** Until 24 hours after the last service that issued them (C141). */
function contentOfVersion1(bytes: Buffer, { key }: CursorKey): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(5, headerLength), { authTagLength: tagLength })
  decipher.setAAD(bytes.subarray(0, headerLength))
  decipher.setAuthTag(bytes.subarray(bytes.length - tagLength))
  try {
    const content = decipher.update(bytes.subarray(headerLength, bytes.length - tagLength))
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
 * The ring is asked at each use, so that it may turn while the service runs; it keeps a key for at least 25 h after the
 * last cursor that it sealed. `randomBytes` gives the nonce.
 */
export function createCursorSealer(options: {
  readonly ring: CursorKeyRing
  readonly clock: Clock
  readonly randomBytes: (count: number) => Uint8Array
}): CursorSealer {
  const { clock } = options
  const { keys, refresh } = options.ring
  const seals = new WeakMap<CursorKey, CtrHmac>()
  function sealOf(key: CursorKey): CtrHmac {
    let made = seals.get(key)
    if (!made) {
      made = createCtrHmac(key.key, headerLength, contentLength, options.randomBytes)
      seals.set(key, made)
    }
    return made
  }
  const prints = new Map<string, Buffer>()
  const organizations = new Map<string, Buffer>()
  const printsOf = (filter: TenderFilter): Buffer =>
    remember(() => filterPrints(filter), canonicalFilter(filter), prints)
  const printOfOrganization = (organizationId: string): Buffer =>
    remember(() => sha256(organizationId).subarray(0, 8), organizationId, organizations)
  const newestKey = (): CursorKey => keys().reduce((newest, key) => (key.keyId > newest.keyId ? key : newest))

  function seal(position: CursorPosition, filter: TenderFilter, organizationId: string): string {
    const key = newestKey()
    const sealed = sealOf(key)
    const { message, content } = sealed
    message[0] = version
    message.writeUInt32BE(key.keyId, 1)
    content.writeUIntBE(position.after.lastModified, 0, 6)
    writeId(position.after.id, idWords, 0)
    for (let index = 0; index < idWords.length; index++) content.writeUInt32BE(idWords[index]!, 6 + index * 4)
    content.writeUInt32BE(position.edition, 22)
    content.writeUIntBE(clock(), 26, 6)
    content.set(printOfOrganization(organizationId), 32)
    content.set(printsOf(filter), 40)
    sealed.seal()
    return message.toString('base64url')
  }

  function open(text: string, filter: TenderFilter, organizationId: string): OpenedCursor {
    if (text.length > maxCursorLength) return { state: 'invalid' }
    const bytes = Buffer.from(text, 'base64url')
    // The decoder skips foreign characters and spare bits; only the one spelling that we issued counts (C53).
    if (bytes.length < headerLength + tagLength || bytes.toString('base64url') !== text) return { state: 'invalid' }
    if (bytes[0] !== version && bytes[0] !== 1) return { state: 'invalid' }
    const keyId = bytes.readUInt32BE(1)
    const ring = keys()
    const key = ring.find((entry) => entry.keyId === keyId)
    // A key leaves the ring only when all its cursors have expired, so a client that slept for days still learns to restart.
    if (!key) {
      if (keyId > 0 && ring.every((entry) => entry.keyId > keyId)) return { state: 'expired' }
      return { state: ring.every((entry) => entry.keyId < keyId) ? 'unknownKey' : 'invalid' }
    }
    if (bytes.length !== cursorLength) return { state: 'invalid' }
    const content = bytes[0] === 1 ? contentOfVersion1(bytes, key) : contentOf(bytes, sealOf(key))
    if (content?.compare(printOfOrganization(organizationId), 0, 8, 32, 40) !== 0) return { state: 'invalid' }
    const ageMs = clock() - content.readUIntBE(26, 6)
    if (ageMs < -clockSkewMs) return { state: 'invalid' }
    if (ageMs > cursorLifeMs) return { state: 'expired' }
    const wanted = printsOf(filter)
    const differs = (start: number, length: number): boolean =>
      wanted.compare(content, 40 + start, 40 + start + length, start, start + length) !== 0
    if (!differs(0, filterHashLength)) return { state: 'valid', position: positionIn(content) }
    const parameters = filterNames.flatMap(([, name], index) =>
      differs(filterHashLength + index * printLength, printLength) ? [name] : [],
    )
    return { state: 'mismatch', parameters }
  }

  return { seal, open, refresh }
}
