// What a command prints: JSON lines for programs, or plain text for people, with a bar during long work.
import { Presets, SingleBar } from 'cli-progress'
import { toInstant } from '../domain/time.ts'
import type { Clock } from '../platform/clock.ts'
import { shellWord } from '../platform/shell-word.ts'
import type { CommandEvent, Emit, EventOf, ProgressStage } from '../service/command-event.ts'
import { describeBackup } from './backup-text.ts'
import { describeDigest } from './digest-text.ts'
import { count, minute as minuteOf, number } from './figures.ts'
import { wrap } from './help-text.ts'
import { describeHit } from './hit-text.ts'
import { type Paint, painter } from './paint.ts'
import { describeReview } from './review-text.ts'
import { describeSetting } from './setting-text.ts'
import { describeSource } from './source-text.ts'
import { isTimeName } from './time-member.ts'
import { describeWebhook } from './webhook-text.ts'

type Failure = {
  readonly message: string
  readonly exitCode: number
  /** Stack trace, for a bug. */
  readonly trace?: string
}

export type Reporter = {
  readonly emit: Emit
  readonly close: () => void
  /** Shows for how many seconds nothing was reported, and what is done meanwhile. Absent for programs. */
  readonly showSilence?: (doing: string, seconds: number) => void
  /** Says why the command failed: an `error` event for programs, else a sentence where errors go. */
  readonly fail: (failure: Failure) => void
  /**
   * Shows a token that was just created, once. Absent if the output may be kept: only a person at a terminal sees it.
   */
  readonly showToken?: (plaintext: string) => void
  /** Shows the first person's link, only to a person at a terminal. */
  readonly showConsoleLink?: (link: string) => void
}

/** A stream for text; `isTerminal` if a person watches. */
export type Screen = {
  readonly write: (text: string) => void
  readonly isTerminal: boolean
  readonly hasColors: boolean
}

/** How often progress is reported without a bar. */
const programProgressMs = 1000
const personProgressMs = 10_000

/** `out` receives results, `err` progress. */
export function openReporter(options: {
  readonly json: boolean
  readonly out: Screen
  readonly err: Screen
  readonly clock: Clock
}): Reporter {
  return options.json ? jsonReporter(options.out, options.clock) : textReporter(options)
}

const serverOf = (engine: 'server' | 'bucket'): string => (engine === 'bucket' ? 'bucket' : 'PostgreSQL server')

function jsonReporter(out: Screen, clock: Clock): Reporter {
  const isDue = throttle(clock, programProgressMs)
  const emit: Emit = ({ event, ...facts }) => {
    if (event !== 'progress' || isDue())
      out.write(`${JSON.stringify({ event, time: toInstant(clock()), ...facts }, timesAsInstants)}\n`)
  }
  return { emit, close: () => {}, fail: (failure) => emit({ event: 'error', ...failure }) }
}

const timesAsInstants = (name: string, value: unknown): unknown =>
  typeof value === 'number' && isTimeName(name) ? toInstant(value) : value

function throttle(clock: Clock, intervalMs: number): () => boolean {
  let last = clock()
  return () => {
    if (clock() - last < intervalMs) return false
    last = clock()
    return true
  }
}

function textReporter({
  out,
  err,
  clock,
}: {
  readonly out: Screen
  readonly err: Screen
  readonly clock: Clock
}): Reporter {
  const paint = painter(out.hasColors)
  const bar = err.isTerminal ? progressBar(err) : progressLines(err, clock)
  return {
    emit: (event) => {
      if (event.event === 'progress') return bar.show({ ...event, name: stageNames[event.stage] })
      bar.hide()
      const text =
        describe(event, paint) ??
        describeBackup(event, paint) ??
        describeReview(event, paint) ??
        describeHit(event, paint) ??
        describeDigest(event, paint) ??
        describeWebhook(event, paint) ??
        describeSetting(event, paint) ??
        describeSource(event, { paint, clock })
      if (text !== undefined) out.write(`${text}\n`)
    },
    close: () => bar.hide(),
    showSilence: (name, seconds) => bar.show({ name, done: seconds, detail: 's' }),
    fail: ({ message, trace }) => err.write(trace === undefined ? `${message}\n` : `${message}\n${trace}\n`),
    ...(out.isTerminal && {
      showToken: (plaintext: string) => {
        bar.hide()
        out.write(`  ${paint.green('✓')} ${'Trial token'.padEnd(20)} ${paint.bold(plaintext)}\n`)
        out.write(`${' '.repeat(25)}${paint.dim('Shown only this once; the file that holds it is named below.')}\n`)
      },
      showConsoleLink: (link: string) => {
        bar.hide()
        out.write(`  ${paint.green('✓')} ${'Open the console'.padEnd(20)} ${paint.bold(link)}\n`)
        out.write(
          `${' '.repeat(25)}${paint.dim('Works once, within ten minutes; another one: tenderstock console link')}\n\n`,
        )
      },
    }),
  }
}

type Amount = Pick<EventOf<'progress'>, 'done' | 'total' | 'detail'> & { readonly name: string }
type Progress = { readonly show: (amount: Amount) => void; readonly hide: () => void }

const stageNames: { readonly [stage in ProgressStage]: string } = {
  ingest: 'Reading notices',
  consolidate: 'Consolidating',
  publish: 'Publishing',
  reparse: 'Re-parsing documents',
  rebuild: 'Rebuilding',
  redact: 'Redacting',
  backfill: 'Upgrading',
  export: 'Copying',
  openData: 'Exporting',
  check: 'Checking portals',
  backup: 'Backing up',
  verify: 'Reading the backup',
  restore: 'Restoring',
}

function progressBar(err: Screen): Progress {
  let bar: SingleBar | undefined
  let shown = ''
  let isCounting = false
  const hide = () => {
    bar?.stop()
    if (bar || isCounting) err.write('\r\u001b[K')
    isCounting = false
    bar = undefined
    shown = ''
  }
  return {
    hide,
    show: ({ name, done, total, detail }) => {
      if (total === undefined || total === 0) {
        if (bar) hide()
        isCounting = true
        return err.write(`\r\u001b[K  ${name} … ${number(done)}${detail ? ` ${detail}` : ''}`)
      }
      if (shown !== name || isCounting) hide()
      if (!bar) {
        bar = new SingleBar(
          {
            format: `  ${name.padEnd(22)} {bar} {percentage} %  {value}/{total}`,
            hideCursor: true,
            clearOnComplete: true,
            barsize: 24,
            linewrap: false,
          },
          Presets.shades_grey,
        )
        bar.start(total, 0)
        shown = name
      }
      bar.setTotal(total)
      bar.update(Math.min(done, total))
    },
  }
}

function progressLines(err: Screen, clock: Clock): Progress {
  const isDue = throttle(clock, personProgressMs)
  return {
    hide: () => {},
    show: ({ name, done, total, detail }) => {
      if (!isDue()) return
      const amount = total !== undefined && total > 0 ? `${number(done)} of ${number(total)}` : number(done)
      err.write(`  ${name}: ${amount}${detail ? ` ${detail}` : ''}\n`)
    },
  }
}

const minute = (ms: number | null) => (ms === null ? 'never' : `${minuteOf(ms)} UTC`)
const age = (seconds: number | null) => {
  const minutes = Math.floor((seconds ?? 0) / 60)
  return minutes < 120 ? count(minutes, 'minute') : count(Math.floor(minutes / 60), 'hour')
}
const sum = (counts: { readonly [key: string]: number }) =>
  Object.values(counts).reduce((total, each) => total + each, 0)

/** Describes an event for people; undefined if it is only for programs. */
function describe(event: CommandEvent, paint: Paint): string | undefined {
  const done = paint.green('✓')
  const line = (label: string, text: string) => `  ${done} ${label.padEnd(20)} ${text}`
  switch (event.event) {
    case 'starting':
      return `\n${paint.bold(`Tenderstock ${event.version}`)}\n\n  ${paint.dim(`· Opening the stock ${event.engine === 'embedded' ? `in ${event.data}` : `on the ${serverOf(event.engine)}`} …`)}`
    case 'migrating': {
      // a new database is not upgraded: its first migration creates the tables
      const [first] = event.applying
      const isNew = first?.startsWith('0001-')
      return [
        ...(first ? [isNew ? line('Tables', 'created') : line('Upgrading', event.applying.join(', '))] : []),
        ...event.waiting.map((name) =>
          line('Waiting', `${name}, until every older process is stopped and this one starts again`),
        ),
      ].join('\n')
    }
    case 'opened':
      return line(
        'Data',
        `${event.data} ${paint.dim(event.engine === 'embedded' ? '(embedded engine)' : `(${serverOf(event.engine)})`)}`,
      )
    case 'found':
      return line('Found', `edition ${event.edition} with ${count(event.records, 'record')}`)
    case 'portals':
      return line('Sample portals', `${count(event.portals, 'portal')} of made-up notices, on this machine only`)
    case 'simulatedPortal':
      return line(event.source, `${event.hosts.join(', ')} · ${count(event.entries, 'entry', 'entries')}`)
    case 'simulating': {
      const faults = Object.entries(event.faults)
      return [
        line('Portals', `${count(event.portals, 'portal')} of ${event.isMadeUp ? 'made-up' : 'collected'} notices`),
        line('Address', event.base),
        line('Faults', faults.length > 0 ? faults.map(([name, share]) => `${name}=${share}`).join(' ') : 'none'),
        line('Time', `${event.now}, ${event.speed === 1 ? 'at normal speed' : `${event.speed} times as fast`}`),
        '',
        '  Try a source against it, from another terminal:',
        `    tenderstock source check ${event.example} --simulator ${event.base}`,
        `    tenderstock source run ${event.example} --simulator ${event.base} --data trial`,
        '',
        '  Stop: Ctrl+C',
      ].join('\n')
    }
    case 'simulated':
      return line('Answered', count(event.requests, 'request'))
    case 'sourcesStarted': {
      const keys = event.keysMissing.length
      const parts = [
        `${count(event.running, 'source')} in ${count(event.countries, 'country', 'countries')}`,
        ...(keys > 0 ? [`${number(keys)} without their key`] : []),
        ...(event.off > 0 ? [`${number(event.off)} off`] : []),
      ]
      return line('Portals', parts.join(', '))
    }
    case 'alarmCleared':
      return line('Recovered', event.alarm)
    case 'sourceRead':
      return sourceReadText(event, paint, line)
    case 'ingested': {
      const rejected = sum(event.rejections)
      const parts = [
        count(event.documents, 'document'),
        event.known === event.documents ? 'nothing new' : count(event.notices, 'new notice'),
      ]
      if (rejected > 0) parts.push(`${number(rejected)} unreadable`)
      return line(event.source === 'files' ? 'Read' : event.source, parts.join(' · '))
    }
    case 'consolidated':
      return event.notices === 0 && event.changed === 0
        ? undefined
        : line(
            'Consolidated',
            event.notices === 0
              ? `${count(event.changed, 'record')} changed by the passage of time`
              : `${count(event.notices, 'notice')}`,
          )
    case 'published':
      return [
        line(
          `Edition ${event.edition}`,
          `published with ${count(event.records, 'record')}, ${number(event.changes)} new or changed`,
        ),
        ...(event.warnings.length > 0
          ? [
              `  ${paint.yellow('!')} ${count(event.warnings.length, 'alarm')} of sources did not block it: tenderstock source list`,
            ]
          : []),
      ].join('\n')
    case 'nothingNew':
      return `  ${paint.dim('· Nothing new to publish')}`
    case 'tooEarly':
      return `  ${paint.dim(`· The next edition can be published at ${minute(event.allowedAt)}: at most one an hour`)}`
    case 'held':
      return [
        `  ${paint.yellow('!')} The gate holds back the next edition; the last one is still served.`,
        ...event.reasons.map((reason) => `      ${reason}`),
        `      ${paint.dim('Check the reasons, then run: tenderstock publish --override-gate')}`,
      ].join('\n')
    case 'waiting':
      return `  ${paint.dim(`· Waiting: the service is busy with ${event.busyWith}`)}`
    case 'clockDiffers':
    case 'warning':
      return `  ${paint.yellow('!')} ${event.message}`
    case 'ready':
      return readyText(event, paint)
    case 'recovered':
      return line('Recovered', `after ${count(event.failedRounds, 'failed round')}`)
    case 'networkBack':
      return line('Network', event.message)
    case 'stopping':
      return `\n  ${paint.dim('· Finishing requests and closing the stock …')}`
    case 'stopped':
      return `  ${paint.dim('· Stopped.')}`
    case 'publishPreview':
      return [
        event.isNothingNew
          ? `  ${paint.dim('· Nothing new to publish')}`
          : line(
              `Edition ${event.edition}`,
              `would have ${count(event.records, 'record')}, ${number(event.changes)} new or changed`,
            ),
        ...(event.reasons.length > 0
          ? [`  ${paint.yellow('!')} The gate would hold it back:`, ...event.reasons.map((reason) => `      ${reason}`)]
          : []),
        ...(event.allowedAt === null ? [] : [`  ${paint.dim(`· It can be published at ${minute(event.allowedAt)}`)}`]),
        paint.dim('  Nothing was changed.'),
      ].join('\n')
    case 'rebuildPreview':
      return [
        line(
          'Would be rebuilt',
          `${count(event.documents, 'document')} → ${count(event.notices, 'notice')}: ${number(event.changed)} read differently, ${number(event.added)} new, ${number(event.gone)} gone`,
        ),
        `      ${count(event.records, 'record')} with different contents`,
        paint.dim('  Nothing was changed.'),
      ].join('\n')
    case 'exportPreview':
      return [
        event.usedTable === null
          ? line('Would be copied', `${count(event.rows, 'row')} to ${event.database}, which is empty`)
          : `  ${paint.yellow('!')} ${event.database} is not empty: its table ${event.usedTable} has rows. Pass an empty database.`,
        paint.dim('  Nothing was changed.'),
      ].join('\n')
    case 'rebuilt':
      return [
        line(
          'Rebuilt',
          `${count(event.documents, 'document')} → ${count(event.notices, 'notice')}, ${count(event.records, 'record')}`,
        ),
        event.isSame
          ? `  ${paint.dim('· All ids and contents are unchanged.')}`
          : `  ${paint.yellow('!')} Ids removed: ${number(event.idsGone)}, ids added: ${number(event.idsNew)}, contents changed: ${number(event.contentsChanged)}.`,
      ].join('\n')
    case 'redacted':
      return redactedText(event, paint)
    case 'redaction':
      return `  ${event.id}  ${toInstant(event.madeAt).slice(0, 10)}  ${kindsText(event.kinds)} · ${event.reason}${event.appliedAt === null ? paint.yellow(' · not applied to everything: repeat the command') : ''}`
    case 'redactionUndone':
      return line('Undone', `${event.id}: ${count(event.notices, 'notice')} as before`)
    case 'redactionsImported':
      return line('Imported', `${event.added} added, ${event.undone} undone, ${event.known} already known`)
    case 'valuesFitted':
      return event.version === null
        ? `  ${paint.dim(`· ${count(event.priced, 'tender')} with a published value: too few for a model, which needs 300.`)}`
        : line(
            'Model of values',
            `${event.version} from ${count(event.priced, 'tender')} with a published value${event.retried > 0 ? `; ${count(event.retried, 'refused record')} judged again` : ''}`,
          )
    case 'exported':
      return line(
        'Copied',
        `${count(event.rows, 'row')} to the server; start with this DATABASE_URL and the same --data`,
      )
    case 'editionExported':
      return line(
        'Exported',
        `edition ${event.edition}${event.isContinued ? ', continued' : ''}: ${count(event.records - (event.format === 'ocds' ? event.merged : 0), event.format === 'ocds' ? 'release' : 'record')} as ${event.format} in ${count(event.files, 'file')}, ${number(Math.ceil(event.bytes / 1e6))} MB, ${event.seconds} s, in ${event.folder}`,
      )
    case 'clock':
      return line('Clock', `now ${event.now}`)
    case 'maintenance':
      return event.until === null
        ? line('Open', 'the API answers again, on all nodes within seconds')
        : line('Maintenance', `the API answers 503 until ${minute(event.until)}, on all nodes within seconds`)
    case 'status':
      return statusText(event, paint)
    case 'rejection':
      return `  ${minute(event.rejectedAt)}  ${paint.yellow(event.reason)}  ${event.address}${event.path ? ` ${event.path}` : ''}\n      ${event.detail}`
    case 'auditEntry': {
      const detail = Object.entries(event.detail).map(([name, value]) => `${name} ${value}`)
      return [
        `  ${minute(event.at)}  ${paint.bold(event.action.padEnd(20))} ${event.subject}`,
        `      ${paint.dim([event.actor, ...(event.addressPrefix === '' ? [] : [event.addressPrefix]), ...(event.organization === null ? [] : [event.organization]), ...detail].join(' · '))}`,
      ].join('\n')
    }
    case 'organization':
      return `  ${event.name.padEnd(28)} ${String(event.requestsPerMinute).padStart(6)} requests/min  access ${event.hasApiAccess ? 'on ' : paint.yellow('off')}  ${paint.dim(event.organizationId)}`
    case 'customer':
      return customerText(event, paint)
    case 'organizationEnded':
      return line(
        'Ended',
        event.hadContract
          ? `the contract of ${event.name}; its access to the API closes within a minute`
          : `the access of ${event.name} to the API within a minute; it had no contract`,
      )
    case 'token':
      return tokenText(event, paint)
    case 'revoked':
      return line('Revoked', event.tokenId)
    case 'consoleLink':
      return `  ${paint.bold(event.link)}\n  ${paint.dim(`${event.mail === null ? 'Makes the first person' : `Signs in ${event.mail}`}, once, until ${minute(event.until)}.`)}`
    case 'finding': {
      const mark = event.state === 'ok' ? done : event.state === 'warning' ? paint.yellow('!') : paint.yellow('✗')
      return `  ${mark} ${event.check.padEnd(14)} ${event.state === 'ok' ? '' : `${event.state}: `}${event.message}`
    }
    case 'findings':
      return `\n  ${count(event.problems, 'problem')}, ${count(event.warnings, 'warning')}`
    case 'completion':
      return event.script
    case 'none':
    case 'note':
      return `  ${paint.dim(`· ${event.message}`)}`
    default:
      return undefined
  }
}

/** Describes a reading that brought something or went wrong; undefined for the many that found nothing new. */
function sourceReadText(
  event: EventOf<'sourceRead'>,
  paint: Paint,
  line: (label: string, text: string) => string,
): string | undefined {
  const slot = `${event.source}${event.slot === 'feed' || event.slot === 'whole' ? '' : ` ${event.slot}`}`
  const news = [
    ...(event.documents > 0 ? [count(event.documents, 'new document'), count(event.notices, 'notice')] : []),
    ...(event.rejections > 0 ? [`${number(event.rejections)} unreadable`] : []),
  ]
  const isBad = event.outcome === 'failed' || event.outcome === 'refused' || event.outcome === 'short'
  if (isBad) return [`  ${paint.yellow('!')} ${slot.padEnd(20)} ${event.outcome}: ${event.detail}`, ...news].join(' · ')
  return news.length === 0 ? undefined : line(slot, news.join(' · '))
}

function readyText(event: EventOf<'ready'>, paint: Paint): string {
  const rule = paint.dim('─'.repeat(78))
  const { tokenFile, api } = event
  const token = tokenFile ? `$(cat ${shellWord(tokenFile)})` : 'TOKEN'
  const curl = (query: string) => `curl -H "Authorization: Bearer ${token}" '${api}/v1/tenders?${query}'`
  const fact = (name: string, text: string) => `  ${name.padEnd(10)} ${text}`
  const edition =
    event.edition === 0
      ? 'none yet: the API answers 503 until the first one'
      : `${event.edition} with ${count(event.records, 'record')}`
  return [
    '',
    rule,
    ...(event.console === undefined ? [] : [fact('Console', paint.bold(event.console))]),
    ...(api === undefined ? [] : [fact('Address', paint.bold(api))]),
    ...(event.roles === undefined ? [] : [fact('Roles', event.roles.join(', '))]),
    ...(tokenFile ? [fact('Token in', tokenFile)] : []),
    fact('Edition', edition),
    fact('Data', event.data),
    rule,
    '',
    ...(tokenFile === undefined || api === undefined
      ? []
      : [
          paint.dim('# a page of open tenders'),
          curl('limit=5'),
          '',
          paint.dim('# construction work only (CPV division 45)'),
          curl('cpv=45000000&limit=5'),
          '',
          paint.dim('# what changed since then: the delta for a sync'),
          curl(`updated_since=${event.since}&limit=5`),
          '',
        ]),
    paint.dim(`${event.docs === undefined ? '' : `Problem types and limits: ${event.docs}   `}Stop: Ctrl+C`),
    '',
  ].join('\n')
}

/** A line of `status`. The label is padded before it is painted, as escape codes take no room. */
const row = (label: string, text: string, tint: Paint['yellow'] = (plain) => plain): string =>
  `  ${tint(label.padEnd(22))} ${text}`

/** Row of tenders whose notices contradict each other; none if there are none. */
function doubtRow(counts: EventOf<'status'>['doubtedTenders']): string[] {
  const { 'award-number': numbers, 'named-call': calls } = counts
  if (numbers + calls === 0) return []
  return [
    row(
      'Doubted',
      `different award numbers ${number(numbers)} · another call named ${number(calls)}; see tenderstock review list`,
    ),
  ]
}

/** Rows about how far saved searches are matched; none if there are no searches. */
function hitRows(lag: EventOf<'status'>['hits']): string[] {
  if (!lag || lag.searches === 0) return []
  const { searches, edition, editionsBehind, unseen } = lag
  const behind =
    editionsBehind > 0
      ? `edition ${edition} is matched, ${count(editionsBehind, 'edition')} to go`
      : 'all editions are matched'
  const missed = unseen > 0 ? `; ${count(unseen, 'entry', 'entries')} were removed before they were matched` : ''
  return [row('Saved searches', `${number(searches)}, ${behind}${missed}`)]
}

/** Rows about mailed digests; none if there are none. */
function mailRows(mails: EventOf<'status'>['mails'], paint: Paint): string[] {
  if (!mails || mails.digests === 0) return []
  const { digests, due, givenUp, isConfigured } = mails
  return [
    row('Digests', `${number(digests)}; mails: ${number(due)} due, ${number(givenUp)} given up`),
    ...(isConfigured
      ? []
      : [row('Mail', 'not set up: TENDERSTOCK_SMTP_URL, TENDERSTOCK_MAIL_FROM; digests wait', paint.yellow)]),
  ]
}

/** Rows about the editions in a bucket; none without one. */
function exportRows(exported: EventOf<'status'>['exported'], paint: Paint): string[] {
  if (!exported) return []
  const { edition, exportedAt, concern } = exported
  return [
    row('In the bucket', exportedAt === null ? 'no edition yet' : `edition ${edition}, ${minute(exportedAt)}`),
    ...(concern === null ? [] : [row('Newer editions', `are not exported: ${concern}`, paint.yellow)]),
  ]
}

function nextText({ unpublished, nextPublication, isFirstReading }: EventOf<'status'>): string {
  if (isFirstReading)
    return `when every portal has been read once, at ${minute(nextPublication)} at the latest; ${count(unpublished, 'record')} so far`
  return unpublished === 0
    ? 'nothing to publish'
    : `${count(unpublished, 'record')} to publish, at ${minute(nextPublication)} at the earliest`
}

function statusText(event: EventOf<'status'>, paint: Paint): string {
  const counts = (value: { readonly [key: string]: number }) =>
    Object.entries(value)
      .map(([name, each]) => `${name} ${number(each)}`)
      .join(' · ') || 'none'
  const { edition, holds } = event
  const sources = Object.entries(event.sources)
  const idWidth = Math.max(...sources.map(([id]) => id.length))
  return [
    paint.bold('Service'),
    ...(event.isFailing
      ? [
          row(
            'Failing',
            event.failedRounds > 0 ? `${count(event.failedRounds, 'round')} in a row` : 'rounds are overdue',
            paint.yellow,
          ),
          ...wrap(event.failure ?? '', 72).map((part) => `      ${part}`),
        ]
      : []),
    ...(typeof event.maintenanceUntil === 'number'
      ? [
          row(
            'Maintenance',
            `the API answers 503 until ${minute(event.maintenanceUntil)}; tenderstock maintenance off`,
            paint.yellow,
          ),
        ]
      : []),
    row('Last successful round', minute(event.lastRoundAt)),
    ...(!event.isFailing && event.lastError
      ? [row('Last error', minute(event.lastErrorAt)), ...wrap(event.lastError, 72).map((part) => `      ${part}`)]
      : []),
    '',
    paint.bold('Received'),
    row('Documents', number(event.documents)),
    row('Notices', `${number(event.notices)}${event.waiting ? `, ${number(event.waiting)} not consolidated yet` : ''}`),
    ...event.quarantines.map(({ sourceId, since, notices }) =>
      row(
        'In quarantine',
        `${count(notices, 'notice')} of ${sourceId} since ${minute(since)}; tenderstock source show ${sourceId}`,
        paint.yellow,
      ),
    ),
    row('Unreadable', counts(event.rejections)),
    ...(event.outdated
      ? [row('Read by older parsers', `${count(event.outdated, 'document')}; tenderstock rebuild re-parses them`)]
      : []),
    ...sources.map(([id, each]) =>
      row(`  ${id.padEnd(idWidth)}`, `${count(each.documents, 'document')}, checked ${minute(each.checkedAt)}`),
    ),
    '',
    paint.bold('Stock'),
    row('Tenders', counts(event.tenders)),
    ...doubtRow(event.doubtedTenders),
    row('Engine', event.engine === 'embedded' ? `embedded, in ${event.data}` : 'PostgreSQL server'),
    '',
    paint.bold('Published'),
    row(
      'Edition',
      edition
        ? `${edition.edition} with ${count(edition.records, 'record')}, ${minute(edition.publishedAt)} (${age(event.editionAgeSeconds)} ago)`
        : 'none yet',
    ),
    row('Next one', nextText(event)),
    ...exportRows(event.exported, paint),
    ...hitRows(event.hits),
    ...mailRows(event.mails, paint),
    ...holds.flatMap((hold) => [
      row('Held back', minute(hold.heldAt), paint.yellow),
      ...hold.reasons.map((reason) => `      ${reason}`),
    ]),
    ...event.clocks.map((concern) => row('Clocks', concern, paint.yellow)),
  ].join('\n')
}

function customerText(event: EventOf<'customer'>, paint: Paint): string {
  const contract =
    event.startsAt === null
      ? 'none was set up'
      : event.endedAt !== null
        ? `ended ${minute(event.endedAt)}`
        : `from ${minute(event.startsAt)}${event.endsAt === null ? ', without an end' : ` to ${minute(event.endsAt)}`}`
  return [
    `  ${paint.bold(event.name)}  ${paint.dim(event.organizationId)}`,
    row('Access', event.hasApiAccess ? 'on' : paint.yellow('off')),
    row('Contract', contract),
    ...(event.note ? [row('Note', event.note)] : []),
    row('Limit', `${number(event.requestsPerMinute)} requests a minute`),
    row('Requests of a day', number(event.requests)),
    row(
      'People',
      `${number(event.people)}, ${count(event.owners, 'Owner')}, ${count(event.invitations, 'invitation')}`,
    ),
    row('Searches, webhooks', `${number(event.searches)}, ${number(event.endpoints)}`),
    row('Created', minute(event.createdAt)),
    ...event.tokens.map(({ hint, name, lastUsedAt }) => row(hint, `${name}, last used ${minute(lastUsedAt)}`)),
  ].join('\n')
}

function tokenText(event: EventOf<'token'>, paint: Paint): string {
  if (event.token !== undefined) {
    return `  ${paint.bold(event.token)}\n  ${paint.dim(`Shown only this once; we keep only its hash. Id ${event.tokenId}.`)}`
  }
  const state = event.revokedAt
    ? `revoked ${minute(event.revokedAt)}`
    : event.isExpired
      ? `expired ${minute(event.expiresAt)}`
      : event.expiresAt
        ? `valid until ${minute(event.expiresAt)}`
        : 'valid'
  return `  ${event.tokenId}  ${event.hint}  ${event.name.padEnd(16)} ${state}, ${event.lastUsedAt ? `last used ${minute(event.lastUsedAt)}` : 'never used'}`
}

const kindsText = (kinds: EventOf<'redaction'>['kinds']): string =>
  Object.entries(kinds)
    .filter(([, values]) => values > 0)
    .map(([kind, values]) => `${values} ${kind}${values === 1 ? '' : 's'}`)
    .join(', ')

function suspectsText({ suspects }: EventOf<'redacted'>, paint: Paint): string[] {
  if (suspects.length === 0) return []
  return [
    `  ${paint.yellow('!')} Not removed, and perhaps the person: add what is one to the command, with another --name.`,
    ...suspects.map(({ notice, member, text }) => `      ${text}${paint.dim(`  ${member}  ${notice}`)}`),
  ]
}

function redactedText(event: EventOf<'redacted'>, paint: Paint): string {
  const members = Object.entries(event.members).map(
    ([member, notices]) => `      ${String(notices).padStart(6)}  ${member}`,
  )
  return [
    `  ${paint.green('✓')} ${event.isDryRun ? 'Would redact' : `Redacted (${event.id})`}: ${count(event.notices, 'notice')}, ${count(event.records, 'record')}; stored copies: ${event.bodies} webhook, ${event.mails} mail, ${event.others} other`,
    ...(members.length > 0 ? [paint.dim('      notices  where'), ...members] : []),
    ...event.recordIds.map((id) => paint.dim(`      ${id}`)),
    ...suspectsText(event, paint),
    ...(event.isDryRun || event.records === 0
      ? []
      : ['      The next edition brings the change to copies; until then the API serves the last one.']),
    ...(event.recordedIn === undefined
      ? []
      : [`      Recorded in ${event.recordedIn}; keep it beside your backups, for redact import after a restore.`]),
  ].join('\n')
}
