// Redactions: rules that take a person's mail address, phone number or name out of notices and records. A rule holds
// keyed hashes of the values, not the values themselves. Pure; docs/privacy.md says what is found and what is not.
import { isUtf8 } from 'node:buffer'
import { createHash, createHmac } from 'node:crypto'
import { domainToASCII, domainToUnicode } from 'node:url'
import { decodeHTML } from 'entities'
import { plainText, type ReadText, readText, type Span } from './plain-text.ts'

const redactionKinds = ['email', 'phone', 'name'] as const
export type RedactionKind = (typeof redactionKinds)[number]

/** One value that is redacted. */
export type RedactionRule = {
  readonly kind: RedactionKind
  /** Number of words of a name; 1 for the other kinds. */
  readonly words: number
  /** HMAC-SHA-256 of each normalized form of the value, hexadecimal. */
  readonly hashes: readonly string[]
  /** 16 bits of each form, from a fast keyed function: text that does not match them need not be hashed. */
  readonly sieve: readonly number[]
}

/** Written into a text in place of what was removed. */
const redactedMark = '[redacted]'
export const hasRedaction = (text: string): boolean => text.includes(redactedMark)

/**
 * Contact members are removed as a whole when something in them is redacted: a part of an address is not an address.
 */
const contactMembers: ReadonlySet<string> = new Set([
  'contactName',
  'email',
  'phone',
  'url',
  'buyerProfileUrl',
  'documentsUrl',
  'submissionUrl',
])
/** These identify notices, records, codes and times, and link notices: they are never changed. */
const structuralMembers: ReadonlySet<string> = new Set([
  'id',
  'hitId',
  'noticeKey',
  'publisher',
  'format',
  'profile',
  'noticeId',
  'noticeVersion',
  'publicationNumber',
  'procedureId',
  'lotId',
  'formType',
  'noticeType',
  'noticeSubtype',
  'language',
  'languages',
  'cpvCodes',
  'nutsCodes',
  'nutsCode',
  'publicationDate',
  'firstPublicationDate',
  'dispatchDate',
  'submissionDate',
  'participationDate',
  'interestDate',
  'validityEnd',
  'lastModified',
  'checkedAt',
  'mergedInto',
  'references',
])

export type Redactor = {
  /** False when there are no rules: nothing changes then. */
  readonly isActive: boolean
  readonly text: (text: string) => string
  /**
   * A copy without what is redacted; the value itself when there is nothing to redact. `found` is called with the path
   * of each string that changed.
   */
  readonly value: <Value>(value: Value, found?: (path: string) => void) => Value
  /** Does the same for JSON; returns the text itself when there is nothing to redact. */
  readonly json: (json: string) => string
  /**
   * A document for people. Undefined when it holds a value that cannot be cut out because it is escaped or split by
   * tags.
   */
  readonly document: (bytes: Uint8Array) => Uint8Array | undefined
}

/** A value in all the forms that are searched for. */
type Normalized = { readonly kind: RedactionKind; readonly words: number; readonly forms: readonly string[] }

const fewestPhoneDigits = 6
const maxPhoneDigits = 17
const maxNameWords = 10

/** Lower case, umlauts as two letters, other letters without their marks. Takes plain text. */
function folded(text: string): string {
  return text
    .toLowerCase()
    .replace(/ä|æ/g, 'ae')
    .replace(/ö|ø|œ/g, 'oe')
    .replace(/ü/g, 'ue')
    .replace(/ß/g, 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
}

/** Length of the country code at the beginning of an international number (E.164). */
function countryCodeLength(digits: string): number {
  if (/^[17]/.test(digits)) return 1
  return /^(?:2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/.test(digits) ? 2 : 3
}

/** Thrown for a value that would redact nothing or too much; the message says what to do. */
export class RedactionValueError extends Error {}

function emailForms(value: string): Normalized {
  const form = plainText(value).trim().toLowerCase()
  if (!/^[^\s@]{1,64}@[^\s@]+\.[^\s@]+$/.test(form))
    throw new RedactionValueError('--email takes one mail address, such as jane@example.org.')
  const [local, domain] = form.split('@') as [string, string]
  // the same host in letters and in ASCII; empty when it is no host
  const domains = [domain, domainToASCII(domain), domainToUnicode(domain)].filter((each) => each !== '')
  return { kind: 'email', words: 1, forms: [...new Set(domains.map((each) => `${local}@${each}`))] }
}

function phoneForms(value: string): Normalized {
  const text = plainText(value)
  const international = /^\s*(?:\+|00)/.test(text)
  const digits = plainDigits(text)
  if (digits.length < fewestPhoneDigits || digits.length > maxPhoneDigits)
    throw new RedactionValueError("--phone takes one number of 6 to 17 digits, such as '+49 30 1234567'.")
  // a number written without the country code is the same number
  const national = international ? digits.slice(countryCodeLength(digits)) : ''
  return { kind: 'phone', words: 1, forms: national.length >= fewestPhoneDigits ? [digits, national] : [digits] }
}

/** Without separators, the zero in brackets, and leading zeros. */
const plainDigits = (text: string): string => text.replace(/\(0\)/g, '').replace(/\D/g, '').replace(/^0+/, '')

const nameWord = /[\p{L}\p{M}]+/gu
/** What is between two spaces of a name: a hyphen or an apostrophe does not end it. */
const namePart = /[\p{L}\p{M}]+(?:['-]+[\p{L}\p{M}]+)*/gu
/** Between what was moved to the front of a name and the rest. */
const joint = ', '

function nameForms(value: string): Normalized {
  const parts =
    plainText(value)
      .match(namePart)
      ?.map((part) => part.match(nameWord)!.map(folded)) ?? []
  const words = parts.flat().length
  if (parts.length < 2)
    throw new RedactionValueError(
      "--name takes a first and a last name, such as 'Jane Doe'; one word alone would hit too much.",
    )
  if (words > maxNameWords)
    throw new RedactionValueError(`--name takes one name of at most ${maxNameWords} words, such as 'Jane Doe'.`)
  const wordsFrom = (from: number, to?: number) => parts.slice(from, to).flat().join(' ')
  const rotations = parts.slice(1).map((_, index) => wordsFrom(index + 1) + joint + wordsFrom(0, index + 1))
  return { kind: 'name', words, forms: [...new Set([wordsFrom(0), ...rotations])] }
}

const formsOf = { email: emailForms, phone: phoneForms, name: nameForms } as const

const hashOf = (key: Uint8Array, kind: RedactionKind, form: string): string =>
  createHmac('sha256', key).update(`${kind}:${form}`).digest('hex')

/** Start value of the fast function: it cannot be computed without the key. */
const seedOf = (key: Uint8Array): number => createHmac('sha256', key).update('sieve').digest().readInt32LE()

const sieveBits = 16

/** FNV-1a from the seed, folded to 16 bits. */
function sieveOf(seed: number, form: string): number {
  let hash = seed
  for (let index = 0; index < form.length; index++) hash = Math.imul(hash ^ form.charCodeAt(index), 16777619)
  return (hash ^ (hash >>> sieveBits)) & ((1 << sieveBits) - 1)
}

/** The rule for a value. Throws RedactionValueError. */
export function redactionRule(key: Uint8Array, kind: RedactionKind, value: string): RedactionRule {
  const { words, forms } = formsOf[kind](value)
  const seed = seedOf(key)
  return {
    kind,
    words,
    hashes: forms.map((form) => hashOf(key, kind, form)).sort(),
    sieve: forms.map((form) => sieveOf(seed, form)).sort((a, b) => a - b),
  }
}

/** The same for the same values in any order: redacting them twice makes one redaction. */
export function redactionId(rules: readonly RedactionRule[]): string {
  const hashes = rules.flatMap((rule) => rule.hashes).sort()
  return createHash('sha256').update(hashes.join(' ')).digest('hex').slice(0, 16)
}

/** A part of a text that may be a value, with the forms in which it may have been given. */
type Candidate = Span & { readonly forms: readonly string[] }

// Every pattern is bounded, so that no text takes more than linear time.

/** The sign of a mail address; it may be escaped, or written out. */
const atPattern = /\s?@\s?|%40|&#64;|&#x40;|\\u0040|\s?[([{]\s?(?:at|ät)\s?[)\]}]\s?/giu
const maxLocalLetters = 64
const localPattern = /[^\s<>"'(),;:[\]|=?&/@]+$/u
const domainPattern = /[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/uy

function* emailsIn({ plain }: ReadText): Generator<Candidate> {
  for (const at of plain.matchAll(atPattern)) {
    const before = localPattern.exec(plain.slice(Math.max(0, at.index - maxLocalLetters), at.index))?.[0]
    domainPattern.lastIndex = at.index + at[0].length
    const domain = domainPattern.exec(plain)?.[0]
    if (before === undefined || domain === undefined) continue
    const local = before.replace(/^[^\p{L}\p{N}]+/u, '')
    const start = at.index - local.length
    for (const host of hostsIn(domain)) {
      const forms = [`${local}@${host}`.toLowerCase()]
      yield { start, end: at.index + at[0].length + host.length, forms }
    }
  }
}

/** A sentence may continue without a space: `jane@example.org.Please`; `jane@example.org.uk` is another address. */
function* hostsIn(domain: string): Generator<string> {
  const labels = domain.split('.')
  for (let count = labels.length; count >= 2; count--) {
    yield labels.slice(0, count).join('.')
    if (/^\p{Ll}/u.test(labels[count - 1]!)) return
  }
}

const phoneGap = /^[\s()/.+-]{1,4}$/
const maxPhoneGroups = 9

function* phonesIn({ plain: text }: ReadText): Generator<Candidate> {
  const groups = [...text.matchAll(/\d{1,18}/g)].map((match) => ({
    digits: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }))
  for (const [index, first] of groups.entries()) {
    let digits = ''
    for (const [count, group] of groups.slice(index, index + maxPhoneGroups).entries()) {
      if (count > 0 && !phoneGap.test(text.slice(groups[index + count - 1]!.end, group.start))) break
      // +49 (0)30
      if (group.digits === '0' && text[group.start - 1] === '(' && text[group.end] === ')') continue
      // leading zeros are dialed by some callers and not by others
      digits = digits === '' ? group.digits.replace(/^0+/, '') : digits + group.digits
      if (digits.length > maxPhoneDigits) break
      if (digits.length < fewestPhoneDigits) continue
      const start = text[first.start - 1] === '+' ? first.start - 1 : first.start
      yield { start, end: group.end, forms: [digits] }
    }
  }
}

/** Between two words of a name. */
const nameGap = /^\s*(?:[,;./|_'-]\s*){0,3}$/
/**
 * Where a name begins again with its first word: a comma, a space, or one sign alone. The end of a sentence or of a
 * line, and `; ` or ` / `, stand between two people.
 */
const jointGap = /^(?:[^\S\n]*,\s*|[^\S\n]+|[;./|_])$/
const maxGap = 20

type Word = Span & {
  readonly word: string
  /** What stands between it and the word before; undefined when they cannot be of one name. */
  readonly gap: string | undefined
}

function wordsIn(plain: string): Word[] {
  let end = 0
  return [...plain.matchAll(nameWord)].map(({ 0: word, index: start }) => {
    const between = start - end <= maxGap ? plain.slice(end, start) : undefined
    const gap = between !== undefined && nameGap.test(between) ? between : undefined
    end = start + word.length
    return { start, end, word: folded(word), gap }
  })
}

function* namesIn(text: ReadText, counts: readonly number[]): Generator<Candidate> {
  const words = wordsIn(text.plain)
  const longest = Math.max(...counts)
  for (const [index, { start }] of words.entries()) {
    let name = words[index]!.word
    for (let count = 2; count <= longest; count++) {
      const last = words[index + count - 1]
      if (last?.gap === undefined) break
      name += ` ${last.word}`
      const candidate = { start, end: last.end }
      if (!counts.includes(count) || isBound(text, candidate)) continue
      yield { ...candidate, forms: [name, ...rotationsOf(words.slice(index, index + count))] }
    }
  }
}

function* rotationsOf(words: readonly Word[]): Generator<string> {
  for (let at = 1; at < words.length; at++) {
    if (!jointGap.test(words[at]!.gap!)) continue
    const join = (part: readonly Word[]) => part.map(({ word }) => word).join(' ')
    yield join(words.slice(0, at)) + joint + join(words.slice(at))
  }
}

/** Whether a hyphen makes it a part of a longer name: `Jane Doe-Smith` is not Jane Doe. A dash binds nothing. */
function isBound({ plain, written, spanOf }: ReadText, { start, end }: Span): boolean {
  const isHyphen = (at: number) => {
    const span = spanOf({ start: at, end: at + 1 })
    return /[-\u2010\u2011\ufe63\uff0d]/.test(written.slice(span.start, span.end))
  }
  return (
    (/[\p{L}\p{M}]-$/u.test(plain.slice(Math.max(0, start - 2), start)) && isHyphen(start - 1)) ||
    (/^-[\p{L}\p{M}]/u.test(plain.slice(end, end + 2)) && isHyphen(end))
  )
}

/**
 * What a person sees of a document: without the escapes of XML, HTML and JSON, and without tags, which separate words
 * in the first text and not in the second.
 */
function shownOf(document: string): readonly string[] {
  return [' ', ''].map((tag) =>
    decodeHTML(decodeHTML(document.replace(/<[^<>]{0,2000}>/g, tag)))
      .replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replace(/\\[nrt/]/g, ' ')
      .replace(/[^\S\n]+/g, ' '),
  )
}

/** Maps every text of a value that is not structural; the value itself when all stay the same. */
function mapTexts(value: unknown, path: string, map: (text: string, path: string) => string): unknown {
  if (typeof value === 'string') return map(value, path)
  if (Array.isArray(value)) {
    const mapped = value.map((each) => mapTexts(each, path, map))
    return mapped.some((each, index) => each !== value[index]) ? mapped : value
  }
  if (typeof value !== 'object' || value === null) return value
  let changed: { [name: string]: unknown } | undefined
  for (const [name, member] of Object.entries(value)) {
    if (structuralMembers.has(name)) continue
    const mapped = mapTexts(member, path === '' ? name : `${path}.${name}`, map)
    if (mapped === member) continue
    changed ??= { ...value }
    if (contactMembers.has(name) && typeof member === 'string') delete changed[name]
    else changed[name] = mapped
  }
  return changed ?? value
}

/** A place that may mean a person although it has none of the spellings: a person has to look at it. */
export type Suspect = {
  /** The members in which the text is. */
  readonly path: string
  readonly text: string
}

/** Maximum number of other words between two words of a name that may be one. */
const maxWordsBetween = 3

/**
 * Finds where all words of one of the names stand close to each other, in any order. Call it with what a redaction has
 * left. Throws RedactionValueError.
 */
export function suspectFinder(names: readonly string[]): (value: unknown) => Suspect[] {
  const wanted = names.map((name) => new Set(nameForms(name).forms[0]!.split(' ')))
  // the longest word of a name is the rarest
  const byWord = Map.groupBy(wanted, (words) => [...words].sort((a, b) => b.length - a.length)[0]!)
  return (value) => {
    const suspects: Suspect[] = []
    mapTexts(value, '', (written, path) => {
      const text = readText(written)
      const words = wordsIn(text.plain)
      for (const name of new Set(words.flatMap(({ word }) => byWord.get(word) ?? [])))
        for (const part of closeWords(words, name)) {
          const { start, end } = text.spanOf(part)
          suspects.push({ path, text: written.slice(start, end) })
        }
      return written
    })
    return suspects
  }
}

function* closeWords(words: readonly Word[], wanted: ReadonlySet<string>): Generator<Span> {
  /** The latest place of each word since they were last too far from each other. */
  const seen = new Map<string, number>()
  let before = 0
  for (const [index, { word, end }] of words.entries()) {
    if (!wanted.has(word)) continue
    if (index - before > maxWordsBetween + 1) seen.clear()
    before = index
    seen.set(word, index)
    if (seen.size < wanted.size) continue
    yield { start: words[Math.min(...seen.values())]!.start, end }
    seen.clear()
  }
}

const inactive: Redactor = {
  isActive: false,
  text: (text) => text,
  value: (value) => value,
  json: (json) => json,
  document: (bytes) => bytes,
}

/** Applies the rules of a stock, which were made with this key. */
export function redactor(key: Uint8Array, rules: readonly RedactionRule[]): Redactor {
  if (rules.length === 0) return inactive
  const seed = seedOf(key)
  const known = new Map(
    redactionKinds.map((kind) => {
      const own = rules.filter((rule) => rule.kind === kind)
      const sieve = new Set(own.flatMap((rule) => rule.sieve))
      return [kind, { sieve, hashes: new Set(own.flatMap((rule) => rule.hashes)) }] as const
    }),
  )
  const isKnown = (kind: RedactionKind, { forms }: Candidate): boolean => {
    const { sieve, hashes } = known.get(kind)!
    return forms.some((form) => sieve.has(sieveOf(seed, form)) && hashes.has(hashOf(key, kind, form)))
  }
  const has = (kind: RedactionKind): boolean => known.get(kind)!.hashes.size > 0
  const [hasEmails, hasPhones, hasNames] = [has('email'), has('phone'), has('name')]
  const nameWords = [...new Set(rules.filter(({ kind }) => kind === 'name').map(({ words }) => words))]

  const foundIn = (text: ReadText): Span[] => {
    const found: Span[] = []
    const note = (kind: RedactionKind, candidates: Iterable<Candidate>) => {
      for (const candidate of candidates) if (isKnown(kind, candidate)) found.push(text.spanOf(candidate))
    }
    if (hasEmails && text.plain.length > 5) note('email', emailsIn(text))
    if (hasPhones && /\d/.test(text.plain)) note('phone', phonesIn(text))
    if (hasNames) note('name', namesIn(text, nameWords))
    return found.sort((a, b) => a.start - b.start || b.end - a.end)
  }
  const textWithout = (text: string): string => {
    const found = foundIn(readText(text))
    if (found.length === 0) return text
    let clean = ''
    let at = 0
    for (const { start, end } of found) {
      if (start >= at) clean += text.slice(at, start) + redactedMark
      at = Math.max(at, end)
    }
    return clean + text.slice(at)
  }
  const clean = <Value>(value: Value, found?: (path: string) => void): Value =>
    mapTexts(value, '', (text, path) => {
      const mapped = textWithout(text)
      if (mapped !== text) found?.(path)
      return mapped
    }) as Value
  return {
    isActive: true,
    text: textWithout,
    value: clean,
    json: (json) => {
      const value: unknown = JSON.parse(json)
      const mapped = clean(value)
      return mapped === value ? json : JSON.stringify(mapped)
    },
    document: (bytes) => {
      // bytes that cannot be checked may contain anything
      if (bytes.includes(0)) return undefined
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const encoding = isUtf8(buffer) ? 'utf8' : 'latin1'
      const text = buffer.toString(encoding)
      const shown = textWithout(text)
      if (shownOf(shown).some((each) => foundIn(readText(each)).length > 0)) return undefined
      return shown === text ? bytes : Buffer.from(shown, encoding)
    },
  }
}
