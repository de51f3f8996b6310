// One process of a client: the real client and engine, run step by step. Every effect on the world outside goes
// through a gate, where the scheduler lets it happen, makes it fail, or ends the process permanently.
import type { HeldLock, RunLock } from '../../client/src/sync/run-lock.ts'
import type { Sink, StateStore } from '../../client/src/sync/sink.ts'
import { type SyncEvent, type SyncOutcome, sync } from '../../client/src/sync/sync.ts'
import type { SyncFilters } from '../../client/src/sync/sync-filters.ts'
import { TenderClient } from '../../client/src/tender-client.ts'
import {
  createMemorySink,
  type Durable,
  type Gate,
  type SinkFaults,
  type SinkWatch,
  stateStoreOf,
} from './memory-sink.ts'
import type { ClientProfile } from './profile.ts'
import { type RequestTimer, takeRequestTimer } from './runtime.ts'
import { isShipped, type ShippedTarget } from './shipped-sinks.ts'
import { watchContract } from './sink-contract.ts'

/** A request as the client's `fetch` received it. */
type Sent = { readonly url: string; readonly token: string; readonly signal: AbortSignal | undefined }

/** Something for which the process waits. */
export type Pending = {
  readonly step: string
  readonly sent?: Sent
  /** True time at which a sleep ends. */
  readonly wakeAt?: number
  /** Lets it happen. */
  readonly happen: () => void
  readonly fail: (error: Error) => void
  /** Lets it happen, but reports a failure to the process: the acknowledgement was lost. */
  readonly happenUnheard?: (error: Error) => void
  readonly answer?: (response: Response) => void
  /** Ends the client's wait for the answer. */
  readonly timer?: RequestTimer | undefined
}

/** What tests may put around the client. */
export type ClientFaults = {
  readonly sink?: SinkFaults
  readonly wrapSink?: (sink: Sink, process: ClientProcess, state: StateStore) => Sink
  readonly wrapState?: (state: StateStore, process: ClientProcess) => StateStore
  readonly wrapFetch?: (fetch: typeof globalThis.fetch, process: ClientProcess) => typeof globalThis.fetch
  readonly wrapSleep?: (ms: number) => number
}

/** A customer's target and what it remembers; its processes come and go. */
export type SimulatedClient = {
  readonly index: number
  readonly profile: ClientProfile
  filters: SyncFilters
  token: string
  readonly durable: Durable
  /** The target of a shipped sink. */
  readonly target: ShippedTarget | undefined
  lockHolder: ClientProcess | undefined
  /** Added to true time: what this machine believes. */
  clockShiftMs: number
}

export type ProcessOptions = {
  readonly client: SimulatedClient
  readonly now: () => number
  readonly random: () => number
  readonly onFilterChange: 'refuse' | 'restart'
  readonly watch: SinkWatch
  readonly faults: ClientFaults
}

const stuckMs = 20_000

export class ClientProcess {
  readonly client: SimulatedClient
  /** By the time at which it was started. */
  readonly token: string
  readonly pending = new Set<Pending>()
  readonly now: () => number
  outcome: SyncOutcome | undefined
  crash: unknown
  isAlive = true
  /** Faults that the world caused for this process: a run without any must complete. */
  faults = 0
  readonly aborting = new AbortController()
  readonly events: SyncEvent[] = []
  readonly #killSink: (() => void) | undefined
  #progress: (() => void) | undefined
  #steps = 0

  constructor({ client, now, random, onFilterChange, watch, faults }: ProcessOptions) {
    this.client = client
    this.token = client.token
    this.now = now
    const gate: Gate = (step, effect) => this.#gate(step, effect)
    const clock = (): number => now() + client.clockShiftMs
    const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
      this.#sleep(faults.wrapSleep?.(ms) ?? ms, signal ?? undefined)
    const fetch = ((input: string, init?: RequestInit) => this.#fetch(input, init)) as typeof globalThis.fetch
    const tenders = new TenderClient({
      baseUrl: 'https://api.example',
      token: client.token,
      fetch: faults.wrapFetch?.(fetch, this) ?? fetch,
      clock,
      sleep,
      random,
    })
    const { kind, initial } = client.profile
    const shipped = client.target?.open({ gate, watch, sleep: (ms) => sleep(ms), clock })
    const bare = isShipped(kind)
      ? shipped!.sink
      : createMemorySink({ kind, durable: client.durable, gate, watch, faults: faults.sink ?? {} })
    const store = shipped?.state ?? stateStoreOf(client.durable, gate, watch)
    const sink = watchContract(faults.wrapSink?.(bare, this, store) ?? bare, watch.onBroken)
    const state = bare.state ? undefined : (faults.wrapState?.(store, this) ?? store)
    this.#killSink = shipped?.kill
    const lock: RunLock = { acquire: async () => this.#lock() }
    sync({
      client: tenders,
      sink,
      ...(state && { state }),
      lock,
      filters: client.filters,
      initial,
      onFilterChange,
      signal: this.aborting.signal,
      on: (event) => void this.events.push(event),
      clock,
    })
      .finally(() => shipped?.end().catch(() => {}))
      .then(
        (outcome) => this.#end(() => (this.outcome = outcome)),
        (error: unknown) => this.#end(() => (this.crash = error)),
      )
  }

  #end(note: () => void): void {
    if (!this.isAlive) return
    note()
    this.isAlive = false
    this.#progress?.()
  }

  /** Ends the process immediately: nothing for which it waits ever happens. */
  kill(): void {
    if (this.isAlive) this.#killSink?.()
    this.isAlive = false
    this.pending.clear()
    if (this.client.lockHolder === this) this.client.lockHolder = undefined
  }

  /** Waits until the process waits for something new, or has ended. */
  async settle(): Promise<void> {
    const before = this.#steps
    if (this.isAlive && before === this.#settledSteps) {
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve, reject) => {
        this.#progress = resolve
        timer = setTimeout(() => reject(new Error('a client neither goes on nor ends')), stuckMs)
      })
      clearTimeout(timer)
      this.#progress = undefined
    }
    // Actions that begin in the same turn of the event loop (a request and the timer beside it) belong to the same
    // step.
    for (let turn = 0; turn < 8; turn++) await undefined
    this.#settledSteps = this.#steps
  }
  #settledSteps = 0

  #add(pending: Pending): void {
    this.pending.add(pending)
    this.#steps++
    this.#progress?.()
  }

  #gate<Result>(step: string, effect: () => Result): Promise<Awaited<Result>> {
    return new Promise((resolve, reject) => {
      if (!this.isAlive) return
      const pending: Pending = {
        step,
        happen: () => {
          this.pending.delete(pending)
          try {
            resolve(effect() as Awaited<Result>)
          } catch (error) {
            reject(error)
          }
        },
        fail: (error) => {
          this.pending.delete(pending)
          reject(error)
        },
        happenUnheard: (error) => {
          this.pending.delete(pending)
          try {
            effect()
            reject(error)
          } catch (own) {
            reject(own)
          }
        },
      }
      this.#add(pending)
    })
  }

  #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.isAlive) return
      if (signal?.aborted) return reject(signal.reason)
      const stop = (): void => {
        this.pending.delete(pending)
        reject(signal!.reason)
      }
      const pending: Pending = {
        step: `sleep ${Math.round(ms)}`,
        wakeAt: Math.ceil(this.now() + Math.max(0, ms)),
        happen: () => {
          this.pending.delete(pending)
          signal?.removeEventListener('abort', stop)
          resolve()
        },
        fail: reject,
      }
      signal?.addEventListener('abort', stop, { once: true })
      this.#add(pending)
    })
  }

  #fetch(url: string, init: RequestInit | undefined): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (!this.isAlive) return
      const signal = init?.signal ?? undefined
      if (signal?.aborted) return reject(signal.reason)
      const stop = (): void => {
        this.pending.delete(pending)
        reject(signal!.reason)
      }
      const settle = (): void => {
        this.pending.delete(pending)
        signal?.removeEventListener('abort', stop)
      }
      const authorization = new Headers(init?.headers).get('authorization') ?? ''
      const timer = takeRequestTimer()
      const pending: Pending = {
        step: 'fetch',
        timer,
        sent: { url, token: authorization.replace(/^Bearer /, ''), signal },
        happen: () => {},
        fail: (error) => {
          settle()
          reject(error)
        },
        answer: (response) => {
          settle()
          resolve(response)
        },
      }
      signal?.addEventListener('abort', stop, { once: true })
      this.#add(pending)
    })
  }

  /** The lease of a process that was killed has run out by the time the next one comes. */
  #lock(): HeldLock | undefined {
    const { client } = this
    if (client.lockHolder?.isAlive) return undefined
    client.lockHolder = this
    return {
      isHeld: async () => client.lockHolder === this,
      release: async () => {
        if (client.lockHolder === this) client.lockHolder = undefined
      },
    }
  }
}
