// Ids of records (UUIDs, lower case) as four 32-bit words and back. The words sort like the text.

const hex: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const isRecordId = (text: string): boolean => uuidPattern.test(text)

/** Writes the words of a well-formed id. */
export function writeId(id: string, words: Uint32Array, offset: number): void {
  words[offset] = Number.parseInt(id.slice(0, 8), 16)
  words[offset + 1] = Number.parseInt(id.slice(9, 13) + id.slice(14, 18), 16)
  words[offset + 2] = Number.parseInt(id.slice(19, 23) + id.slice(24, 28), 16)
  words[offset + 3] = Number.parseInt(id.slice(28, 36), 16)
}

const text16 = (value: number): string => hex[(value >>> 8) & 255]! + hex[value & 255]!
const text32 = (value: number): string => text16(value >>> 16) + text16(value & 65_535)

export function readId(words: Uint32Array, offset: number): string {
  const second = words[offset + 1]!
  const third = words[offset + 2]!
  return `${text32(words[offset]!)}-${text16(second >>> 16)}-${text16(second & 65_535)}-${text16(third >>> 16)}-${text16(third & 65_535)}${text32(words[offset + 3]!)}`
}
