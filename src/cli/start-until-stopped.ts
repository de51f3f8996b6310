// `start` and `serve`: the options of the command line as options of the service, until a signal stops it.
import { afterOwnTime } from '../platform/after-own-time.ts'
import { type Config, readConfig } from '../platform/config.ts'
import { OperatorError } from '../platform/errors.ts'
import type { LogLevel } from '../platform/log-levels.ts'
import type { CommandEvent } from '../service/events/command-event.ts'
import type { ListenAddress } from '../service/nodes/listening-address.ts'
import { allRoles, parseRoles, type Roles } from '../service/nodes/roles.ts'
import { isConnectionLoss } from '../store/connections/connection-loss.ts'
import type { ParsedCommand } from './parse-command.ts'
import type { Reporter } from './reporter.ts'
import { watchSilence } from './still-working.ts'
import { stopSignal } from './stop-signal.ts'

/** A command with the folder of its stock and the version of this program. */
export type Invocation = ParsedCommand & { readonly kind: 'command' } & {
  readonly dataFolder: string
  readonly version: string
}

const readingOptions = ['live', 'source', 'ingest', 'no-samples', 'simulator', 'backfill-since']

/** How long a service that may stand behind a load balancer keeps answering after the signal to stop. */
const usualDrainSeconds = 10
/** Maximum time for closing after that, as far as this process could compute. */
const longestCloseMs = 10_000

/** Runs the service until it is stopped. */
export async function startUntilStopped(
  command: 'start' | 'serve',
  invocation: Invocation,
  reporter: Reporter,
): Promise<void> {
  const opening = watchSilence(reporter, 'Opening the stock', isBeyondOpening)
  try {
    await runService(command, invocation, { ...reporter, emit: opening.emit })
  } finally {
    opening.end()
  }
}

/** What is reported while the stock is opened; everything else ends that. */
const whileOpening: ReadonlySet<string> = new Set([
  'starting',
  'migrating',
  'opened',
  'warning',
  'note',
  'progress',
] satisfies CommandEvent['event'][])
/** Whether this is reported only once the stock is open. */
export const isBeyondOpening = ({ event }: Pick<CommandEvent, 'event'>): boolean => !whileOpening.has(event)

async function runService(
  command: 'start' | 'serve',
  { options, dataFolder, version }: Invocation,
  reporter: Reporter,
): Promise<void> {
  const { emit } = reporter
  const config = readConfig()
  const own = rolesOf(command, options, config)
  const isReading = command === 'start' && own.has('ingest')
  const hasSamples = isReading && options['no-samples'] !== true && options.live !== true
  if (!hasSamples && options['requests-per-minute'] !== undefined)
    throw new OperatorError(
      'options-conflict',
      '--requests-per-minute sets the limit of the trial organization, which exists only with the samples; ' +
        'use `tenderstock organization update NAME --requests-per-minute N`.',
    )
  if (options.simulator !== undefined && options.live !== true)
    throw new OperatorError(
      'options-conflict',
      '--simulator takes the place of the portals of --live: pass both, or neither.',
    )
  const stop = stopSignal()
  const service = {
    version,
    roles: own,
    dataFolder,
    apiHost: String(options['api-host']),
    apiPort: Number(options['api-port']),
    readers: Number(options.readers),
    hasRateLimitFields: options['rate-limit-fields'] === true,
    logLevel: options['log-level'] as LogLevel,
    config,
    emit,
    isOlderAccepted: options['accept-older-database'] === true,
    maxStalenessMs: Number(options['max-staleness']) * 3_600_000,
    drainMs:
      1000 *
      drainSeconds(options, {
        hasServer: config.databaseUrl !== undefined || config.editions !== undefined,
        isTerminal: process.stdout.isTTY === true,
      }),
    stop,
    ...metricsAddress(options),
  }
  endInTime(stop, service.drainMs, reporter)
  emit({
    event: 'starting',
    version: service.version,
    data: dataFolder,
    engine:
      command === 'serve' && config.editions ? 'bucket' : config.databaseUrl === undefined ? 'embedded' : 'server',
    pid: process.pid,
  })
  if (command === 'serve') {
    const { serve } = await import('../service/start/serve.ts')
    await untilStopped(service.stop, serve(service))
  } else {
    const { start } = await import('../service/start/start.ts')
    const started = start({
      ...service,
      ingestPaths: Array.isArray(options.ingest) ? options.ingest : [],
      ...(hasSamples && { samples: { sources: Array.isArray(options.source) ? options.source : [] } }),
      ...(options.live === true && {
        live: {
          sources: Array.isArray(options.source) ? options.source : [],
          workers: Number(options.workers),
          ...(options['backfill-since'] !== undefined && { backfillSince: String(options['backfill-since']) }),
          ...(options.simulator !== undefined && { simulator: String(options.simulator) }),
        },
      }),
      console: { host: String(options['console-host']), port: consolePort(options) },
      publishIntervalMs: Number(options['publish-interval-minutes']) * 60_000,
      hasTrialClock: options['trial-clock'] === true,
      allowsLoopbackWebhooks: loopbackWebhooks(options, hasSamples, service.config.databaseUrl !== undefined),
      ...(reporter.showToken && { showToken: reporter.showToken }),
      ...(reporter.showConsoleLink && { showConsoleLink: reporter.showConsoleLink }),
      ...(options['requests-per-minute'] !== undefined && {
        requestsPerMinute: Number(options['requests-per-minute']),
      }),
    })
    await untilStopped(service.stop, started)
  }
  emit({ event: 'stopped' })
}

/** What the process does. Throws OperatorError for options of a role that it does not have. */
function rolesOf(command: 'start' | 'serve', options: Invocation['options'], config: Config): Roles {
  if (command === 'serve') return new Set(['serve'])
  if (!Array.isArray(options.role)) return allRoles
  const own = parseRoles(options.role, {
    hasServer: config.databaseUrl !== undefined,
    hasConsoleUrl: config.consoleUrl !== undefined,
  })
  const misplaced = own.has('ingest') ? undefined : readingOptions.find((name) => options[name] !== undefined)
  if (misplaced !== undefined)
    throw new OperatorError(
      'options-conflict',
      `--${misplaced} is about reading notices: pass it to the process with --role ingest.`,
    )
  return own
}

/** Where to serve metrics; nothing without --metrics-port. */
export function metricsAddress(options: Invocation['options']): { readonly metrics?: ListenAddress } {
  if (options['metrics-port'] === undefined) return {}
  return { metrics: { host: String(options['metrics-host']), port: Number(options['metrics-port']) } }
}

/** Port of the console: as given, else the one after that of the API; a free one if the API's is free too. */
export function consolePort(options: { readonly [name: string]: unknown }): number {
  const apiPort = Number(options['api-port'])
  return options['console-port'] === undefined ? (apiPort === 0 ? 0 : apiPort + 1) : Number(options['console-port'])
}

/** Drain seconds: as given, else the time that load balancers need, if there may be one in front. */
export function drainSeconds(
  options: { readonly [name: string]: unknown },
  { hasServer, isTerminal }: { readonly hasServer: boolean; readonly isTerminal: boolean },
): number {
  if (options['drain-seconds'] !== undefined) return Number(options['drain-seconds'])
  return hasServer && !isTerminal ? usualDrainSeconds : 0
}

/** Ends the process if closing takes too long by its own time. Interrupted work is repeated at the next start. */
function endInTime(stop: AbortSignal, drainMs: number, reporter: Reporter): void {
  const end = () => {
    const message = `Closing took longer than ${longestCloseMs / 1000} seconds and was cut off; the next start finishes it.`
    process.exit(reporter.fail({ code: 'close-too-long', message }))
  }
  const limit = () => void afterOwnTime(longestCloseMs, end)
  stop.addEventListener('abort', () => void setTimeout(limit, drainMs).unref(), { once: true })
}

/** Throws OperatorError if receivers on this machine would be a way into the network of a real service. */
function loopbackWebhooks(
  options: { readonly [name: string]: unknown },
  hasSamples: boolean,
  hasServer: boolean,
): boolean {
  const isAsked = options['allow-loopback-webhooks'] === true
  if (isAsked && (options.live === true || hasServer))
    throw new OperatorError(
      'options-conflict',
      `--allow-loopback-webhooks is for trials on one machine; leave it out with ${options.live === true ? '--live' : 'DATABASE_URL'}.`,
    )
  return isAsked || (hasSamples && !hasServer)
}

/** A service that was stopped while it waited for its database has not failed. */
async function untilStopped(stop: AbortSignal, service: Promise<void>): Promise<void> {
  await service.catch((error: unknown) => {
    if (!stop.aborted || !isConnectionLoss(error)) throw error
  })
}
