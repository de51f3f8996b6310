import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemRandom } from '../platform/random.ts'
import { hashToken, isWellFormedToken, makeToken } from './token.ts'

test('D53: a token has the published form and its checksum fits', () => {
  for (let count = 0; count < 200; count++) {
    const token = makeToken(systemRandom.bytes)
    expect(token).toMatch(/^tdr_live_[0-9A-Za-z]{36}$/)
    expect(isWellFormedToken(token)).toBe(true)
  }
})

test('a token with one character changed is refused without a query of the store', () => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 30, maxLength: 30, max: 247 }),
      fc.nat(35),
      fc.constantFrom(...alphabet),
      (bytes, position, character) => {
        const token = makeToken(() => bytes)
        const at = 'tdr_live_'.length + position
        const changed = token.slice(0, at) + character + token.slice(at + 1)
        expect(isWellFormedToken(changed)).toBe(changed === token)
      },
    ),
  )
  expect(isWellFormedToken('')).toBe(false)
  expect(isWellFormedToken(`${makeToken(systemRandom.bytes)}\n`)).toBe(false)
})

test('bytes that would favor some characters are dropped', () => {
  let call = 0
  const bytes = (count: number) => new Uint8Array(count).fill(call++ === 0 ? 255 : 61)
  expect(makeToken(bytes)).toMatch(/^tdr_live_z{30}/)
})

test('the hash is SHA-256 in hex', () => {
  expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
