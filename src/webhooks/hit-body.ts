// The body of a webhook: JSON that stays the same for all attempts under one id.
import type { HitEventKind } from '../domain/hit-event.ts'
import type { TenderRecord } from '../domain/tender.ts'
import { toInstant } from '../domain/time.ts'

export type HitMessage = {
  readonly kind: HitEventKind
  /** When the message was created, epoch milliseconds. */
  readonly at: number
  readonly hitId: string
  readonly edition: number
  readonly search: { readonly id: string; readonly name: string; readonly version: number }
  readonly fitScore: number
  /** JSON, as stored with the hit: the parts of the score, and what satisfied each clause of the search. */
  readonly fit: string
  readonly matched: string
  /** JSON array of `HitChange`. */
  readonly changes?: string
  /** JSON of `HitReason`. */
  readonly reason?: string
  readonly mergedInto?: string
  /** JSON of the record as of this edition. */
  readonly tender: string
}

/** Maximum bytes of a body. What a record has beyond it is left out; the read API has the whole record. */
const maxBodyBytes = 256 * 1024

/**
 * The body: JSON put together from parts that are JSON, as parsing them costs more than everything else of a message.
 * Where the record is too large, `truncated` names what was left out of it.
 */
export function hitBody(message: HitMessage): string {
  let body = bodyWith(message, message.tender, [])
  if (Buffer.byteLength(body) <= maxBodyBytes) return body
  let record = JSON.parse(message.tender) as TenderRecord
  const left: string[] = []
  for (const [name, shorten] of shortenings) {
    record = shorten(record) as TenderRecord
    left.push(name)
    body = bodyWith(message, JSON.stringify(record), left)
    if (Buffer.byteLength(body) <= maxBodyBytes) break
  }
  return body
}

function bodyWith(message: HitMessage, tender: string, truncated: readonly string[]): string {
  const { kind, at, hitId, edition, search, fitScore, fit, matched, changes, reason, mergedInto } = message
  const members = [
    JSON.stringify({ hitId, edition, search, fitScore }).slice(1, -1),
    `"fit":${fit},"matched":${matched}`,
    changes !== undefined && `"changes":${changes}`,
    reason !== undefined && `"reason":${reason}`,
    mergedInto !== undefined && `"mergedInto":${JSON.stringify(mergedInto)}`,
    `"tender":${tender}`,
    truncated.length > 0 && `"truncated":${JSON.stringify(truncated)}`,
  ]
  const data = members.filter((member) => member !== false).join(',')
  return `{"type":${JSON.stringify(kind)},"timestamp":"${toInstant(at)}","data":{${data}}}`
}

/** What is left out, in this order, until the body is small enough. */
const shortenings: readonly (readonly [name: string, shorten: (record: TenderRecord) => object])[] = [
  ['lots.description', (record) => ({ ...record, lots: record.lots.map(({ description: _, ...lot }) => lot) })],
  ['lots', (record) => ({ ...record, lots: [] })],
  ['translations', ({ translations: _, ...record }) => record],
  ['originalSources', (record) => ({ ...record, originalSources: [] })],
  ['description', ({ description: _, ...record }) => record],
]

/** The body of a test event. */
export function testBody(at: number, endpointId: string): string {
  return JSON.stringify({
    type: 'webhook.test',
    timestamp: toInstant(at),
    data: { endpoint: endpointId, message: 'This is a test. Nothing matched; verify the signature and answer 2xx.' },
  })
}
