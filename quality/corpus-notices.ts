// Notices of the corpus folders, file by file.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Notice } from '../src/domain/notice.ts'
import { readPath } from '../src/sources/files.ts'
import { parseDocument } from '../src/sources/parse-document.ts'

const noticeFolders = ['ted-eforms', 'ted-legacy', 'doffin-eforms', 'eforms-de', 'ocds'] as const

/** `file` is the path below the corpus, as LINKED-GROUPS.tsv writes it; `bytes` is the document. */
export async function* readNotices(
  corpus: string,
  folders: readonly string[] = noticeFolders,
): AsyncGenerator<{ readonly file: string; readonly bytes: Uint8Array; readonly notices: readonly Notice[] }> {
  for (const folder of folders) {
    const path = join(corpus, folder)
    if (!existsSync(path)) continue
    for await (const { address, bytes, unreadable } of readPath(path)) {
      if (unreadable) continue
      const notices = parseDocument(bytes).flatMap((part) => ('notice' in part ? [part.notice] : []))
      yield { file: address.slice(corpus.length + 1), bytes, notices }
    }
  }
}
