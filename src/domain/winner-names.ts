// Texts that stand where the name of a winner belongs and name nobody: "Lot infructueux", "nicht vergeben". The words
// are in data/nobody-words.txt, by language; a name counts only if all its words are among them, so that companies
// whose names contain such a word stay.
import { readFileSync } from 'node:fs'
import { hasLegalForm, plainName } from './companies/legal-forms.ts'
import { foldText } from './name-words.ts'

/**
 * `void`: nothing was awarded; `pointer`: somebody won, who is named elsewhere or not at all; `name`: anything else,
 * also a name with such words beside it.
 */
export type WinnerName = 'void' | 'pointer' | 'name'

type Words = { readonly has: (word: string) => boolean }

/**
 * The words of one language. `says` alone says that nothing was awarded, and so does one of `no` with one of `of`
 * ("kein" with "Angebot"); `beside` may stand beside them, and anything after one of `because`.
 */
type Language = {
  readonly says: Words
  readonly no: Words
  readonly of: Words
  readonly beside: Words
  readonly because: Words
}

/** The words of a name; `S. L.` is one word. */
const wordsIn = (name: string): string[] => foldText(plainName(name)).match(/[\p{L}\p{N}]+/gu) ?? []

/** Words of a line of the table; one that ends with `*` stands for all that begin so. */
function wordsOfLine(line: string): Words {
  const exact = new Set<string>()
  const stems = new Set<string>()
  for (const entry of line.split(' ').filter(Boolean)) {
    const [word] = wordsIn(entry)
    if (word !== undefined) (entry.endsWith('*') ? stems : exact).add(word)
  }
  const hasStem = (word: string): boolean => {
    for (let end = 2; end <= word.length; end++) if (stems.has(word.slice(0, end))) return true
    return false
  }
  return { has: (word) => exact.has(word) || (stems.size > 0 && hasStem(word)) }
}

function readTable() {
  const lines = new Map(
    readFileSync(new URL('./data/nobody-words.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(': ', 2) as [string, string]),
  )
  const of = (name: string): Words => wordsOfLine(lines.get(name) ?? '')
  const codes = [...new Set([...lines.keys()].map((name) => name.split(' ')[0]!))].filter((code) => code !== '*')
  const languages = codes.map(
    (code): Language => ({
      says: of(`${code} says`),
      no: of(`${code} no`),
      of: of(`${code} of`),
      beside: of(`${code} beside`),
      because: of(`${code} because`),
    }),
  )
  const phrases = new Set(
    lines
      .get('* pointer')!
      .split('|')
      .map((phrase) => wordsIn(phrase).join(' ')),
  )
  return {
    languages,
    /** All words with which such a text may begin. */
    first: wordsOfLine(
      [...lines].flatMap(([name, line]) => (/ (?:says|no|of|beside|lots)$/.test(name) ? [line] : [])).join(' '),
    ),
    phrases,
    lots: of('* lots'),
    many: of('* many'),
    companies: of('* companies'),
    see: of('* see'),
    where: of('* where'),
  }
}

const table = readTable()

/** A number, a letter, `2a`, a Roman numeral. */
const isNumbering = (word: string): boolean => word.length === 1 || /\d/.test(word) || /^[ivx]+$/.test(word)

/** Whether the words say in this language that nothing was awarded. */
function saysNothing(words: readonly string[], { says, no, of, beside, because }: Language): boolean {
  let isNegated = false
  let isAbout = false
  let isSaid = false
  for (const [index, word] of words.entries()) {
    if ((isSaid || (isNegated && isAbout)) && because.has(word)) return !hasLegalForm(words.slice(index))
    const [ends, negates, names] = [says.has(word), no.has(word), of.has(word)]
    isSaid ||= ends
    isNegated ||= negates
    isAbout ||= names
    if (!(ends || negates || names || beside.has(word) || table.lots.has(word) || isNumbering(word))) return false
  }
  return isSaid || (isNegated && isAbout)
}

function isVoid(words: readonly string[]): boolean {
  const [first] = words
  if (first === undefined || !(table.first.has(first) || isNumbering(first))) return false
  return table.languages.some((language) => saysNothing(words, language))
}

function isPointer(words: readonly string[]): boolean {
  if (table.phrases.has(words.join(' '))) return true
  if (words.some((word) => table.many.has(word)))
    return words.every((word) => table.many.has(word) || table.companies.has(word))
  const [first, ...rest] = words
  return (
    first !== undefined && table.see.has(first) && rest.some((word) => table.where.has(word)) && !hasLegalForm(rest)
  )
}

/** What a text means that stands where the name of a winner belongs. */
export function winnerNameOf(name: string): WinnerName {
  const words = wordsIn(name)
  if (isVoid(words)) return 'void'
  // a remark in brackets gives the reason
  const [before, remark] = name.split('(', 2)
  if (remark !== undefined && before!.trim() !== '' && isVoid(wordsIn(before!)) && !hasLegalForm(wordsIn(remark)))
    return 'void'
  return isPointer(words) ? 'pointer' : 'name'
}
