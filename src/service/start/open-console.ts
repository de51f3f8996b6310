// Opens the console of a running service: what its pages work with, and where it listens.
import { cursorKeysOf } from '../../api/cursors/cursor-key-source.ts'
import { type Console, openConsole } from '../../console/console.ts'
import { brandOf } from '../../console/frame/brand.ts'
import { readClientPackage } from '../../console/frame/client-package.ts'
import type { CommandOutcome, CommandRequest, ConsoleContext } from '../../console/frame/console-context.ts'
import { Directory } from '../../console/frame/directory.ts'
import { StockLimits } from '../../console/frame/stock-access.ts'
import { steadyClock } from '../../platform/clock.ts'
import { connectionsPerAddress, createConnectionMemory } from '../../platform/connection-limit.ts'
import { OperatorError } from '../../platform/errors.ts'
import { isLoopbackAddress } from '../../platform/network-rule.ts'
import { sampleEpoch } from '../../simulator/samples/sample-documents.ts'
import { getOrCreateSetting } from '../../store/database/settings.ts'
import type { ServiceContext } from '../control/operation-context.ts'
import { webhookAddressRule } from '../hits/loopback-webhooks.ts'
import { openSealer } from '../hits/webhook-sealer.ts'
import { type HeldPort, holdPort, type ListenAddress, listenError } from '../nodes/listening-address.ts'
import type { OpenNode } from '../nodes/open-node.ts'
import { runOperation } from '../operations/operations.ts'
import { FrozenSamples } from '../samples/frozen-samples.ts'
import { keepLooking } from '../watch/keep-looking.ts'
import { stockReads } from './stock-reads.ts'

/** How often to check for changes by other processes. */
const lookMs = 1_000
/** How long after the start the word index is opened. */
const indexAfterMs = 5_000

/**
 * Where the console listens; the port is held until it does, which may take seconds. Throws OperatorError for a port in
 * use, and for listening beyond this machine without an https address.
 */
export async function findConsole(
  { host, port }: ListenAddress,
  consoleUrl: string | undefined,
): Promise<HeldPort & { readonly host: string; readonly origin: string }> {
  if (consoleUrl === undefined && host !== 'localhost' && !isLoopbackAddress(host))
    throw new OperatorError(
      'setting-missing',
      `The console cannot listen on ${host} without its public address; set TENDERSTOCK_CONSOLE_URL, such as https://console.example.org.`,
    )
  const held = await holdPort(host, port, '--console-port')
  // a passkey belongs to a name: 127.0.0.1 cannot have one
  return { ...held, host, origin: consoleUrl ?? `http://localhost:${held.port}` }
}

/** Opens the console on a node; it is closed with the node. */
export async function openServiceConsole(
  node: OpenNode,
  service: ServiceContext,
  where: {
    readonly host: string
    readonly port: number
    readonly release: () => Promise<void>
    readonly origin: string
    readonly apiAddress: string
    /** Where the API listens on this machine. */
    readonly api: string
    readonly hasSamples: boolean
  },
): Promise<ConsoleContext> {
  const { log, state } = node
  const { store, clock, wallClock, random, config, version, dataFolder } = service
  const directory = new Directory(store, clock)
  await directory.refresh()
  const following = keepLooking({
    look: async () => {
      const serials = await node.look()
      await directory.follow(serials.console + serials.tokens)
    },
    everyMs: lookMs,
    log,
    concern: 'The console does not see changes',
    report: (concern) => state.report('console', concern),
  })
  node.defer(() => following.close())
  const context: ConsoleContext = {
    store,
    editions: node.editions,
    directory,
    stockLimits: new StockLimits(directory),
    clock,
    wallClock,
    random,
    config,
    version,
    brand: brandOf(config),
    dataFolder,
    origin: where.origin,
    apiAddress: where.apiAddress,
    client: readClientPackage(),
    hasSamples: where.hasSamples,
    explore: (organizationId, path) => node.explorer.ask(where.api, organizationId, path),
    samples: samplesOf(node, service, where),
    run: (request) => runForPage(service, request),
    webhooks: {
      sealer: () => openSealer(service),
      addressRule: () => webhookAddressRule(store, config),
    },
    reads: stockReads(service, node.editions),
  }
  // not during the rush of the start; a page that needs it does not wait for this
  const indexing = setTimeout(() => node.editions.keepFindable(), indexAfterMs)
  node.defer(() => clearTimeout(indexing))
  await where.release()
  const opened: Console = await openConsole(context, {
    host: where.host,
    port: where.port,
    trustedHops: config.trustedHops ?? 0,
    ...((config.trustedHops ?? 0) === 0 && {
      connections: {
        limit: connectionsPerAddress(config.connectionsPerAddress),
        memory: createConnectionMemory(1),
        thread: 0,
        clock: steadyClock,
        warn: (message) => log.warn(message),
      },
    }),
    isLeaving: () => state.snapshot().unready === 'draining',
    onFault: (error, page) =>
      log.error({ page, error: error instanceof Error ? error.stack : String(error) }, 'a page failed'),
  }).catch((error: unknown) => {
    // another program took the port in between
    throw listenError(error as NodeJS.ErrnoException, where.host, where.port, '--console-port')
  })
  node.defer(() => opened.close())
  return context
}

/** The stock itself if it is made up; otherwise frozen samples beside it. */
function samplesOf(
  node: OpenNode,
  { store, dataFolder, clock, random, version, config }: ServiceContext,
  { api, apiAddress, hasSamples }: { readonly api: string; readonly apiAddress: string; readonly hasSamples: boolean },
): ConsoleContext['samples'] {
  if (hasSamples) {
    const ask = (path: string) => node.explorer.ask(api, undefined, path)
    return () => ({ editions: node.editions, ask, isFrozen: false })
  }
  const samples = new FrozenSamples({
    dataFolder,
    epoch: async () => Number(await getOrCreateSetting(store.db, 'frozen-samples-epoch', String(sampleEpoch(clock())))),
    cursorKeys: cursorKeysOf(store, { clock, randomBytes: random.bytes }),
    clock,
    random,
    version,
    docsUrl: config.docsUrl ?? apiAddress,
    log: node.log,
  })
  node.defer(() => samples.close())
  return () => samples.stock
}

async function runForPage(
  context: ServiceContext,
  { by, command, operands = [], options = {} }: CommandRequest,
): Promise<CommandOutcome> {
  const events: CommandOutcome['events'][number][] = []
  const exitCode = await runOperation(
    { ...context, by },
    { command, operands, options },
    (event) => void events.push({ ...event }),
  )
  return { exitCode, events }
}
