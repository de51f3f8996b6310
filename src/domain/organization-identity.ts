// Who an organization is: whether its national id looks like an identifier, and whether two names can be of one
// organization. Authorities write "Romania", "PL", "DE401" or "n/a" where the id belongs, and the id of the buyer where
// the winner's belongs. Everything that takes a national id for an identity asks here.
import { distinguishingWords, wordsOf, wordsOverlap } from './name-words.ts'
import { plainText } from './plain-text.ts'

/** What an identity is decided by; organizations of notices and of records have it. */
export type Identified = {
  readonly name: string
  readonly nationalId?: string | undefined
  readonly country?: string | undefined
  readonly postalCode?: string | undefined
}

const placeholder = /^(?:(.)\1*|(?:TBD|NA|NONE|UNKNOWN|KEINEANGABE|NICHTVORHANDEN|ORG|TPO|TEST)\d*)$/
/** Digits in their order, from which keyboards take numbers that do not exist. */
const orders = ['01234567890', '9876543210'] as const
/** Numbers of German registers, which every court has; with the court they are identifiers. */
const withoutCourt = /^(?:HR[AB]|GNR|VR|PR)\d+$/
/** A mail address, a masked number (`***1234**`), a number of a year (`45/2018`). */
const otherForms = /[@*?]|^\d{1,5}\/\d{1,4}$/
/** Minimum number of digits, and of digits in a row where words are beside them: `Bahnhofsplatz 19`, `DE212`. */
const leastDigits = 4
const leastBesideWords = 5

/**
 * The national id as a key: letters and digits in upper case, without the country's VAT prefix. Undefined for what does
 * not look like an identifier: names, addresses, countries, regions, placeholders, masked numbers.
 */
export function identifierOf({ nationalId, country, postalCode }: Omit<Identified, 'name'>): string | undefined {
  if (nationalId === undefined) return undefined
  const text = plainText(nationalId).trim().replace(/^t:/i, '')
  if (otherForms.test(text)) return undefined
  let key = keyOf(text)
  if (key.startsWith('VAT')) key = key.slice(3)
  if (country !== undefined && key.startsWith(country) && /^\d{5,}/.test(key.slice(2))) key = key.slice(2)
  if (placeholder.test(key) || withoutCourt.test(key) || orders.some((order) => order.includes(key))) return undefined
  if (postalCode !== undefined && key === keyOf(postalCode)) return undefined
  return hasDigitsOfNumber(text) ? key : undefined
}

const keyOf = (text: string): string => text.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '')

function hasDigitsOfNumber(text: string): boolean {
  const runs = (text.match(/\d(?:[ .-]?\d)*/g) ?? []).map((run) => run.replace(/\D/g, '').length)
  const digits = runs.reduce((sum, run) => sum + run, 0)
  if (digits < leastDigits) return false
  return !/\p{L}{5}/u.test(text) || Math.max(...runs) >= leastBesideWords
}

/**
 * Whether two names cannot be of one organization: they share too few distinguishing words, and neither is the initials
 * of the other. Names in two languages contradict each other, too: it is only known that nothing confirms them.
 */
export function namesContradict(a: string, b: string): boolean {
  const [ours, theirs] = [distinguishingWords(a), distinguishingWords(b)]
  return !wordsOverlap(ours, theirs) && !hasInitials(ours, b) && !hasInitials(theirs, a)
}

/** `ADIF` of `Administrador de Infraestructuras Ferroviarias`, `DTU` of `Danmarks Tekniske Universitet`. */
function hasInitials(words: ReadonlySet<string>, name: string): boolean {
  const [all, telling] = [wordsOf(name), [...distinguishingWords(name)]].map((list) =>
    list.map((word) => word.charAt(0)).join(''),
  )
  return [...words].some((word) => word.length > 2 && (word === all || word === telling))
}

/**
 * Whether the national id of both says that they are one organization: it looks like an identifier, the countries do
 * not differ, and the names do not contradict.
 */
export function haveSameIdentity(a: Identified, b: Identified): boolean {
  const id = identifierOf(a)
  if (id === undefined || id !== identifierOf(b)) return false
  return (a.country ?? b.country) === (b.country ?? a.country) && !namesContradict(a.name, b.name)
}
