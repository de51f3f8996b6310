// Ids of records (UUIDs, lower case) as four 32-bit words and back. The words sort like the text.

const hex: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const isRecordId = (text: string): boolean => uuidPattern.test(text)

/** Value of a hexadecimal digit, by its character code. */
const digits = new Uint8Array(128)
for (let digit = 0; digit < 16; digit++) digits[digit.toString(16).charCodeAt(0)] = digit

function hexOf(text: string, start: number, end: number): number {
  let value = 0
  for (let index = start; index < end; index++) value = (value << 4) | digits[text.charCodeAt(index)]!
  return value
}

/** Writes the words of a well-formed id. */
export function writeId(id: string, words: Uint32Array, offset: number): void {
  words[offset] = hexOf(id, 0, 8)
  words[offset + 1] = (hexOf(id, 9, 13) << 16) | hexOf(id, 14, 18)
  words[offset + 2] = (hexOf(id, 19, 23) << 16) | hexOf(id, 24, 28)
  words[offset + 3] = hexOf(id, 28, 36)
}

const text16 = (value: number): string => hex[(value >>> 8) & 255]! + hex[value & 255]!
const text32 = (value: number): string => text16(value >>> 16) + text16(value & 65_535)

export function readId(words: Uint32Array, offset: number): string {
  const second = words[offset + 1]!
  const third = words[offset + 2]!
  return (
    `${text32(words[offset]!)}-${text16(second >>> 16)}-${text16(second & 65_535)}-${text16(third >>> 16)}` +
    `-${text16(third & 65_535)}${text32(words[offset + 3]!)}`
  )
}
