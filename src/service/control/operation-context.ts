// An operation, and what it works with.
import { type Acting, type ActingNow, type Actor, commandActor } from '../../actions/acting.ts'
import type { FirstReading } from '../../domain/source-state.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config.ts'
import type { Random } from '../../platform/random.ts'
import type { Store } from '../../store/database/database.ts'
import type { DatabaseClock } from '../../store/database/database-clock.ts'
import type { DocumentStore } from '../../store/files/document-store.ts'
import type { RoundState } from '../../store/nodes/rounds.ts'
import type { Emit } from '../events/command-event.ts'
import type { ControlRequest } from './control-socket.ts'
import type { SamplePortals } from './portal-access.ts'
import type { WorkQueue } from './work-queue.ts'

export type NextEdition = {
  /** Epoch milliseconds: at the earliest, or during the first reading at the latest. */
  readonly at: number
  /** Present while the first edition waits for the first reading of the portals. */
  readonly firstReading?: FirstReading
}

/** The open stock and what belongs to it. */
export type ServiceContext = {
  readonly store: Store
  readonly dataFolder: string
  readonly clock: Clock
  /** The real time, of which `clock` may be ahead in trials: receivers of webhooks compare it with their own. */
  readonly wallClock: Clock
  readonly random: Random
  readonly queue: WorkQueue
  /** The operator's key of a source, by the name of its setting (`SAM_API_KEY`). */
  readonly keyOf: (setting: string) => string | undefined
  readonly config: Config
  readonly version: string
  /** Where raw documents are kept; absent: in the database. */
  readonly documentStore?: DocumentStore
  /** The database's time relative to this machine's clock, which `clock` follows. */
  readonly databaseClock: DatabaseClock
  /** Who runs the operation, as named in the audit log; absent: the user of the command line. */
  readonly by?: Actor
  /** The service's own interval; absent when none is running. */
  readonly publishIntervalMs?: number
  /** Called before a publication, which does not take place if this rejects. */
  readonly beforePublish?: () => Promise<void>
  /** How the rounds of this service are going; undefined before the first, absent when no service is running. */
  readonly rounds?: () => RoundState | undefined
  /** When this service publishes next; undefined if it does not publish, or has not begun to. */
  readonly nextEdition?: () => NextEdition | undefined
  /** Called when there is a new edition, so that it is served immediately. */
  readonly onPublished?: () => Promise<void>
  /** Present only with --trial-clock. Returns the new time. */
  readonly advanceClock?: (ms: number) => Promise<number>
  /** Where people reach the console of this service; absent when none is running. */
  readonly consoleOrigin?: string
  /** The sample portals, which commands about sources use in place of the real ones; absent when none are read. */
  readonly samplePortals?: () => SamplePortals | undefined
  /** Ends a long operation after the batch that is being written. */
  readonly signal?: AbortSignal
}

/** Who runs the command, the person who used the page or the user of the command line, and when. */
export const actingNow = ({ by = commandActor, clock }: Pick<ServiceContext, 'by' | 'clock'>): ActingNow => ({
  ...by,
  now: clock(),
})

/** The same for a change that draws random numbers. */
export const actingOf = (context: Pick<ServiceContext, 'by' | 'clock' | 'random'>): Acting => ({
  ...actingNow(context),
  random: context.random,
})

/** What a command does. Returns the exit code. */
export type Operation<Context = ServiceContext> = (
  context: Context,
  request: ControlRequest,
  emit: Emit,
) => Promise<number>

/** The commands of one module, by their words. */
export type Operations = { readonly [command: string]: Operation }
