// What the pages work with. The service creates it.
import type { Actor } from '../../actions/acting.ts'
import type { EditionView, TenderFinder } from '../../edition/read/edition-view.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config.ts'
import type { Random } from '../../platform/random.ts'
import type { Sealer } from '../../platform/sealing.ts'
import type { Store } from '../../store/database/database.ts'
import type { AddressRule } from '../../webhooks/endpoint-address.ts'
import type { Brand } from './brand.ts'
import type { ClientPackage } from './client-package.ts'
import type { Directory } from './directory.ts'
import type { StockLimits } from './stock-access.ts'
import type { StockReads } from './stock-reads.ts'

/** A command of the command line, run inside the service: what a button of the desk runs. */
export type CommandRequest = {
  /** Actor in the audit log. */
  readonly by: Actor
  readonly command: string
  readonly operands?: readonly string[]
  readonly options?: { readonly [name: string]: unknown }
}

/** Result of a command. As the command does, it throws OperatorError, whose message is a sentence for people. */
export type CommandOutcome = {
  readonly exitCode: number
  readonly events: readonly ({ readonly event: string } & { readonly [name: string]: unknown })[]
}

/** The API's answer to the explorer. */
export type ExplorerAnswer = {
  readonly status: number
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string | undefined }
  readonly body: string
}

/** A stock that visitors explore. */
export type ExplorerStock = {
  /** Where matches are counted, and tenders found. */
  readonly editions: Pick<EditionView, 'newest' | 'list' | 'find' | 'record' | 'meta'> & TenderFinder
  /** Answers as the API does, for a path below `/v1`. */
  readonly ask: (path: string) => Promise<ExplorerAnswer>
  /** One edition forever, beside the live stock; false: the stock itself is made up, and grows. */
  readonly isFrozen: boolean
}

export type ConsoleContext = {
  readonly store: Pick<Store, 'db' | 'engine'>
  /** The edition log of this node. */
  readonly editions: EditionView & TenderFinder
  readonly directory: Directory
  /** Of pages and files that ask the stock, all kinds together. */
  readonly stockLimits: StockLimits
  /** Time of the service; in trials, `wallClock` may be behind it. */
  readonly clock: Clock
  readonly wallClock: Clock
  readonly random: Random
  readonly config: Config
  readonly version: string
  /** How this service presents itself. */
  readonly brand: Brand
  readonly dataFolder: string
  /** Where people reach the console, without a slash at the end. */
  readonly origin: string
  /** Where clients reach the API, without a slash at the end. */
  readonly apiAddress: string
  /** What people run beside the API; undefined where the release did not make it. */
  readonly client: ClientPackage | undefined
  /** Whether the notices of the stock are made up. */
  readonly hasSamples: boolean
  /**
   * Requests a path below `/v1` from the API as the organization, whose limit it uses. Rejects when the API does not
   * answer.
   */
  readonly explore: (organizationId: string, path: string) => Promise<ExplorerAnswer>
  /** What visitors explore: never a live stock. */
  readonly samples: () => ExplorerStock | 'making' | 'failed'
  readonly run: (request: CommandRequest) => Promise<CommandOutcome>
  /** What new webhook endpoints and secrets need. */
  readonly webhooks: {
    /** Seals secrets. Rejects with OperatorError if those of this stock were sealed with a different key. */
    readonly sealer: () => Promise<Sealer>
    readonly addressRule: () => Promise<AddressRule>
  }
  /** Reads of stages that the console does not know. */
  readonly reads: StockReads
}
