// The operator's commands about duplicates: which pairs are undecided, the evidence for and against, decisions; and why
// a record looks as it does.
import { firstDeadline } from '#flat/record/first-deadline'
import { decideReview as decide, undoReview as undo } from '../../actions/reviews.ts'
import type { ExactReference, ReviewSide, WaitingPair } from '../../console/frame/stock-reads.ts'
import { explainTender } from '../../consolidate/explain.ts'
import { explainRecord } from '../../consolidate/explain-stock.ts'
import { fuzzyMatcher } from '../../consolidate/fuzzy-matcher.ts'
import type { Verdict } from '../../consolidate/match/match-record.ts'
import { currentDecisions } from '../../consolidate/match-closure.ts'
import type { TenderContent } from '../../domain/tender.ts'
import { OperatorError, refused } from '../../platform/errors.ts'
import { refusalLine } from '../../platform/refusal.ts'
import { type Executor, inTransaction } from '../../store/database/database.ts'
import { listDoubts } from '../../store/stock/doubts.ts'
import { countKeyHolders, listEdgesOf, loadMatchRecords } from '../../store/stock/matches.ts'
import { listOpenReviews, recordsOfNoticeKeys } from '../../store/stock/reviews.ts'
import { contentsOfTenders, findTender, loadNoticesOfTenders, tendersOfNoticeKeys } from '../../store/stock/tenders.ts'
import { consolidateNow } from '../control/consolidate-now.ts'
import type { ControlRequest } from '../control/control-socket.ts'
import { actingNow, type Operation, type Operations, type ServiceContext } from '../control/operation-context.ts'
import type { Emit } from '../events/command-event.ts'
import { explainSearch } from './hit-operations.ts'

/** What these commands need of the context they run in. */
export type ReviewContext = Pick<ServiceContext, 'store' | 'clock' | 'by'>

/** `review list`: open pairs, those first of which a decision is expected to bring most. */
export const listReviews: Operation<ReviewContext> = async ({ store }, { options }, emit) => {
  const pairs = await waitingPairs(store.db, Number(options.limit ?? 20))
  if (pairs.length === 0) emit({ event: 'none', message: 'No pairs await a decision.' })
  for (const { contradiction: _, ...pair } of pairs) emit({ event: 'review', ...pair })
  return 0
}

/**
 * Pairs that await a decision: at most `limit` records whose notices contradict each other, then as many possible
 * duplicates.
 */
export async function waitingPairs(db: Executor, limit: number): Promise<WaitingPair[]> {
  const decided = new Set((await currentDecisions(db)).map(({ left, right }) => `${left}\n${right}`))
  // decided pairs are left out here: there are at most as many as operators decided
  const reviews = (await listOpenReviews(db, limit + decided.size))
    .filter(({ left, right }) => !decided.has(`${left}\n${right}`))
    .slice(0, limit)
  const doubts = await listDoubts(db, limit)
  const sides = await sidesOf(db, [
    ...doubts.map(({ tenderId }) => tenderId),
    ...reviews.flatMap(({ leftTender, rightTender }) => [leftTender, rightTender]),
  ])
  const sideOf = (key: string, tenderId: string): ReviewSide => ({ key, ...(sides.get(tenderId) ?? { id: null }) })
  const records = await recordsOfNoticeKeys(
    db,
    doubts.flatMap(({ left, right }) => [left, right]),
  )
  return [
    ...doubts.map(
      ({ tenderId, left, right, kind, evidence, contradiction }): WaitingPair => ({
        left: sideOf(left, tenderId),
        right: sideOf(right, tenderId),
        rule: kind,
        score: null,
        chance: null,
        readers: null,
        evidence,
        contradiction,
        isHeldApart: false,
        isOneRecord: true,
        isExactlyLinked: records.get(left) === records.get(right),
      }),
    ),
    ...reviews.map(
      ({ leftTender, rightTender, left, right, kind, rule, score, chance, readers, evidence }): WaitingPair => ({
        left: sideOf(left, leftTender),
        right: sideOf(right, rightTender),
        rule,
        score,
        chance,
        readers,
        evidence,
        isHeldApart: kind === 'merge',
        isOneRecord: false,
        isExactlyLinked: false,
      }),
    ),
  ]
}

/** `review show LEFT RIGHT`: two records side by side. */
export const showReview: Operation<ReviewContext> = async ({ store, clock }, { operands }, emit) => {
  const [left, right] = await pairOf(store.db, operands)
  const { verdict, ...pair } = await comparePair(store.db, [left, right], clock())
  emit({ event: 'reviewPair', ...pair, verdict: verdict && shownVerdict(verdict) })
  return 0
}

/** As commands print it. */
const shownVerdict = <Shown extends Verdict>({ contradiction: _, ...shown }: Shown) => shown

/**
 * Two records, named by a notice of each, side by side; of one record, the two notices: what each alone would make of
 * it.
 */
export async function comparePair(db: Executor, pair: readonly [left: string, right: string], now: number) {
  const [left, right] = pair
  const tenders = await tendersOfNoticeKeys(db, [left, right])
  const records = await recordsOfNoticeKeys(db, [left, right])
  const [leftRecord, rightRecord] = [records.get(left), records.get(right)]
  const decision = (await currentDecisions(db)).find(
    (each) => [each.left, each.right].sort().join('\n') === [leftRecord, rightRecord].sort().join('\n'),
  )
  const [leftTender, rightTender] = [tenders.get(left), tenders.get(right)]
  const isOneRecord = leftTender === rightTender
  const sides =
    isOneRecord && leftTender !== undefined
      ? await sidesOfNotices(db, leftTender, { noticeKeys: [left, right], now })
      : await sidesByKey(db, tenders)
  const sideOf = (key: string): ReviewSide => ({ key, ...(sides.get(key) ?? { id: null }) })
  const isExactlyLinked = leftRecord !== undefined && leftRecord === rightRecord
  return {
    left: sideOf(left),
    right: sideOf(right),
    isOneRecord,
    isExactlyLinked,
    references: isExactlyLinked && leftTender !== undefined ? await referencesOf(db, leftTender, pair, now) : [],
    decision: decision?.decision ?? null,
    verdict: await verdictOn(db, leftRecord, rightRecord),
  }
}

/** The exact references on the way from one notice of a tender to another, as `explain` shows them. */
async function referencesOf(
  db: Executor,
  tenderId: string,
  [left, right]: readonly [left: string, right: string],
  now: number,
): Promise<ExactReference[]> {
  const notices = (await explainRecord(db, tenderId, now))?.notices ?? []
  const joined = new Map(notices.map(({ notice, joinedBy }) => [notice.noticeKey, joinedBy]))
  /** From a notice back to the first one. */
  const wayFrom = (key: string): ExactReference[] => {
    const join = joined.get(key)
    if (!join) return []
    const { with: before, rule, evidence } = join
    return [{ notice: key, with: before, rule, evidence }, ...wayFrom(before)]
  }
  const [ways, others] = [wayFrom(left), wayFrom(right)]
  const isOf = (way: readonly ExactReference[], { notice }: ExactReference) =>
    way.some((each) => each.notice === notice)
  return [...ways.filter((each) => !isOf(others, each)), ...others.filter((each) => !isOf(ways, each)).reverse()]
}

/** `review merge|split LEFT RIGHT`: stores the decision and applies it immediately. */
export async function decideReview(
  context: ReviewContext,
  { operands, options }: ControlRequest,
  decision: 'merge' | 'split',
  emit: Emit,
): Promise<number> {
  const { store } = context
  const [left, right] = [...(await pairOf(store.db, operands))].sort() as [string, string]
  const note = String(options.note ?? '')
  const seen = seenIn(options)
  const { kind } = await inTransaction(store, (trx) =>
    decide(trx, actingNow(context), { left, right, decision, note, seen }),
  )
  if (kind === 'stale') throw refused({ code: 'changed-meanwhile', values: {} })
  if (kind === 'linked') {
    throw refused({ code: decision === 'merge' ? 'is-one' : 'stays-one', values: { left, right } })
  }
  await consolidateNow(context, emit)
  const tenders = await tendersOfNoticeKeys(store.db, [left, right])
  const isOne = tenders.get(left) === tenders.get(right)
  emit({ event: 'reviewDecided', decision, left, right, records: [...new Set(tenders.values())] })
  if (isOne !== (decision === 'merge')) {
    const code = isOne ? 'joins-other' : 'separates-other'
    emit({ event: 'warning', message: refusalLine({ code, values: { left, right } }) })
  }
  return 0
}

/** `review undo LEFT RIGHT`: removes the decision on two records and applies that immediately. */
export async function undoReview(
  context: ReviewContext,
  { operands, options }: ControlRequest,
  emit: Emit,
): Promise<number> {
  const { store } = context
  const [left, right] = [...(await pairOf(store.db, operands))].sort() as [string, string]
  const seen = seenIn(options)
  const outcome = await inTransaction(store, (trx) => undo(trx, actingNow(context), { left, right, seen }))
  if (outcome.kind === 'stale') throw refused({ code: 'changed-meanwhile', values: {} })
  const { decisions } = outcome
  if (decisions.length === 0) throw refused({ code: 'undecided', values: { left, right } })
  const noticeKeys = [...new Set(decisions.flatMap((each) => [each.left, each.right]))]
  await consolidateNow(context, emit)
  const tenders = await tendersOfNoticeKeys(store.db, noticeKeys)
  emit({
    event: 'reviewUndone',
    left,
    right,
    decisions: decisions.length,
    records: [...new Set(tenders.values())].sort(),
  })
  return 0
}

/** The version that a page has shown; undefined for a command, which decides on what is there. */
const seenIn = ({ seen }: ControlRequest['options']): string | undefined =>
  seen === undefined ? undefined : String(seen)

/** `explain ID`: the notices of a record, why each belongs to it, and where each member came from. */
export const explainStock: Operation<ReviewContext> = async (context, { operands }, emit) => {
  const id = operands[0]!.toLowerCase()
  const found = await explainRecord(context.store.db, id, context.clock())
  if (!found)
    throw new OperatorError('no-record', `There is no record "${operands[0]}"; pass an id as the API shows it.`)
  emit({
    event: 'explained',
    id: found.tenderId,
    mergedFrom: found.mergedFrom ?? null,
    notices: found.notices.map(({ notice, sourceIds, joinedBy }) => ({
      key: notice.noticeKey,
      publisher: notice.publisher,
      format: notice.format,
      formType: notice.formType,
      publicationDate: notice.publicationDate ?? null,
      url: notice.url ?? null,
      sources: sourceIds,
      act: notice.act ?? null,
      joinedBy: joinedBy ?? null,
    })),
    members: found.origins.map(({ value, ...origin }) => ({ ...origin, value: JSON.parse(value) as unknown })),
  })
  return 0
}

/** The notice keys that two operands name: a notice key, or a record's ID, which means its founding notice. */
async function pairOf(db: Executor, operands: readonly string[]): Promise<readonly [string, string]> {
  const [left, right] = [await noticeKeyOf(db, operands[0]!), await noticeKeyOf(db, operands[1]!)]
  if (left === right) throw refused({ code: 'same-record', values: {} })
  return [left, right]
}

async function noticeKeyOf(db: Executor, name: string): Promise<string> {
  const key = (await findTender(db, name.toLowerCase()))?.foundingKey ?? name
  if ((await recordsOfNoticeKeys(db, [key])).has(key)) return key
  throw refused({ code: 'no-record', values: { name } })
}

/** What people compare, by tender ID. */
async function sidesOf(
  db: Executor,
  tenderIds: readonly string[],
): Promise<ReadonlyMap<string, Omit<ReviewSide, 'key'>>> {
  const contents = await contentsOfTenders(db, [...new Set(tenderIds)])
  return new Map([...contents].map(([tenderId, text]) => [tenderId, sideOf(JSON.parse(text) as TenderContent)]))
}

/** Of the records that notices are in, by notice key. */
async function sidesByKey(db: Executor, tenders: ReadonlyMap<string, string>) {
  const sides = await sidesOf(db, [...tenders.values()])
  return new Map([...tenders].flatMap(([key, tenderId]) => [[key, sides.get(tenderId) ?? { id: null }] as const]))
}

/** Of a record as each of these notices alone would make it, by notice key. */
async function sidesOfNotices(
  db: Executor,
  tenderId: string,
  { noticeKeys, now }: { readonly noticeKeys: readonly string[]; readonly now: number },
) {
  const rows = (await loadNoticesOfTenders(db, [tenderId])).get(tenderId)!
  const notices = rows.map(({ notice }) => notice).filter(({ noticeKey }) => noticeKeys.includes(noticeKey))
  return new Map(
    notices.map((notice) => [
      notice.noticeKey,
      sideOf(explainTender(tenderId, [notice], { now, isSucceeded: false }).content),
    ]),
  )
}

const sideOf = (content: TenderContent): Omit<ReviewSide, 'key'> => ({
  id: content.id,
  status: content.status,
  title: content.title,
  buyer: content.contractingAuthority?.name ?? null,
  tenderNumber: content.tenderNumber ?? null,
  publicationDate: content.firstPublicationDate ?? content.publicationDate ?? null,
  submissionDate: content.submissionDate ?? null,
  deadline: firstDeadline(content) ?? null,
  timeZone: content.timeZone ?? null,
  cpvCodes: content.cpvCodes,
  nutsCodes: content.nutsCodes,
  contractAmount: content.contractAmount,
  publishers: [...new Set(content.originalSources.map(({ publisher }) => publisher))].sort(),
  notices: content.originalSources.length,
  description: content.description?.slice(0, 300) ?? null,
  language: content.language ?? null,
})

/** The matcher's verdict on two records, and whether the blocking compared them. */
async function verdictOn(db: Executor, left: string | undefined, right: string | undefined) {
  if (left === undefined || right === undefined || left === right) return null
  const rows = await loadMatchRecords(db, [left, right])
  const [a, b] = rows
  if (!a || !b) return null
  const counts = await countKeyHolders(db, [...new Set([...a.twinKeys, ...b.twinKeys])], 4)
  const verdict = fuzzyMatcher.decide(fuzzyMatcher.unpack(a.content), fuzzyMatcher.unpack(b.content), {
    twins: Math.max(0, ...counts.values()),
  })
  const edges = await listEdgesOf(db, [left])
  return { ...verdict, isCandidate: edges.some((edge) => edge.left === right || edge.right === right) }
}

export const operations = {
  'review list': listReviews,
  'review show': showReview,
  'review merge': (context, request, emit) => decideReview(context, request, 'merge', emit),
  'review split': (context, request, emit) => decideReview(context, request, 'split', emit),
  'review undo': undoReview,
  explain: (context, request, emit) =>
    request.options['search'] === undefined
      ? explainStock(context, request, emit)
      : explainSearch(context, request, emit),
} satisfies Operations
