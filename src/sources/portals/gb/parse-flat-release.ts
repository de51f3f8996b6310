// A row whose columns are paths of an OCDS release package back to the package, and that to notices.
import type { Notice, ParsedPart, Rejection } from '../../../domain/notice.ts'
import { parseOcds } from '../../ocds/parse-ocds.ts'
import { readRowDocument, type TableRow } from '../../read-portal-notice.ts'

/** Maximum depth and length, beyond any release. */
const maxSteps = 12
const maxMembers = 500

export function parseFlatRelease(bytes: Uint8Array): ParsedPart[] {
  return readRowDocument(bytes, readRow)
}

/** A row is a package of one release. */
function readRow(row: TableRow): Notice | Rejection {
  const [part] = parseOcds(unfolded(row))
  if (!part) return { reason: 'missing-content', path: '', detail: 'the row holds no release' }
  return 'notice' in part ? part.notice : part.rejection
}

type Tree = { [name: string]: Tree | string }

/** `releases/0/parties/1/name` becomes a member of a list of a list; empty cells are left out. */
function unfolded(row: TableRow): unknown {
  const root: Tree = Object.create(null) as Tree
  for (const [path, cell] of Object.entries(row)) {
    const steps = path.split('/')
    if (cell === undefined || cell.trim() === '' || steps.length > maxSteps) continue
    let at = root
    for (const step of steps.slice(0, -1)) {
      const known = at[step]
      const next: Tree = typeof known === 'object' ? known : Object.create(null)
      at[step] = next
      at = next
    }
    at[steps.at(-1)!] = cell
  }
  return listsOf(root)
}

/** Objects whose members are all numbered are lists. */
function listsOf(tree: Tree | string): unknown {
  if (typeof tree === 'string') return tree
  const entries = Object.entries(tree)
  if (entries.length > 0 && entries.length <= maxMembers && entries.every(([name]) => /^\d{1,4}$/.test(name)))
    return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => listsOf(value))
  return Object.fromEntries(entries.map(([name, value]) => [name, listsOf(value)]))
}
