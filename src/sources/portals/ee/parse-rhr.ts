// A notice of the Estonian register's monthly file: eForms, inside the root of that file.
import type { Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { isEformsRoot, parseEforms } from '../../eforms/parse-eforms.ts'
import { readXmlDocument } from '../../read-portal-notice.ts'
import type { XmlElement } from '../../xml/xml.ts'

export function parseRhr(bytes: Uint8Array): ParsedPart[] {
  return readXmlDocument(bytes, readFile)
}

function readFile(root: XmlElement): readonly (Notice | Rejection)[] {
  const notices = isEformsRoot(root) ? [root] : root.children.filter(isEformsRoot)
  if (notices.length === 0)
    return [{ reason: 'unsupported-format', path: `/${root.name.slice(0, 100)}`, detail: 'no notice in eForms inside' }]
  return notices.flatMap((notice) =>
    parseEforms(notice).map((part) => ('notice' in part ? part.notice : part.rejection)),
  )
}
