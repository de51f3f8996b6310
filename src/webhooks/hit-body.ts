// The body of a webhook: JSON that stays the same for all attempts under one id.
import type { HitChange, HitEventKind } from '../domain/hit-event.ts'
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
  /** The parts of the score, and what satisfied each clause of the search: as stored with the hit. */
  readonly fit: unknown
  readonly matched: unknown
  readonly changes?: readonly HitChange[]
  readonly mergedInto?: string
  /** The record as of this edition. */
  readonly tender: TenderRecord
}

/** Maximum bytes of a body. What a record has beyond it is left out; the read API has the whole record. */
const maxBodyBytes = 256 * 1024

/** The body. Where the record is too large, `truncated` names what was left out of it. */
export function hitBody({ kind, at, tender, fitScore, ...rest }: HitMessage): string {
  const { hitId, edition, search, fit, matched, changes, mergedInto } = rest
  const write = (record: object, truncated: readonly string[]) =>
    JSON.stringify({
      type: kind,
      timestamp: toInstant(at),
      data: {
        hitId,
        edition,
        search,
        fitScore,
        fit,
        matched,
        ...(changes && { changes }),
        ...(mergedInto !== undefined && { mergedInto }),
        tender: record,
        ...(truncated.length > 0 && { truncated }),
      },
    })
  let body = write(tender, [])
  let record: object = tender
  const left: string[] = []
  for (const [name, shorten] of shortenings) {
    if (Buffer.byteLength(body) <= maxBodyBytes) return body
    record = shorten(record as TenderRecord)
    left.push(name)
    body = write(record, left)
  }
  return body
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
