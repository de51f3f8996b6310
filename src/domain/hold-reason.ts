// Why the gate holds an edition back, and the sentences for operators that commands and the log have.
import { type Lines, lineOf } from './lines.ts'

/** `most`: the usual maximum, as a share. */
export type HoldReason =
  | { readonly code: 'no-records'; readonly values: { readonly [name in string]: never } }
  | { readonly code: 'lost-redactions'; readonly values: { readonly ids: readonly string[] } }
  | {
      readonly code: 'rejections'
      readonly values: { readonly rejected: number; readonly documents: number; readonly most: number }
    }
  | {
      readonly code: 'archiving'
      readonly values: {
        readonly live: number
        readonly cancelled: number
        readonly merged: number
        readonly most: number
      }
    }
  | {
      readonly code: 'source-loss'
      readonly values: {
        readonly sourceId: string
        readonly before: number
        readonly after: number
        readonly most: number
      }
    }
  /** What rules that changed explain: never a reason, always a warning. The same counts as in `archiving`. */
  | {
      readonly code: 'rules-changed'
      readonly values: {
        readonly rules: readonly string[]
        readonly live: number
        readonly cancelled: number
        readonly merged: number
      }
    }
  | {
      readonly code: 'silence'
      readonly values: { readonly sourceId: string; readonly days: number; readonly activeDays: number }
    }
  /** An open alarm; `detail` is its English sentence, `share` how much of the source it is about. */
  | {
      readonly code: 'alarm'
      readonly values: {
        readonly sourceId: string
        readonly kind: string
        readonly detail: string
        readonly share: number
      }
    }

export const percent = (share: number): string => `${Math.round(share * 100)} %`

export const holdLines = {
  'no-records': () => 'There are no records to publish yet.',
  'lost-redactions': ({ ids }) =>
    `${ids.length} redactions (${ids.join(', ')}) were restored without the secret key, so their values are no longer recognized: ` +
    'repeat `tenderstock redact` for each of these people, then publish with --override-gate.',
  rejections: ({ rejected, documents, most }) =>
    `${rejected} of ${documents} documents received since the last edition were rejected (${percent(rejected / documents)}; ` +
    `at most ${percent(most)} is usual): a portal may have changed its format.`,
  archiving: ({ live, cancelled, merged, most }) =>
    `${cancelled + merged} of ${live} live records would be archived at once, ${cancelled} as cancelled and ${merged} as merged ` +
    `(${percent((cancelled + merged) / live)}; at most ${percent(most)} is usual).`,
  'source-loss': ({ sourceId, before, after, most }) =>
    `The source ${sourceId} would be named by ${after} records instead of ${before} ` +
    `(${percent((before - after) / before)} fewer; at most ${percent(most)} is usual).`,
  'rules-changed': ({ rules, live, cancelled, merged }) =>
    `The stock was derived again after changes of these rules: ${rules.join(', ')}. ` +
    `Of ${live} live records ${cancelled} are archived as cancelled and ${merged} as merged.`,
  silence: ({ sourceId, days, activeDays }) =>
    `The source ${sourceId} answers, but has delivered nothing new for ${days} days, ` +
    `after documents on ${activeDays} of the preceding days: its address or its listing may have changed.`,
  alarm: ({ sourceId, detail }) => `The source ${sourceId}: ${detail}`,
} satisfies Lines<HoldReason>

export const holdLine = (reason: HoldReason): string => lineOf(holdLines, reason)
