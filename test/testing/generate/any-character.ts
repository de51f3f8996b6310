// Any character of Unicode, for strings that properties draw.
import fc from 'fast-check'

/** Any character of Unicode. A string with `unit: 'binary'` would first make a table of all 1.1 million, each time. */
export const anyCharacter = fc
  .oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))
