// The messages of webhooks (docs/hits/webhooks.md): the schema from which the contract and the client's types are
// generated.
import { Type } from 'typebox'

/** Types of messages about hits. `search.hit.changed` is only for endpoints that ask for it. */
export const hitEventKinds = ['search.hit', 'search.hit.changed'] as const
export type HitEventKind = (typeof hitEventKinds)[number]

/** What happened to the tender of a hit. */
const hitChanges = ['closed', 'merged', 'deadline', 'value'] as const
export type HitChange = (typeof hitChanges)[number]

/** Why it happened, if no notice and no passing of time caused it. */
export type HitReason = { readonly code: 'corrected'; readonly rules: readonly string[]; readonly text: string }

/** The tender reads otherwise because these rules of the service changed (stock-rules.ts). */
export const correctedBy = (rules: readonly string[]): HitReason => ({
  code: 'corrected',
  rules,
  text: 'corrected by the service',
})

/** The parts of the fit score. */
export const fitParts = ['cpv', 'keywords', 'pastWins', 'region', 'value'] as const

const instant = (description: string) => Type.String({ format: 'date-time', description })
const some = (description: string) => Type.Array(Type.String(), { description })
const extensible = (values: readonly string[], description: string) =>
  Type.String({ description, 'x-extensible-enum': [...values] })

const fit = Type.Object(
  {
    calibration: Type.String({ description: 'The table that turns `raw` into the score, and its column.' }),
    sum: Type.Number({ description: 'The sum of the points of the parts.' }),
    raw: Type.Number({ description: 'The sum after the rules.' }),
    profile: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
      description: 'The profile of the company; null if it was derived from the search.',
    }),
    lot: Type.Union([Type.String(), Type.Null()], {
      description: 'The lot whose code fits best; null if the code of the tender does.',
    }),
    parts: Type.Array(
      Type.Object({
        part: extensible(fitParts, 'What is compared.'),
        points: Type.Union([Type.Number(), Type.Null()], {
          description: 'Null if it is not known: then the others count more.',
        }),
        of: Type.Number({ description: 'Maximum points that this part can give here.' }),
        text: Type.Optional(Type.String({ description: 'Why, for people.' })),
        terms: Type.Optional(some('The words that count most, as they are compared: beginnings, and ends after `~`.')),
      }),
      { description: 'The parts of the score.' },
    ),
    rules: some('The rules that acted on the sum, in order: `past-authority +3`, `excluded: cleaning`.'),
  },
  { description: 'How the score came about (docs/hits/score.md).' },
)

const hit = Type.Object({
  hitId: Type.String({ format: 'uuid', description: 'The same in all messages about this hit.' }),
  edition: Type.Integer({ description: 'The edition that the record is from.' }),
  search: Type.Object(
    {
      id: Type.String({ format: 'uuid' }),
      name: Type.String({ description: 'Its name when the message was made.' }),
      version: Type.Integer({ description: 'The version of the search that matched.' }),
    },
    { description: 'The saved search.' },
  ),
  fitScore: Type.Integer({
    minimum: 0,
    maximum: 100,
    description: 'How well the tender fits, as of the edition of the hit. It never changes.',
  }),
  fit,
  matched: some('What satisfied each clause of the search: `cpv: 45233141 in lot 2 by 45233000`.'),
  changes: Type.Optional(
    Type.Array(extensible(hitChanges, 'One change.'), {
      description: 'Only of `search.hit.changed`: what happened to the tender.',
    }),
  ),
  reason: Type.Optional(
    Type.Object(
      {
        code: extensible(['corrected'], '`corrected`: the service reads the same notices otherwise.'),
        rules: some('The rules of the service that changed: `acts`, `values`.'),
        text: Type.String({ description: 'For people.' }),
      },
      { description: 'Only where no notice and no passing of time caused the changes.' },
    ),
  ),
  mergedInto: Type.Optional(Type.String({ format: 'uuid', description: 'The record that the tender is part of now.' })),
  tender: Type.Unsafe<object>({
    $ref: '#/components/schemas/TenderRecord',
    description: 'The record as of the edition. Drop it when you hold a newer `lastModified`.',
  }),
  truncated: Type.Optional(some('What was left out of a record that is too large. The read API has it.')),
})

/** `$id`s are the names in the contract. */
export const hitEventSchemas = [
  Type.Object(
    {
      type: Type.Union(hitEventKinds.map((kind) => Type.Literal(kind))),
      timestamp: instant('When the message was made; the same for all attempts.'),
      data: hit,
    },
    { $id: 'HitEvent', description: 'A hit of a saved search, or a change of its tender.' },
  ),
  Type.Object(
    {
      type: Type.Literal('webhook.test'),
      timestamp: instant('When the message was made.'),
      data: Type.Object({
        endpoint: Type.String({ format: 'uuid', description: 'The endpoint that is tried.' }),
        message: Type.String({ description: 'For people.' }),
      }),
    },
    { $id: 'TestEvent', description: 'Sent when somebody tries an endpoint. Answer 2xx and do nothing.' },
  ),
] as const
