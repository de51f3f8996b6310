// Redactions: rules that take a person's mail address, phone number or name out of notices and records. A rule holds
// keyed hashes of the values, not the values themselves. Pure; docs/privacy.md says what is found and what is not.
import { isUtf8 } from 'node:buffer'
import { createHash, createHmac } from 'node:crypto'

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
const maxNameWords = 6

/** Lower case, umlauts as two letters, other letters without their marks. */
function folded(text: string): string {
  return text
    .normalize('NFKC')
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
  const form = value.trim().normalize('NFKC').toLowerCase()
  if (!/^[^\s@]{1,64}@[^\s@]+\.[^\s@]+$/.test(form))
    throw new RedactionValueError('--email takes one mail address, such as jane@example.org.')
  return { kind: 'email', words: 1, forms: [form] }
}

function phoneForms(value: string): Normalized {
  const international = /^\s*(?:\+|00)/.test(value)
  const digits = plainDigits(value)
  if (digits.length < fewestPhoneDigits || digits.length > maxPhoneDigits)
    throw new RedactionValueError("--phone takes one number of 6 to 17 digits, such as '+49 30 1234567'.")
  // a number written without the country code is the same number
  const national = international ? digits.slice(countryCodeLength(digits)) : ''
  return { kind: 'phone', words: 1, forms: national.length >= fewestPhoneDigits ? [digits, national] : [digits] }
}

/** Without separators, the zero in brackets, and leading zeros. */
const plainDigits = (text: string): string => text.replace(/\(0\)/g, '').replace(/\D/g, '').replace(/^0+/, '')

function nameForms(value: string): Normalized {
  const words = [...value.matchAll(/[\p{L}\p{M}]+/gu)].map(([word]) => folded(word))
  if (words.length < 2 || words.length > maxNameWords)
    throw new RedactionValueError(
      "--name takes a first and a last name, such as 'Jane Doe'; one word alone would hit too much.",
    )
  const reversed = [words.at(-1)!, ...words.slice(0, -1)]
  return { kind: 'name', words: words.length, forms: [...new Set([words.join(' '), reversed.join(' ')])] }
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
type Candidate = { readonly start: number; readonly end: number; readonly forms: readonly string[] }

// Every pattern is bounded, so that no text takes more than linear time.

/** The sign of a mail address; it may be escaped, or written out. */
const atPattern = /@|%40|&#64;|&#x40;|\\u0040|\s?[([{]\s?(?:at|ät)\s?[)\]}]\s?/giu
const maxLocalLetters = 64
const localPattern = /[^\s<>"'(),;:[\]|=?&/@]+$/u
const domainPattern = /[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/uy

function* emailsIn(text: string): Generator<Candidate> {
  for (const at of text.matchAll(atPattern)) {
    const before = localPattern.exec(text.slice(Math.max(0, at.index - maxLocalLetters), at.index))?.[0]
    domainPattern.lastIndex = at.index + at[0].length
    const domain = domainPattern.exec(text)?.[0]
    if (before === undefined || domain === undefined) continue
    const local = before.replace(/^[^\p{L}\p{N}]+/u, '')
    const labels = domain.split('.')
    // a sentence may continue without a space: jane@example.org.Please
    const forms = labels
      .slice(1)
      .map((_, index) => `${local}@${labels.slice(0, index + 2).join('.')}`.normalize('NFKC').toLowerCase())
    yield { start: at.index - local.length, end: domainPattern.lastIndex, forms }
  }
}

const phoneGap = /^[ \t\u00a0()/.\-–+]{1,4}$/
const maxPhoneGroups = 9

function* phonesIn(text: string): Generator<Candidate> {
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

const nameGap = /^[\s,;./|_–-]{1,4}$/u

function* namesIn(text: string, counts: readonly number[]): Generator<Candidate> {
  const words = [...text.matchAll(/[\p{L}\p{M}]+/gu)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    word: folded(match[0]),
  }))
  const longest = Math.max(...counts)
  for (const [index, first] of words.entries()) {
    let name = first.word
    for (let count = 2; count <= longest; count++) {
      const [before, next] = [words[index + count - 2]!, words[index + count - 1]]
      if (!next || !nameGap.test(text.slice(before.end, next.start))) break
      name += ` ${next.word}`
      if (counts.includes(count)) yield { start: first.start, end: next.end, forms: [name] }
    }
  }
}

/** Resolves the escapes of XML, HTML and JSON and removes tags: what a person sees of the document. */
function plainOf(document: string): string {
  return document
    .replace(/<[^<>]{0,2000}>/g, ' ')
    .replace(/&#(\d{1,7});|&#x([0-9a-f]{1,6});|\\u([0-9a-f]{4})/gi, (whole, decimal, hex, json) => {
      const code = decimal === undefined ? Number.parseInt(hex ?? json, 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole
    })
    .replace(/&commat;/gi, '@')
    .replace(/&nbsp;|\\[nrt/]/g, ' ')
    .replace(/[^\S\n]+/g, ' ')
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

  const foundIn = (text: string): Candidate[] => {
    const found: Candidate[] = []
    const note = (kind: RedactionKind, candidates: Iterable<Candidate>) => {
      for (const candidate of candidates) if (isKnown(kind, candidate)) found.push(candidate)
    }
    if (hasEmails && text.length > 5) note('email', emailsIn(text))
    if (hasPhones && /\d/.test(text)) note('phone', phonesIn(text))
    if (hasNames) note('name', namesIn(text, nameWords))
    return found.sort((a, b) => a.start - b.start || b.end - a.end)
  }
  const textWithout = (text: string): string => {
    const found = foundIn(text)
    if (found.length === 0) return text
    let clean = ''
    let at = 0
    for (const { start, end } of found) {
      if (start >= at) clean += text.slice(at, start) + redactedMark
      at = Math.max(at, end)
    }
    return clean + text.slice(at)
  }
  const walk = (value: unknown, path: string, found?: (path: string) => void): unknown => {
    if (typeof value === 'string') {
      const clean = textWithout(value)
      if (clean !== value) found?.(path)
      return clean
    }
    if (Array.isArray(value)) {
      const clean = value.map((each) => walk(each, path, found))
      return clean.some((each, index) => each !== value[index]) ? clean : value
    }
    if (typeof value !== 'object' || value === null) return value
    let changed: { [name: string]: unknown } | undefined
    for (const [name, member] of Object.entries(value)) {
      if (structuralMembers.has(name)) continue
      const clean = walk(member, path === '' ? name : `${path}.${name}`, found)
      if (clean === member) continue
      changed ??= { ...value }
      if (contactMembers.has(name) && typeof member === 'string') delete changed[name]
      else changed[name] = clean
    }
    return changed ?? value
  }
  return {
    isActive: true,
    text: textWithout,
    value: (value, found) => walk(value, '', found) as typeof value,
    json: (json) => {
      const value: unknown = JSON.parse(json)
      const clean = walk(value, '')
      return clean === value ? json : JSON.stringify(clean)
    },
    document: (bytes) => {
      // bytes that cannot be checked may contain anything
      if (bytes.includes(0)) return undefined
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const encoding = isUtf8(buffer) ? 'utf8' : 'latin1'
      const text = buffer.toString(encoding)
      const clean = textWithout(text)
      if (foundIn(plainOf(clean)).length > 0) return undefined
      return clean === text ? bytes : Buffer.from(clean, encoding)
    },
  }
}
