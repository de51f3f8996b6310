// What each command does with an open stock. It runs in the command's own process, or inside the service that holds the
// stock.

import { OperatorError } from '../../platform/errors.ts'
import { asOperatorError } from '../../store/connections/connection-loss.ts'
import type { ControlRequest } from '../control/control-socket.ts'
import type { Operations, ServiceContext } from '../control/operation-context.ts'
import type { Emit } from '../events/command-event.ts'

/** Runs a command on an open stock; operations that write much wait for their turn. Returns the exit code. */
export async function runOperation(context: ServiceContext, request: ControlRequest, emit: Emit): Promise<number> {
  const { command } = request
  const word = command.split(' ')[0]!
  const { operations }: Module = Object.hasOwn(modules, word) ? await modules[word as keyof typeof modules]() : none
  const operation = operations[command]
  if (!operation)
    throw new OperatorError(
      'other-version',
      `The running service does not know the command "${command}"; use the same version for both.`,
    )
  try {
    if (!queuedCommands.has(command)) return await operation(context, request, emit)
    return await context.queue.run(
      command,
      () => operation(context, request, emit),
      (busyWith) => emit({ event: 'waiting', for: command, busyWith }),
    )
  } catch (error) {
    throw asOperatorError(error, context.dataFolder)
  }
}

const queuedCommands: ReadonlySet<string> = new Set([
  'ingest',
  'publish',
  'rebuild',
  'values fit',
  'review merge',
  'review split',
  'review undo',
  'database export',
] satisfies OperationName[])

type Module = { readonly operations: Operations }

const none: Module = { operations: {} }

/** Module of each command, by the command's first word. A command loads only its own: half of its time is loading. */
const modules = {
  audit: () => import('./status-operations.ts'),
  backup: () => import('./backup-operations.ts'),
  clock: () => import('./maintenance-operations.ts'),
  config: () => import('./setting-operations.ts'),
  console: () => import('./console-operations.ts'),
  database: () => import('./backup-operations.ts'),
  drill: () => import('./backup-operations.ts'),
  digest: () => import('./digest-operations.ts'),
  edition: () => import('./edition-operations.ts'),
  explain: () => import('./review-operations.ts'),
  hit: () => import('./hit-operations.ts'),
  ingest: () => import('./stock-operations.ts'),
  maintenance: () => import('./maintenance-operations.ts'),
  organization: () => import('./organization-operations.ts'),
  profile: () => import('./hit-operations.ts'),
  publish: () => import('./stock-operations.ts'),
  quote: () => import('./quote-operations.ts'),
  rebuild: () => import('./stock-operations.ts'),
  redact: () => import('./redact-operations.ts'),
  review: () => import('./review-operations.ts'),
  search: () => import('./hit-operations.ts'),
  source: () => import('./source-operations.ts'),
  status: () => import('./status-operations.ts'),
  token: () => import('./token-operations.ts'),
  values: () => import('./stock-operations.ts'),
  webhook: () => import('./webhook-operations.ts'),
} satisfies { readonly [word: string]: () => Promise<Module> }

type Loaded = Awaited<ReturnType<(typeof modules)[keyof typeof modules]>>

export type OperationName = Loaded extends infer Each ? (Each extends Module ? keyof Each['operations'] : never) : never
