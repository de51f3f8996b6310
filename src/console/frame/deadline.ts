// A deadline as people read it: in the authority's time with the zone's name, how far it is, and for what it is.
import type { Deadline, DeadlineKind } from '#flat/record/first-deadline'
import { formatRelative, formatZoned } from './format.ts'
import { type Html, html } from './html.ts'
import type { Language } from './languages.ts'
import { sharedTexts } from './shared-texts.ts'

/** `1 Dec 2026, 11:00 CET`; in UTC if the zone is not known. */
export const deadlineMoment = (instant: string, zone: string | undefined, language: Language): Html =>
  html`<time datetime="${instant}">${formatZoned(Date.parse(instant), zone, language)}</time>`

/** `in 10 days, for bids`. A deadline of an older rule has no kind. */
export function deadlineNote(
  { at, kind }: { readonly at: string; readonly kind: DeadlineKind | null },
  now: number,
  language: Language,
): string {
  const distance = formatRelative(Date.parse(at), now, language)
  return kind === null ? distance : `${distance}, ${sharedTexts[language].shared.deadlineFor[kind]}`
}

/** In one line of plain text: `1 Dec 2026, 11:00 CET, for bids`. */
export const deadlineLine = ({ at, kind }: Deadline, zone: string | undefined, language: Language): string =>
  `${formatZoned(Date.parse(at), zone, language)}, ${sharedTexts[language].shared.deadlineFor[kind]}`
