// The lots that a cancellation ends, if it names some and not the whole: "Los 2 wird aufgehoben".
import type { ActReading } from './act.ts'
import { type LotWords, lotWordsOf, type WordsOfAct } from './act-words.ts'
import {
  findPhrase,
  findPhrases,
  governs,
  isAtEdge,
  isPartEnd,
  isPartStart,
  isPhrase,
  type PhraseTable,
  phraseEnd,
  type Token,
  tokensOf,
} from './phrases.ts'

/** Lots that stand together, as positions of tokens. */
type Group = { readonly from: number; readonly to: number; readonly ids: readonly string[] }

type Place = { readonly start: number; readonly end: number }

/**
 * What a sentence ends: lots, "some" that it does not name, or the whole. `isAside`: the lots stand within another
 * clause, and may be of what is bought.
 */
export type Ended = { readonly lots: readonly string[]; readonly isAside: boolean } | 'some' | 'whole'

/** What a sentence says beyond that, to either side of its verb, does not count. */
const sentenceReach = 1_000

const isNumber = (token: Token | undefined): boolean => token !== undefined && /^\d{1,4}$/.test(token.word)
const isSign = (token: Token | undefined): boolean => token !== undefined && /^[|:]$/.test(token.word)
const isYear = (number: number): boolean => number >= 1900 && number <= 2100

/** Between the noun and its number: `Los Nr. 2`, `lot n° 2`, `lote núm. 2`. */
const numberWords = new Set(
  'n nr no num numero nummer number numer c č cislo číslo br stev št sz αρ αριθ бр ном'.split(' '),
)
/** More lots in a row than a range can mean. */
const longestRange = 60
/** Most words and signs between two numbers of a list. */
const longestJoint = 3
/** A list before its noun is not looked for further back. */
const longestListBefore = 12

type Text = { readonly text: string; readonly tokens: readonly Token[]; readonly words: LotWords }

/** The number of a lot at a position, with the numbers of its parts: `2`, `2.1`. */
function idAt({ text, tokens }: Text, at: number): { readonly id: string; readonly to: number } | undefined {
  if (!isNumber(tokens[at])) return undefined
  let to = at
  while (isNumber(tokens[to + 1]) && text.slice(tokens[to]!.end, tokens[to + 1]!.start) === '.') to++
  const parts = tokens.slice(at, to + 1).map(({ word }) => Number(word))
  return parts.some(isYear) ? undefined : { id: parts.join('.'), to }
}

/** How two numbers are joined; "2 - 3" and "2/3" are more than one lot only after a noun for several. */
function jointBetween(list: Text, from: number, to: number, isMany: boolean): 'list' | 'range' | undefined {
  const { text, tokens, words } = list
  const between = text.slice(tokens[from]!.end, tokens[to]!.start)
  if (/^[-–—]$/.test(between)) return 'range'
  if (/^\s*[-–—]\s*$/.test(between)) return isMany ? 'range' : undefined
  let joint: 'list' | 'range' | undefined = /^\s*[&+]\s*$/.test(between) ? 'list' : undefined
  for (let at = from + 1; at < to; ) {
    const { start, end } = tokens[at]!
    const range = phraseEnd(words.upTo, tokens, at)
    const next = range ?? phraseEnd(words.and, tokens, at)
    const sign = text.slice(start, end)
    if (next === undefined && !/^\.?,$/.test(sign) && !(isMany && sign === '/') && sign !== '+') return undefined
    if (next === undefined && sign === ',' && !isMany && isCounted(list, to)) return undefined
    joint = range === undefined ? (joint ?? 'list') : 'range'
    at = next ?? at + 1
  }
  return joint
}

/** Whether a number after a comma counts what follows: "Los 2, 12 Fahrzeuge". */
function isCounted({ tokens, words }: Text, at: number): boolean {
  const after = tokens[at + 1]
  return after !== undefined && !isSign(after) && !/^[.\n]$/.test(after.word) && !isPhrase(words.and, tokens, at + 1)
}

/** The ids from a position on, with those that words or signs join to them. */
function idsFrom(list: Text, at: number, isMany: boolean): Group | undefined {
  const { tokens } = list
  let next = at
  while (numberWords.has(tokens[next]?.word ?? '') || /^[:([#]/.test(signAt(list, next))) next++
  let last = idAt(list, next)
  if (!last || next > at + 2) return undefined
  const ids = [last.id]
  for (;;) {
    let follower = last.to + 1
    while (tokens[follower] && !isNumber(tokens[follower]) && follower <= last.to + longestJoint) follower++
    const after = idAt(list, follower)
    const joint = after && jointBetween(list, last.to, follower, isMany)
    if (!after || !joint) break
    const [low, high] = [Number(last.id), Number(after.id)]
    if (joint === 'range' && !(high > low && high - low <= longestRange)) break
    if (joint === 'range') for (let each = low + 1; each < high; each++) ids.push(String(each))
    ids.push(after.id)
    last = after
  }
  return { from: at, to: last.to, ids }
}

const signAt = ({ text, tokens }: Text, at: number): string =>
  isSign(tokens[at]) ? text.slice(tokens[at]!.start, tokens[at]!.end) : ''

/** The numbers that stand before a noun: `2. és 3. rész`, `2 pirkimo dalis`. */
function idsBefore(list: Text, noun: number): (Group & { readonly last: number }) | undefined {
  const { tokens } = list
  const last = isNumber(tokens[noun - 1]) ? noun - 1 : noun - 2
  if (!isNumber(tokens[last]) || (last !== noun - 1 && isSign(tokens[noun - 1]))) return undefined
  for (let from = Math.max(0, last - longestListBefore); from <= last; from++) {
    const group = isNumber(tokens[from]) ? idsFrom(list, from, true) : undefined
    if (group?.to === last) return { from, to: noun, last, ids: group.ids }
  }
  return undefined
}

function groupsIn(list: Text): Group[] {
  const { text, tokens, words } = list
  return tokens.flatMap((_, at) => {
    const [isOrdinal, isBare] = [isPhrase(words.after, tokens, at), isPhrase(words.bare, tokens, at)]
    const found = isOrdinal || isBare ? idsBefore(list, at) : undefined
    // "2 části" are two parts, "2. část" is the second
    if (found && (isBare || /^\d+\./.test(text.slice(tokens[found.last]!.start, tokens[found.last]!.end + 1))))
      return [found]
    const isMany = isPhrase(words.many, tokens, at)
    const group = isPhrase(words.before, tokens, at) ? idsFrom(list, at + 1, isMany) : undefined
    return group ? [{ from: at, to: group.to, ids: group.ids }] : []
  })
}

const textOf = (text: string, language: string): Text => ({
  text,
  tokens: tokensOf(text, text.length),
  words: lotWordsOf(language),
})

const idsOf = (groups: readonly Group[]): string[] => [...new Set(groups.flatMap(({ ids }) => ids))]

/** The numbers of all lots that a text names. */
export const lotNumbersIn = (text: string, language: string): string[] => idsOf(groupsIn(textOf(text, language)))

/** For each token, whether it belongs to a list of lots. */
function listed(tokens: readonly Token[], groups: readonly Group[]): Uint8Array {
  const isListed = new Uint8Array(tokens.length)
  for (const { from, to } of groups) isListed.fill(1, from, to + 1)
  return isListed
}

/** The number of the clause of each token. `divides` says where a new one begins. */
function numbered(tokens: readonly Token[], divides: (at: number) => boolean): Int32Array {
  const clauses = new Int32Array(tokens.length)
  let clause = 0
  for (let at = 0; at < tokens.length; at++) {
    if (divides(at)) clause++
    clauses[at] = clause
  }
  return clauses
}

function positionsOf(table: PhraseTable, tokens: readonly Token[]): number[] {
  return [...tokens.keys()].filter((at) => isPhrase(table, tokens, at))
}

/** Clauses of a sentence by token, and those that say that their lots stay, or that they were awarded. */
function clausesOf({ text, tokens, words }: Text, groups: readonly Group[]) {
  const isListed = listed(tokens, groups)
  const lasts = new Set(groups.map(({ to }) => to))
  // "lot 2. Les lots 1 et 3": the point after a number ends a sentence, too
  const isAfterList = (at: number): boolean =>
    lasts.has(at - 1) && /^\.\s+\p{Lu}/u.test(text.slice(tokens[at - 1]!.end, tokens[at]!.start + 1))
  const isDivided = (at: number): boolean =>
    (!isListed[at] && (isSign(tokens[at]) || /^[.\n]$/.test(tokens[at]!.word))) || isAfterList(at)
  const bySigns = numbered(tokens, isDivided)
  const [stays, gives] = [positionsOf(words.stays, tokens), positionsOf(words.given, tokens)]
  const mixed = new Set([...stays, ...gives].map((at) => bySigns[at]))
  const firsts = new Set(groups.map(({ from }) => from))
  // "Los 2 wird aufgehoben und Los 1 bleibt": what stays has its own clause
  const isTurn = (at: number): boolean =>
    mixed.has(bySigns[at]) &&
    !isListed[at] &&
    isPhrase(words.and, tokens, at) &&
    !(lasts.has(at - 1) && firsts.has(at + 1))
  const clauses = numbered(tokens, (at) => isDivided(at) || isTurn(at))
  const those = (positions: readonly number[]): ReadonlySet<number> => new Set(positions.map((at) => clauses[at]!))
  return { clauses, staying: those(stays), given: those(gives) }
}

type Named = Group & { readonly clause: number }

/** Lots of the clause beside those from `first` to `last`: the one before, or what follows at once. */
function besides(named: readonly Named[], first: number, last: number): readonly Named[] {
  const before = named.findLast(({ clause }) => clause < first)?.clause
  return named.filter(({ clause }) => clause === (before ?? last + 1))
}

/** Lots with which the clauses after `last` begin: "Aufhebung des Verfahrens Neubau, Los 14 Elektro". */
function following(tokens: readonly Token[], named: readonly Named[], last: number): readonly Named[] {
  const starting = new Map(named.filter(({ from }) => isSign(tokens[from - 1])).map((each) => [each.clause, each]))
  const found: Named[] = []
  for (let clause = last + 1; starting.has(clause); clause++) found.push(starting.get(clause)!)
  return found
}

/**
 * What a sentence, or a title, ends. `place` is where it says so, in characters: lots of the same clause count. Those
 * of another one count in titles, and in a text if the clause names no procedure, or directly after it.
 */
export function endedLots(sentence: string, language: string, place: Place, isTitle = false): Ended {
  const list = textOf(sentence, language)
  const { tokens, words } = list
  const groups = groupsIn(list)
  const { clauses, staying, given } = clausesOf(list, groups)
  const clauseOf = (character: number): number => clauses[tokens.findIndex(({ end }) => end > character)] ?? 0
  const isSaid = (table: PhraseTable, isHere: (clause: number) => boolean): boolean =>
    findPhrase(table, tokens, (at) => isHere(clauses[at]!)) !== undefined
  if (isSaid(words.whole, (clause) => !staying.has(clause))) return 'whole'
  const named = groups.map((group) => ({ ...group, clause: clauses[group.from]! }))
  const free = named.filter(({ clause }) => !staying.has(clause) && !given.has(clause))
  const [first, last] = [clauseOf(place.start), clauseOf(place.end - 1)]
  const isNear = (clause: number): boolean => clause >= first && clause <= last
  const near = free.filter(({ clause }) => isNear(clause))
  if (near.length > 0) return { lots: idsOf(near), isAside: false }
  const isOfProcedure = !isTitle && isSaid(words.procedure, isNear)
  const beside = isTitle ? free : isOfProcedure ? following(tokens, free, last) : besides(free, first, last)
  if (beside.length > 0) return { lots: idsOf(beside), isAside: !beside.some(({ from }) => isPartStart(tokens, from)) }
  // "das Los Rohbau wird aufgehoben"
  const isUnnumbered = !isTitle && !isOfProcedure && isSaid(words.before, isNear)
  return isUnnumbered || named.some(({ clause }) => staying.has(clause)) ? 'some' : 'whole'
}

/** What a notice that ends this does: whoever ends some lots without naming them hides none. */
export function actOfEnded(ended: Ended): Pick<ActReading, 'act' | 'of' | 'lotNumbers'> {
  if (ended === 'some') return { act: 'correction', of: 'call' }
  return { act: 'cancellation', ...(ended !== 'whole' && { lotNumbers: ended.lots }) }
}

/** What a cancellation ends, if a text says in other sentences that some lots stay. */
export function besideKept(ended: Ended, text: string, language: string): Ended {
  if (ended !== 'whole') return ended
  const list = textOf(text, language)
  const { clauses, staying } = clausesOf(list, groupsIn(list))
  const { before, after, bare } = list.words
  const nouns = [before, after, bare].flatMap((table) => positionsOf(table, list.tokens))
  return nouns.some((at) => staying.has(clauses[at]!)) ? 'some' : 'whole'
}

/** Whether a sentence names all lots. */
export const namesAllLots = (sentence: string, language: string): boolean =>
  findPhrase(lotWordsOf(language).whole, tokensOf(sentence, sentence.length)) !== undefined

/** The sentence around a place of a text, and the place in it. */
export function sentenceAround(text: string, place: Place): { readonly sentence: string; readonly ended: Place } {
  const base = Math.max(0, place.start - sentenceReach)
  const part = text.slice(base, place.end + sentenceReach)
  const [start, end] = [place.start - base, place.end - base]
  const ends = tokensOf(part, part.length).filter(({ word }) => word === '.' || word === '\n')
  const from = ends.findLast((each) => each.end <= start)?.end ?? 0
  const to = ends.find((each) => each.start >= end)?.start ?? part.length
  return { sentence: part.slice(from, to), ended: { start: start - from, end: end - from } }
}

/** What the first sentence of a text that ends something ends, those that name lots first. `said`: ways to say it. */
export function endedLotsOfText(text: string, language: string, { lot, text: anywhere, edge }: WordsOfAct): Ended {
  const tokens = tokensOf(text, text.length)
  const all = [lot, anywhere, edge]
    .flatMap((table) => (table ? findPhrases(table, tokens) : []))
    .map((found) => {
      const { sentence, ended } = sentenceAround(text, found)
      return endedLots(sentence, language, ended)
    })
  return all.find((each) => typeof each === 'object') ?? all.find((each) => each === 'some') ?? 'whole'
}

/**
 * Whether words for the end of a lot in a title are one statement, and not what is bought: "Aufhebung von Los 2",
 * "Los 2 wurde aufgehoben". `at` and `end` are positions of tokens.
 */
export function isLotStatement(title: string, language: string, tokens: readonly Token[], at: number, end: number) {
  const list = { text: title, tokens, words: lotWordsOf(language) }
  const { before, after, bare, whole } = list.words
  const isListed = listed(tokens, groupsIn(list))
  const between = tokens.map((_, position) => position).slice(at + 1, end - 1)
  const others = between.filter((position) => !isListed[position])
  const all = findPhrases(whole, tokens)
  const isOfAll = ({ start }: Token): boolean => all.some((phrase) => phrase.start <= start && start < phrase.end)
  const words = others.map((position) => tokens[position]!).filter((token) => !isSign(token))
  const hasSign = words.length < others.length || isSign(tokens[end - 2])
  if (words.length > 2 || (hasSign && words.length > 0)) return false
  const isLotFirst = [before, after, bare].some((table) => isPhrase(table, tokens, at))
  if (isLotFirst) return isAtEdge(tokens, at, end) && isPartEnd(tokens, end)
  return isPartStart(tokens, at) && words.every((token) => governs(token) || isOfAll(token))
}
