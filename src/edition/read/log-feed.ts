// From the thread that writes the edition log to those that read it: what is new, in the order in which it happens.
// The columns and the index are in shared memory; a message only announces them.
import type { Clock } from '../../platform/clock.ts'
import { type BodySource, openBodySource } from '../format/body-files.ts'
import { HeldLog, type LogSnapshot, type TakenEdition } from './held-log.ts'
import { LogView } from './log-view.ts'
import type { Chunk } from './record-table.ts'

/** Made to be sent to another thread unchanged. */
export type LogMessage =
  /** Everything: at the beginning, and when another generation takes the place of this one. */
  | { readonly type: 'log'; readonly log: LogSnapshot | undefined }
  /** A chunk that is new, or whose codes are in other arrays now. */
  | { readonly type: 'chunk'; readonly index: number; readonly chunk: Chunk }
  | { readonly type: 'shard'; readonly index: number; readonly slots: Int32Array }
  | { readonly type: 'sourceSet'; readonly set: string }
  | { readonly type: 'edition'; readonly taken: TakenEdition }

/** A reader in another thread, as the writer sees it. */
export type LogFollower = {
  readonly tell: (message: LogMessage) => void
  /** Resolves when it has applied everything that it received, or will never answer again. Never rejects. */
  readonly settled: () => Promise<unknown>
}

type OpenBodies = (folder: string) => BodySource & { readonly close: () => void }

/** The log of another thread, kept true by its messages. */
export class FollowedLog extends LogView {
  #held: HeldLog | undefined
  #closeBodies: (() => void) | undefined
  readonly #openBodies: OpenBodies
  readonly #onDamage: () => void

  /** `onDamage`: called when bytes were found that are not what was written; the writer has to know. */
  constructor(options: {
    readonly clock: Clock
    readonly onDamage: () => void
    readonly openBodies?: OpenBodies
  }) {
    super(options.clock)
    this.#onDamage = options.onDamage
    this.#openBodies = options.openBodies ?? openBodySource
  }

  protected get held(): HeldLog | undefined {
    return this.#held
  }

  apply(message: LogMessage): void {
    if (message.type === 'log') {
      const close = this.#closeBodies
      this.#take(message.log)
      close?.()
      return
    }
    const held = this.#held
    if (!held) throw new Error(`a ${message.type} of a log that is not known here`)
    switch (message.type) {
      case 'chunk':
        held.table.chunks[message.index] = message.chunk
        break
      case 'shard':
        held.ids.replaceSlots(message.index, message.slots)
        break
      case 'sourceSet':
        held.numberOf(message.set)
        break
      case 'edition':
        held.table.count = message.taken.end
        held.adopt(message.taken, 0)
        break
    }
  }

  #take(log: LogSnapshot | undefined): void {
    this.#held = undefined
    this.#closeBodies = undefined
    if (!log) return
    const bodies = this.#openBodies(log.folder)
    this.#closeBodies = bodies.close
    this.#held = HeldLog.from(log, bodies)
    this.#held.onDamage = this.#onDamage
  }

  close(): void {
    this.#closeBodies?.()
    this.#take(undefined)
  }
}
