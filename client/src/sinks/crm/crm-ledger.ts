// The known content of the CRM: a file beside the state, one line of JSON per write; the last line of an ID counts. It
// avoids writes that would change nothing; if it is lost, everything is written once more and nothing is wrong.
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { TenderRecord } from '../../types.ts'
import { SinkError } from '../faults/sink-error.ts'
import { makeDurable, makeFolder, putInPlace, writeDurably } from '../files/durable-files.ts'
import type { RecordPrint } from '../files/record-index.ts'
import type { TargetState } from './mapped-properties.ts'

/** A record that the CRM refused, and its survivor if it is merged; retried in the next run. */
type PendingWrite = { readonly record: TenderRecord; readonly into?: string; readonly reason: string }

export type LedgerEntry = {
  readonly id: string
  /** `lastModified` of the version that was written; missing until the CRM accepted one. */
  readonly lastModified?: string
  readonly status?: string
  /** The facts of that version that the digest of the copy needs: the CRM keeps only what is mapped. */
  readonly print?: RecordPrint
  readonly state?: TargetState
  /** One hash of eight characters per property that counts, in the order of the mapping. */
  readonly hashes?: string
  /** The CRM's own id. */
  readonly crmId?: string
  /** The survivor to which it points. */
  readonly mergedInto?: string
  readonly pending?: PendingWrite
  /**
   * Whether it is being sent. If it is still set when the ledger is opened, the process ended before it knew whether it
   * arrived.
   */
  readonly sending?: TenderRecord
  /** The survivor of the version that is being sent. */
  readonly sendingInto?: string
}

export type CrmLedger = {
  /** Whether entries were made with other fields: then their hashes cannot be compared. */
  readonly isOtherMapping: boolean
  get(id: string): LedgerEntry | undefined
  set(entry: LedgerEntry): void
  entries(): Iterable<LedgerEntry>
  /** The entries are durable when it resolves. */
  save(): Promise<void>
}

const header = (mappingHash: string): string => `${JSON.stringify({ crmLedger: 1, mappingHash })}\n`

/** Reads the ledger, or begins one. A half-written last line (a crash) is dropped. */
export async function openCrmLedger(path: string, mappingHash: string): Promise<CrmLedger> {
  const known = new Map<string, LedgerEntry>()
  let isOtherMapping = false
  let lines = 0
  let isFresh = true
  let changed = new Map<string, LedgerEntry>()

  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  // After a power failure during a write, a file may contain NUL bytes; nothing after them was ever durable.
  const whole = text.slice(0, text.includes('\0') ? text.indexOf('\0') : text.length)
  const stored = whole.split('\n').slice(0, -1)
  if (stored.length > 0) {
    let first: { crmLedger?: unknown; mappingHash?: unknown }
    try {
      first = JSON.parse(stored[0]!)
      for (const line of stored.slice(1)) {
        const entry = JSON.parse(line) as LedgerEntry
        known.set(entry.id, entry)
      }
    } catch (cause) {
      throw new SinkError(`The ledger ${path} is damaged; delete it, and the next run writes everything again.`, {
        cause,
      })
    }
    if (first.crmLedger !== 1)
      throw new SinkError(`The file ${path} is not a ledger of this version of tender-sync; move it away.`)
    isOtherMapping = first.mappingHash !== mappingHash
    lines = stored.length
    await makeDurable(path)
    // A torn line at the end must not become the beginning of the next one.
    isFresh = whole !== text || !text.endsWith('\n')
  }

  return {
    get isOtherMapping() {
      return isOtherMapping
    },
    get: (id) => known.get(id),
    set: (entry) => {
      known.set(entry.id, entry)
      changed.set(entry.id, entry)
    },
    entries: () => known.values(),
    async save() {
      const added = [...changed.values()]
      if (added.length === 0) return
      const isRewritten = isFresh || isOtherMapping || lines + added.length > 2 * known.size + 1000
      const content = (isRewritten ? [...known.values()] : added).map((entry) => `${JSON.stringify(entry)}\n`).join('')
      changed = new Map()
      if (isRewritten) {
        await makeFolder(dirname(path), 'owner')
        await writeDurably(`${path}.new`, header(mappingHash) + content, 'w', 0o600)
        await putInPlace(`${path}.new`, path, 'owner')
        lines = known.size + 1
      } else {
        await writeDurably(path, content, 'a', 0o600)
        lines += added.length
      }
      isFresh = false
      isOtherMapping = false
    },
  }
}
