// The properties of one simulated run, drawn from its seed: from calm to violent, so that rare sequences occur too.
import type { SyncFilters } from '../../client/src/sync/sync-filters.ts'
import { type Random, randomOf } from '../testing/generate/random.ts'
import { drawFilters } from './filters.ts'
import { type MemoryKind, memoryKinds } from './memory-sink.ts'
import { type ShippedKind, shippedKinds } from './shipped-sinks.ts'

/** Kinds of events of the scheduler; each can be left out to shrink a failing run. */
export const operations = [
  'create',
  'change',
  'region',
  'archive',
  'reopen',
  'merge',
  'mergeChain',
  'check',
  'publish',
  'publishCrash',
  'lag',
  'catchUp',
  'restartNode',
  'stopNode',
  'nodeClock',
  'publisherClock',
  'advance',
  'advanceDay',
  'rotateToken',
  'revokeToken',
  'exhaustQuota',
  'limiterStore',
  'changeLimit',
  'cursorKey',
  'cursorVersion',
  'changeFilters',
  'clientClock',
  'abort',
  'archiveMany',
  'forgetState',
  'overlap',
  'crash',
  'httpFault',
  'sinkFault',
] as const
export type Operation = (typeof operations)[number]

export type SinkKind = MemoryKind | ShippedKind
/** Whether writes are seen immediately, and a first run may find something there. */
export const isDirect = (kind: SinkKind): boolean => ['direct', 'exec', 'crm'].includes(kind)

export type ClientProfile = {
  readonly kind: SinkKind
  readonly filters: SyncFilters
  readonly initial: 'open' | 'history'
}

export type Profile = {
  /** More records than the client checks one by one. */
  readonly isLarge: boolean
  readonly records: number
  readonly pageCap: number
  readonly hasTies: boolean
  readonly steps: number
  readonly requestsPerMinute: number
  /** P7; 0 as in a trial. */
  readonly minIntervalMs: number
  readonly httpFaultRate: number
  readonly crashRate: number
  readonly sinkFaultRate: number
  /** How often something else happens than the next step of a client. */
  readonly eventRate: number
  /** Whether a published edition reaches the nodes with a delay. */
  readonly lagRate: number
  readonly isGzip: boolean
  readonly clients: readonly ClientProfile[]
  readonly weights: { readonly [operation in Operation]: number }
}

const baseWeights: { readonly [operation in Operation]: number } = {
  create: 6,
  change: 8,
  region: 4,
  archive: 6,
  reopen: 3,
  merge: 3,
  mergeChain: 1,
  check: 2,
  publish: 14,
  publishCrash: 2,
  lag: 2,
  catchUp: 8,
  restartNode: 2,
  stopNode: 1,
  nodeClock: 1,
  publisherClock: 1,
  advance: 6,
  advanceDay: 1,
  rotateToken: 1,
  revokeToken: 0.3,
  exhaustQuota: 1,
  limiterStore: 1,
  changeLimit: 0.5,
  cursorKey: 0.5,
  cursorVersion: 0.5,
  changeFilters: 1,
  clientClock: 1,
  abort: 0.7,
  archiveMany: 0.2,
  forgetState: 0.3,
  overlap: 1,
  crash: 1,
  httpFault: 1,
  sinkFault: 1,
}

/** Clients with a shipped sink, which takes more steps and time than one in memory. */
const shippedShare = 0.1
/** Stocks of more than 600 records, which take twenty times as long. */
const largeShare = 0.004
const largeRecords = 640

/** The profile of the run of a seed. */
export const profileOf = (seed: number, without: ReadonlySet<string> = new Set()): Profile =>
  drawProfile(randomOf(seed, 5), randomOf(seed, 8), without)

/** `clients` is a separate stream: the kinds of clients change nothing else about the run of a seed. */
function drawProfile(random: Random, clients: Random, without: ReadonlySet<string>): Profile {
  const clientCount = random.weighted([
    [5, 1],
    [4, 2],
    [1, 3],
  ] as const)
  const weights = Object.fromEntries(
    operations.map((name) => [name, baseWeights[name] * random.pick([0, 0.5, 1, 1, 2])]),
  ) as { [operation in Operation]: number }
  weights.publish = Math.max(weights.publish, 7)
  weights.create = Math.max(weights.create, 2)
  for (const name of operations) if (without.has(name)) weights[name] = 0
  const isLarge = clients.chance(largeShare)
  if (isLarge) for (const name of ['archiveMany', 'forgetState'] as const) weights[name] = without.has(name) ? 0 : 8
  const isCalm = random.chance(0.15)
  const shippedOr = (kind: MemoryKind): SinkKind => (clients.chance(shippedShare) ? clients.pick(shippedKinds) : kind)
  const rate = (rates: readonly number[], name: Operation): number =>
    isCalm || without.has(name) ? 0 * random.next() : random.pick(rates)
  const profile: Profile = {
    isLarge,
    records: random.integer(2, 16),
    pageCap: random.weighted([
      [2, 1],
      [3, 2],
      [3, 3],
      [2, 5],
      [1, 7],
      [1, 100],
    ] as const),
    hasTies: random.chance(0.3),
    steps: random.integer(60, 320),
    requestsPerMinute: random.pick([3, 6, 12, 60, 60]),
    minIntervalMs: random.chance(0.5) ? 3_600_000 : 0,
    httpFaultRate: rate([0, 0.03, 0.1, 0.3], 'httpFault'),
    crashRate: rate([0, 0.01, 0.03, 0.08], 'crash'),
    sinkFaultRate: rate([0, 0, 0.01, 0.03], 'sinkFault'),
    eventRate: random.pick([0.1, 0.25, 0.45]),
    lagRate: without.has('lag') ? 0 * random.next() : random.pick([0, 0, 0.3, 0.7]),
    isGzip: random.chance(0.1),
    clients: Array.from({ length: clientCount }, () => ({
      kind: shippedOr(random.pick(memoryKinds)),
      filters: random.chance(0.65) ? {} : drawFilters(clients),
      initial: random.chance(0.8) ? 'open' : 'history',
    })),
    weights,
  }
  if (!isLarge) return profile
  return {
    ...profile,
    records: largeRecords,
    pageCap: 100,
    steps: Math.max(profile.steps, 240),
    httpFaultRate: Math.min(profile.httpFaultRate, 0.03),
    crashRate: Math.min(profile.crashRate, 0.01),
    clients: [{ kind: 'direct', filters: {}, initial: 'open' }],
  }
}
