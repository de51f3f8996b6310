// What the stock is like, and who did what: `tenderstock status` and `tenderstock audit`.

import { clockLine } from '../../domain/clock-concern.ts'
import { countStates } from '../../domain/source-state.ts'
import { stockRules } from '../../domain/stock-rules.ts'
import { sourcesPast, wholePast } from '../../ingest/source-past.ts'
import { sourcesHealth } from '../../ingest/watch-sources.ts'
import { parserVersion } from '../../sources/parser-version.ts'
import { loadSources } from '../../sources/registry.ts'
import { exportProgress } from '../../store/editions/edition-export.ts'
import { newestEdition } from '../../store/editions/editions.ts'
import { readHitLag } from '../../store/hits/hit-mark.ts'
import { readLastBackups } from '../../store/nodes/last-backup.ts'
import { loadMaintenance } from '../../store/nodes/maintenance.ts'
import { failureLine, loadRounds, whyFailing } from '../../store/nodes/rounds.ts'
import { listAuditEntries } from '../../store/people/audit.ts'
import { countMails } from '../../store/people/mails.ts'
import { listOrganizations } from '../../store/people/organizations.ts'
import { countReceived, listRejections } from '../../store/received/documents.ts'
import { listQuarantines } from '../../store/sources/source-fill.ts'
import { openAlarms } from '../../store/sources/source-health.ts'
import { countDoubts } from '../../store/stock/doubts.ts'
import { rulesToApply } from '../../store/stock/rules.ts'
import { countTendersByStatus, countUnpublished, listHolds } from '../../store/stock/status.ts'
import type { ControlRequest } from '../control/control-socket.ts'
import type { Operations, ServiceContext } from '../control/operation-context.ts'
import { organizationNamed } from '../control/organization-named.ts'
import type { Emit } from '../events/command-event.ts'
import { clockConcerns } from '../watch/clock-concerns.ts'
import { activePasts, watchOf } from './source-operations.ts'

const failingExitCode = 7

async function status(context: ServiceContext, { options }: ControlRequest, emit: Emit): Promise<number> {
  const { db, engine } = context.store
  const newest = await newestEdition(db)
  const received = await countReceived(db, parserVersion)
  const intervalMs = context.publishIntervalMs ?? 60 * 60_000
  const now = context.clock()
  const holds = await listHolds(db, Math.min(newest?.publishedAt ?? 0, now - intervalMs), 3)
  const rounds = context.rounds?.() ?? (await loadRounds(db))
  const failure = whyFailing(rounds, now)
  const maintenance = await loadMaintenance(db)
  const exported = await exportProgress(db)
  const next = context.nextEdition?.()
  const sources = await loadSources()
  const judged = await sourcesHealth(context.store, watchOf(context, sources))
  emit({
    event: 'status',
    maintenanceUntil: maintenance !== undefined && maintenance > now ? maintenance : null,
    isFailing: failure !== undefined,
    failure: failure ? failureLine(failure) : null,
    failureCode: failure?.code ?? null,
    failedStage: failure?.stage ?? null,
    editionAgeSeconds: newest ? Math.max(0, Math.floor((now - newest.publishedAt) / 1000)) : null,
    lastRoundAt: rounds?.lastRoundAt ?? null,
    failedRounds: rounds?.failedRounds ?? 0,
    lastError: rounds?.lastFailure ? failureLine(rounds.lastFailure) : null,
    lastErrorCode: rounds?.lastFailure?.code ?? null,
    lastErrorAt: rounds?.lastErrorAt ?? null,
    ...received,
    quarantines: (await listQuarantines(db)).map(({ sourceId, since, notices }) => ({ sourceId, since, notices })),
    alarms: (await openAlarms(db)).map(({ sourceId, kind, raisedAt }) => ({ sourceId, kind, raisedAt })),
    tenders: await countTendersByStatus(db),
    edition: newest
      ? {
          edition: newest.edition,
          records: newest.records,
          publishedAt: newest.publishedAt,
          checksum: newest.checksum,
        }
      : null,
    rulesToApply: await rulesToApply(db, stockRules),
    doubtedTenders: await countDoubts(db),
    hits: await readHitLag(db),
    mails: { ...(await countMails(db)), isConfigured: context.config.mail !== undefined },
    ...(exported && { exported }),
    portals: countStates(judged.map(({ health }) => health.state)),
    past: wholePast(activePasts(await sourcesPast(context.store, { sources, now }), judged), sources),
    unpublished: await countUnpublished(db),
    nextPublication: next?.at ?? Math.max(now, newest ? newest.publishedAt + intervalMs : 0),
    ...(next?.firstReading && { firstReading: next.firstReading }),
    holds: holds.map(({ heldAt, reasons }) => ({ heldAt, reasons })),
    clockDifferenceMs: context.databaseClock.differenceMs(),
    clocks: clockConcerns(context.databaseClock.differenceMs(), newest, now).map(clockLine),
    busyWith: context.queue.current() ?? null,
    backups: await readLastBackups(db),
    engine,
    data: context.dataFolder,
  })
  if (options.rejections === true) {
    for (const rejection of await listRejections(db, Number(options.limit ?? 50)))
      emit({ event: 'rejection', ...rejection })
  }
  return failure === undefined ? 0 : failingExitCode
}

/** `audit`: the newest entry first. */
async function listAudit({ store: { db } }: ServiceContext, { options }: ControlRequest, emit: Emit): Promise<number> {
  const wanted = options['organization']
  const organizationId =
    wanted === undefined ? undefined : (await organizationNamed({ db }, String(wanted))).organizationId
  const which = { limit: Number(options['limit'] ?? 50), ...(organizationId !== undefined && { organizationId }) }
  const entries = await listAuditEntries(db, which)
  if (entries.length === 0) emit({ event: 'none', message: 'Nobody has changed anything yet.' })
  const names = new Map((await listOrganizations(db)).map(({ organizationId: id, name }) => [id, name]))
  for (const { organizationId: id, causes: _, ...entry } of entries)
    emit({ event: 'auditEntry', ...entry, organization: id === undefined ? null : (names.get(id) ?? id) })
  return 0
}

export const operations = { status, audit: listAudit } satisfies Operations
