import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { multiply, shiftFactor, unshiftFactor } from './crc.ts'

/** CRC of left + right, from the CRC of each and the length of the right one. */
const combineCrc = (left: number, right: number, rightLength: number): number =>
  (multiply(left, shiftFactor(rightLength)) ^ right) >>> 0

const bytes = fc.uint8Array({ maxLength: 400 })

test('the CRC of two joined texts is that of the whole', () => {
  fc.assert(
    fc.property(bytes, bytes, (left, right) => {
      const whole = crc32(Buffer.concat([left, right]))
      expect(combineCrc(crc32(left), crc32(right), right.length)).toBe(whole)
    }),
  )
})

test('the CRC is correct for records of any length, beyond the table too', () => {
  for (const length of [0, 1, 65_535, 65_536, 65_537, 1_000_003, 20_000_000]) {
    const right = Buffer.alloc(length, 'x')
    expect(combineCrc(crc32('left'), crc32(right), length)).toBe(crc32(Buffer.concat([Buffer.from('left'), right])))
  }
})

test('removing bytes undoes appending them', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 32 - 1), fc.nat(100_000), (value, count) => {
      expect(multiply(multiply(value, shiftFactor(count)), unshiftFactor(count))).toBe(value)
    }),
    { numRuns: 50 },
  )
})
