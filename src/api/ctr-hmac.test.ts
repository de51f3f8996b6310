// The seal of cursors against Node's own AES-256-CTR and HMAC-SHA-256: the same bytes, and nothing altered is opened.
import { createCipheriv, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCtrHmac, keysOf, nonceLength, tagLength } from './ctr-hmac.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const shapes = fc.record({
  key: bytes(32),
  header: fc.integer({ min: nonceLength, max: 40 }).chain(bytes),
  content: fc.integer({ min: 1, max: 200 }).chain(bytes),
})

const sealedMost = 150

/** Bytes of which no twelve in a row come twice within a test. */
function rising() {
  let next = 0
  return (count: number) => {
    const drawn = Buffer.alloc(count)
    for (let at = 0; at + 4 <= count; at += 4) drawn.writeUInt32BE(next++, at)
    return drawn
  }
}

test('D28: seals as AES-256-CTR from block 1, then HMAC-SHA-256 over header and ciphertext, cut to 16 bytes', () => {
  fc.assert(
    fc.property(shapes, ({ key, header, content }) => {
      const sealer = createCtrHmac(key, header.length, content.length, rising())
      const { encryption, authentication } = keysOf(key)
      const nonces = new Set<string>()
      // more than are drawn at once
      for (let count = 0; count < sealedMost; count++) {
        sealer.message.set(header)
        sealer.content.set(content)
        sealer.seal()
        const nonce = sealer.message.subarray(header.length - nonceLength, header.length)
        nonces.add(nonce.toString('hex'))
        const text = createCipheriv('aes-256-ctr', encryption, Buffer.from([...nonce, 0, 0, 0, 1])).update(content)
        const sealed = Buffer.concat([header.subarray(0, -nonceLength), nonce, text])
        const tag = createHmac('sha256', authentication).update(sealed).digest().subarray(0, tagLength)
        expect(sealer.message.toString('hex')).toBe(Buffer.concat([sealed, tag]).toString('hex'))
      }
      expect(nonces.size).toBe(sealedMost)
    }),
  )
})

test('D28: opens what it sealed, whatever it sealed before, and gives the content back', () => {
  fc.assert(
    fc.property(shapes, bytes(32), ({ key, header, content }, other) => {
      const first = createCtrHmac(key, header.length, content.length, rising())
      first.message.set(header)
      first.content.set(content)
      first.seal()
      const sealed = Buffer.from(first.message)
      first.message.fill(0)
      first.seal()
      first.message.set(sealed)
      expect(first.open()).toBe(true)
      expect(first.content).toEqual(Buffer.from(content))
      const second = createCtrHmac(other, header.length, content.length, rising())
      second.message.set(sealed)
      expect(second.open()).toBe(Buffer.from(key).equals(other))
    }),
  )
})

test('C53: a message with one bit turned, anywhere, is not opened', () => {
  const { message, seal, open } = createCtrHmac(new Uint8Array(32).fill(5), 17, 40, rising())
  message.fill(9)
  seal()
  const sealed = Buffer.from(message)
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    message.set(sealed)
    message[bit >> 3]! ^= 1 << (bit & 7)
    expect(open()).toBe(false)
  }
})
