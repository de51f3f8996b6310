// Tenders whose notices contradict each other.
import { sql } from 'kysely'
import { type Contradiction, contradictionLine } from '../../domain/contradiction.ts'
import type { Executor } from '../database/database.ts'

/**
 * Two notices of one tender by key, `left` < `right`, that state different award numbers, or one of which names another
 * call, or that have neither a word nor a CPV division in common.
 */
export type TenderDoubt = {
  readonly tenderId: string
  readonly kind: 'award-number' | 'named-call' | 'unlike'
  readonly left: string
  readonly right: string
  readonly contradiction: Contradiction
}

/** `evidence` is the English line; `contradiction` is undefined if an older version wrote it. */
export type ListedDoubt = Omit<TenderDoubt, 'contradiction'> & {
  readonly evidence: string
  readonly contradiction: Contradiction | undefined
}

/** Replaces the doubts about these tenders. */
export async function replaceDoubts(
  db: Executor,
  tenderIds: readonly string[],
  doubts: readonly TenderDoubt[],
): Promise<void> {
  await sql`delete from tender_doubt where tender_id = any(${[...tenderIds]}::text[])`.execute(db)
  if (doubts.length === 0) return
  await sql`
    insert into tender_doubt (tender_id, kind, left_key, right_key, evidence, said)
    select * from unnest(
      ${doubts.map((each) => each.tenderId)}::text[], ${doubts.map((each) => each.kind)}::text[],
      ${doubts.map((each) => each.left)}::text[], ${doubts.map((each) => each.right)}::text[],
      ${doubts.map((each) => contradictionLine(each.contradiction))}::text[],
      ${doubts.map((each) => JSON.stringify(each.contradiction))}::text[])`.execute(db)
}

/** Doubts that no operator has decided, in order of their tenders, at most `limit`. */
export async function listDoubts(db: Executor, limit: number): Promise<ListedDoubt[]> {
  const { rows } = await sql<Omit<ListedDoubt, 'contradiction'> & { said: string | null }>`
    select tender_id as "tenderId", kind, left_key as left, right_key as right, evidence, said from tender_doubt d
    where not exists (select from review_decision r where r.left_key = d.left_key and r.right_key = d.right_key)
    order by tender_id, kind limit ${limit}`.execute(db)
  return rows.map(({ said, ...row }) => ({
    ...row,
    contradiction: said === null ? undefined : (JSON.parse(said) as Contradiction),
  }))
}

/** Number of doubted tenders without a decision, by kind. */
export async function countDoubts(db: Executor): Promise<{ readonly [kind in TenderDoubt['kind']]: number }> {
  const { rows } = await sql<{ kind: TenderDoubt['kind']; tenders: number }>`
    select kind, count(*)::integer as tenders from tender_doubt d
    where not exists (select from review_decision r where r.left_key = d.left_key and r.right_key = d.right_key)
    group by kind`.execute(db)
  const of = (kind: TenderDoubt['kind']): number => rows.find((row) => row.kind === kind)?.tenders ?? 0
  return { 'award-number': of('award-number'), 'named-call': of('named-call'), unlike: of('unlike') }
}
