// A title in capitals as people would write it, to be shown beside the one that was published. Pure.
import { foldText } from '../domain/name-words.ts'
import { titleCount } from './match/word-weights.ts'
import { isStopWord } from './match/words.ts'

const isCapital = (text: string): boolean => text === text.toUpperCase() && text !== text.toLowerCase()

/** Minimum number of capitals; fewer are an abbreviation. */
const enoughCapitals = 10
/** Maximum share of small letters: `mbH`, `d'UNE`. */
const strayShare = 0.1
/** Longer words in capitals are emphasized. */
const longestAbbreviation = 6

/** Three letters, or four of which at most one is a vowel; other abbreviations only the texts of the record show. */
const isShort = (folded: string): boolean =>
  folded.length <= 3 || (folded.length === 4 && (folded.match(/[aeiouyαεηιουωаеиоуыэюя]/g)?.length ?? 0) <= 1)
/** How many titles hold a short word that is no abbreviation. */
const usual = 3

function isInCapitals(title: string): boolean {
  const large = title.match(/\p{Lu}/gu)?.length ?? 0
  const small = title.match(/\p{Ll}/gu)?.length ?? 0
  return large >= enoughCapitals && small <= strayShare * (large + small)
}

const word = /[\p{L}\p{M}]+/gu

/**
 * How the texts write each word, by its folded form. A word at the beginning of a sentence counts only if it is nowhere
 * else, and texts in capitals do not count.
 */
function formsIn(texts: readonly string[]): ReadonlyMap<string, string> {
  const inside = new Map<string, string>()
  const first = new Map<string, string>()
  for (const text of texts) {
    if (isInCapitals(text)) continue
    for (const { 0: form, index } of text.matchAll(word)) {
      if (isCapital(form) && form.length > longestAbbreviation) continue
      const isFirst = /(?:^|[.!?:;•–"“„«(-]\s*|\n\s*)$/u.test(text.slice(Math.max(0, index - 4), index))
      const forms = isFirst ? first : inside
      const key = foldText(form)
      if (!forms.has(key)) forms.set(key, form)
    }
  }
  return new Map([...[...first].filter(([, form]) => isCapital(form) && form.length > 1), ...inside])
}

const capitalized = (text: string): string => text.charAt(0) + text.slice(1).toLowerCase()

function formOf(published: string, language: string, known: ReadonlyMap<string, string>): string {
  const key = foldText(published)
  const form = known.get(key)
  if (form !== undefined && !(isCapital(form) && isStopWord(key))) return form
  const isUsual = isStopWord(key) || titleCount(language, key) >= usual
  if (isShort(key) && published.length > 1 && !isUsual) return published
  if (/^[IVX]{2,}$/.test(published)) return published
  // nouns are written with a capital, and are most of the words of a title
  if (language === 'de' && !isStopWord(key)) return capitalized(published)
  return published.toLowerCase()
}

/** `texts`: what else the record says, which shows how names are written. Undefined if the title is not in capitals. */
export function displayTitle(title: string, language: string, texts: readonly string[]): string | undefined {
  if (!isInCapitals(title)) return undefined
  const known = formsIn(texts)
  const shown = title.replace(/[\p{L}\p{M}\p{N}]+/gu, (token, index: number) => {
    const isInitial = token.length === 1 && title[index + 1] === '.'
    return isCapital(token) && !isInitial && !/\p{N}/u.test(token) ? formOf(token, language, known) : token
  })
  return shown.replace(
    /(?:^|\p{Ll}{3}[.!?]\s+)[^\p{L}\p{N}]*\p{Ll}/gu,
    (start) => start.slice(0, -1) + start.slice(-1).toUpperCase(),
  )
}
