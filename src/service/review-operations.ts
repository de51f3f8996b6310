// The operator's commands about duplicates: which pairs are undecided, the evidence for and against, decisions; why a
// record is as it is.
import { explainRecord } from '../consolidate/explain-stock.ts'
import { fuzzyMatcher } from '../consolidate/fuzzy-matcher.ts'
import { currentDecisions } from '../consolidate/match-closure.ts'
import type { TenderContent } from '../domain/tender.ts'
import type { Clock } from '../platform/clock.ts'
import { OperatorError } from '../platform/errors.ts'
import { type Executor, inTransaction, type Store } from '../store/database.ts'
import { listDoubts } from '../store/doubts.ts'
import { countKeyHolders, listEdgesOf, loadMatchRecords } from '../store/matches.ts'
import { listOpenReviews, reconsiderNotices, recordsOfNoticeKeys, upsertDecision } from '../store/reviews.ts'
import { findTender, tendersOfNoticeKeys } from '../store/tenders.ts'
import type { Emit, ReviewSide } from './command-event.ts'
import type { ControlRequest } from './control-socket.ts'

/** What these commands need of the context they run in. */
export type ReviewContext = { readonly store: Store; readonly clock: Clock }

/** `review list`: open pairs, the most likely duplicates first. */
export async function listReviews({ store }: ReviewContext, { options }: ControlRequest, emit: Emit): Promise<number> {
  const limit = Number(options.limit ?? 20)
  const decided = new Set((await currentDecisions(store.db)).map(({ left, right }) => `${left}\n${right}`))
  // decided pairs are left out here: there are at most as many as operators made
  const reviews = (await listOpenReviews(store.db, limit + decided.size))
    .filter(({ left, right }) => !decided.has(`${left}\n${right}`))
    .slice(0, limit)
  const doubts = await listDoubts(store.db, limit)
  for (const { tenderId, left, right, kind, evidence } of doubts) {
    const side = await sideOf(store.db, tenderId)
    emit({
      event: 'review',
      left: { key: left, ...side },
      right: { key: right, ...side },
      rule: kind,
      score: null,
      evidence,
      isHeldApart: false,
      isOneRecord: true,
    })
  }
  if (reviews.length + doubts.length === 0) emit({ event: 'none', message: 'No pair awaits a decision.' })
  for (const { leftTender, rightTender, left, right, kind, ...edge } of reviews)
    emit({
      event: 'review',
      left: { key: left, ...(await sideOf(store.db, leftTender)) },
      right: { key: right, ...(await sideOf(store.db, rightTender)) },
      ...edge,
      isHeldApart: kind === 'merge',
      isOneRecord: false,
    })
  return 0
}

/** `review show LEFT RIGHT`: two records side by side. */
export async function showReview({ store }: ReviewContext, { operands }: ControlRequest, emit: Emit): Promise<number> {
  const [left, right] = await pairOf(store.db, operands)
  const tenders = await tendersOfNoticeKeys(store.db, [left, right])
  const records = await recordsOfNoticeKeys(store.db, [left, right])
  const [leftRecord, rightRecord] = [records.get(left), records.get(right)]
  const decision = (await currentDecisions(store.db)).find(
    (each) => [each.left, each.right].sort().join('\n') === [leftRecord, rightRecord].sort().join('\n'),
  )
  emit({
    event: 'reviewPair',
    left: { key: left, ...(await sideOf(store.db, tenders.get(left))) },
    right: { key: right, ...(await sideOf(store.db, tenders.get(right))) },
    isOneRecord: tenders.get(left) === tenders.get(right),
    isExactlyLinked: leftRecord !== undefined && leftRecord === rightRecord,
    decision: decision?.decision ?? null,
    verdict: await verdictOn(store.db, leftRecord, rightRecord),
  })
  return 0
}

/** Maximum doubted tenders that are searched for one. */
const mostDoubts = 10_000

/** `review merge|split LEFT RIGHT`: keeps the decision and applies it at once; `apply` consolidates. */
export async function decideReview(
  { store, clock }: ReviewContext,
  { operands, options }: ControlRequest,
  decision: 'merge' | 'split',
  { emit, apply }: { readonly emit: Emit; readonly apply: () => Promise<void> },
): Promise<number> {
  const pair = await pairOf(store.db, operands)
  const [left, right] = [...pair].sort() as [string, string]
  const records = await recordsOfNoticeKeys(store.db, pair)
  const doubt = (await listDoubts(store.db, mostDoubts)).find((each) => each.left === left && each.right === right)
  // What exact references joined stays joined; an operator may say that it is right.
  if (records.get(left) === records.get(right) && !(doubt && decision === 'merge')) {
    throw new OperatorError(
      decision === 'merge'
        ? `${left} and ${right} are already one record because of exact references.`
        : `${left} and ${right} belong together because of exact references, which no decision can undo; \`tenderstock explain ID\` shows them.`,
    )
  }
  await inTransaction(store, async (trx) => {
    await upsertDecision(trx, { left, right, decision, decidedAt: clock(), note: String(options.note ?? '') })
    await reconsiderNotices(trx, [left, right])
  })
  await apply()
  const tenders = await tendersOfNoticeKeys(store.db, [left, right])
  const isOne = tenders.get(left) === tenders.get(right)
  emit({ event: 'reviewDecided', decision, left, right, records: [...new Set(tenders.values())] })
  if (isOne !== (decision === 'merge'))
    emit({
      event: 'warning',
      message: `The decision is stored, but another decision ${isOne ? 'joins' : 'separates'} the two: \`tenderstock review show ${left} ${right}\`.`,
    })
  return 0
}

/** `explain ID`: the notices of a record, by what each belongs to it, and where each member came from. */
export async function explainStock(context: ReviewContext, { operands }: ControlRequest, emit: Emit): Promise<number> {
  const id = operands[0]!.toLowerCase()
  const found = await explainRecord(context.store.db, id, context.clock())
  if (!found)
    throw new OperatorError(`There is no record "${operands[0]}"; pass an id as the API shows it.`, { exitCode: 2 })
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
      joinedBy: joinedBy ?? null,
    })),
    members: found.origins.map(({ value, ...origin }) => ({ ...origin, value: JSON.parse(value) as unknown })),
  })
  return 0
}

/** The notice keys that two operands name: a notice key, or a record's ID, which means its founding notice. */
async function pairOf(db: Executor, operands: readonly string[]): Promise<readonly [string, string]> {
  const [left, right] = [await noticeKeyOf(db, operands[0]!), await noticeKeyOf(db, operands[1]!)]
  if (left === right) throw new OperatorError('Pass two different records.', { exitCode: 2 })
  return [left, right]
}

async function noticeKeyOf(db: Executor, name: string): Promise<string> {
  const key = (await findTender(db, name.toLowerCase()))?.foundingKey ?? name
  if ((await recordsOfNoticeKeys(db, [key])).has(key)) return key
  throw new OperatorError(
    `There is no record or notice "${name}"; \`tenderstock review list\` shows pairs, \`tenderstock explain ID\` the notices of a record.`,
    { exitCode: 2 },
  )
}

/** What people compare. */
async function sideOf(db: Executor, tenderId: string | undefined): Promise<Omit<ReviewSide, 'key'>> {
  const row = tenderId === undefined ? undefined : await findTender(db, tenderId)
  if (!row) return { id: null }
  const content = JSON.parse(row.content) as TenderContent
  return {
    id: content.id,
    status: content.status,
    title: content.title,
    buyer: content.contractingAuthority?.name ?? null,
    tenderNumber: content.tenderNumber ?? null,
    publicationDate: content.firstPublicationDate ?? null,
    submissionDate: content.submissionDate ?? null,
    cpvCodes: content.cpvCodes,
    nutsCodes: content.nutsCodes,
    contractAmount: content.contractAmount,
    publishers: [...new Set(content.originalSources.map(({ publisher }) => publisher))].sort(),
    notices: content.originalSources.length,
    description: content.description?.slice(0, 300) ?? null,
  }
}

/** What the matcher says of two records, and whether the blocking let them meet. */
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
