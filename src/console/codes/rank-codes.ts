// Which codes somebody means who types a word: by the names of the codes, by how often they are called for, by what
// people call a trade, and by the tenders whose titles have the word.
import {
  type CodeKind,
  callsForCode,
  codesAbove,
  countedCalls,
  findCodes,
  foldedNames,
} from '../../domain/code-labels.ts'
import { tokensOf } from '../../domain/words.ts'
import { tradeWords } from './trade-words.ts'

/** Tenders with the typed words in their titles: how many there are, and how many of them have a code, by code. */
export type TitleCodes = { readonly tenders: number; readonly byCode: ReadonlyMap<string, number> }

/** Minimum tenders with the word in their titles, and with a code among them, from which titles say something. */
const [minTitles, minTenders] = [20, 3]
/** How much titles count beside the best name. */
const titleShare = 0.8
/** A word that no name has: the others count a quarter. */
const missingShare = 0.25
/** A code that hardly anybody calls for counts a quarter. */
const uncalledShare = 0.25
/** Of the codes that people mean by a word, those that are called for come first. */
const unusedShare = 0.6
/** Words that say nothing about a trade beside another one. */
const generalWords = new Set(
  ['service', 'services', 'work', 'works', 'supply', 'supplies', 'equipment', 'system', 'systems', 'contractor'].concat(
    [
      'arbeiten',
      'leistungen',
      'dienstleistung',
      'dienstleistungen',
      'dienste',
      'lieferung',
      'anlage',
      'anlagen',
      'bedarf',
    ],
  ),
)
/** Codes by name that are looked at, at most. */
const maxNamed = 400

/** A word of a name, without its ending too. */
type Token = { readonly token: string; readonly stem: string; readonly names: Name[] }
type Name = { readonly code: string; readonly words: number; readonly place: number }
type Index = {
  /** The words of names, and where each stands. */
  readonly tokens: ReadonlyMap<string, Token>
  /** Those of one stem. */
  readonly byStem: ReadonlyMap<string, readonly Token[]>
  /** All of them, each between two line ends. */
  readonly text: string
  readonly tradeWords: ReadonlyMap<string, readonly string[]>
}

let index: Index | undefined

function indexOf(): Index {
  if (index) return index
  const byToken = new Map<string, Token>()
  for (const { code, folded } of foldedNames('cpv'))
    for (const name of folded) {
      const tokens = name.trim().split(' ')
      tokens.forEach((token, place) => {
        const known = byToken.get(token) ?? { token, stem: stemOf(token), names: [] }
        known.names.push({ code, words: tokens.length, place })
        byToken.set(token, known)
      })
    }
  index = {
    tokens: byToken,
    byStem: Map.groupBy(byToken.values(), ({ stem }) => stem),
    text: `\n${[...byToken.keys()].join('\n')}\n`,
    tradeWords: new Map([...tradeWords()].map(([word, codes]) => [tokensOf(word).join(' '), codes])),
  }
  return index
}

/** How alike a typed word and a word of a name are, 0 to 1. */
function likenessOf(typed: string, typedStem: string, { token, stem }: Token): number {
  if (typed === token) return 1
  if (typedStem === stem) return 0.9
  if (typed.length >= 3 && token.startsWith(typed.length < 6 ? typed : typedStem))
    return 0.4 + (0.35 * typed.length) / token.length
  if (typed.length >= 4 && token.endsWith(typed)) return 0.3 + (0.3 * typed.length) / token.length
  if (stem.length >= 5 && typed.startsWith(stem)) return 0.4
  if (typed.length >= 5 && token.includes(typedStem)) return 0.25
  return 0
}

/** Without endings of number, case and doing, in English and German. */
const stemOf = (word: string): string =>
  word.length < 5 ? word.replace(/s$/, '') : word.replace(/(?:ungen|ung|ing|ers|er|en|es|s|e|n)$/, '')

/** All words of names that may be alike: they hold the stem of the typed word, or it begins with theirs. */
function tokensLike(typed: string, typedStem: string): Set<Token> {
  const { tokens, byStem, text } = indexOf()
  const like = new Set<Token>(byStem.get(typedStem))
  for (let length = 5; length < typed.length; length++)
    for (const token of byStem.get(typed.slice(0, length)) ?? []) like.add(token)
  const part = typedStem || typed
  for (let at = text.indexOf(part); at >= 0; ) {
    const end = text.indexOf('\n', at)
    like.add(tokens.get(text.slice(text.lastIndexOf('\n', at) + 1, end))!)
    at = text.indexOf(part, end)
  }
  return like
}

/** Points of the names by one typed word, 0 to 1 for each code. */
function pointsByName(typed: string): Map<string, number> {
  const points = new Map<string, number>()
  const typedStem = stemOf(typed)
  for (const token of tokensLike(typed, typedStem)) {
    const likeness = likenessOf(typed, typedStem, token)
    if (likeness === 0) continue
    for (const { code, words, place } of token.names) {
      const found = (likeness * (1 - 0.05 * Math.min(place, 6))) / (1 + 0.06 * (words - 1))
      if (found > (points.get(code) ?? 0)) points.set(code, found)
    }
  }
  return points
}

function namedCodes(typed: readonly string[]): Map<string, number> {
  const lists = typed.map(pointsByName)
  const codes = new Set(lists.flatMap((list) => [...list.keys()]))
  const named = new Map<string, number>()
  for (const code of codes) {
    const found = lists.filter((list) => list.has(code)).length
    // of several words, half must be in the name
    if (2 * found < typed.length) continue
    named.set(
      code,
      lists.reduce((product, list) => product * (list.get(code) ?? missingShare), 1),
    )
  }
  return named
}

/** share(code | word) × log2(1 + share / share of all tenders): what titles with the word are about. */
function learnedCodes({ tenders, byCode }: TitleCodes): Map<string, number> {
  const learned = new Map<string, number>()
  for (const [code, count] of byCode) {
    if (count < minTenders) continue
    const share = count / tenders
    const usual = Math.max(1, callsForCode(code)) / countedCalls()
    learned.set(code, share * Math.log2(1 + share / usual))
  }
  const most = Math.max(1e-9, ...learned.values())
  // codes above the ones found are what several of them have in common
  for (const [code, value] of [...learned])
    for (const above of codesAbove('cpv', code).slice(1))
      learned.set(above, Math.max(learned.get(above) ?? 0, 0.35 * value))
  return new Map([...learned].map(([code, value]) => [code, value / most]))
}

/**
 * Codes for typed text, the likeliest first. A code of CPV or its beginning, and regions, are found as they are
 * written.
 * `titles`: what tenders with the words in their titles are about, if it is known.
 */
export function rankCodes(kind: CodeKind, text: string, limit: number, titles?: TitleCodes): string[] {
  const all = [...new Set(tokensOf(text))].slice(0, 6)
  const trade = all.filter((word) => !generalWords.has(word))
  const typed = trade.length > 0 ? trade : all
  if (kind === 'nuts' || typed.length === 0 || /^[\d\s-]+$/.test(text)) return findCodes(kind, text, limit)
  const { tradeWords: trades } = indexOf()
  const points = new Map<string, number>()
  const add = (code: string, value: number) => void points.set(code, (points.get(code) ?? 0) + value)
  for (const [code, value] of namedCodes(typed)) {
    const calls = callsForCode(code)
    // works and services before goods, and a level less deep, where all else is equal
    const nature = /^[4-9]/.test(code) && !/^4[1-4]|^48/.test(code) ? 1.05 : 1
    const depth = 1 - 0.01 * codesAbove('cpv', code).length
    add(code, value * (calls === 0 ? uncalledShare : Math.log2(1 + calls) / 8) * nature * depth)
  }
  const best = Math.max(0.3, ...points.values())
  const said =
    trades.get(all.join(' ')) ??
    trades.get(typed.join(' ')) ??
    (typed.length === 1 ? trades.get(stemOf(typed[0]!)) : undefined)
  for (const [place, code] of (said ?? []).entries())
    add(code, best * (1.2 - 0.15 * place) * (callsForCode(code) === 0 ? unusedShare : 1))
  if (titles && titles.tenders >= minTitles)
    for (const [code, value] of learnedCodes(titles)) add(code, best * titleShare * value)
  const ranked = [...points].sort(([left, most], [right, more]) => more - most || (left < right ? -1 : 1))
  const found = ranked.slice(0, maxNamed).map(([code]) => code)
  // parts of words and other spellings, as before, when nothing else is found
  return calledFirst(found.length > 0 ? found : findCodes(kind, text, limit)).slice(0, limit)
}

/** Before a code that nobody calls for, the nearest one above it that is called for: authorities use that one. */
function calledFirst(codes: string[]): string[] {
  const [first] = codes
  if (first === undefined || callsForCode(first) > 0) return codes
  const called = codesAbove('cpv', first).findLast((code) => callsForCode(code) > 0)
  return called === undefined ? codes : [called, ...codes.filter((code) => code !== called)]
}
