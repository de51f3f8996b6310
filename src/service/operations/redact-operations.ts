// The operator's commands about contact data that must leave the records: `redact`, its list, undo, and import after a
// restore.
import { createHmac } from 'node:crypto'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import {
  addRedaction,
  importRedactions as importNow,
  kindsOf,
  type NewRedaction,
  undoRedaction as undo,
} from '../../actions/redactions.ts'
import { draftOf } from '../../consolidate/merge.ts'
import {
  type RedactionKind,
  type RedactionRule,
  RedactionValueError,
  type Redactor,
  redactionId,
  redactionRule,
  redactor,
  suspectFinder,
} from '../../domain/redaction.ts'
import type { TenderContent } from '../../domain/tender.ts'
import { OperatorError } from '../../platform/errors.ts'
import { makeFolder } from '../../platform/folders.ts'
import type { Executor } from '../../store/database/database.ts'
import { Pace } from '../../store/database/paced.ts'
import { inStockTransaction } from '../../store/editions/publication.ts'
import {
  hasRedactions,
  insertRedaction,
  listKeptBodies,
  listParsedNotices,
  listRedactions,
  listStoredTexts,
  reconsiderNotices,
  redactionKey,
  replaceKeptBody,
  replaceStoredText,
  setRedactionApplied,
  type storedTexts,
} from '../../store/received/redactions.ts'
import { findTender, upsertTenders } from '../../store/stock/tenders.ts'
import { consolidateNow } from '../control/consolidate-now.ts'
import type { ControlRequest } from '../control/control-socket.ts'
import { actingNow, type Operation, type Operations, type ServiceContext } from '../control/operation-context.ts'
import type { Emit, EventOf } from '../events/command-event.ts'
import { withValuesOfFile } from './redaction-values.ts'

/** All redactions since the beginning, one per line, for a database that is restored from an older backup. */
export const redactionsFile = 'redactions.jsonl'

/** A line of the file. `key` distinguishes the keys of different stocks. */
export type RedactionLine = { readonly key: string } & (
  | { readonly redaction: NewRedaction }
  | { readonly undone: string }
)

/** `redact` */
export async function redactNow(context: ServiceContext, { options }: ControlRequest, emit: Emit): Promise<number> {
  const { store, clock } = context
  const key = await redactionKey(store.db)
  const rules = rulesOf(key, await withValuesOfFile(options))
  const id = redactionId(rules)
  const isDryRun = options['dry-run'] === true
  if (isDryRun) {
    const trial = { isReal: false, suspectsIn: suspectFinder(valuesOf(options, 'name')) }
    emit({ event: 'redacted', id, isDryRun, ...(await goThrough(context, redactor(key, rules), emit, trial)) })
    return 0
  }
  const reason = String(options['reason'] ?? '').trim()
  if (reason === '')
    throw new OperatorError('option-missing', 'A redaction needs --reason TEXT; --dry-run shows what it would touch.')
  const redaction = await changeRules(context, (trx) =>
    addRedaction(trx, actingNow(context), { redactionId: id, rules, reason }),
  )
  await keepLine(context, key, { redaction })
  const touched = await goThrough(context, redactor(key, rules), emit, removal)
  await setRedactionApplied(store.db, id, clock())
  emit({
    event: 'redacted',
    id,
    isDryRun,
    ...touched,
    recordedIn: join(resolve(context.dataFolder), redactionsFile),
  })
  return 0
}

/** `redact list` */
export const listRedactionsNow: Operation = async ({ store }, _request, emit) => {
  const redactions = await listRedactions(store.db)
  if (redactions.length === 0) emit({ event: 'none', message: 'Nothing is redacted.' })
  for (const { redactionId: id, rules, reason, madeAt, appliedAt } of redactions)
    emit({ event: 'redaction', id, kinds: kindsOf(rules), reason, madeAt, appliedAt })
  return 0
}

/** `redact undo` */
export async function undoRedaction(
  context: ServiceContext,
  { operands }: ControlRequest,
  emit: Emit,
): Promise<number> {
  const { store } = context
  const id = operands[0]!
  const key = await redactionKey(store.db)
  const found = await changeRules(context, (trx) => undo(trx, actingNow(context), id))
  if (!found)
    throw new OperatorError('no-redaction', `There is no redaction "${id}"; \`tenderstock redact list\` shows the ids.`)
  await keepLine(context, key, { undone: id })
  const { notices } = await reconsider(context, redactor(key, found.rules), emit, removal)
  await context.queue.run('consolidate', () => consolidateNow(context, emit))
  emit({ event: 'redactionUndone', id, notices })
  return 0
}

/** `redact import` */
export async function importRedactions(
  context: ServiceContext,
  { operands }: ControlRequest,
  emit: Emit,
): Promise<number> {
  const { store, clock } = context
  const path = operands[0]!
  const key = await redactionKey(store.db)
  const lines = ownLines(key, await readRedactions(path))
  if (lines === undefined) throw otherStock(path)
  const wanted = wantedBy(lines)
  const { pending, undone } = await changeRules(context, (trx) =>
    importNow(trx, actingNow(context), { name: path, wanted }),
  )
  if (undone.length > 0) {
    const rules = undone.flatMap((each) => each.rules)
    await reconsider(context, redactor(key, rules), emit, removal)
  }
  const rules = pending.flatMap((each) => each.rules)
  if (rules.length > 0) await goThrough(context, redactor(key, rules), emit, removal)
  else if (undone.length > 0) await context.queue.run('consolidate', () => consolidateNow(context, emit))
  for (const each of pending) await setRedactionApplied(store.db, each.redactionId, clock())
  emit({
    event: 'redactionsImported',
    added: pending.length,
    undone: undone.length,
    known: [...wanted.values()].filter((each) => each && !pending.includes(each)).length,
  })
  return 0
}

/** The redactions that apply after all lines; undefined for those undone. */
function wantedBy(lines: readonly RedactionLine[]): ReadonlyMap<string, NewRedaction | undefined> {
  return new Map(
    lines.map((line) =>
      'redaction' in line ? [line.redaction.redactionId, line.redaction] : ([line.undone, undefined] as const),
    ),
  )
}

/** Ids of the redactions that apply after all lines. */
export const redactionsIn = (lines: readonly RedactionLine[]): string[] =>
  [...wantedBy(lines)].flatMap(([id, redaction]) => (redaction ? [id] : []))

/**
 * The lines that this key made; undefined when another stock wrote them all. A stock whose key was lost goes on with
 * another one in the same file.
 */
function ownLines(key: Buffer, lines: readonly RedactionLine[]): readonly RedactionLine[] | undefined {
  const own = lines.filter((line) => line.key === printOf(key))
  return own.length === 0 && lines.length > 0 ? undefined : own
}

export const otherStock = (path: string): OperatorError =>
  new OperatorError(
    'redactions-of-other-stock',
    `${path} was written for another stock: its hashes were made with a different key. Restore a backup of that stock, or repeat the redactions.`,
  )

/**
 * Records the redactions of a file in the transaction that restores their stock, so that nothing leaves it without
 * them; `redact import` then removes the values, and ends what was undone. Returns false and does nothing when they
 * belong to another stock.
 */
export async function noteRestored(trx: Executor, lines: readonly RedactionLine[]): Promise<boolean> {
  const own = (await hasRedactions(trx)) ? ownLines(await redactionKey(trx), lines) : undefined
  if (own === undefined) return false
  const known = new Set((await listRedactions(trx)).map(({ redactionId }) => redactionId))
  for (const [id, redaction] of wantedBy(own)) if (redaction && !known.has(id)) await insertRedaction(trx, redaction)
  return true
}

/** Under the lock of the stock: later consolidations have the new rules. */
async function changeRules<Result>({ store }: ServiceContext, work: (trx: Executor) => Promise<Result>) {
  // without a signal, nothing ends the wait for the lock
  return (await inStockTransaction(store, work)) as Result
}

const valuesOf = (options: ControlRequest['options'], kind: RedactionKind): readonly string[] =>
  Array.isArray(options[kind]) ? (options[kind] as unknown[]).map(String) : []

function rulesOf(key: Buffer, options: ControlRequest['options']): RedactionRule[] {
  try {
    const rules = (['email', 'phone', 'name'] as const).flatMap((kind) =>
      valuesOf(options, kind).map((value) => redactionRule(key, kind, value)),
    )
    if (rules.length > 0) return rules
  } catch (error) {
    if (error instanceof RedactionValueError) throw new OperatorError('invalid-redaction', error.message)
    throw error
  }
  throw new OperatorError(
    'option-missing',
    'Name what to redact: --secret-file FILE, or --email MAIL, --phone NUMBER, --name NAME.',
  )
}

type Touched = Omit<EventOf<'redacted'>, 'event' | 'id' | 'isDryRun'>

/** Maximum number of records, and of suspects, to list. */
const maxNamed = 100

type Run = {
  /** Removes the values; otherwise only counts. */
  readonly isReal: boolean
  readonly suspectsIn: ReturnType<typeof suspectFinder>
}
const removal: Run = { isReal: true, suspectsIn: () => [] }

/** Processes everything stored that may contain the values, in short steps, so that the service continues meanwhile. */
async function goThrough(context: ServiceContext, rules: Redactor, emit: Emit, run: Run): Promise<Touched> {
  const { isReal } = run
  const { notices, members, suspects } = await reconsider(context, rules, emit, run)
  const records: string[] = []
  await eachText(context, 'tender', ({ key, content }) => {
    if (rules.json(content) !== content) records.push(key)
  })
  if (isReal) {
    await context.queue.run('consolidate', () => consolidateNow(context, emit))
    for (const id of records) await redactLeftover(context, rules, id)
  }
  const replaced = async (table: Exclude<keyof typeof storedTexts, 'tender'>): Promise<number> => {
    let count = 0
    await eachText(context, table, async (text) => {
      const clean = rules.json(text.content)
      if (clean === text.content) return
      count++
      if (isReal) await replaceStoredText(context.store.db, table, text, clean)
    })
    return count
  }
  const others = (await replaced('estimate')) + (await replaced('matched'))
  await replaced('reasons')
  // last: what is written meanwhile already follows the rules
  const bodies = await redactBodies(context, rules, isReal)
  const mails = await replaced('mail')
  return {
    notices,
    members,
    records: records.length,
    recordIds: records.slice(0, maxNamed),
    bodies,
    mails,
    others,
    suspects,
  }
}

/** Counts the notices that contain the values; a removal lets the next consolidation derive their records again. */
async function reconsider(
  { store }: ServiceContext,
  rules: Redactor,
  emit: Emit,
  { isReal, suspectsIn }: Run,
): Promise<Pick<Touched, 'notices' | 'members' | 'suspects'>> {
  const members: { [member: string]: number } = {}
  const suspects: Touched['suspects'][number][] = []
  const pace = new Pace(store.engine)
  let [notices, done] = [0, 0]
  for (let after = ''; ; ) {
    const page = await pace.run(async (limit) => {
      const rows = await listParsedNotices(store.db, after, limit)
      const hit: string[] = []
      for (const { key, content } of rows) {
        const found = new Set<string>()
        const clean: unknown = rules.value(JSON.parse(content), (path) => found.add(path))
        const suspected = suspectsIn(clean).map(({ path, text }) => ({ notice: key, member: path, text }))
        suspects.push(...suspected.slice(0, maxNamed - suspects.length))
        if (found.size === 0) continue
        hit.push(key)
        for (const path of found) members[path] = (members[path] ?? 0) + 1
      }
      notices += hit.length
      if (isReal && hit.length > 0) await reconsiderNotices(store.db, hit)
      return rows
    })
    if (page.length === 0) return { notices, members, suspects }
    done += page.length
    after = page.at(-1)!.key
    emit({ event: 'progress', stage: 'redact', done, detail: 'notices' })
  }
}

async function eachText(
  { store }: ServiceContext,
  table: keyof typeof storedTexts,
  look: (text: { readonly key: string; readonly content: string }) => unknown,
): Promise<void> {
  const pace = new Pace(store.engine)
  for (let after = ''; ; ) {
    const page = await pace.run(async (limit) => {
      const rows = await listStoredTexts(store.db, table, after, limit)
      for (const row of rows) await look(row)
      return rows
    })
    if (page.length === 0) return
    after = page.at(-1)!.key
  }
}

/** A record without notices keeps its content, and no consolidation derives it again. */
async function redactLeftover({ store }: ServiceContext, rules: Redactor, tenderId: string): Promise<void> {
  await inStockTransaction(store, async (trx) => {
    const found = await findTender(trx, tenderId)
    if (!found || rules.json(found.content) === found.content) return
    const { content, firstEdition: _, ...row } = found
    const draft = draftOf(rules.value(JSON.parse(content) as TenderContent), row.nextTransitionMs)
    await upsertTenders(trx, [{ ...row, ...draft }])
  })
}

/** Redacts the bodies of messages: a retry from now on differs from the first attempt. */
async function redactBodies({ store }: ServiceContext, rules: Redactor, isReal: boolean): Promise<number> {
  const pace = new Pace(store.engine)
  let count = 0
  for (let after = ''; ; ) {
    const page = await pace.run(async (limit) => {
      const rows = await listKeptBodies(store.db, after, limit)
      for (const { key, packed } of rows) {
        const body = gunzipSync(packed).toString()
        const clean = rules.json(body)
        if (clean === body) continue
        count++
        if (isReal) await replaceKeptBody(store.db, key, gzipSync(clean, { level: 1 }))
      }
      return rows
    })
    if (page.length === 0) return count
    after = page.at(-1)!.key
  }
}

/** Distinguishes keys without revealing anything about them. */
const printOf = (key: Buffer): string => createHmac('sha256', key).update('print').digest('hex').slice(0, 16)

type NewLine = { readonly redaction: NewRedaction } | { readonly undone: string }

async function keepLine({ dataFolder }: ServiceContext, key: Buffer, line: NewLine): Promise<void> {
  await makeFolder(dataFolder)
  const text = `${JSON.stringify({ key: printOf(key), ...line } satisfies RedactionLine)}\n`
  await appendFile(join(dataFolder, redactionsFile), text, { mode: 0o600, flush: true })
}

/** Starts a new file in a stock that was restored where the file of another stock is. */
export async function keepLines(dataFolder: string, lines: readonly RedactionLine[]): Promise<string> {
  await makeFolder(dataFolder)
  const path = join(resolve(dataFolder), redactionsFile)
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  await writeFile(path, text, { mode: 0o600, flush: true, flag: 'wx' })
  return path
}

/** Throws OperatorError for a file that does not exist or holds something else. */
export async function readRedactions(path: string): Promise<RedactionLine[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new OperatorError('no-file', `There is no file ${path}.`)
    throw error
  })
  return redactionLines(text, path)
}

/** Throws OperatorError for a text that holds something else. */
export function redactionLines(text: string, path: string): RedactionLine[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => {
      try {
        const value = JSON.parse(line) as RedactionLine
        if (typeof value.key === 'string' && ('redaction' in value || 'undone' in value)) return value
      } catch {
        // reported below
      }
      throw new OperatorError(
        'redactions-damaged',
        `Line ${index + 1} of ${path} is not a redaction; pass a file ${redactionsFile}.`,
      )
    })
}

export const operations = {
  'redact list': listRedactionsNow,
  redact: redactNow,
  'redact undo': undoRedaction,
  'redact import': importRedactions,
} satisfies Operations
