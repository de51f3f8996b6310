// AES-256-CTR, then HMAC-SHA-256 over what came out (encrypt-then-MAC, the scheme of Tink's AES256_CTR_HMAC_SHA256), for short
// messages of one length. Both are put together from one-shot calls here: an AEAD of Node takes an object of OpenSSL for each
// message, which takes twice as long (docs/decisions/0034-short-way.md).
import { createCipheriv, hash, hkdfSync, timingSafeEqual } from 'node:crypto'

export const nonceLength = 12
export const tagLength = 16
const blockLength = 16
/** Of SHA-256: HMAC fills its key up to a block (RFC 2104). */
const macBlockLength = 64
const digestLength = 32
/** Nonces are drawn and encrypted in bulk: so many take four times as long as one. */
const drawnAtOnce = 64

/**
 * Seals one message after the other in `message`: `headerLength` bytes in the clear whose last 12 are the nonce, then the content,
 * then room for the tag.
 */
export type CtrHmac = {
  /** To be filled, and read, by the caller, but for the nonce and the tag; the next call overwrites it. */
  readonly message: Buffer
  /** The content in `message`. */
  readonly content: Buffer
  /** Writes a nonce that was never used, encrypts the content in its place and writes the tag. */
  readonly seal: () => void
  /** Whether the tag is right; then the content lies decrypted in its place. */
  readonly open: () => boolean
}

/** The two keys of one of 32 bytes (RFC 5869), so that encryption and authentication share none. */
export function keysOf(key: Uint8Array): { readonly encryption: Buffer; readonly authentication: Buffer } {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', `cursor ${purpose}`, 32))
  return { encryption: derive('encryption'), authentication: derive('authentication') }
}

/** `key` holds 32 bytes, lengths are bytes; `randomBytes` gives the nonces, 64 at a time. */
export function createCtrHmac(
  key: Uint8Array,
  headerLength: number,
  contentLength: number,
  randomBytes: (count: number) => Uint8Array,
): CtrHmac {
  const { encryption, authentication } = keysOf(key)
  // CTR is the block cipher over a counter: the same cipher serves every message, as it keeps nothing between two blocks.
  const blocks = createCipheriv('aes-256-ecb', encryption, null).setAutoPadding(false)
  const streamLength = Math.ceil(contentLength / blockLength) * blockLength
  const nonceAt = headerLength - nonceLength
  const counters = Buffer.alloc(drawnAtOnce * streamLength)
  for (let at = 0; at < counters.length; at += blockLength)
    counters.writeUInt32BE((at % streamLength) / blockLength + 1, at + nonceLength)
  const counter = Buffer.from(counters.subarray(0, streamLength))
  let nonces: Uint8Array = new Uint8Array()
  let streams = counters
  let drawn = drawnAtOnce

  // HMAC: the hash of the outer key and the hash of the inner key and the text.
  const sealedLength = headerLength + contentLength
  const room = Buffer.alloc(macBlockLength + sealedLength + tagLength)
  const message = room.subarray(macBlockLength)
  const content = message.subarray(headerLength, sealedLength)
  const inner = room.subarray(0, macBlockLength + sealedLength)
  const outer = Buffer.alloc(macBlockLength + digestLength)
  inner.fill(0x36, 0, macBlockLength)
  outer.fill(0x5c, 0, macBlockLength)
  for (const [index, byte] of authentication.entries()) {
    inner[index]! ^= byte
    outer[index]! ^= byte
  }
  const expected = Buffer.alloc(tagLength)
  const tag = message.subarray(sealedLength)

  function writeNonce(target: Buffer, start: number, from: Uint8Array, offset: number): void {
    for (let at = start; at < start + streamLength; at += blockLength)
      for (let index = 0; index < nonceLength; index++) target[at + index] = from[offset + index]!
  }

  function draw(): void {
    nonces = randomBytes(drawnAtOnce * nonceLength)
    for (let index = 0; index < drawnAtOnce; index++)
      writeNonce(counters, index * streamLength, nonces, index * nonceLength)
    streams = blocks.update(counters)
    drawn = 0
  }

  function addStream(stream: Buffer, offset: number): void {
    for (let index = 0; index < contentLength; index++) content[index]! ^= stream[offset + index]!
  }

  /** Strings, as a digest in a buffer of its own costs more than the hash. */
  function writeTag(target: Buffer): void {
    outer.write(hash('sha256', inner, 'binary'), macBlockLength, 'latin1')
    target.write(hash('sha256', outer, 'binary'), 0, tagLength, 'latin1')
  }

  return {
    message,
    content,
    seal: () => {
      if (drawn === drawnAtOnce) draw()
      for (let index = 0; index < nonceLength; index++) message[nonceAt + index] = nonces[drawn * nonceLength + index]!
      addStream(streams, drawn++ * streamLength)
      writeTag(tag)
    },
    open: () => {
      writeTag(expected)
      if (!timingSafeEqual(expected, tag)) return false
      writeNonce(counter, 0, message, nonceAt)
      addStream(blocks.update(counter), 0)
      return true
    },
  }
}
