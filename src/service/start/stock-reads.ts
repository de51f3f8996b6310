// What the console's pages read of stages that they do not depend on. Each read is one transaction: it waits for the
// database once.

import { statfs } from 'node:fs/promises'
import { pairVersion } from '../../actions/reviews.ts'
import type {
  ExplainedRecord,
  ReviewDesk,
  SourceFile,
  SourceLine,
  StockReads,
} from '../../console/frame/stock-reads.ts'
import { explainRecord } from '../../consolidate/explain-stock.ts'
import { noticeChanges } from '../../consolidate/notice-changes.ts'
import { isFailing, type SourcePast } from '../../domain/source-state.ts'
import { hourMs } from '../../domain/time.ts'
import type { EditionView } from '../../edition/read/edition-view.ts'
import type { SourceHealth, SourceRecord } from '../../ingest/source-health.ts'
import { sourcesPast, wholePast } from '../../ingest/source-past.ts'
import { sourcesHealth } from '../../ingest/watch-sources.ts'
import { loadSources } from '../../sources/registry.ts'
import type { Source } from '../../sources/source.ts'
import { type Executor, inTransaction } from '../../store/database/database.ts'
import { findDocument } from '../../store/received/documents.ts'
import { loadRedactor } from '../../store/received/redactions.ts'
import { listFill } from '../../store/sources/source-fill.ts'
import { alarmsOf, listRuns } from '../../store/sources/source-health.ts'
import { listNewestSlots } from '../../store/sources/source-ledger.ts'
import { listNewestDecisions, recordsOfNoticeKeys } from '../../store/stock/reviews.ts'
import { listMergedInto } from '../../store/stock/tenders.ts'
import type { ServiceContext } from '../control/operation-context.ts'
import { comparePair, waitingPairs } from '../operations/review-operations.ts'
import { activePasts, cardOf, watchOf } from '../operations/source-operations.ts'
import { clockConcerns } from '../watch/clock-concerns.ts'

/** Replaces a document from which a redaction cannot be cut out. */
const withheld = 'This document holds contact data that was redacted, in a form that cannot be cut out of it.\n'
const shownRuns = 50
const shownSlots = 60
const shownAlarms = 20
const shownDecisions = 20

/** Makes the reads of a service. */
export function stockReads(context: ServiceContext, editions: Pick<EditionView, 'newest'>): StockReads {
  const { store, clock, dataFolder, databaseClock, documentStore } = context
  const within = <Result>(read: (trx: Executor) => Promise<Result>) => inTransaction(store, read)
  return {
    record: (id) => within((trx) => readRecord(trx, id, clock())),
    reviews: (options) => within((trx) => reviewDesk(trx, options, clock())),
    sourceStates: () => within(async (trx) => (await judge(trx, context)).judged.map(({ health }) => health.state)),
    sources: () => within((trx) => readSources(trx, context)),
    source: async (sourceId) => {
      const source = (await loadSources()).get(sourceId)
      return source && within((trx) => sourceFile(trx, source, context))
    },
    document: async (documentId) => {
      const found = await findDocument(store.db, documentId, documentStore)
      if (!found) return undefined
      const { document } = await loadRedactor(store.db)
      return { ...found, bytes: document(found.bytes) ?? Buffer.from(withheld) }
    },
    titles: async () => new Map([...(await loadSources()).values()].map(({ id, title }) => [id, title])),
    firstReading: () => {
      const next = context.nextEdition?.()
      return next?.firstReading && { ...next.firstReading, latestAt: next.at }
    },
    publishIntervalMs: context.publishIntervalMs ?? hourMs,
    clocks: () => clockConcerns(databaseClock.differenceMs(), editions.newest, clock()),
    disk: async () => {
      const { bavail, blocks, bsize } = await statfs(dataFolder)
      return { free: bavail * bsize, total: blocks * bsize }
    },
  }
}

async function readRecord(trx: Executor, id: string, now: number): Promise<ExplainedRecord | undefined> {
  const explained = await explainRecord(trx, id, now)
  if (!explained) return undefined
  const { tenderId, content, notices, origins } = explained
  const copies = await listMergedInto(trx, [tenderId])
  const changes = noticeChanges(
    tenderId,
    notices.map(({ notice }) => notice),
    { now },
  )
  return {
    id: tenderId,
    content,
    notices: notices.map(({ notice, sourceIds, joinedBy }) => ({
      key: notice.noticeKey,
      publisher: notice.publisher,
      format: notice.format,
      formType: notice.formType,
      noticeType: notice.noticeType,
      ...(notice.act && { act: notice.act }),
      version: notice.noticeVersion,
      publicationNumber: notice.publicationNumber,
      publicationDate: notice.publicationDate,
      url: notice.url,
      language: notice.language,
      sources: sourceIds,
      ...(joinedBy && { joinedBy }),
      changes: changes && (changes.get(notice.noticeKey) ?? []),
    })),
    origins: origins.map(({ member, rule, noticeKeys }) => ({ member, rule, noticeKeys })),
    copies: copies.map((row) => row.tenderId).sort(),
  }
}

async function reviewDesk(
  trx: Executor,
  { limit, pair }: { readonly limit: number; readonly pair?: readonly [left: string, right: string] },
  now: number,
): Promise<ReviewDesk> {
  const waiting = await waitingPairs(trx, limit + 1)
  const known = pair && (await recordsOfNoticeKeys(trx, pair))
  const [left = '', right = ''] = [...(pair ?? [])].sort()
  return {
    waiting: waiting.slice(0, limit),
    hasMore: waiting.length > limit,
    decided: await listNewestDecisions(trx, shownDecisions),
    pair: pair?.every((key) => known?.has(key))
      ? { ...(await comparePair(trx, pair, now)), version: await pairVersion(trx, { left, right }) }
      : undefined,
  }
}

function lineOf(
  source: Source,
  {
    health,
    record,
    past,
  }: { readonly health: SourceHealth; readonly record: SourceRecord; readonly past: SourcePast | undefined },
): SourceLine {
  return {
    sourceId: source.id,
    title: source.title,
    country: source.country,
    state: health.state,
    failure: isFailing(health.state) ? (record.lastError ?? undefined) : undefined,
    offBecause: health.offBecause,
    lastSuccessAt: health.lastSuccessAt,
    lastNewAt: record.lastNewAt,
    recentDocuments: record.recentDocuments,
    waitingSlots: record.waitingSlots,
    past,
    alarms: health.alarms.map(({ kind, detail }) => ({ kind, detail })),
  }
}

async function judge(trx: Executor, context: ServiceContext) {
  const sources = await loadSources()
  return { sources, judged: await sourcesHealth({ db: trx }, watchOf(context, sources)) }
}

async function readSources(trx: Executor, context: ServiceContext) {
  const { sources, judged } = await judge(trx, context)
  const pasts = await sourcesPast({ db: trx }, { sources, now: context.clock() })
  const lines = judged.map(({ health, record }) =>
    lineOf(sources.get(health.sourceId)!, { health, record, past: pasts.get(health.sourceId) }),
  )
  return { lines, past: wholePast(activePasts(pasts, judged), sources) }
}

async function sourceFile(trx: Executor, source: Source, context: ServiceContext): Promise<SourceFile> {
  const watch = { ...watchOf(context, new Map([[source.id, source]])) }
  const past = (await sourcesPast({ db: trx }, watch)).get(source.id)
  const [{ health, record }] = (await sourcesHealth({ db: trx }, watch)) as [
    { readonly health: SourceHealth; readonly record: SourceRecord },
  ]
  const { access, politeness, expects, ...card } = cardOf(source)
  return {
    line: lineOf(source, { health, record, past }),
    card: {
      ...card,
      access: access.kind === 'open' ? 'open' : `TENDERSTOCK_${access.setting}`,
      requestsPerMinute: politeness.requestsPerMinute,
      silentAfterDays: expects.silentAfterDays,
    },
    lastError: record.lastError,
    rejections: record.recentRejections,
    newByDay: record.newByDay,
    newNames: record.newNames,
    slots: await listNewestSlots(trx, source.id, shownSlots),
    fill: await listFill(trx, source.id),
    runs: await listRuns(trx, source.id, shownRuns),
    alarms: await alarmsOf(trx, source.id, shownAlarms),
  }
}
