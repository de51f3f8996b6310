// Texts that fit the patterns of a card: its own sample, or a usual one.
import { seeded } from './samples/seeded.ts'

/** Values by which lists name the format of a file. */
export const usualValues: readonly string[] = ['json', 'csv', 'zip', 'ocds']

/**
 * The first of these texts in which the pattern finds something. In it, `{key}` is the key, and `{digits}` a number,
 * the same for the same key. Throws if none fits: then the card needs a `sample`.
 */
export function fittingText(pattern: RegExp, texts: readonly (string | undefined)[], key: string): string {
  for (const text of texts) {
    const filled = text
      ?.replaceAll('{key}', key)
      .replaceAll('{digits}', () => String(seeded(key).whole(100_000_000, 999_999_999)))
    if (filled !== undefined && filled.search(pattern) >= 0) return filled
  }
  throw new Error(`no usual text fits ${String(pattern)}: the card needs a sample that does`)
}
