// Weak entity tags (D43) and If-None-Match (RFC 9110 13.1.2).
import { hash } from 'node:crypto'
import { canonicalFilter, type TenderFilter } from '../domain/filter.ts'
import { hourMs } from '../domain/time.ts'
import type { RecordKey } from '../edition/read/edition-view.ts'

/** How long a tag holds: half of a cursor's lifetime, so a 304 never keeps a cursor in use beyond its end. */
const bucketMs = 12 * hourMs

export function listEntityTag(page: {
  readonly edition: number
  /** Publication time of that edition: after a restored backup, another edition may have its number. */
  readonly publishedAt: number
  readonly pinnedEdition: number
  readonly filter: TenderFilter
  readonly limit: number
  readonly after: RecordKey | undefined
  readonly organizationId: string
  readonly now: number
}): string {
  const { edition, publishedAt, pinnedEdition, filter, limit, after, organizationId, now } = page
  const bucket = Math.floor(now / bucketMs)
  const from = after === undefined ? '' : `${after.lastModified} ${after.id}`
  const text = `${edition} ${publishedAt} ${pinnedEdition} ${limit} ${from} ${bucket} ${canonicalFilter(filter)} ${organizationId}`
  return `W/"${hash('sha256', text, 'base64url').slice(0, 27)}"`
}

/** Tag of a record: the version of its content, deliberately without `checkedAt`. */
export function recordEntityTag(id: string, lastModified: number): string {
  return `W/"${id}-${lastModified}"`
}

const opaquePart = (tag: string): string => (tag.startsWith('W/') ? tag.slice(2) : tag)

/** Weak comparison with a list of tags or `*`. Our own tags hold no comma, so splitting at commas is exact for them. */
export function isNoneMatchHit(ifNoneMatch: string | undefined, entityTag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  const wanted = opaquePart(entityTag)
  return ifNoneMatch.split(',').some((tag) => opaquePart(tag.trim()) === wanted)
}
