// Changes of the rules by which contact data leaves the records. Each runs in the transaction of its caller, under the
// lock of the stock, and leaves one entry of the audit log if it changed something; what is stored is gone through
// afterwards.
import type { RedactionKind, RedactionRule } from '../domain/redaction.ts'
import type { Executor } from '../store/database/database.ts'
import { deleteRedaction, insertRedaction, listRedactions, type Redaction } from '../store/received/redactions.ts'
import { type ActingNow, record } from './acting.ts'

/** How many values of each kind the rules recognize. */
export function kindsOf(rules: readonly RedactionRule[]): { readonly [kind in RedactionKind]: number } {
  const count = (kind: RedactionKind) => rules.filter((rule) => rule.kind === kind).length
  return { email: count('email'), phone: count('phone'), name: count('name') }
}

/** A redaction before it is applied. */
export type NewRedaction = Omit<Redaction, 'appliedAt'>

/** Adds a redaction, or lets an existing one be applied again. */
export async function addRedaction(
  trx: Executor,
  acting: ActingNow,
  { redactionId, rules, reason }: Omit<NewRedaction, 'madeAt'>,
): Promise<NewRedaction> {
  const redaction = { redactionId, rules, reason, madeAt: acting.now }
  await insertRedaction(trx, redaction)
  const detail = { ...kindsOf(rules), reason }
  await record(trx, acting, { action: 'redaction.create', subject: redactionId, detail })
  return redaction
}

/** Ends a redaction. Undefined: there is none of this ID. */
export async function undoRedaction(
  trx: Executor,
  acting: ActingNow,
  redactionId: string,
): Promise<Redaction | undefined> {
  const found = (await listRedactions(trx)).find((each) => each.redactionId === redactionId)
  if (!found || !(await deleteRedaction(trx, redactionId))) return undefined
  await record(trx, acting, { action: 'redaction.undo', subject: redactionId })
  return found
}

export type RedactionImport = {
  /** Those that are not applied yet: new ones, and what an interrupted import left. */
  readonly pending: readonly NewRedaction[]
  readonly undone: readonly Redaction[]
}

/** Takes over the redactions of a file: by ID those that apply, undefined for those that were undone. */
export async function importRedactions(
  trx: Executor,
  acting: ActingNow,
  { name, wanted }: { readonly name: string; readonly wanted: ReadonlyMap<string, NewRedaction | undefined> },
): Promise<RedactionImport> {
  const known = new Map((await listRedactions(trx)).map((each) => [each.redactionId, each]))
  const pending: NewRedaction[] = []
  const undone: Redaction[] = []
  for (const [id, redaction] of wanted) {
    const own = known.get(id)
    if (redaction === undefined && own) {
      await deleteRedaction(trx, id)
      undone.push(own)
    }
    if (redaction === undefined || (own && own.appliedAt !== null)) continue
    if (!own) await insertRedaction(trx, redaction)
    pending.push(redaction)
  }
  if (pending.length + undone.length === 0) return { pending, undone }
  const detail = { added: pending.length, undone: undone.length }
  await record(trx, acting, { action: 'redaction.import', subject: name.slice(0, 300), detail })
  return { pending, undone }
}
