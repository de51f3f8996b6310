// Checks the records of an answer against the contract: what a broken server left out must be named, not guessed.

import { recordShapes } from './record-shapes.ts'
import { FeedError } from './sync/feed-error.ts'
import type { TenderRecord } from './types.ts'

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value)
const isTime = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value))

/** What is wrong with a value, after the path to it; undefined if nothing is. */
type Check = (value: unknown) => string | undefined

const checks = new Map<string, Check>()

function checkOf(kind: string): Check {
  const check = checks.get(kind) ?? makeCheck(kind)
  checks.set(kind, check)
  return check
}

function makeCheck(kind: string): Check {
  if (kind.endsWith('|null')) {
    const check = checkOf(kind.slice(0, -5))
    return (value) => (value === null ? undefined : check(value))
  }
  if (kind.endsWith('[]')) {
    const check = checkOf(kind.slice(0, -2))
    return (value) => {
      if (!Array.isArray(value)) return ' is not a list'
      for (let index = 0; index < value.length; index++) {
        const fault = check(value[index])
        if (fault !== undefined) return `[${index}]${fault}`
      }
      return undefined
    }
  }
  const shape = recordShapes[kind]
  if (shape) return objectCheck(shape)
  if (kind === 'time') return (value) => (isTime(value) ? undefined : ' is not a time')
  return (value) =>
    kindOf(value) !== kind || (kind === 'number' && !Number.isFinite(value)) ? ` is not a ${kind}` : undefined
}

function objectCheck(shape: { readonly [member: string]: string }): Check {
  const members = Object.entries(shape).map(([member, kind]) => {
    const isRequired = kind.endsWith('!')
    return { member, isRequired, check: checkOf(isRequired ? kind.slice(0, -1) : kind) }
  })
  return (value) => {
    if (kindOf(value) !== 'object') return ' is not an object'
    for (const { member, isRequired, check } of members) {
      const own = (value as { readonly [name: string]: unknown })[member]
      if (own === undefined && isRequired) return `.${member} is missing`
      // A null in the place of a member that may be missing is the same to everybody who reads it.
      const fault = own === undefined || (own === null && !isRequired) ? undefined : check(own)
      if (fault !== undefined) return `.${member}${fault}`
    }
    return undefined
  }
}

/** Times later than the answer's: by more, no clock explains them, and nothing newer would ever be delivered. */
const mostAheadMs = 24 * 3_600_000

/**
 * The value as a record of an answer that was sent at `sentMs` (its `Date` header; NaN without one).
 *
 * @throws FeedError that names the record and the member that is missing or wrong.
 */
export function checkedRecord(value: unknown, sentMs: number): TenderRecord {
  const fault = checkOf('TenderRecord')(value)
  const { id, lastModified } = (value ?? {}) as TenderRecord
  const name = typeof id === 'string' && id !== '' ? `Record ${id.slice(0, 40)}` : 'A record'
  if (fault !== undefined) throw new FeedError(`${name} of the API cannot be used: ${fault.replace(/^\./, '')}.`)
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
