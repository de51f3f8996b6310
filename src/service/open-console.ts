// Opens the console of a running service: what its pages have to work with, and where it listens.
import { type Console, openConsole } from '../console/console.ts'
import { Directory } from '../console/directory.ts'
import type { CommandOutcome, CommandRequest, ConsolePlace } from '../console/place.ts'
import { OperatorError } from '../platform/errors.ts'
import { isLoopbackAddress } from '../platform/network-rule.ts'
import { keepLooking } from './keep-looking.ts'
import { findPort } from './listening-address.ts'
import { webhookAddressRule } from './loopback-webhooks.ts'
import type { OpenNode } from './open-node.ts'
import type { ServiceContext } from './operation-context.ts'
import { runOperation } from './operations.ts'
import { stockReads } from './stock-reads.ts'
import { openSealer } from './webhook-sealer.ts'

export type ConsoleSettings = {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
}

/** How often changes by other processes are looked for. */
const lookMs = 1_000

/** Where the console listens. Throws OperatorError for a port in use, and beyond this machine without its https address. */
export async function findConsole(
  { host, port }: ConsoleSettings,
  consoleUrl: string | undefined,
): Promise<{ readonly host: string; readonly port: number; readonly origin: string }> {
  if (consoleUrl === undefined && host !== 'localhost' && !isLoopbackAddress(host))
    throw new OperatorError(
      `The console would listen on ${host} without its public address; set TENDERSTOCK_CONSOLE_URL, such as https://console.example.org.`,
      { exitCode: 2 },
    )
  const found = await findPort(host, port, '--console-port')
  // a passkey belongs to a name: 127.0.0.1 cannot have one
  return { host, port: found, origin: consoleUrl ?? `http://localhost:${found}` }
}

/** Opens the console on a node; it is closed with the node. */
export async function openServiceConsole(
  node: OpenNode,
  context: ServiceContext,
  where: {
    readonly host: string
    readonly port: number
    readonly origin: string
    readonly apiAddress: string
    /** Where the API listens on this machine. */
    readonly api: string
    readonly hasSamples: boolean
  },
): Promise<ConsolePlace> {
  const { log, state } = node
  const { store, clock, wallClock, random, config, version, dataFolder } = context
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
  const place: ConsolePlace = {
    store,
    editions: node.editions,
    directory,
    clock,
    wallClock,
    random,
    config,
    version,
    dataFolder,
    origin: where.origin,
    apiAddress: where.apiAddress,
    hasSamples: where.hasSamples,
    explore: (organizationId, path) => node.explorer.ask(where.api, organizationId, path),
    run: (request) => runForPage(context, request),
    webhooks: {
      sealer: () => openSealer(context),
      addressRule: () => webhookAddressRule(store, config),
    },
    reads: stockReads(context, node.editions),
  }
  const opened: Console = await openConsole(place, {
    host: where.host,
    port: where.port,
    trustedHops: config.trustedHops ?? 0,
    onFault: (error, path) =>
      log.error({ path, error: error instanceof Error ? error.stack : String(error) }, 'a page failed'),
  })
  node.defer(() => opened.close())
  return place
}

async function runForPage(
  context: ServiceContext,
  { command, operands = [], options = {} }: CommandRequest,
): Promise<CommandOutcome> {
  const events: CommandOutcome['events'][number][] = []
  const exitCode = await runOperation(
    context,
    { command, operands, options },
    (event) => void events.push({ ...event }),
  )
  return { exitCode, events }
}
