// An edition view that keeps everything in arrays: for tests of the HTTP surface that are not about the log.
import { gzipSync } from 'node:zlib'
import { cpvRange } from '../src/domain/cpv.ts'
import type { TenderFilter } from '../src/domain/filter.ts'
import { nutsNumber, nutsRange } from '../src/domain/nuts.ts'
import { DigestSum, recordHash } from '../src/domain/stock-digest.ts'
import type { TenderRecord } from '../src/domain/tender.ts'
import { toInstant } from '../src/domain/time.ts'
import type { EditionInfo, EditionView, TenderFinder } from '../src/edition/read/edition-view.ts'
import { checkBounds } from '../src/edition/read/tender-question.ts'
import { findPlainly } from './model/plain-find.ts'

/** A record to publish; omitted members have defaults. The publication sets `lastModified`. */
export type PlainRecord = Partial<Omit<TenderRecord, 'lastModified' | 'checkedAt'>> & { readonly id: string }

type Version = { readonly record: TenderRecord; readonly born: number; supersededBy: number | undefined }

export type MemoryEditions = EditionView &
  TenderFinder & {
    /** Publishes new versions; each takes the next millisecond from `at` on, or all the same one. */
    readonly publish: (at: number, records: readonly PlainRecord[], stamps?: 'rising' | 'same') => EditionInfo
    /** Goes back to this edition, as a restored backup does; the next edition gets the number `next`. */
    readonly restore: (edition: number, next?: number) => void
    /** Forgets that this edition is retained (R5). */
    readonly drop: (edition: number) => void
  }

/** A UUID that tests can read: the number in its last group. */
export const plainId = (number: number): string => `00000000-0000-8000-8000-${String(number).padStart(12, '0')}`

export function createMemoryEditions(): MemoryEditions {
  const versions: Version[] = []
  const editions = new Map<number, EditionInfo>()
  const dropped = new Set<number>()
  let newest: EditionInfo | undefined
  let nextNumber = 1

  function isMatch(record: TenderRecord, filter: TenderFilter): boolean {
    const isArchived = record.archiveReason !== undefined
    if (isArchived && !filter.archived && filter.updatedSince === undefined) return false
    const codes = [...record.cpvCodes, ...record.lots.flatMap((lot) => lot.cpvCodes)].map(Number)
    const isIn = (value: number, { from, to }: { from: number; to: number }) => value >= from && value <= to
    if (filter.cpv && !filter.cpv.some((code) => codes.some((own) => isIn(own, cpvRange(code))))) return false
    if (
      filter.nuts &&
      !filter.nuts.some((code) => record.nutsCodes.some((own) => isIn(nutsNumber(own), nutsRange(code))))
    )
      return false
    const ms = (text: string | undefined) => (text === undefined ? Number.NaN : Date.parse(text))
    if (filter.publishedSince !== undefined && !(ms(record.publicationDate) >= filter.publishedSince)) return false
    if (filter.updatedSince !== undefined && !(ms(record.lastModified) >= filter.updatedSince)) return false
    if (filter.deadlineAfter !== undefined && !(ms(record.submissionDate) > filter.deadlineAfter)) return false
    const euros = record.contractAmount?.currency === 'EUR' ? record.contractAmount.value : Number.NaN
    if (filter.valueMin !== undefined && !(euros >= filter.valueMin)) return false
    if (filter.valueMax !== undefined && !(euros <= filter.valueMax)) return false
    return !filter.procedure || filter.procedure.some((type) => type === record.procedureType)
  }

  const keyOf = ({ record }: Version) => ({ lastModified: Date.parse(record.lastModified), id: record.id })
  const bytes = (text: string, encoding: 'identity' | 'gzip') =>
    encoding === 'gzip' ? gzipSync(text) : Buffer.from(text)

  return {
    get newest() {
      return newest
    },
    edition: (edition) => (dropped.has(edition) ? undefined : editions.get(edition)),
    list: ({ filter, edition, after, limit }) => {
      const info = editions.get(edition)
      if (!info) throw new RangeError(`no edition ${edition}`)
      const isAlive = (version: Version) =>
        dropped.has(edition)
          ? version.supersededBy === undefined && keyOf(version).lastModified <= info.lastModified
          : version.born <= edition && (version.supersededBy === undefined || version.supersededBy > edition)
      const found = versions
        .map((version, position) => ({ version, position, key: keyOf(version) }))
        .filter(({ version }) => isAlive(version) && isMatch(version.record, filter))
        .filter(
          ({ key }) =>
            !after ||
            key.lastModified > after.lastModified ||
            (key.lastModified === after.lastModified && key.id > after.id),
        )
        .sort((a, b) => a.key.lastModified - b.key.lastModified || (a.key.id < b.key.id ? -1 : 1))
      const page = found.slice(0, limit)
      return { positions: page.map(({ position }) => position), next: found.length > limit ? page.at(-1)!.key : null }
    },
    find: (id) => {
      const position = versions.findLastIndex(({ record }) => record.id === id)
      return position < 0 ? undefined : position
    },
    findTenders: (question) => {
      checkBounds(question)
      if (!newest) throw new RangeError('no edition is known here')
      const alive = versions.filter(({ supersededBy }) => supersededBy === undefined).map(({ record }) => record)
      const { total, records, facets } = findPlainly(alive, question)
      const positions = records.map((found) => versions.findIndex(({ record }) => record === found))
      return { edition: newest.edition, indexed: 1, total, positions, facets }
    },
    indexed: () => Promise.resolve(),
    meta: (position) => {
      const { mergedInto } = versions[position]!.record
      return { ...keyOf(versions[position]!), ...(mergedInto === undefined ? {} : { mergedInto }) }
    },
    pageBody: (positions, _edition, encoding) => {
      const records = positions.map((position) => JSON.stringify(versions[position]!.record)).join(',')
      const tail = (nextCursor: string | null) => `],"nextCursor":${JSON.stringify(nextCursor)}}`
      // Two members of gzip (RFC 1952, 2.2) are one text.
      return {
        bytes: bytes(`{"data":[${records}`, encoding),
        finish: (nextCursor) => bytes(tail(nextCursor), encoding),
      }
    },
    record: (position, encoding) => ({ bytes: bytes(JSON.stringify(versions[position]!.record), encoding) }),
    publish: (at, records, stamps = 'rising') => {
      const edition = nextNumber++
      for (const [index, plain] of records.entries()) {
        const old = versions.findLast(({ record }) => record.id === plain.id)
        if (old) old.supersededBy = edition
        const record: TenderRecord = {
          status: 'open',
          title: `Tender ${plain.id}`,
          contractAmount: null,
          cpvCodes: [],
          nutsCodes: [],
          lots: [],
          originalSources: [],
          ...plain,
          lastModified: toInstant(at + (stamps === 'rising' ? index : 0)),
          checkedAt: toInstant(at),
        }
        versions.push({ record, born: edition, supersededBy: undefined })
      }
      const lastModified = Math.max(newest?.lastModified ?? 0, at + (stamps === 'rising' ? records.length - 1 : 0))
      const alive = versions.filter((version) => version.supersededBy === undefined)
      const sum = new DigestSum()
      for (const { record } of alive) sum.add(recordHash(record), record.archiveReason === undefined)
      newest = {
        edition,
        lastModified,
        publishedAt: at,
        records: alive.length,
        changes: records.length,
        checksum: sum.digest,
      }
      editions.set(edition, newest)
      return newest
    },
    restore: (edition, next = edition + 1) => {
      const kept = versions
        .filter(({ born }) => born <= edition)
        .map((version) => ({
          ...version,
          supersededBy: (version.supersededBy ?? 0) > edition ? undefined : version.supersededBy,
        }))
      versions.splice(0, versions.length, ...kept)
      for (const number of editions.keys()) if (number > edition) editions.delete(number)
      newest = editions.get(edition)
      nextNumber = next
    },
    drop: (edition) => {
      dropped.add(edition)
    },
  }
}
