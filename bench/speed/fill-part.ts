// Runs as a separate process: generates a part of a stock and copies it into ours, and into the peers' table. Prints
// how many records are done. Run: node bench/speed/fill-part.ts TASK, a FillTask as JSON.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TenderContent } from '../../src/domain/tender.ts'
import { toInstant } from '../../src/domain/time.ts'
import { generateTender } from '../../test/testing/generate/stock.ts'

/** A program and its arguments, fed with rows in the text format of COPY. */
type Target = readonly [program: string, args: readonly string[]]

export type FillTask = {
  readonly seed: number
  readonly now: number
  /** Number of records of the whole stock. */
  readonly count: number
  readonly from: number
  readonly to: number
  /** Record `index * step` of the stock is generated, in this version; default step 1. */
  readonly step?: number
  readonly version: number
  /** Stamp of index 0. */
  readonly firstStamp: number
  readonly edition: number
  /** Target for rows of edition_entry. */
  readonly entry?: Target
  /**
   * Target for rows of tender as published; nothing reads the content of records that do not change, so it is empty.
   */
  readonly tender?: Target
  /** Target for rows (tender_id, content) of changed records. */
  readonly change?: Target
  readonly peer?: Target
}

type Field = string | number | boolean | null

const sources = '["generated"]'

function copyInto([program, args]: Target): {
  readonly write: (row: readonly Field[]) => Promise<void>
  readonly end: () => Promise<void>
} {
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'inherit'] })
  const ended = once(child, 'close')
  let buffered = ''
  const flush = async (): Promise<void> => {
    const chunk = buffered
    buffered = ''
    if (!child.stdin.write(chunk)) await once(child.stdin, 'drain')
  }
  return {
    write: async (row) => {
      buffered += `${row.map(fieldText).join('\t')}\n`
      if (buffered.length > 1 << 19) await flush()
    },
    end: async () => {
      await flush()
      child.stdin.end()
      const [code] = (await ended) as [number]
      if (code !== 0) throw new Error(`${program} ended with ${code}`)
    },
  }
}

const special = /[\\\n\r\t]/g
const escapes: { readonly [char: string]: string } = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function fieldText(field: Field): string {
  if (field === null) return '\\N'
  if (typeof field === 'boolean') return field ? 't' : 'f'
  return typeof field === 'number' ? String(field) : field.replace(special, (char) => escapes[char]!)
}

const prefixes = (codes: readonly string[]): string =>
  `{${[...new Set(codes.flatMap((code) => Array.from({ length: code.length - 1 }, (_, index) => code.slice(0, index + 2))))].join(',')}}`

function peerRow(content: TenderContent, lastModified: number, body: string): readonly Field[] {
  const time = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text))
  const amount = content.contractAmount
  return [
    content.id,
    lastModified,
    time(content.publicationDate),
    time(content.submissionDate),
    amount?.currency === 'EUR' ? amount.value : null,
    content.procedureType ?? null,
    content.archiveReason !== undefined,
    prefixes([...content.cpvCodes, ...content.lots.flatMap((lot) => lot.cpvCodes)]),
    prefixes(content.nutsCodes),
    body,
  ]
}

async function run(task: FillTask): Promise<void> {
  const { seed, now, count, from, to, step = 1, version, firstStamp, edition } = task
  const open = (target: Target | undefined) => target && copyInto(target)
  const [entries, tenders, changes, peers] = [open(task.entry), open(task.tender), open(task.change), open(task.peer)]
  const checkedAt = toInstant(now)
  for (let index = from; index < to; index++) {
    const content = generateTender({ seed, count, now }, index * step, version)
    const lastModified = firstStamp + index
    if (entries || peers) {
      const body = JSON.stringify({ ...content, lastModified: toInstant(lastModified) })
      await entries?.write([lastModified, edition, content.id, body, sources])
      const served = `{"id":"${content.id}","checkedAt":"${checkedAt}",${body.slice(body.indexOf(',') + 1)}`
      await peers?.write(peerRow(content, lastModified, served))
    }
    await tenders?.write([content.id, `generated:${index}`, '', 'v0', sources])
    await changes?.write([content.id, JSON.stringify(content)])
    if ((index + 1 - from) % 20_000 === 0) console.log(index + 1 - from)
  }
  for (const target of [entries, tenders, changes, peers]) await target?.end()
  console.log(to - from)
}

if (import.meta.main) await run(JSON.parse(process.argv[2]!) as FillTask)
