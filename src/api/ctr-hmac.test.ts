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

test('D28: seals as AES-256-CTR from block 1, then HMAC-SHA-256 over header and ciphertext, cut to 16 bytes', () => {
  fc.assert(
    fc.property(shapes, ({ key, header, content }) => {
      const { message, seal } = createCtrHmac(key, header.length, content.length)
      message.set(header)
      message.set(content, header.length)
      seal()
      const { encryption, authentication } = keysOf(key)
      const counter = Buffer.from([...header.subarray(-nonceLength), 0, 0, 0, 1])
      const text = createCipheriv('aes-256-ctr', encryption, counter).update(content)
      const sealed = Buffer.concat([header, text])
      const tag = createHmac('sha256', authentication).update(sealed).digest().subarray(0, tagLength)
      expect(message.toString('hex')).toBe(Buffer.concat([sealed, tag]).toString('hex'))
    }),
  )
})

test('D28: opens what it sealed, whatever it sealed before, and gives the content back', () => {
  fc.assert(
    fc.property(shapes, bytes(32), ({ key, header, content }, other) => {
      const first = createCtrHmac(key, header.length, content.length)
      first.message.set(header)
      first.message.set(content, header.length)
      first.seal()
      const sealed = Buffer.from(first.message)
      first.message.fill(0)
      first.seal()
      first.message.set(sealed)
      expect(first.open()).toBe(true)
      expect(first.message.subarray(header.length, -tagLength)).toEqual(Buffer.from(content))
      const second = createCtrHmac(other, header.length, content.length)
      second.message.set(sealed)
      expect(second.open()).toBe(Buffer.from(key).equals(other))
    }),
  )
})

test('C53: a message with one bit turned, anywhere, is not opened', () => {
  const { message, seal, open } = createCtrHmac(new Uint8Array(32).fill(5), 17, 40)
  message.fill(9)
  seal()
  const sealed = Buffer.from(message)
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    message.set(sealed)
    message[bit >> 3]! ^= 1 << (bit & 7)
    expect(open()).toBe(false)
  }
})
