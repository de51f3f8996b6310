// Checks the records of an answer against the contract: what a broken server left out must be named, not guessed.

import { recordShapes } from './record-shapes.ts'
import { FeedError } from './sync/feed-error.ts'
import type { TenderRecord } from './types.ts'

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value)
const isTime = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value))

/** What is wrong with the value at a path; undefined if nothing is. */
function faultOf(value: unknown, kind: string, path: string): string | undefined {
  if (kind.endsWith('|null')) return value === null ? undefined : faultOf(value, kind.slice(0, -5), path)
  const own = kindOf(value)
  if (kind.endsWith('[]')) {
    if (own !== 'list') return `${path} is not a list`
    for (const [index, each] of (value as readonly unknown[]).entries()) {
      const fault = faultOf(each, kind.slice(0, -2), `${path}[${index}]`)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  const shape = recordShapes[kind]
  if (shape)
    return own === 'object'
      ? memberFault(value as { readonly [name: string]: unknown }, shape, path)
      : `${path} is not an object`
  if (kind === 'time') return isTime(value) ? undefined : `${path} is not a time`
  if (own !== kind || (kind === 'number' && !Number.isFinite(value))) return `${path} is not a ${kind}`
  return undefined
}

function memberFault(
  value: { readonly [name: string]: unknown },
  shape: { readonly [member: string]: string },
  path: string,
): string | undefined {
  for (const [member, kind] of Object.entries(shape)) {
    const inner = path === '' ? member : `${path}.${member}`
    const isRequired = kind.endsWith('!')
    const own = value[member]
    if (own === undefined && isRequired) return `${inner} is missing`
    // A null in the place of a member that may be missing is the same to everybody who reads it.
    const fault =
      own === undefined || (own === null && !isRequired)
        ? undefined
        : faultOf(own, isRequired ? kind.slice(0, -1) : kind, inner)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Times later than the answer's: by more, no clock explains them, and nothing newer would ever be delivered. */
const mostAheadMs = 24 * 3_600_000

/**
 * The value as a record of an answer that was sent at `sentMs` (its `Date` header; NaN without one).
 *
 * @throws FeedError that names the record and the member that is missing or wrong.
 */
export function checkedRecord(value: unknown, sentMs: number): TenderRecord {
  const fault = faultOf(value, 'TenderRecord', '')
  const { id, lastModified } = (value ?? {}) as TenderRecord
  const name = typeof id === 'string' && id !== '' ? `Record ${id.slice(0, 40)}` : 'A record'
  if (fault !== undefined) throw new FeedError(`${name} of the API cannot be used: ${fault}.`)
  if (id === '') throw new FeedError('The API delivered a record without an id.')
  const ms = Date.parse(lastModified)
  if (new Date(ms).toISOString() !== lastModified)
    throw new FeedError(
      `${name} of the API cannot be used: lastModified ${lastModified.slice(0, 40)} is not a UTC time with milliseconds.`,
    )
  if (ms - sentMs > mostAheadMs)
    throw new FeedError(
      `${name} of the API cannot be used: its lastModified ${lastModified} is more than a day later than the ` +
        `answer itself (${new Date(sentMs).toISOString()}); the record is wrong, or the clock of the server.`,
    )
  return value as TenderRecord
}
