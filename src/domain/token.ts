// API tokens: `tdr_live_`, 30 random base62 characters (178 bits), 6 base62 characters of their CRC-32.
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Prefix of every token, so that scanners for leaked secrets recognize it. */
export const tokenPrefix = 'tdr_live_'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 30
const checksumLength = 6
const tokenPattern = /^tdr_live_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/
/**
 * The largest multiple of 62 in a byte: larger bytes and this one are dropped, so that all characters are equally
 * likely.
 */
const fairBytes = 248

/** A new token from strong random bytes. */
export function makeToken(randomBytes: (count: number) => Uint8Array): string {
  let text = ''
  while (text.length < randomLength) {
    for (const byte of randomBytes(randomLength - text.length)) if (byte < fairBytes) text += alphabet[byte % 62]
  }
  return tokenPrefix + text + checksumOf(text)
}

/**
 * Whether the text has the form of a token and its checksum matches: garbage is refused without a query of the store.
 */
export function isWellFormedToken(text: string): boolean {
  const match = tokenPattern.exec(text)
  return match !== null && checksumOf(match[1]!) === match[2]
}

/** SHA-256, hex: what the store keeps. No slow hash is needed for 178 random bits. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}

function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let position = 0; position < checksumLength; position++) {
    digits = alphabet[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
