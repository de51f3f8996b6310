// Why the gate held an edition back, in the reader's language, each reason with its figure and the limit that it
// exceeded.
import { type HoldReason, percent } from '../../domain/hold-reason.ts'
import { isSaidIn, lineOf } from '../../domain/lines.ts'
import type { Content } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { quoted } from '../frame/parts.ts'
import { holdTexts } from './hold-texts.ts'

/** A reason of a hold. `figure` and `bound` are missing if it has none. */
type ShownReason = {
  readonly sentence: Content
  readonly figure?: string
  readonly bound?: string
  /** The source that it is about. */
  readonly sourceId?: string
}

function figures(reason: HoldReason): Omit<ShownReason, 'sentence'> {
  switch (reason.code) {
    case 'rejections': {
      const { rejected, documents, most } = reason.values
      return { figure: percent(rejected / documents), bound: percent(most) }
    }
    case 'archiving': {
      const { cancelled, merged, live, most } = reason.values
      return { figure: percent((cancelled + merged) / live), bound: percent(most) }
    }
    case 'source-loss': {
      const { sourceId, before, after, most } = reason.values
      return { figure: percent((before - after) / before), bound: percent(most), sourceId }
    }
    case 'silence':
    case 'alarm':
      return { sourceId: reason.values.sourceId }
    default:
      return {}
  }
}

/** The reasons of one hold. A sentence without a code, or with one that only a newer version knows, stays as it is. */
export const holdReasons = (
  { reasons, causes }: { readonly reasons: readonly string[]; readonly causes: readonly HoldReason[] | null },
  language: Language,
): ShownReason[] =>
  reasons.map((sentence, index) => {
    const cause = causes?.[index]
    return cause && isSaidIn(holdTexts[language], cause)
      ? { sentence: lineOf(holdTexts[language], cause), ...figures(cause) }
      : { sentence: quoted(sentence, 'en') }
  })
