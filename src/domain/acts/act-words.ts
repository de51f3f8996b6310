// The table of words by which notices say what they are (data/act-words.txt), for each language.
import { readFileSync } from 'node:fs'
import { type PhraseTable, phraseTable } from './phrases.ts'

/** Acts that words can name; `direct` and `restricted` are the two kinds of ex-ante notices. In the order of belief. */
export const spokenActs = [
  'cancellation',
  'suspension',
  'deadline-extension',
  'modification',
  'correction',
  'award',
  'direct',
  'restricted',
  'prior-information',
  'other',
] as const
export type SpokenAct = (typeof spokenActs)[number]

/**
 * `edge`: at the beginning or the end of a part of the title, or at the beginning of the description. `title`: anywhere
 * in the title. `text`: anywhere in the first sentences. `lot`: as `edge`, in titles only; the end of a lot.
 */
const places = ['edge', 'title', 'text', 'lot'] as const
type Place = (typeof places)[number]

export type WordsOfAct = { readonly [place in Place]?: PhraseTable }
export type ActWords = ReadonlyMap<SpokenAct, WordsOfAct>

/** Languages that are written with the words of another. */
const sisters: { readonly [language: string]: readonly string[] } = {
  nb: ['no'],
  nn: ['no'],
  bs: ['hr', 'sr'],
  sr: ['sr', 'hr'],
  me: ['hr', 'sr'],
  gl: ['pt', 'es'],
  ca: ['ca', 'es'],
  lb: ['de', 'fr'],
}

/** `deadline`: for tenders and requests; `other`: dates of something else. */
export type DateNouns = { readonly deadline: PhraseTable; readonly other: PhraseTable }

/**
 * Nouns for lots that stand before numbers, those of them for several, nouns after ordinal numbers (`2.`) and after
 * others; words for all of them together, for a range and a list, for what is tendered, for lots that do not end, and
 * for awarded ones.
 */
const lotWords = ['before', 'many', 'after', 'bare', 'whole', 'upTo', 'and', 'procedure', 'stays', 'given'] as const
export type LotWords = { readonly [name in (typeof lotWords)[number]]: PhraseTable }

type Line = { readonly language: string; readonly key: string; readonly phrases: string }

let lines: readonly Line[] | undefined

function linesOf(language: string): readonly Line[] {
  lines ??= readFileSync(new URL('../data/act-words.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, key, phrases] = /^(\w+) (\S+ \w+): (.*)$/.exec(line)!
      return { language: name!, key: key!, phrases: phrases! }
    })
  const own = new Set(['any', ...(sisters[language] ?? [language])])
  return lines.filter((line) => language === 'und' || own.has(line.language))
}

function tableOf(own: readonly Line[], name: string): PhraseTable | undefined {
  const lists = own.filter(({ key }) => key === name).map(({ phrases }) => phrases)
  return lists.length > 0 ? phraseTable(lists) : undefined
}

type LanguageWords = { readonly words: ActWords; readonly nouns: DateNouns; readonly lots: LotWords }

const byLanguage = new Map<string, LanguageWords>()

function readLanguage(language: string): LanguageWords {
  const known = byLanguage.get(language)
  if (known) return known
  const own = linesOf(language)
  const words: ActWords = new Map(
    spokenActs.map((act) => {
      const tables = places.map((place) => [place, tableOf(own, `${act} ${place}`)] as const)
      return [act, Object.fromEntries(tables.filter(([, table]) => table !== undefined))]
    }),
  )
  const none = phraseTable([])
  const nouns = { deadline: tableOf(own, 'date deadline') ?? none, other: tableOf(own, 'date other') ?? none }
  const tables = lotWords.map((name) => [name, tableOf(own, `lot ${name}`) ?? none] as const)
  const lots = Object.fromEntries(tables) as LotWords
  const read = { words, nouns, lots }
  byLanguage.set(language, read)
  return read
}

/** The words of a language and those of all; of every language if it is unknown (`und`). Unknown languages have few. */
export const actWordsOf = (language: string): ActWords => readLanguage(language).words

/** The names of deadlines and of other dates in a language. */
export const dateNounsOf = (language: string): DateNouns => readLanguage(language).nouns

/** How a language names lots. */
export const lotWordsOf = (language: string): LotWords => readLanguage(language).lots
