// Bytes as they come: looking at the beginning without losing it, collecting up to a limit, cutting into lines.

export type Chunks = AsyncIterable<Uint8Array>

/**
 * The bytes that `isEnough` required and all bytes including these; calling `close` instead of reading `all` abandons
 * the source.
 */
export type Peeked = { readonly head: readonly Uint8Array[]; readonly all: Chunks; readonly close: () => Promise<void> }

/** Reads chunks until `isEnough` says so of one, or until there are no more. */
export async function peekUntil(chunks: Chunks, isEnough: (chunk: Uint8Array) => boolean): Promise<Peeked> {
  const iterator = chunks[Symbol.asyncIterator]()
  const head: Uint8Array[] = []
  for (;;) {
    const next = await iterator.next()
    if (next.done) break
    head.push(next.value)
    if (isEnough(next.value)) break
  }
  const close = async (): Promise<void> => {
    await iterator.return?.()
  }
  return { head, all: continued(head, iterator), close }
}

/** The first bytes (at least `length`, fewer only when there are no more), and all bytes including these. */
export async function peek(
  chunks: Chunks,
  length: number,
): Promise<{ readonly head: Uint8Array; readonly all: Chunks; readonly close: () => Promise<void> }> {
  let total = 0
  const { head, all, close } = await peekUntil(chunks, (chunk) => {
    total += chunk.length
    return total >= length
  })
  return { head: head.length === 1 ? head[0]! : Buffer.concat(head), all, close }
}

async function* continued(
  seen: readonly Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* seen
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  } finally {
    await iterator.return?.()
  }
}

/** All bytes, or undefined as soon as there are more than `limit`; then the rest is not read. */
export async function collect(chunks: Chunks, limit: number): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = []
  let total = 0
  for await (const chunk of chunks) {
    total += chunk.length
    if (total > limit) return undefined
    parts.push(chunk)
  }
  const only = parts.length === 1 ? parts[0] : undefined
  // Most documents come in one piece. A copy would cost twice the memory; a small piece of a large buffer would hold
  // all of that.
  if (only && only.length * 2 >= only.buffer.byteLength) return Buffer.from(only.buffer, only.byteOffset, only.length)
  return Buffer.concat(parts)
}

/** A line without its line end; `bytes` is undefined for one longer than the limit, `head` its beginning. */
export type Line = { readonly number: number; readonly bytes: Uint8Array | undefined; readonly head: Uint8Array }

/** Cuts at line feeds. Lines of white space only are left out but counted; the memory held is that of one line. */
export async function* linesOf(chunks: Chunks, limit: number, headLength: number): AsyncGenerator<Line> {
  let parts: Uint8Array[] = []
  let total = 0
  let number = 1
  const finish = (): Line | undefined => {
    const bytes = Buffer.concat(parts)
    const line = { number, bytes: total > limit ? undefined : trimmed(bytes), head: bytes.subarray(0, headLength) }
    parts = []
    total = 0
    number++
    return line.bytes?.length === 0 ? undefined : line
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      add(chunk.subarray(start, end))
      const line = finish()
      if (line) yield line
      start = end + 1
    }
    add(chunk.subarray(start))
  }
  const last = finish()
  if (last) yield last

  function add(part: Uint8Array): void {
    total += part.length
    // Over the limit only the beginning is worth keeping.
    if (total <= limit) parts.push(part)
    else if (parts.length !== 1 || parts[0]!.length > headLength)
      parts = [Buffer.concat([...parts, part]).subarray(0, headLength)]
  }
}

const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a

function trimmed(bytes: Uint8Array): Uint8Array {
  let start = 0
  let end = bytes.length
  while (start < end && isBlank(bytes[start])) start++
  while (end > start && isBlank(bytes[end - 1])) end--
  return bytes.subarray(start, end)
}
