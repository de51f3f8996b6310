// The entries of a JSON answer as unchanged bytes, cut out while it streams in; the rest is skipped, not kept.
import type { Json } from '../../fetch.ts'
import { parseJson } from '../../json.ts'
import { pointerToken, pointerTokens } from './json-pointer.ts'

/** The answer is not JSON, or is truncated. Earlier items are valid. */
export class JsonItemsError extends Error {
  readonly isCutOff: boolean
  constructor(message: string, isCutOff: boolean) {
    super(message)
    this.name = 'JsonItemsError'
    this.isCutOff = isCutOff
  }
}

/** One entry; for one that is larger than the limit, `bytes` is its beginning. */
export type JsonItem = { readonly pointer: string; readonly bytes: Uint8Array; readonly isTooLarge: boolean }

export type JsonItemsOptions = {
  /** Pointer to a list, whose members are the items, or to one value; `*` for every member. */
  readonly at: string
  /** Pointers to other wanted values outside of the items. */
  readonly values?: readonly string[]
  readonly maxItemBytes: number
}

/** Number of bytes to keep of an item that is too large. */
const keptBytes = 1024
/** Maximum bytes of a total, link, cursor or member name. */
const maxValueBytes = 64 * 1024

type Target = { readonly tokens: readonly string[]; readonly value: string | undefined }
type Frame = {
  readonly isArray: boolean
  /** Targets that match the current path; of `items` every member is an item. */
  readonly targets: readonly Target[]
  readonly isItems: boolean
  index: number
  key: string
}

// States of the scanner: what comes next, outside a value that is read or skipped as a whole.
const beforeValue = 0
const beforeFirst = 1
const beforeKey = 2
const insideKey = 3
const beforeColon = 4
const behindValue = 5
const insideValue = 6
const atEnd = 7

const quote = 0x22
const backslash = 0x5c

/** Space, tab, line ends, and NUL, which some portals pad with. */
const isBlank = (byte: number): boolean =>
  byte <= 0x20 && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 9 || byte === 0)
const endsScalar = (byte: number): boolean =>
  isBlank(byte) || byte === 0x2c || byte === 0x5d || byte === 0x7d || byte === 0x3a

/**
 * Reads the chunks of one JSON text and returns the items that they complete, in the memory of one item. Only the
 * structure down to the items is checked; an item's parser judges its content.
 */
export class JsonItems {
  /** `list`, `one` and `null` as found at the pointer; `none` if nothing was there. */
  found: 'none' | 'null' | 'one' | 'list' = 'none'
  /** The wanted values by their pointers; a list or object that holds the items is `[]` or `{}`. */
  readonly values = new Map<string, Json>()
  readonly #maxItemBytes: number
  readonly #root: readonly Target[]
  readonly #frames: Frame[] = []
  #state = beforeValue
  #offset = 0
  #marks = 0
  // What is done with the current value.
  #taking: 'item' | 'value' | 'nothing' = 'nothing'
  #takenValues: readonly string[] = []
  #pointer = ''
  #depth = 0
  #isFresh = false
  #isString = false
  #isInside = false
  #isScalar = false
  #isEscape = false
  // Its bytes in chunks before the current one, or those of a key.
  #parts: Uint8Array[] = []
  #length = 0
  #limit = 0
  #items: JsonItem[] = []

  constructor({ at, values = [], maxItemBytes }: JsonItemsOptions) {
    this.#maxItemBytes = maxItemBytes
    this.#root = [
      { tokens: pointerTokens(at), value: undefined },
      ...values.map((value) => ({ tokens: pointerTokens(value), value })),
    ]
  }

  /** The items that are complete with this chunk. Throws JsonItemsError when the text is not JSON. */
  feed(chunk: Uint8Array): readonly JsonItem[] {
    this.#items = []
    const { length } = chunk
    let index = 0
    while (index < length) {
      if (this.#state === insideValue) {
        index = this.#passValue(chunk, index)
        continue
      }
      if (this.#state === insideKey) {
        index = this.#passKey(chunk, index)
        continue
      }
      const byte = chunk[index]!
      if (isBlank(byte)) {
        index++
        continue
      }
      if (this.#isMark(byte, index)) {
        index++
        continue
      }
      index = this.#structure(index, byte)
    }
    this.#offset += length
    return this.#items
  }

  /** The items that are complete at the end. Throws JsonItemsError when the text ends before its value does. */
  end(): readonly JsonItem[] {
    this.#items = []
    if (this.#state === insideValue && this.#isScalar && this.#frames.length === 0) this.#finishValue()
    if (this.#state !== atEnd)
      throw new JsonItemsError(this.#offset === 0 ? 'nothing came' : `breaks off after ${this.#offset} bytes`, true)
    return this.#items
  }

  /** The byte order mark with which some portals begin. */
  #isMark(byte: number, index: number): boolean {
    const expected = [0xef, 0xbb, 0xbf][this.#marks]
    if (this.#state !== beforeValue || this.#frames.length > 0 || byte !== expected || this.#offset + index > 16)
      return false
    this.#marks++
    return true
  }

  #fail(byte: number, index: number): never {
    const sign = byte > 0x20 && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `byte ${byte}`
    throw new JsonItemsError(`unexpected ${sign} at byte ${this.#offset + index}`, false)
  }

  #structure(index: number, byte: number): number {
    const frame = this.#frames.at(-1)
    switch (this.#state) {
      case beforeFirst:
        if (byte === (frame!.isArray ? 0x5d : 0x7d)) return this.#leave(index)
        if (!frame!.isArray) break
        return this.#enterValue(index, byte)
      case beforeValue:
        return this.#enterValue(index, byte)
      case beforeKey:
        break
      case beforeColon:
        if (byte !== 0x3a) this.#fail(byte, index)
        this.#state = beforeValue
        return index + 1
      case behindValue:
        if (byte === 0x2c) {
          frame!.index++
          this.#state = frame!.isArray ? beforeValue : beforeKey
          return index + 1
        }
        if (byte === (frame!.isArray ? 0x5d : 0x7d)) return this.#leave(index)
        this.#fail(byte, index)
        break
      default:
        this.#fail(byte, index)
    }
    if (byte !== quote) this.#fail(byte, index)
    this.#state = insideKey
    this.#parts = []
    this.#length = 0
    return index + 1
  }

  #leave(index: number): number {
    this.#frames.pop()
    this.#state = this.#frames.length === 0 ? atEnd : behindValue
    return index + 1
  }

  #enterValue(index: number, byte: number): number {
    const isArray = byte === 0x5b
    const isContainer = isArray || byte === 0x7b
    const isStart =
      isContainer || byte === quote || byte === 0x2d || (byte >= 0x30 && byte <= 0x39) || (byte | 0x20) >= 0x61
    if (!isStart || byte >= 0x7c || byte === 0x5d || byte === 0x5c) this.#fail(byte, index)
    const frame = this.#frames.at(-1)
    if (frame?.isItems) return this.#beginValue(index, byte, 'item', [])
    const depth = this.#frames.length
    const targets = frame ? frame.targets.filter(({ tokens }) => fits(tokens[depth - 1], frame)) : this.#root
    const here = targets.filter(({ tokens }) => tokens.length === depth)
    const values = here.flatMap(({ value }) => value ?? [])
    if (here.some(({ value }) => value === undefined)) {
      if (isArray) {
        this.found = 'list'
        for (const value of values) this.values.set(value, [])
        return this.#enter(index, { isArray, targets: [], isItems: true, index: 0, key: '' })
      }
      if (byte === 0x6e) {
        if (this.found === 'none') this.found = 'null'
        return this.#beginValue(index, byte, 'value', values)
      }
      if (this.found !== 'list') this.found = 'one'
      for (const value of values) this.values.set(value, {})
      return this.#beginValue(index, byte, 'item', [])
    }
    const deeper = targets.filter(({ tokens }) => tokens.length > depth)
    if (isContainer && deeper.length > 0) {
      for (const value of values) this.values.set(value, isArray ? [] : {})
      return this.#enter(index, { isArray, targets: deeper, isItems: false, index: 0, key: '' })
    }
    return this.#beginValue(index, byte, values.length > 0 ? 'value' : 'nothing', values)
  }

  #enter(index: number, frame: Frame): number {
    this.#frames.push(frame)
    this.#state = beforeFirst
    return index + 1
  }

  #beginValue(index: number, byte: number, taking: 'item' | 'value' | 'nothing', values: readonly string[]): number {
    this.#state = insideValue
    this.#taking = taking
    this.#takenValues = values
    this.#isString = byte === quote
    this.#isScalar = byte !== quote && byte !== 0x5b && byte !== 0x7b
    this.#isFresh = true
    this.#isInside = false
    this.#isEscape = false
    this.#depth = 0
    this.#parts = []
    this.#length = 0
    this.#limit = taking === 'item' ? this.#maxItemBytes : maxValueBytes
    if (taking === 'item') this.#pointer = this.#here()
    return index
  }

  #here(): string {
    return this.#frames.map(({ isArray, index, key }) => `/${isArray ? index : pointerToken(key)}`).join('')
  }

  /** Reads through the current value; returns where to continue. The hot loop: two comparisons per byte. */
  #passValue(chunk: Uint8Array, from: number): number {
    const { length } = chunk
    let index = from
    if (this.#isScalar) {
      while (index < length && !endsScalar(chunk[index]!)) index++
      return this.#paused(chunk, from, index, index < length)
    }
    let isInside = this.#isInside
    let depth = this.#depth
    let isDone = false
    if (this.#isFresh && this.#isString) {
      isInside = true
      index++
    } else if (this.#isEscape) index++
    this.#isFresh = false
    this.#isEscape = false
    while (index < length) {
      if (isInside) {
        while (index < length && chunk[index] !== quote && chunk[index] !== backslash) index++
        if (index >= length) break
        if (chunk[index] === backslash) {
          index += 2
          if (index > length) this.#isEscape = true
          continue
        }
        index++
        isInside = false
        if (depth === 0) {
          isDone = true
          break
        }
        continue
      }
      const byte = chunk[index++]!
      if (byte === quote) isInside = true
      else if ((byte & 0xdf) === 0x5b) depth++
      else if ((byte & 0xdf) === 0x5d && --depth === 0) {
        isDone = true
        break
      }
    }
    this.#depth = depth
    this.#isInside = isInside
    return this.#paused(chunk, from, Math.min(index, length), isDone)
  }
  /** Keeps the chunk's part of the value, and ends the value when it is complete. */
  #paused(chunk: Uint8Array, from: number, to: number, isDone: boolean): number {
    this.#length += to - from
    if (this.#taking !== 'nothing') {
      if (this.#length <= this.#limit) this.#parts.push(chunk.subarray(from, to))
      else if (this.#parts.length !== 1 || this.#parts[0]!.length > keptBytes)
        this.#parts = [Buffer.concat([...this.#parts, chunk.subarray(from, to)]).subarray(0, keptBytes)]
    }
    if (isDone) this.#finishValue()
    return to
  }

  #finishValue(): void {
    const isTooLarge = this.#length > this.#limit
    if (this.#taking === 'item') {
      // A separate copy, so that the item does not hold its chunk.
      const bytes = Uint8Array.from(this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts))
      this.#items.push({ pointer: this.#pointer, bytes: isTooLarge ? bytes.subarray(0, keptBytes) : bytes, isTooLarge })
    } else if (this.#taking === 'value') {
      const value = isTooLarge ? 'too large to be read' : readValue(Buffer.concat(this.#parts))
      for (const pointer of this.#takenValues) if (!this.values.has(pointer)) this.values.set(pointer, value)
    }
    this.#parts = []
    this.#state = this.#frames.length === 0 ? atEnd : behindValue
  }

  #passKey(chunk: Uint8Array, from: number): number {
    const { length } = chunk
    let index = from
    let isDone = false
    if (this.#isEscape) {
      index++
      this.#isEscape = false
    }
    while (index < length) {
      const byte = chunk[index]!
      if (byte === backslash) {
        index += 2
        if (index > length) this.#isEscape = true
      } else if (byte === quote) {
        isDone = true
        break
      } else index++
    }
    index = Math.min(index, length)
    this.#length += index - from
    if (this.#length > maxValueBytes) throw new JsonItemsError(`a name of more than ${maxValueBytes} bytes`, false)
    this.#parts.push(chunk.subarray(from, index))
    if (!isDone) return index
    const text = Buffer.concat(this.#parts).toString('utf8')
    this.#frames.at(-1)!.key = text.includes('\\') ? unescaped(text) : text
    this.#parts = []
    this.#state = beforeColon
    return index + 1
  }
}

function fits(token: string | undefined, frame: Frame): boolean {
  return token === '*' || token === (frame.isArray ? String(frame.index) : frame.key)
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return text
  }
}

function readValue(bytes: Buffer): Json {
  const text = bytes.toString('utf8')
  try {
    return parseJson(text) as Json
  } catch {
    return text
  }
}
