// A hit as the receiver stores it: the message of the webhook, with its id and the time of its receipt.
import { type Schema, schemaFaults } from '../sinks/faults/schema-faults.ts'
import type { HitEvent } from '../types.ts'

export type Hit = HitEvent & {
  readonly webhookId: string
  /** ISO 8601 UTC with milliseconds. */
  readonly receivedAt: string
}

/**
 * The outcome of a hit: `new` and `changed` were written; `held` means that this message, or a newer one about the same
 * hit, was stored already.
 */
export type HitOutcome = 'new' | 'changed' | 'held'

/** Where hits are stored: one row for each `hitId`, with the newest message about it. */
export type HitStore = {
  /** The hit is durable when it resolves. Calls may overlap. When it rejects, the sender has to send the hit again. */
  put(hit: Hit): Promise<HitOutcome>
  /** Called when no hit is being put. */
  end(): Promise<void>
}

/**
 * The newer of two messages about a hit has the greater text. All times have the same format, and `search.hit` comes
 * before `search.hit.changed`. The databases compare the same two values.
 */
export const ageOf = ({ data, type }: Hit): string => `${data.tender.lastModified} ${type}`

const uuid: Schema = { type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }
const instant: Schema = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }
const text: Schema = { type: 'string' }
/** A number that fits the columns of the tables. */
const integer: Schema = { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 }
const object = (properties: { readonly [name: string]: Schema }, optional: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
})
/** What a hit must have to be stored; further members are stored unchanged. */
const hitSchema = object({
  timestamp: text,
  data: object(
    {
      hitId: uuid,
      edition: integer,
      search: object({ id: uuid, name: text, version: integer }),
      fitScore: integer,
      changes: { type: 'array', items: { type: 'string', pattern: '^\\S+$' } },
      mergedInto: uuid,
      tender: object({ id: uuid, lastModified: instant, status: text, title: text, submissionDate: instant }, [
        'submissionDate',
      ]),
    },
    ['changes', 'mergedInto'],
  ),
})

/** Why a genuine message cannot be stored: what it lacks to be a hit. Empty if it can. */
export const hitFaults = (event: object): string[] => schemaFaults(event, hitSchema)
