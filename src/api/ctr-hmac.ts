// AES-256-CTR, then HMAC-SHA-256 over what came out (encrypt-then-MAC, the scheme of Tink's AES256_CTR_HMAC_SHA256), for short
// messages of one length. Both are put together from one-shot calls here: an AEAD of Node takes an object of OpenSSL for each
// message, which costs four times as much as its arithmetic.
import { createCipheriv, hash, hkdfSync, timingSafeEqual } from 'node:crypto'

export const nonceLength = 12
export const tagLength = 16
const blockLength = 16
/** Of SHA-256: HMAC fills its key up to a block (RFC 2104). */
const macBlockLength = 64
const digestLength = 32

/**
 * Seals one message after the other in `message`, which is `headerLength` bytes in the clear whose last 12 are the nonce, then
 * the content, then room for the tag.
 */
export type CtrHmac = {
  /** Header, content, tag: to be filled, and read, by the caller; the next call overwrites it. */
  readonly message: Buffer
  /** Encrypts the content in its place and writes the tag. A nonce is never to be used twice with a key. */
  readonly seal: () => void
  /** Whether the tag is right; then the content lies decrypted in its place. */
  readonly open: () => boolean
}

/** The two keys of one of 32 bytes (RFC 5869), so that encryption and authentication share none. */
export function keysOf(key: Uint8Array): { readonly encryption: Buffer; readonly authentication: Buffer } {
  const derive = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', `cursor ${purpose}`, 32))
  return { encryption: derive('encryption'), authentication: derive('authentication') }
}

export function createCtrHmac(key: Uint8Array, headerLength: number, contentLength: number): CtrHmac {
  const { encryption, authentication } = keysOf(key)
  // CTR is the block cipher over a counter: the same cipher serves every message, as it keeps nothing between two blocks.
  const blocks = createCipheriv('aes-256-ecb', encryption, null).setAutoPadding(false)
  const counters = Buffer.alloc(Math.ceil(contentLength / blockLength) * blockLength)
  for (let block = 0; block * blockLength < counters.length; block++)
    counters.writeUInt32BE(block + 1, block * blockLength + nonceLength)

  // HMAC: the hash of the outer key and the hash of the inner key and the text.
  const sealedLength = headerLength + contentLength
  const room = Buffer.alloc(macBlockLength + sealedLength + tagLength)
  const message = room.subarray(macBlockLength)
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

  function addKeyStream(): void {
    for (let start = 0; start < counters.length; start += blockLength)
      for (let index = 0; index < nonceLength; index++)
        counters[start + index] = message[headerLength - nonceLength + index]!
    const stream = blocks.update(counters)
    for (let index = 0; index < contentLength; index++) message[headerLength + index]! ^= stream[index]!
  }

  /** Strings, as a digest in a buffer of its own costs more than the hash. */
  function writeTag(target: Buffer): void {
    outer.write(hash('sha256', inner, 'binary'), macBlockLength, 'latin1')
    target.write(hash('sha256', outer, 'binary'), 0, tagLength, 'latin1')
  }

  return {
    message,
    seal: () => {
      addKeyStream()
      writeTag(tag)
    },
    open: () => {
      writeTag(expected)
      if (!timingSafeEqual(expected, tag)) return false
      addKeyStream()
      return true
    },
  }
}
