// Typed arrays that all threads of the process see. A thread that receives one in a message sees the same bytes.

export const sharedFloats = (length: number): Float64Array =>
  new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT))
export const sharedWords = (length: number): Uint32Array =>
  new Uint32Array(new SharedArrayBuffer(length * Uint32Array.BYTES_PER_ELEMENT))
export const sharedSlots = (length: number): Int32Array =>
  new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT))
export const sharedShorts = (length: number): Uint16Array =>
  new Uint16Array(new SharedArrayBuffer(length * Uint16Array.BYTES_PER_ELEMENT))
export const sharedBytes = (length: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(length))

/** A copy of the first `length` words. */
export function sharedCopy(words: Uint32Array, length: number): Uint32Array {
  const copy = sharedWords(length)
  copy.set(words.subarray(0, length))
  return copy
}
