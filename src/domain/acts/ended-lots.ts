// The lots that a cancellation ends, if it names some and not the whole: "Los 2 wird aufgehoben".
import { lotWordsOf } from './act-words.ts'
import { findPhrase, findPhrases, isPhrase, type PhraseTable, type Token, tokensOf } from './phrases.ts'

/** Lots that stand together, as positions of tokens. */
type Group = { readonly from: number; readonly to: number; readonly numbers: readonly number[] }

const isNumber = (token: Token | undefined): boolean => token !== undefined && /^\d{1,4}$/.test(token.word)
const isSign = (token: Token | undefined): boolean => token !== undefined && /^[|:]$/.test(token.word)

/** Between the noun and its number: `Los Nr. 2`, `lot n° 2`, `lote núm. 2`. */
const numberWords = new Set(
  'n nr no num numero nummer number numer c č cislo číslo br stev št sz αρ αριθ бр ном'.split(' '),
)
/** Between numbers of a list. */
const listWords = new Set('und u and et e ed y i en och og ja a és es si și ir un in και и та і oraz plus'.split(' '))
/** More lots in a row than a range can mean. */
const longestRange = 60

/** The numbers from a position on, with those that words or signs join to them. */
function numbersFrom(text: string, tokens: readonly Token[], at: number, upTo: PhraseTable): Group | undefined {
  let next = at
  while (numberWords.has(tokens[next]?.word ?? '') || isSign(tokens[next])) next++
  if (!isNumber(tokens[next]) || next > at + 2) return undefined
  const numbers = [Number(tokens[next]!.word)]
  for (;;) {
    const before = tokens[next]!
    let follower = next + 1
    let isRange = false
    while (tokens[follower] && !isNumber(tokens[follower])) {
      const token = tokens[follower]!
      isRange ||= isPhrase(upTo, tokens, follower)
      if (!isRange && !listWords.has(token.word) && text.slice(token.start, token.end) !== ',') break
      if (follower > next + 2) break
      follower++
    }
    const after = tokens[follower]
    if (!isNumber(after)) break
    const between = text.slice(before.end, after!.start)
    isRange ||= /^\s?[-–—]\s?$/.test(between)
    // numbers beside each other are a list only if something says so
    if (follower === next + 1 && !isRange && !/[.,+&/]/.test(between)) break
    const number = Number(after!.word)
    const last = numbers.at(-1)!
    if (isRange && number > last && number - last <= longestRange)
      for (let each = last + 1; each < number; each++) numbers.push(each)
    numbers.push(number)
    next = follower
  }
  return { from: at, to: next, numbers }
}

/** The numbers that stand before a noun: `2. és 3. rész`, `2 pirkimo dalis`. */
function numbersBefore(
  text: string,
  tokens: readonly Token[],
  noun: number,
  upTo: PhraseTable,
): (Group & { readonly last: number }) | undefined {
  const last = isNumber(tokens[noun - 1]) ? noun - 1 : noun - 2
  if (!isNumber(tokens[last]) || (last !== noun - 1 && isSign(tokens[noun - 1]))) return undefined
  for (let from = Math.max(0, last - 12); from <= last; from++) {
    const group = isNumber(tokens[from]) ? numbersFrom(text, tokens, from, upTo) : undefined
    if (group?.to === last) return { from, to: noun, last, numbers: group.numbers }
  }
  return undefined
}

function groupsIn(text: string, tokens: readonly Token[], language: string): Group[] {
  const { before, after, bare, upTo } = lotWordsOf(language)
  return tokens.flatMap((_, at) => {
    const [isOrdinal, isBare] = [isPhrase(after, tokens, at), isPhrase(bare, tokens, at)]
    const found = isOrdinal || isBare ? numbersBefore(text, tokens, at, upTo) : undefined
    // "2 části" are two parts, "2. část" is the second
    if (found && (isBare || /^\d+\./.test(text.slice(tokens[found.last]!.start)))) return [found]
    const group = isPhrase(before, tokens, at) ? numbersFrom(text, tokens, at + 1, upTo) : undefined
    return group ? [{ from: at, to: group.to, numbers: group.numbers }] : []
  })
}

/** The numbers of all lots that a text names. */
export function lotNumbersIn(text: string, language: string): string[] {
  const groups = groupsIn(text, tokensOf(text, text.length), language)
  return [...new Set(groups.flatMap(({ numbers }) => numbers.map(String)))]
}

/**
 * The lots that a sentence, or a title, ends; undefined if it names none, or the whole. `ended` is where it says so, in
 * characters: lots of the same clause count, and those of other clauses only if that clause has none.
 */
export function endedLots(
  sentence: string,
  language: string,
  ended: { readonly start: number; readonly end: number },
): readonly string[] | undefined {
  const tokens = tokensOf(sentence, sentence.length)
  const groups = groupsIn(sentence, tokens, language)
  if (groups.length === 0) return undefined
  const { whole } = lotWordsOf(language)
  if (findPhrase(whole, tokens)) return undefined
  const isInList = (at: number): boolean => groups.some(({ from, to }) => from <= at && at <= to)
  const clauseOf = (place: number): number => {
    const position = tokens.findIndex(({ end }) => end > place)
    return tokens.slice(0, Math.max(0, position)).filter((token, at) => isSign(token) && !isInList(at)).length
  }
  const clauses = [clauseOf(ended.start), clauseOf(ended.end - 1)]
  const near = groups.filter(({ from }) => {
    const clause = clauseOf(tokens[from]!.start)
    return clause >= clauses[0]! && clause <= clauses[1]!
  })
  const counted = near.length > 0 ? near : groups
  return [...new Set(counted.flatMap(({ numbers }) => numbers.map(String)))]
}

/** The sentence around a place of a text, and the place in it. */
export function sentenceAround(text: string, place: { readonly start: number; readonly end: number }) {
  const ends = tokensOf(text, text.length).filter(({ word }) => word === '.' || word === '\n')
  const from = ends.findLast(({ end }) => end <= place.start)?.end ?? 0
  const to = ends.find(({ start }) => start >= place.end)?.start ?? text.length
  return { sentence: text.slice(from, to), ended: { start: place.start - from, end: place.end - from } }
}

/** The lots that the first sentence of a text that says so ends. `said` are the ways to say it. */
export function endedLotsOfText(
  text: string,
  language: string,
  said: readonly PhraseTable[],
): readonly string[] | undefined {
  const tokens = tokensOf(text, text.length)
  for (const found of said.flatMap((table) => findPhrases(table, tokens))) {
    const { sentence, ended } = sentenceAround(text, found)
    const lots = endedLots(sentence, language, ended)
    if (lots) return lots
  }
  return undefined
}
