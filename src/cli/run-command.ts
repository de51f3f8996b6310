// Connects a parsed command with its implementation. Most commands are operations on a stock: the service that holds it
// runs them, or this process if none runs.
import { resolve } from 'node:path'
import { maskOfUser } from '#flat/files/own-files'
import { systemClock } from '../platform/clock.ts'
import { readConfig, sourceKey, webhookSecret } from '../platform/config.ts'
import { systemRandom } from '../platform/random.ts'
import { askRunningService, type ControlRequest } from '../service/control/control-socket.ts'
import type { OperationName } from '../service/operations/operations.ts'
import type { CommandName } from './command-table.ts'
import type { Reporter } from './reporter.ts'
import { consolePort, type Invocation, metricsAddress, startUntilStopped } from './start-until-stopped.ts'
import { watchSilence } from './still-working.ts'
import { stopSignal } from './stop-signal.ts'

type Emit = Reporter['emit']

/** Runs a command. Returns the exit code. */
export async function runCommand(invocation: Invocation, reporter: Reporter): Promise<number> {
  const { command, options, operands, dataFolder, version } = invocation
  const { emit } = reporter
  switch (command) {
    case 'start':
    case 'serve':
      await startUntilStopped(command, invocation, reporter)
      return 0
    case 'simulate':
      await runSimulator(invocation, emit)
      return 0
    case 'webhook listen':
      await runReceiver(invocation, emit)
      return 0
    case 'doctor':
      return examine(invocation, emit)
    case 'source mend':
    case 'source terms':
    case 'source check': {
      const context = { dataFolder, clock: systemClock, random: systemRandom, config: readConfig(), version }
      const work =
        command === 'source check'
          ? (await import('../service/operations/source-operations.ts')).checkSources
          : command === 'source mend'
            ? (await import('../service/operations/mend-source.ts')).mendSource
            : (await import('../service/operations/source-terms.ts')).listTerms
      return work(
        { ...context, keyOf: sourceKey, signal: stopSignal() },
        { command, options: { ...options }, operands },
        emit,
      )
    }
    case 'restore': {
      const { restore } = await import('../service/operations/restore.ts')
      const context = { dataFolder, version, signal: stopSignal() }
      return restore(context, { command, options: { ...options }, operands: absolute(command, operands) }, emit)
    }
    case 'drill': {
      const { drill } = await import('../service/operations/drill.ts')
      const tellStock = (location: string, facts: { readonly [option: string]: string | number }) =>
        operate(command, { ...invocation, operands: [location], options: facts }, reporter)
      return drill(
        { dataFolder, version, tellStock },
        { command, options: { ...options }, operands: absolute(command, operands) },
        emit,
      )
    }
    case 'completion':
      // a bug of `main`, which answers it before a stock is opened
      throw new Error('completion needs no stock')
    default:
      return operate(command, invocation, reporter)
  }
}

/**
 * Lets the service that holds the stock run the operation, or runs it here. A command that is no operation
 * (`operations.ts`) does not compile here.
 */
async function operate(command: OperationName, invocation: Invocation, reporter: Reporter): Promise<number> {
  const { emit } = reporter
  const { options, dataFolder, version } = invocation
  // another process may do the work: relative paths start from this one's folder
  const operands = absolute(command, invocation.operands)
  const given: { readonly [option: string]: unknown } = options
  const paths = Object.fromEntries(
    ['secret-file', ...(command === 'edition export' ? ['out'] : [])].flatMap((name) =>
      given[name] === undefined ? [] : [[name, resolve(String(given[name]))]],
    ),
  )
  // the files of an export are for who asked for them
  const rights = command === 'edition export' ? { umask: maskOfUser() } : {}
  const request = { command, options: { ...options, ...paths, ...rights }, operands }
  // with a server, a separate process does this work, and relieves the service
  const isAlone = (command === 'backup' || command === 'edition export') && readConfig().databaseUrl !== undefined
  const answered = isAlone ? undefined : await askInTime(dataFolder, request, reporter)
  if (answered !== undefined) return answered
  if (command === 'config') {
    const { showSettings } = await import('../service/operations/setting-operations.ts')
    return showSettings({ isRunning: false }, emit)
  }
  const { runAlone } = await import('../service/operations/run-alone.ts')
  return runAlone({ dataFolder, version, signal: stopSignal() }, request, emit)
}

/** Asks the service that holds the stock, and shows that it has not answered yet. */
async function askInTime(dataFolder: string, request: ControlRequest, reporter: Reporter): Promise<number | undefined> {
  const waiting = watchSilence(reporter, 'Waiting for the running service')
  try {
    return await askRunningService(dataFolder, request, waiting.emit)
  } finally {
    waiting.end()
  }
}

/** Relative paths start from this process's folder. */
function absolute(command: CommandName, operands: readonly string[]): readonly string[] {
  const isBackup = command === 'backup' || command === 'restore' || command === 'drill'
  const hasPaths = isBackup || command === 'ingest' || command === 'redact import'
  return operands.map((operand) => (hasPaths && !(isBackup && operand.startsWith('s3:')) ? resolve(operand) : operand))
}

async function runSimulator({ options }: Invocation, emit: Emit): Promise<void> {
  const listed = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
  const { simulate } = await import('../service/operations/simulate.ts')
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
}

async function runReceiver({ options }: Invocation, emit: Emit): Promise<void> {
  const { listenWebhooks } = await import('../service/operations/listen-webhooks.ts')
  await listenWebhooks({
    port: Number(options.port),
    secret: webhookSecret(),
    secretFile: options['secret-file'] === undefined ? undefined : String(options['secret-file']),
    emit,
    stop: stopSignal(),
  })
}

async function examine({ options, dataFolder, version }: Invocation, emit: Emit): Promise<number> {
  const { runDoctor } = await import('../service/operations/doctor.ts')
  return runDoctor({
    dataFolder,
    readConfig,
    clock: systemClock,
    random: systemRandom,
    version,
    keyOf: sourceKey,
    emit,
    apiHost: String(options['api-host']),
    apiPort: Number(options['api-port']),
    consoleHost: String(options['console-host']),
    consolePort: consolePort(options),
    ...metricsAddress(options),
    ...(options.live === true && {
      portals: {
        sources: Array.isArray(options.source) ? options.source : [],
        ...(options.simulator !== undefined && { simulator: String(options.simulator) }),
      },
    }),
  })
}
