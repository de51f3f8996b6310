// Turns one received document into what is stored of it: its ID and its parts. Pure.
import { createHash, hash } from 'node:crypto'
import type { ParsedPart } from '../domain/notice.ts'
import type { ReceivedDocument } from '../sources/files.ts'
import { parseDocument } from '../sources/parse-document.ts'

/** `isParsed` is false when the document could not be received whole: its only part is the rejection it came with. */
export type ReadDocument = {
  readonly documentId: string
  readonly address: string
  readonly bytes: Uint8Array
  readonly isParsed: boolean
  readonly parts: readonly ParsedPart[]
}

/**
 * SHA-256 of the bytes, hex: the same bytes are the same document wherever they came from. The address and reason of a
 * document that could not be received are hashed too, because its bytes (none, or a beginning) do not identify it.
 */
export function documentIdOf(document: ReceivedDocument): string {
  const { address, bytes, unreadable } = document
  if (!unreadable) return hash('sha256', bytes, 'hex')
  return createHash('sha256')
    .update(`unreadable\n${address}\n${unreadable.reason}\n${unreadable.path}\n`)
    .update(bytes)
    .digest('hex')
}

/** How a source's documents are read; `parseDocument` detects the format by the content. */
export type Parse = (bytes: Uint8Array) => readonly ParsedPart[]

export function readDocument(
  documentId: string,
  document: ReceivedDocument,
  parse: Parse = parseDocument,
): ReadDocument {
  const { address, bytes, unreadable } = document
  return unreadable
    ? { documentId, address, bytes, isParsed: false, parts: [{ pointer: '', rejection: unreadable }] }
    : { documentId, address, bytes, isParsed: true, parts: readParts(bytes, parse) }
}

/**
 * The parts of a document, one per pointer: a parser that uses a pointer twice must not lose the rest. A source's own
 * parser that throws or finds nothing results in a rejection: one such document must not stop the run.
 */
export function readParts(bytes: Uint8Array, parse: Parse = parseDocument): ParsedPart[] {
  const byPointer = new Map<string, ParsedPart>()
  for (const part of partsOf(bytes, parse)) {
    let pointer = part.pointer
    for (let count = 2; byPointer.has(pointer); count += 1) pointer = `${part.pointer}~${count}`
    byPointer.set(pointer, pointer === part.pointer ? part : { ...part, pointer })
  }
  return [...byPointer.values()]
}

function partsOf(bytes: Uint8Array, parse: Parse): readonly ParsedPart[] {
  try {
    const parts = parse(bytes)
    return parts.length > 0 ? parts : rejected('the document holds no notice')
  } catch (error) {
    return rejected(error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 300) : 'unreadable')
  }
}

const rejected = (detail: string): ParsedPart[] => [
  { pointer: '', rejection: { reason: 'invalid-content', path: '', detail } },
]
