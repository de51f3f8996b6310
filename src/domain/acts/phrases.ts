// Phrases of a table found in a text, word by word: letters and accents are folded, so a table is written as people
// write.
import { foldText } from '../name-words.ts'

/**
 * A word of a text, or a sign: `:`, a line break, `|` for what else separates parts of a title, `.` for the end of a
 * sentence.
 */
export type Token = { readonly word: string; readonly start: number; readonly end: number }

/** Where a phrase was found, as offsets into the text. */
export type Found = { readonly phrase: string; readonly start: number; readonly end: number }

type Element =
  | { readonly kind: 'word' | 'prefix' | 'suffix'; readonly text: string }
  | { readonly kind: 'gap' }
  | { readonly kind: 'colon' }
  | { readonly kind: 'end' }

/** `elements` of each way to write the phrase. */
type Phrase = { readonly text: string; readonly elements: readonly Element[] }

/** Phrases by their first word, and those that begin with a part of a word. */
export type PhraseTable = {
  readonly byWord: ReadonlyMap<string, readonly Phrase[]>
  /** Those with this first word, then all others. */
  readonly beginning: ReadonlyMap<string, readonly Phrase[]>
  readonly others: readonly Phrase[]
}

/** How many words `…` may stand for. */
const longestGap = 8

const wordPattern = /[\p{L}\p{N}\p{M}]+|\n|[.!?](?=\s)|[^\p{L}\p{N}\p{M}\s]+/gu
/** Most words begin so, and show it faster. */
const asciiWord = /^[A-Za-z0-9]/
const separators = /[:;–—()[\]|/,_„“”"«»]/

/** The texts of one notice are read several times, for different phrases. Long ones are rare, and not kept. */
const maxRead = 16
const longestKept = 10_000
const lastRead = new Map<string, readonly Token[]>()

/** The words of the first `limit` characters, with the signs between them. */
export function tokensOf(text: string, limit: number): readonly Token[] {
  const part = text.slice(0, limit)
  const known = lastRead.get(part)
  if (known) return known
  const tokens = readTokens(part)
  if (part.length > longestKept) return tokens
  if (lastRead.size === maxRead) lastRead.clear()
  lastRead.set(part, tokens)
  return tokens
}

function readTokens(part: string): Token[] {
  const tokens: Token[] = []
  for (const { 0: found, index } of part.matchAll(wordPattern)) {
    const end = index + found.length
    if (asciiWord.test(found) || /[\p{L}\p{N}]/u.test(found)) {
      tokens.push({ word: foldText(found), start: index, end })
      continue
    }
    const before = tokens.at(-1)
    if (found === '\n') {
      if (before && before.word !== '\n') tokens.push({ word: '\n', start: index, end })
    } else if (/^[.!?]$/.test(found)) {
      // a point after a short word or before a small letter or a number belongs to an abbreviation
      const isAbbreviation =
        found === '.' && ((before?.word.length ?? 0) < 4 || !/^\s+[\p{Lu}„"«*\-–]/u.test(part.slice(end, end + 4)))
      if (!isAbbreviation) tokens.push({ word: '.', start: index, end })
    } else if (separators.test(found) || /^(?: |^)[-+*] $/.test(part.slice(Math.max(0, index - 1), end + 1)))
      tokens.push({ word: found === ':' ? ':' : '|', start: index, end })
  }
  return tokens
}

function elementsOf(text: string): Element[] {
  const parts = text.split(/\s+/).filter((part) => /[\p{L}\p{N}:$…]/u.test(part))
  return parts.flatMap((part): Element[] => {
    if (part === '…') return [{ kind: 'gap' }]
    if (part === ':') return [{ kind: 'colon' }]
    if (part === '$') return [{ kind: 'end' }]
    // a part with an apostrophe, a hyphen or a middle dot is several words of a text
    const words = part.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
    return words.map((each, index): Element => {
      const text = foldText(each)
      if (part.endsWith('*') && index === words.length - 1) return { kind: 'prefix', text }
      return { kind: part.startsWith('*') && index === 0 ? 'suffix' : 'word', text }
    })
  })
}

/** Phrases are separated by `;` or line ends; `a/b` in a word stands for either. */
export function phraseTable(lists: readonly string[]): PhraseTable {
  const byWord = new Map<string, Phrase[]>()
  const others: Phrase[] = []
  for (const text of lists.flatMap((list) => list.split(/[;\n]/)).map((each) => each.trim())) {
    if (text === '') continue
    for (const each of alternativesOf(text)) {
      const elements = elementsOf(each)
      const [first] = elements
      if (first?.kind === 'word') byWord.set(first.text, [...(byWord.get(first.text) ?? []), { text, elements }])
      else others.push({ text, elements })
    }
  }
  const beginning = new Map([...byWord].map(([word, phrases]) => [word, [...phrases, ...others]]))
  return { byWord, beginning, others }
}

function alternativesOf(text: string): string[] {
  return text
    .split(/\s+/)
    .reduce<string[]>(
      (sofar, part) => sofar.flatMap((start) => part.split('/').map((each) => `${start} ${each}`.trim())),
      [''],
    )
}

const isSeparator = ({ word }: Token): boolean => word === '|' || word === ':' || word === '\n'

/** Whether a part of the title ends here, maybe with a number. */
export function isPartEnd(tokens: readonly Token[], at: number): boolean {
  let position = at
  while (tokens[position] && /^\p{N}/u.test(tokens[position]!.word)) position++
  const after = tokens[position]
  return after === undefined || after.word === '.' || isSeparator(after)
}

/** The position after the phrase if it stands at `at`. A gap does not pass the end of a sentence. */
function endOf(elements: readonly Element[], index: number, tokens: readonly Token[], at: number): number | undefined {
  const element = elements[index]
  if (!element) return at
  if (element.kind === 'gap') {
    for (let skipped = 0; skipped <= longestGap; skipped++) {
      const end = endOf(elements, index + 1, tokens, at + skipped)
      if (end !== undefined) return end
      if (tokens[at + skipped]?.word === '.' || tokens[at + skipped]?.word === '\n') return undefined
    }
    return undefined
  }
  if (element.kind === 'colon') return tokens[at]?.word === ':' ? endOf(elements, index + 1, tokens, at + 1) : undefined
  if (element.kind === 'end') return isPartEnd(tokens, at) ? endOf(elements, index + 1, tokens, at) : undefined
  // other signs inside of a phrase do not count
  let position = at
  if (index > 0) while (tokens[position] && isSeparator(tokens[position]!)) position++
  const word = tokens[position]?.word
  if (word === undefined) return undefined
  const isEqual =
    element.kind === 'word'
      ? word === element.text
      : element.kind === 'prefix'
        ? word.startsWith(element.text)
        : word.endsWith(element.text)
  return isEqual ? endOf(elements, index + 1, tokens, position + 1) : undefined
}

/** The position after the longest of the phrases that begin at a position. */
export function phraseEnd(table: PhraseTable, tokens: readonly Token[], at: number): number | undefined {
  const phrases = [...(table.byWord.get(tokens[at]?.word ?? '') ?? []), ...table.others]
  const ends = phrases.flatMap(({ elements }) => endOf(elements, 0, tokens, at) ?? [])
  return ends.length > 0 ? Math.max(...ends) : undefined
}

/** Whether one of the phrases begins at a position. */
export const isPhrase = (table: PhraseTable, tokens: readonly Token[], at: number): boolean =>
  phraseEnd(table, tokens, at) !== undefined

const vocabularies = new WeakMap<readonly Token[], ReadonlySet<string>>()

function vocabularyOf(tokens: readonly Token[]): ReadonlySet<string> {
  const known = vocabularies.get(tokens) ?? new Set(tokens.map(({ word }) => word))
  vocabularies.set(tokens, known)
  return known
}

/** False if no phrase of the table begins in the text: a table has fewer first words than a text has words. */
function mayBegin({ byWord, others }: PhraseTable, tokens: readonly Token[]): boolean {
  if (others.length > 0 || byWord.size > tokens.length) return true
  const vocabulary = vocabularyOf(tokens)
  for (const word of byWord.keys()) if (vocabulary.has(word)) return true
  return false
}

/** The phrases that stand in a text, each place once. `isAllowed` tells positions of tokens. */
export function findPhrases(
  table: PhraseTable,
  tokens: readonly Token[],
  isAllowed: (at: number, end: number) => boolean = () => true,
  most = Number.POSITIVE_INFINITY,
): Found[] {
  const found: Found[] = []
  if (!mayBegin(table, tokens)) return found
  for (let at = 0; at < tokens.length && found.length < most; at++) {
    for (const { text, elements } of table.beginning.get(tokens[at]!.word) ?? table.others) {
      const end = endOf(elements, 0, tokens, at)
      if (end === undefined || !isAllowed(at, end)) continue
      // what ends a part of the title is a word of many uses: it counts only if it is the whole part
      if (elements.at(-1)!.kind === 'end' && !isPartStart(tokens, at)) continue
      found.push({ phrase: text, start: tokens[at]!.start, end: tokens[end - 1]!.end })
      break
    }
  }
  return found
}

/** The first of them. */
export const findPhrase = (
  table: PhraseTable,
  tokens: readonly Token[],
  isAllowed?: (at: number, end: number) => boolean,
): Found | undefined => findPhrases(table, tokens, isAllowed, 1)[0]

/**
 * What may stand before the phrase that a title begins with: kinds of announcements, articles, numbers. The title says
 * then what the notice is, and not what is bought.
 */
const opening = new Set(
  foldText(
    `eu european europaweite nationale freiwillige offentliche offizielle die der das den ein eine zur bekanntmachung hinweis information
    mitteilung uber auf veroffentlichung zu zum nr no n ref the a an notice of on avis de du d des la le l aviso anuncio avviso di del
    della dell esito annuncio anuncio oznámení o zawiadomienie ogloszenie hirdetmeny tajekoztatas anunt privind obavijest obavestenje
    obvestilo skelbimas apie pazinojums par teade ilmoitus meddelande om meddelelse kunngjoring bekendtgorelse ανακοινωση διακηρυξη
    обявление за повідомлення про aankondiging van een het voluntary volontaire volontario voluntario uo ue`,
  ).split(/\s+/),
)

/** Before these the phrase is a thing that is bought: "Durchführung einer Markterkundung". */
const governing = new Set(
  foldText(
    `der des dem den die das einer eines einem eine ein zur zum für fur von vom bei mit nach und oder im in am inkl inklusive the a an of for and
    to by with in de du des la le les l d un une pour et en del di della dell dei per il lo i un una e con para por el los y da do dos
    das van het een voor en na z ze do i w dla k na pro s a o az és es si din pentru la za i u z in ir uz un ja of og av til av och för
    for om på af η ο το του της των για και με на за и с по в`,
  ).split(/\s+/),
)

/** Whether a word only joins a noun to the one before. */
export const governs = ({ word }: Token): boolean => governing.has(word)

/** Whether a part of the title begins here, as far as openings do not count. */
export function isPartStart(tokens: readonly Token[], at: number): boolean {
  let before = at - 1
  while (before >= 0 && (opening.has(tokens[before]!.word) || /\p{N}/u.test(tokens[before]!.word))) before--
  return before < 0 || tokens[before]!.word === '.' || isSeparator(tokens[before]!)
}

/** Whether a phrase touches the beginning or the end of a part of the title, so that it speaks of the notice itself. */
export function isAtEdge(tokens: readonly Token[], at: number, end: number): boolean {
  return isPartStart(tokens, at) || (isPartEnd(tokens, end) && !governing.has(tokens[at - 1]!.word))
}

/** Whether the phrase begins the text, as far as openings do not count. */
export function isAtStart(tokens: readonly Token[], at: number): boolean {
  return tokens
    .slice(0, at)
    .every((token) => opening.has(token.word) || isSeparator(token) || /\p{N}/u.test(token.word))
}
