// The gate's sentences in the reader's language, each with its figure and the limit that it exceeded.
import { type Content, html } from './html.ts'
import { quoted } from './parts.ts'
import type { Language } from './text/languages.ts'

/** A reason of a hold. `figure` and `bound` are missing if the sentence has none. */
export type HoldReason = {
  readonly sentence: Content
  readonly figure?: string
  readonly bound?: string
  /** The source that it is about. */
  readonly sourceId?: string
}

type Words = { readonly [language in Language]: (parts: readonly string[]) => string }

/** By the shape of the sentences in publish/gate.ts. `figure` and `bound` are indexes of its parts. */
const shapes: readonly {
  readonly shape: RegExp
  readonly words: Words
  readonly figure: number
  readonly bound: number
  readonly source?: number
}[] = [
  {
    shape: /^(\d+) of (\d+) documents received since the last edition were rejected \((\d+ %); at most (\d+ %)/,
    words: {
      en: ([rejected, all]) =>
        `${rejected} of ${all} documents received since the last edition were rejected: a portal may have changed its format.`,
      de: ([rejected, all]) =>
        `${rejected} von ${all} Dokumenten seit der letzten Ausgabe wurden zurückgewiesen: Vielleicht hat ein Portal sein Format geändert.`,
    },
    figure: 2,
    bound: 3,
  },
  {
    shape:
      /^(\d+) of (\d+) live records would be archived at once, (\d+) as cancelled and (\d+) as merged \((\d+ %); at most (\d+ %)/,
    words: {
      en: ([all, live, cancelled, merged]) =>
        `${all} of ${live} live records would be archived at once, ${cancelled} as cancelled and ${merged} as merged.`,
      de: ([all, live, cancelled, merged]) =>
        `${all} von ${live} laufenden Datensätzen würden auf einmal archiviert, ${cancelled} als aufgehoben und ${merged} als zusammengelegt.`,
    },
    figure: 4,
    bound: 5,
  },
  {
    shape: /^The source (\S+) would be named by (\d+) records instead of (\d+) \((\d+ %) fewer; at most (\d+ %)/,
    words: {
      en: ([source, now, before]) => `${source} would be named by ${now} records instead of ${before}.`,
      de: ([source, now, before]) => `${source} würde von ${now} Datensätzen genannt statt von ${before}.`,
    },
    figure: 3,
    bound: 4,
    source: 0,
  },
]

/** Reads the sentences of one hold. A sentence of unknown shape is shown unchanged. */
export function holdReasons(sentences: readonly string[], language: Language): HoldReason[] {
  return sentences.map((sentence) => {
    for (const { shape, words, figure, bound, source } of shapes) {
      const parts = shape.exec(sentence)?.slice(1)
      if (!parts) continue
      return {
        sentence: words[language](parts),
        figure: parts[figure]!,
        bound: parts[bound]!,
        ...(source !== undefined && { sourceId: parts[source]! }),
      }
    }
    const sourceId = /^The source ([\w-]+)/.exec(sentence)?.[1]
    return { sentence: html`${quoted(sentence, 'en')}`, ...(sourceId !== undefined && { sourceId }) }
  })
}
