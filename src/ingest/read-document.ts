// One received document to what is stored of it: its id and its parts. Pure.
import { createHash } from 'node:crypto'
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
 * SHA-256 of the bytes, hex: the same bytes are the same document wherever they came from. A document that could not be
 * received has its address and reason hashed too, because its bytes (none, or a beginning) say nothing about it.
 */
export function documentIdOf(document: ReceivedDocument): string {
  const hash = createHash('sha256')
  if (document.unreadable)
    hash.update(`unreadable\n${document.address}\n${document.unreadable.reason}\n${document.unreadable.path}\n`)
  return hash.update(document.bytes).digest('hex')
}

export function readDocument(documentId: string, document: ReceivedDocument): ReadDocument {
  const { address, bytes, unreadable } = document
  return unreadable
    ? { documentId, address, bytes, isParsed: false, parts: [{ pointer: '', rejection: unreadable }] }
    : { documentId, address, bytes, isParsed: true, parts: readParts(bytes) }
}

/** The parts of a document, each place once: a parser that names one place twice must not lose the rest. */
export function readParts(bytes: Uint8Array): ParsedPart[] {
  const byPointer = new Map<string, ParsedPart>()
  for (const part of parseDocument(bytes)) {
    let pointer = part.pointer
    for (let count = 2; byPointer.has(pointer); count += 1) pointer = `${part.pointer}~${count}`
    byPointer.set(pointer, pointer === part.pointer ? part : { ...part, pointer })
  }
  return [...byPointer.values()]
}
