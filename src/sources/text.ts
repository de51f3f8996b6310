// How all parsers read text, addresses and amounts out of a document: one set of rules, so that the same words from two
// portals become the same words in the stock.
import { decodeHTML } from 'entities'
import type { Money } from '../domain/notice.ts'

/** Maximum length of a text in a record, in UTF-16 units: a title, and a description (BT-24 allows 10,000). */
export const titleLimit = 2_000
export const descriptionLimit = 20_000
/** Maximum characters of names, numbers and addresses. */
export const fieldLimit = 1_000

const entityPattern = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,30});/
const markup = [
  'p|br|div|span|b|i|u|s|em|strong|strike|small|big|center|ul|ol|li|dl|dt|dd|font|h[1-6]|table|thead|tbody|tfoot',
  'tr|td|th|col|colgroup|caption|blockquote|pre|a|img|sup|sub|hr|o:p',
]
const markupPattern = new RegExp(String.raw`<\/?(?:${markup.join('|')})(?:\s[^<>]{0,4000})?\/?>`, 'gi')
const breakingMarkup = /^<\/?(?:p|br|div|ul|ol|li|dl|dt|dd|h|table|tr|td|th|caption|blockquote|pre)/i
/** What no reader of a page sees, with its content. */
const invisible = [
  [/<!--/g, /-->/g],
  [/<style[\s>]/gi, /<\/style\s*>/gi],
  [/<script[\s>]/gi, /<\/script\s*>/gi],
] as const

/** Without comments, styles and scripts, in time linear to the text; one that does not end stays. */
function withoutInvisible(text: string): string {
  let visible = text
  for (const [open, close] of invisible) {
    let kept = ''
    let from = 0
    open.lastIndex = 0
    for (let start = open.exec(visible); start !== null; start = open.exec(visible)) {
      close.lastIndex = open.lastIndex
      if (close.exec(visible) === null) break
      kept += `${visible.slice(from, start.index)} `
      from = close.lastIndex
      open.lastIndex = from
    }
    visible = kept + visible.slice(from)
  }
  return visible
}

// Controls but tab and line feed, byte order marks, zero-width and bidirectional marks; NUL would break PostgreSQL's
// text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g

/** Entities decoded at most twice (some portals encode twice), and only where there are some. */
export function decodeEntities(text: string): string {
  let decoded = text
  for (let round = 0; round < 2 && entityPattern.test(decoded); round++) decoded = decodeHTML(decoded)
  return decoded
}

function cap(text: string, limit: number): string {
  if (text.length <= limit) return text
  const isHighSurrogate = (text.charCodeAt(limit - 2) & 0xfc00) === 0xd800
  return `${text.slice(0, isHighSurrogate ? limit - 2 : limit - 1).trimEnd()}…`
}

/**
 * What ordinary text has none of: markup, entities, controls, double spaces, spaces around a line end, three line ends,
 * and characters that NFC may change (outside Latin before the combining marks, Greek and Cyrillic).
 */
const needsCleaning =
  /[^\n\x20-\x25\x27-\x3b\x3d-\x7e\u00a1-\u02ff\u0388-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20ac]| [ \n]|\n (?! )|\n{3}/

/**
 * A text of several lines as published: entities decoded, simple HTML markup dropped, NFC, controls gone, spaces within
 * a line and runs of empty lines folded, trimmed, at most `limit` units long. Undefined if no readable text is left.
 */
export function cleanText(raw: string | undefined, limit: number = descriptionLimit): string | undefined {
  if (!raw) return undefined
  if (raw.length <= limit) {
    const trimmed = raw.trim()
    if (!needsCleaning.test(trimmed)) return trimmed === '' ? undefined : trimmed
  }
  // A text far over the limit is cut before decoding, which bounds the work on a hostile text.
  let text = raw.length > limit * 8 ? raw.slice(0, limit * 8) : raw
  if (text.includes('&')) text = decodeEntities(text)
  if (text.includes('<'))
    text = withoutInvisible(text).replace(markupPattern, (tag) => (breakingMarkup.test(tag) ? '\n' : ''))
  text = text
    .toWellFormed()
    .normalize('NFC')
    .replace(/\r\n?|\u2028|\u2029/g, '\n')
    .replace(unprintable, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  return text === '' ? undefined : cap(text, limit)
}

/** A text of one line: as cleanText, with line breaks folded to spaces. */
export function cleanLine(raw: string | undefined, limit: number = fieldLimit): string | undefined {
  const text = cleanText(raw, limit)
  return text?.includes('\n') ? text.replace(/\s+/g, ' ') : text
}

const placeholders = new Set([
  'unpublished',
  'n/a',
  'na',
  'n.a.',
  'n.a',
  'tbd',
  'tbc',
  'none',
  'null',
  'nil',
  'undefined',
  'unknown',
  'not applicable',
  'not available',
  'not specified',
  'keine',
  'keine angabe',
  'k.a.',
  'entfällt',
  'nicht vorhanden',
  'nicht bekannt',
  'unbekannt',
  'sans objet',
  'nessuno',
  'nessuna',
  'ninguno',
  'ninguna',
  'no aplica',
  'no definido',
  'no definida',
  'no especificado',
  'no especificada',
  'no disponible',
  'sin definir',
  'sin descripcion',
  'sin descripción',
  'não informado',
  'não se aplica',
  'não aplicável',
  'non renseigné',
  'non communiqué',
  'non applicabile',
  'nan',
  'brak',
  'nie dotyczy',
  'nvt',
  'n.v.t.',
  'xxx',
  '_default_value_change_me_',
])

const longestPlaceholder = Math.max(...[...placeholders].map((word) => word.length))

/** Words and signs that mean "unknown": `TBD`, `n/a`, `-`, `unpublished`, `0000`. */
export function isPlaceholder(text: string): boolean {
  const trimmed = text.trim()
  return (
    (trimmed.length <= longestPlaceholder && placeholders.has(trimmed.toLowerCase())) ||
    !/[\p{L}\p{N}]/u.test(trimmed) ||
    /^[0.\s-]+$/.test(text)
  )
}

/** A one-line field that counts as missing when it holds only a placeholder. */
export function cleanField(raw: string | undefined, limit: number = fieldLimit): string | undefined {
  const text = cleanLine(raw, limit)
  return text === undefined || isPlaceholder(text) ? undefined : text
}

/**
 * Addresses that every parser of URLs takes: a host of letters and no credentials. Parsing costs as much as all other
 * steps on a text together.
 */
const ordinaryUrl = /^https?:\/\/(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z]{2,24}(?:[/?#]|$)/i

/**
 * An http(s) address as published, with `https://` before a bare host and with one scheme where there are several. Of
 * an address and a sentence the address is left. Undefined for other schemes, for free text and for addresses with
 * credentials, so that no client receives `javascript:` or a password.
 */
export function cleanUrl(raw: string | undefined): string | undefined {
  const text = addressIn(cleanLine(raw, 2_048))
  if (!text || text.endsWith('…')) return undefined
  if (ordinaryUrl.test(text) && !/xn--/i.test(text)) return text
  const full = /^https?:\/\//i.test(text)
    ? text.replace(/^(?:https?:\/\/)+(?=https?:\/\/)/i, '')
    : /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z]{2,24}(?::\d{1,5})?(?:[/?#]|$)/i.test(text)
      ? `https://${text}`
      : undefined
  const url = full === undefined ? null : URL.parse(full)
  return url?.username === '' && url.password === '' && url.hostname.includes('.') ? full : undefined
}

/** Without signs in front and prose behind. A blank between the last slash and a single word is a slip of the buyer. */
function addressIn(line: string | undefined): string | undefined {
  const text = line?.replace(/^[<>"'\s]+/, '')
  if (!text || !/\s/.test(text)) return text
  const [, address, rest] = /^(https?:\/\/\S+)\s+(\S.*)$/i.exec(text) ?? []
  if (address === undefined || rest === undefined) return undefined
  return address.endsWith('/') && /^[\w-]+$/.test(rest) ? address + rest : address.replace(/[,;.)>"']+$/, '')
}

/**
 * An e-mail address as published, the first of several, without `mailto:`; undefined if it does not have the form of
 * one.
 */
export function cleanEmail(raw: string | undefined): string | undefined {
  const text = cleanLine(raw, 254)?.replace(/^mailto:\s*/i, '')
  return text && /^([^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;.]+)(?:[\s,;].*@.*)?$/.exec(text)?.[1]
}

/**
 * A number as people write it: `1234.5`, `468 500` with any kind of space, `1 234,50`, `1.234.567,8`. Undefined when
 * the text is no plain number or too large for a record; hence never NaN or infinite.
 */
export function parseAmount(raw: string | undefined): number | undefined {
  if (!raw || raw.length > 60) return undefined
  let text = raw.replace(/[\s\u00a0\u2007\u2009\u200a\u202f'’]/g, '')
  if (!/^[+-]?\d[\d.,]*$/.test(text)) return undefined
  const comma = text.lastIndexOf(',')
  const dot = text.lastIndexOf('.')
  if (comma >= 0 && dot >= 0) {
    // The later of the two signs separates the decimals.
    text = comma > dot ? text.replaceAll('.', '').replace(',', '.') : text.replaceAll(',', '')
  } else if (comma >= 0) {
    // One comma that is not followed by exactly three digits separates decimals; `1,234` and `1,234,567` are thousands.
    text = /^[+-]?\d{1,3}(?:,\d{3})+$/.test(text) ? text.replaceAll(',', '') : text.replace(',', '.')
  } else if (/^[+-]?\d{1,3}(?:\.\d{3}){2,}$/.test(text)) {
    text = text.replaceAll('.', '')
  }
  if (!/^[+-]?\d+(?:\.\d*)?$/.test(text)) return undefined
  const value = Number(text)
  return Math.abs(value) <= 1e15 ? value : undefined
}

/**
 * An amount with its currency; undefined for sentinels (negative, 0, 0.01, 1), absurd sizes (over 10^13: more than any
 * contract in any currency of the list) and a missing currency.
 */
export function toMoney(amount: number | undefined, currency: string | undefined): Money | undefined {
  const code = currency?.trim().toUpperCase()
  if (amount === undefined || !Number.isFinite(amount) || amount <= 1 || amount > 1e13) return undefined
  if (!code || !/^[A-Z]{3}$/.test(code) || code === 'XXX') return undefined
  return { value: Math.round(amount * 100) / 100, currency: code }
}
