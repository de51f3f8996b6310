// Explains a record of the stock: its notices, why each belongs to it, and where each member came from. Changes
// nothing.
import type { Notice } from '../domain/notice.ts'
import type { TenderContent } from '../domain/tender.ts'
import type { Executor } from '../store/database/database.ts'
import { loadNotices } from '../store/received/notices.ts'
import { recordsOfNoticeKeys } from '../store/stock/reviews.ts'
import { findTender, loadNoticesOfTenders } from '../store/stock/tenders.ts'
import { closureOf, toStored } from './consolidate.ts'
import { explainTender, type MemberOrigin } from './explain.ts'
import { fuzzyMatcher } from './fuzzy-matcher.ts'
import { connectedRecords } from './match-closure.ts'
import { uniteCopies } from './notice-units.ts'
import { isAnnouncedOnly, type Join, resolve } from './resolve.ts'

/** Why a notice belongs to a tender. `score` in points of log-odds; null for what is exact or decided. */
export type JoinedBy = {
  readonly rule: string
  readonly score: number | null
  readonly evidence: string
  /** Key of the notice that it is joined with. */
  readonly with: string
}

type ExplainedNotice = {
  readonly notice: Notice
  readonly sourceIds: readonly string[]
  /** Absent for the first. */
  readonly joinedBy?: JoinedBy
}

export type RecordExplanation = {
  readonly tenderId: string
  /** The requested record, if another holds it. */
  readonly mergedFrom?: string
  /** Content as in the stock. */
  readonly content: TenderContent
  readonly notices: readonly ExplainedNotice[]
  readonly origins: readonly MemberOrigin[]
}

/**
 * The explanation of a record by its id; for a merged one, of the record that holds it. Undefined for an unknown id.
 */
export async function explainRecord(trx: Executor, id: string, now: number): Promise<RecordExplanation | undefined> {
  const asked = await findTender(trx, id)
  if (!asked) return undefined
  const tenderId = asked.mergedInto ?? asked.tenderId
  const shown = asked.mergedInto === null ? asked : await findTender(trx, tenderId)
  if (!shown) return undefined
  const rows = (await loadNoticesOfTenders(trx, [tenderId])).get(tenderId)!
  const units = uniteCopies(rows.map(toStored))
  if (units.length === 0) return undefined

  const joins: Join[] = []
  const { noticeIds, ignoredKeys } = await closureOf(
    trx,
    rows.map((row) => row.noticeId),
  )
  const components = resolve((await loadNotices(trx, noticeIds)).map(toStored), ignoredKeys, (join) => joins.push(join))
  const noticeKeys = units.map((unit) => unit.notice.noticeKey)
  const records = new Set((await recordsOfNoticeKeys(trx, noticeKeys)).values())
  const { clusters } = await connectedRecords(trx, fuzzyMatcher, records)
  const edges: (JoinedBy & { readonly to: string })[] = [
    ...joins.map(({ left, right, kind, key }) => ({
      with: left,
      to: right,
      rule: kind === 'follower' ? 'announcement' : kind,
      score: null,
      evidence: kind === 'follower' ? 'the one procedure that refers to it' : key,
    })),
    ...clusters
      .flatMap(({ joinedBy }) => joinedBy)
      .map(({ left, right, rule, score, evidence }) => ({
        with: left,
        to: right,
        rule,
        score: rule === 'operator' ? null : score,
        evidence,
      })),
  ]
  const reached = spanning(noticeKeys, edges)
  const isSucceeded =
    isAnnouncedOnly(units) &&
    components.some((component) => component.isSucceeded && noticeKeys.includes(component.units[0]!.notice.noticeKey))
  const { origins } = explainTender(
    tenderId,
    units.map((unit) => unit.notice),
    { now, isSucceeded },
  )
  const content = JSON.parse(shown.content) as TenderContent
  return {
    tenderId,
    content,
    ...(tenderId !== id && { mergedFrom: id }),
    notices: units.map(({ notice, sourceIds }) => {
      const joinedBy = reached.get(notice.noticeKey)
      return { notice, sourceIds, ...(joinedBy && { joinedBy }) }
    }),
    origins: withEstimate(origins, content),
  }
}

/** An estimated value is added to the record after it is built: it comes from no notice. */
function withEstimate(origins: readonly MemberOrigin[], { contractAmount }: TenderContent): readonly MemberOrigin[] {
  if (!contractAmount?.estimated) return origins
  const value = JSON.stringify(contractAmount)
  return origins.map((origin) =>
    origin.member === 'contractAmount'
      ? { ...origin, value, rule: 'estimate: no notice has a value', noticeKeys: [] }
      : origin,
  )
}

/** The edge by which each notice is reached from the first of them, exact edges before others. */
function spanning(
  noticeKeys: readonly string[],
  edges: readonly (JoinedBy & { readonly to: string })[],
): ReadonlyMap<string, JoinedBy> {
  const own = new Set(noticeKeys)
  const reached = new Map<string, JoinedBy>()
  const seen = new Set(noticeKeys.slice(0, 1))
  for (let grew = true; grew; ) {
    grew = false
    for (const { with: left, to: right, rule, score, evidence } of edges) {
      if (!own.has(left) || !own.has(right) || seen.has(left) === seen.has(right)) continue
      const [from, next] = seen.has(left) ? [left, right] : [right, left]
      reached.set(next, { rule, score, evidence, with: from })
      seen.add(next)
      grew = true
    }
  }
  return reached
}
