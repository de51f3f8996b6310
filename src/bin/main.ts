// Wires a parsed command to what does it, and turns its outcome into text and an exit code.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { systemClock, systemSleep } from '../platform/clock.ts'
import { readConfig, sourceKey } from '../platform/config.ts'
import { OperatorError } from '../platform/errors.ts'
import type { LogLevel } from '../platform/log.ts'
import { systemRandom } from '../platform/random.ts'
import { asOperatorError } from '../store/connection-loss.ts'
import { openStore } from '../store/database.ts'
import { openDocumentStore } from '../store/open-document-store.ts'
import type { CommandName } from './command-table.ts'
import { askRunningService, type ControlRequest } from './control-socket.ts'
import { colourStyle, helpText, plainStyle } from './help-text.ts'
import { runOperation } from './operations.ts'
import { type ParsedCommand, parseCommand } from './parse-command.ts'
import { openReporter, type Reporter, type Screen } from './reporter.ts'
import { simulate } from './simulate.ts'
import { checkSources } from './source-operations.ts'
import { serve, start } from './start.ts'
import { workQueue } from './work-queue.ts'

/** Exit code of a bug. */
const bugExitCode = 70

/** Runs the program with the arguments after its name. Returns the exit code; never throws. */
export async function main(args: readonly string[]): Promise<number> {
  const [out, err] = [screenOf(process.stdout), screenOf(process.stderr)]
  // who reads the output may go away (`| head`): a service goes on without
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  let reporter: Reporter | undefined
  try {
    const parsed = parseCommand(args)
    if (parsed.kind === 'version') {
      out.write(`tenderstock ${version()}\n`)
      return 0
    }
    if (parsed.kind === 'help') {
      const text = helpText(parsed.topic, out.hasColours ? colourStyle : plainStyle)
      if (text === undefined)
        throw new OperatorError(
          `There is no command "${parsed.topic.join(' ')}"; \`tenderstock --help\` lists the commands.`,
          { exitCode: 2 },
        )
      out.write(text)
      return 0
    }
    reporter = openReporter({ json: parsed.options.json === true, out, err, clock: systemClock })
    const exitCode = await runCommand(parsed, reporter)
    reporter.close()
    return exitCode
  } catch (thrown) {
    reporter?.close()
    const error = asOperatorError(thrown)
    if (error instanceof OperatorError) {
      err.write(`${error.message}\n`)
      return error.exitCode
    }
    err.write(
      `Tenderstock met a fault of its own and stopped. Please report this:\n${error instanceof Error ? error.stack : String(error)}\n`,
    )
    return bugExitCode
  }
}

async function runCommand(parsed: ParsedCommand & { readonly kind: 'command' }, reporter: Reporter): Promise<number> {
  const { command, options } = parsed
  const { emit } = reporter
  const dataFolder = resolve(String(options.data))
  if (command === 'start' || command === 'serve') {
    const service = {
      version: version(),
      dataFolder,
      apiHost: String(options['api-host']),
      apiPort: Number(options['api-port']),
      readers: Number(options.readers),
      logLevel: options['log-level'] as LogLevel,
      config: readConfig(),
      emit,
      stop: stopSignal(),
    }
    if (command === 'serve') await serve(service)
    else {
      await start({
        ...service,
        ingestPaths: Array.isArray(options.ingest) ? options.ingest : [],
        ...(options['no-samples'] !== true &&
          options.live !== true && { samples: { sources: Array.isArray(options.source) ? options.source : [] } }),
        ...(options.live === true && {
          live: {
            sources: Array.isArray(options.source) ? options.source : [],
            workers: Number(options.workers),
            ...(options['backfill-since'] !== undefined && { backfillSince: String(options['backfill-since']) }),
          },
        }),
        publishIntervalMs: Number(options['publish-interval-minutes']) * 60_000,
        hasTrialClock: options['trial-clock'] === true,
        ...(options['requests-per-minute'] !== undefined && {
          requestsPerMinute: Number(options['requests-per-minute']),
        }),
      })
    }
    emit({ event: 'stopped' })
    return 0
  }
  if (command === 'simulate') {
    const listed = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
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
  // another process may do the work: paths are told from where this one stands
  if (command === 'source check') {
    const place = { dataFolder, clock: systemClock, random: systemRandom, config: readConfig(), version: version() }
    const request = { command, options: { ...options }, operands: parsed.operands }
    return checkSources({ ...place, keyOf: sourceKey, signal: stopSignal() }, request, emit)
  }
  const operands = command === 'ingest' ? parsed.operands.map((path) => resolve(path)) : parsed.operands
  const request: ControlRequest = { command, options: { ...options }, operands }
  return (await askRunningService(dataFolder, request, emit)) ?? runAlone(dataFolder, request, reporter)
}

/** Commands that make an embedded stock where there is none; for all others its folder was mistyped. */
const beginsStock: ReadonlySet<string> = new Set([
  'ingest',
  'organization create',
  'source list',
  'source show',
  'source run',
] satisfies CommandName[])

/** Opens the stock for one command. */
async function runAlone(dataFolder: string, request: ControlRequest, { emit }: Reporter): Promise<number> {
  const config = readConfig()
  const { databaseUrl, documents } = config
  const [clock, random] = [systemClock, systemRandom]
  if (databaseUrl === undefined && !beginsStock.has(request.command) && !existsSync(join(dataFolder, 'database')))
    throw new OperatorError(
      `There is no stock in ${dataFolder} yet; name its folder with --data, or begin one with \`tenderstock start\`.`,
    )
  const documentStore = await openDocumentStore(documents, { clock, sleep: systemSleep, random, version: version() })
  const store = await openStore({ dataFolder, ...(databaseUrl !== undefined && { databaseUrl }) })
  try {
    return await runOperation(
      {
        store,
        dataFolder,
        clock,
        random,
        queue: workQueue(),
        keyOf: sourceKey,
        config,
        version: version(),
        signal: stopSignal(),
        ...(documentStore && { documentStore }),
      },
      request,
      emit,
    )
  } finally {
    await store.close()
    await documentStore?.close()
  }
}

/** Aborted by the first SIGINT or SIGTERM; a second one ends the process at once. */
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
