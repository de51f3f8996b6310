// Messages from the thread that writes the edition log to those that read it: what is new, in order. The columns and
// the index are in shared memory; a message only announces them.
import type { Clock } from '../../platform/clock.ts'
import { type BodySource, openBodySource } from '../format/body-files.ts'
import { HeldLog, type LogSnapshot, type TakenEdition } from './held-log.ts'
import { LogView } from './log-view.ts'
import type { Chunk } from './record-table.ts'

/** Can be sent to another thread unchanged. */
export type LogMessage =
  /** The whole log: at the beginning, and when another generation replaces this one. */
  | { readonly type: 'log'; readonly log: LogSnapshot | undefined }
  /** A chunk that is new, or whose codes moved to other arrays. */
  | { readonly type: 'chunk'; readonly index: number; readonly chunk: Chunk }
  | { readonly type: 'shard'; readonly index: number; readonly slots: Int32Array }
  | { readonly type: 'sourceSet'; readonly set: string }
  | { readonly type: 'edition'; readonly taken: TakenEdition }

/** A reader in another thread, as the writer sees it. */
export type LogFollower = {
  readonly send: (message: LogMessage) => void
  /** Resolves when it has applied everything that it received, or when it will never answer. Never rejects. */
  readonly settled: () => Promise<unknown>
}

type OpenBodies = (folder: string) => BodySource & { readonly close: () => void }

/** The log of another thread, kept up to date by its messages. */
export class FollowedLog extends LogView {
  #held: HeldLog | undefined
  #closeBodies: (() => void) | undefined
  readonly #openBodies: OpenBodies
  readonly #onDamage: () => void

  /** `onDamage`: called when bytes are not what was written, to tell the writer. */
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
    // a bug of the writer, which sends the whole log first
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
