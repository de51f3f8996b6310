// Connects a parsed command with its implementation, and turns the outcome into text and an exit code. Modules are
// loaded when a command runs, so that the first line of output, and a command that a running service executes, wait for
// nothing else.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '../platform/clock.ts'
import { readConfig, sourceKey, webhookSecret } from '../platform/config.ts'
import { OperatorError, wrongUse } from '../platform/errors.ts'
import type { LogLevel } from '../platform/log.ts'
import { systemRandom } from '../platform/random.ts'
import { askRunningService, type ControlRequest } from '../service/control-socket.ts'
import { asOperatorError, isConnectionLoss } from '../store/connection-loss.ts'
import { askFirst } from './ask.ts'
import type { CommandName } from './command-table.ts'
import { completionScript, type Shell } from './completion.ts'
import { colourStyle, helpText, plainStyle } from './help-text.ts'
import { type ParsedCommand, parseCommand } from './parse-command.ts'
import { openReporter, type Reporter, type Screen } from './reporter.ts'

/** How long a service that may stand behind a load balancer keeps answering after the signal to stop. */
const usualDrainSeconds = 10
/** Maximum time for closing after that. */
const longestCloseMs = 10_000

/** Exit code of a bug. */
const bugExitCode = 70

/** Runs the program with the arguments after its name. Returns the exit code; never throws. */
export async function main(args: readonly string[]): Promise<number> {
  const [out, err] = [screenOf(process.stdout), screenOf(process.stderr)]
  // the program that reads the output may end (`| head`): a service continues without it
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  // read before the options are: a wrong option is reported in the same form
  const isJson = args.includes('--json')
  let dataFolder = resolve('data')
  const reporter = openReporter({ json: isJson, out, err, clock: systemClock })
  try {
    const parsed = parseCommand(args)
    if (parsed.kind === 'version') {
      out.write(`tenderstock ${version()}\n`)
      return 0
    }
    if (parsed.kind === 'help') {
      const text = helpText(parsed.topic, out.hasColours ? colourStyle : plainStyle)
      if (text === undefined)
        throw wrongUse(`There is no command "${parsed.topic.join(' ')}"; \`tenderstock --help\` lists the commands.`)
      out.write(text)
      return 0
    }
    if (parsed.command === 'completion') {
      const shell = parsed.operands[0] as Shell
      reporter.emit({ event: 'completion', shell, script: completionScript(shell) })
      return 0
    }
    dataFolder = resolve(String(parsed.options.data))
    await askFirst(parsed)
    const exitCode = await runCommand({ ...parsed, dataFolder }, reporter)
    reporter.close()
    return exitCode
  } catch (thrown) {
    reporter.close()
    const error = asOperatorError(thrown, dataFolder)
    if (error instanceof OperatorError) {
      reporter.fail({ message: error.message, exitCode: error.exitCode })
      return error.exitCode
    }
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const message = 'Tenderstock stopped because of a bug. Please report this:'
    reporter.fail({ message, exitCode: bugExitCode, trace })
    return bugExitCode
  }
}

async function runCommand(
  parsed: ParsedCommand & { readonly kind: 'command' } & { readonly dataFolder: string },
  reporter: Reporter,
): Promise<number> {
  const { command, options, dataFolder } = parsed
  const { emit } = reporter
  if (command === 'start' || command === 'serve') {
    const hasSamples = command === 'start' && options['no-samples'] !== true && options.live !== true
    if (!hasSamples && options['requests-per-minute'] !== undefined)
      throw wrongUse(
        '--requests-per-minute sets the limit of the trial organization, which exists only with the samples; use `tenderstock organization update NAME --requests-per-minute N`.',
      )
    if (options.simulator !== undefined && options.live !== true)
      throw wrongUse('--simulator takes the place of the portals of --live: pass both, or neither.')
    const [config, stop] = [readConfig(), stopSignal()]
    const service = {
      version: version(),
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
      drainMs: drainSeconds(options, config.databaseUrl !== undefined || config.editions !== undefined) * 1000,
      stop,
      ...(options['metrics-port'] !== undefined && {
        metrics: { host: String(options['metrics-host']), port: Number(options['metrics-port']) },
      }),
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
      const { serve } = await import('../service/serve.ts')
      await untilStopped(service.stop, serve(service))
    } else {
      const { start } = await import('../service/start.ts')
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
    return 0
  }
  if (command === 'simulate') {
    const listed = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
    const { simulate } = await import('../service/simulate.ts')
    await simulate({
      sources: listed(options.source),
      faults: listed(options.fault),
      port: Number(options.port),
      speed: Number(options.speed),
      ...(options.corpus !== undefined && { corpus: String(options.corpus) }),
      ...(options.seed !== undefined && { seed: String(options.seed) }),
      clock: systemClock,
      emit,
      stop: stopSignal(),
    })
    return 0
  }
  if (command === 'webhook listen') {
    const { listenWebhooks } = await import('../service/listen-webhooks.ts')
    await listenWebhooks({
      port: Number(options.port),
      secret: webhookSecret(),
      secretFile: options['secret-file'] === undefined ? undefined : String(options['secret-file']),
      emit,
      stop: stopSignal(),
    })
    return 0
  }
  if (command === 'doctor') {
    const { runDoctor } = await import('../service/doctor.ts')
    return runDoctor({
      ...{
        dataFolder,
        readConfig,
        clock: systemClock,
        random: systemRandom,
        version: version(),
        keyOf: sourceKey,
        emit,
      },
      apiHost: String(options['api-host']),
      apiPort: Number(options['api-port']),
      consoleHost: String(options['console-host']),
      consolePort: consolePort(options),
      ...(options.live === true && {
        portals: {
          sources: Array.isArray(options.source) ? options.source : [],
          ...(options.simulator !== undefined && { simulator: String(options.simulator) }),
        },
      }),
    })
  }
  // another process may do the work: relative paths start from this one's folder
  if (command === 'source check') {
    const context = { dataFolder, clock: systemClock, random: systemRandom, config: readConfig(), version: version() }
    const request = { command, options: { ...options }, operands: parsed.operands }
    const { checkSources } = await import('../service/source-operations.ts')
    return checkSources({ ...context, keyOf: sourceKey, signal: stopSignal() }, request, emit)
  }
  const operands = parsed.operands.map((operand) => operandOf(command, operand))
  if (command === 'restore') {
    const { restore } = await import('../service/restore.ts')
    const context = { dataFolder, version: version(), signal: stopSignal() }
    return restore(context, { command, options: { ...options }, operands }, emit)
  }
  const paths = command === 'edition export' ? { out: resolve(String(options.out)) } : {}
  const request: ControlRequest = { command, options: { ...options, ...paths }, operands }
  // with a server, a separate process does this work, and relieves the service
  const isAlone = (command === 'backup' || command === 'edition export') && readConfig().databaseUrl !== undefined
  const answered = isAlone ? undefined : await askRunningService(dataFolder, request, emit)
  if (answered !== undefined) return answered
  if (command === 'config') {
    const { showSettings } = await import('../service/setting-operations.ts')
    return showSettings({ isRunning: false }, emit)
  }
  const { runAlone } = await import('../service/run-alone.ts')
  return runAlone({ dataFolder, version: version(), signal: stopSignal() }, request, emit)
}

/** Relative paths start from this process's folder. */
function operandOf(command: CommandName, operand: string): string {
  const isPath =
    command === 'ingest' ||
    command === 'redact import' ||
    ((command === 'backup' || command === 'restore') && !operand.startsWith('s3:'))
  return isPath ? resolve(operand) : operand
}

/** Port of the console: as given, else the one after that of the API; a free one if the API's is free too. */
function consolePort(options: { readonly [name: string]: unknown }): number {
  const apiPort = Number(options['api-port'])
  return options['console-port'] === undefined ? (apiPort === 0 ? 0 : apiPort + 1) : Number(options['console-port'])
}

/** Drain seconds: as given, else the time that load balancers need, if there may be one in front. */
function drainSeconds(options: { readonly [name: string]: unknown }, hasServer: boolean): number {
  if (options['drain-seconds'] !== undefined) return Number(options['drain-seconds'])
  return hasServer && process.stdout.isTTY !== true ? usualDrainSeconds : 0
}

/** Ends the process if closing takes too long. Interrupted work is repeated at the next start. */
function endInTime(stop: AbortSignal, drainMs: number, reporter: Reporter): void {
  const end = () => {
    const message = `Closing took longer than ${longestCloseMs / 1000} seconds and was cut off; the next start finishes it.`
    reporter.fail({ message, exitCode: 1 })
    process.exit(1)
  }
  stop.addEventListener('abort', () => void setTimeout(end, drainMs + longestCloseMs).unref(), { once: true })
}

/** Throws OperatorError if receivers on this machine would be a way into the network of a real service. */
function loopbackWebhooks(
  options: { readonly [name: string]: unknown },
  hasSamples: boolean,
  hasServer: boolean,
): boolean {
  const isAsked = options['allow-loopback-webhooks'] === true
  if (isAsked && (options.live === true || hasServer))
    throw wrongUse(
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

/** Aborted by the first SIGINT or SIGTERM; a second one ends the process immediately. */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  const onSignal = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143)
    controller.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return controller.signal
}

function screenOf(stream: NodeJS.WriteStream): Screen {
  return {
    write: (text) => void stream.write(text),
    isTerminal: stream.isTTY === true,
    // getColorDepth reads NO_COLOR, FORCE_COLOR and TERM as Node does everywhere
    hasColours: stream.isTTY === true && stream.hasColors(),
  }
}

function version(): string {
  return (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string })
    .version
}
