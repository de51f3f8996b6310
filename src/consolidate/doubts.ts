// What the notices of one tender say against each other, whatever joined them. Pure.
import type { Contradiction } from '../domain/contradiction.ts'
import { wordsOf } from '../domain/name-words.ts'
import type { Notice } from '../domain/notice.ts'
import { referenceNumbers } from './match/reference-numbers.ts'
import { plainText } from './match/title-text.ts'
import { numbersConflict } from './match/vetoes.ts'
import { isFirstCall, namedCallsOf, namesOtherCall } from './named-calls.ts'

/** Two notices of one tender by key, `left` < `right`. */
type Doubt = {
  readonly tenderId: string
  readonly kind: 'award-number' | 'named-call' | 'unlike'
  readonly left: string
  readonly right: string
  readonly contradiction: Contradiction
}

/** Maximum notices of a tender that are compared with each other. */
const maxCompared = 60

/** At most one pair of notices for each kind of doubt, the first by key. */
export function doubtsOf(tenderId: string, notices: readonly Notice[]): Doubt[] {
  const compared = notices.toSorted((a, b) => (a.noticeKey < b.noticeKey ? -1 : 1)).slice(0, maxCompared)
  if (compared.length < 2) return []
  const found = new Map<Doubt['kind'], Doubt>()
  const note = (kind: Doubt['kind'], a: Notice, b: Notice, contradiction: Contradiction): void => {
    const [left, right] = [a.noticeKey, b.noticeKey].sort() as [string, string]
    if (left !== right && !found.has(kind)) found.set(kind, { tenderId, kind, left, right, contradiction })
  }
  const numbers = compared.map(numbersOf)
  compared.forEach((a, at) => {
    compared.forEach((b, other) => {
      if (other > at && numbersConflict(numbers[at]!, numbers[other]!))
        note('award-number', a, b, {
          code: 'award-numbers',
          values: { left: numbers[at]!, right: numbers[other]! },
        })
      if (other > at) {
        const divisions = unlike(a, b)
        if (divisions) note('unlike', a, b, { code: 'unlike', values: divisions })
      }
    })
    const others = compared.filter((other) => other !== a)
    const named = namesOtherCall(namedCallsOf([a]), namedCallsOf(others))
    const call = others.find(isFirstCall)
    if (named !== undefined && call) note('named-call', a, call, { code: 'named-call', values: { keys: named } })
  })
  return [...found.values()]
}

/** The CPV divisions of two notices in one language whose titles and codes have nothing in common. */
function unlike(a: Notice, b: Notice): { readonly left: string[]; readonly right: string[] } | undefined {
  if (a.language !== b.language) return undefined
  const [left, right] = [divisionsOf(a), divisionsOf(b)]
  if (left.length === 0 || right.length === 0 || left.some((division) => right.includes(division))) return undefined
  const [mine, others] = [titleWords(a), titleWords(b)]
  if (mine.size < fewestWords || others.size < fewestWords || [...mine].some((word) => others.has(word)))
    return undefined
  return a.noticeKey < b.noticeKey ? { left, right } : { left: right, right: left }
}

/** Shorter titles tell too little. */
const fewestWords = 2
const shortWord = 4

const titleWords = ({ title, language }: Notice): ReadonlySet<string> =>
  new Set(wordsOf(plainText(title?.[language] ?? '')).filter((word) => word.length >= shortWord))

const divisionsOf = ({ cpvCodes, lots }: Notice): string[] =>
  [...new Set([...cpvCodes, ...lots.flatMap((lot) => lot.cpvCodes)].map((code) => code.slice(0, 2)))].sort()

function numbersOf({ internalReference, title, description, language }: Notice): string[] {
  const texts = [title, description].map((text) => text?.[language] ?? Object.values(text ?? {})[0] ?? '')
  return referenceNumbers([internalReference], texts.map(plainText))
}
