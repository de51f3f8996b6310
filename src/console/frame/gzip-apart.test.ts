import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gzipApart } from './gzip-apart.ts'

test('parts compressed apart are the whole again', () => {
  const parts = fc.array(fc.string({ unit: 'grapheme', maxLength: 300 }), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(parts, (each) => {
      expect(gunzipSync(gzipApart(each)).toString()).toBe(each.join(''))
    }),
  )
})

test('a right guess in one part makes the whole no shorter, as it does where parts are compressed together', () => {
  const secret = 'anna.kestlebridge@harrowmere.example'
  const wrong = [...secret].reverse().join('')
  const menu = `<nav>${secret}</nav>`
  const lengths = (pack: (parts: readonly string[]) => Buffer) =>
    [secret, wrong].map((guess) => pack([menu, `<main>${guess}</main>`]).length)
  const [right, other] = lengths(gzipApart)
  expect(right).toBe(other)
  const [together, otherTogether] = lengths((parts) => gzipSync(parts.join('')))
  expect(together).toBeLessThan(otherTogether!)
})
