// Faults of nodes and of Redis, one at a time and seconds long, each on organizations that no node has seen before:
// whether the limit holds is judged from outside.
import { setTimeout as delay } from 'node:timers/promises'
import { admittedAfterDenial, denialsBelowShare, peakWithin, type Request } from './held-limit.ts'
import type { Caller, LimitedNodes } from './limited-nodes.ts'

const limit = 60
const nodeCount = 3
/** Margin for a process that is counted a little late. */
const maxAlone = 66
/** How long an answer may take on a busy machine, whatever Redis does. */
const longestAnswerMs = 2500
/** A Redis that answers within this time is healthy; nodes wait for at least twice as long. */
const healthyMs = 50
/** Maximum number of times that a stall is repeated because this machine was too busy for a healthy Redis. */
const maxAttempts = 8
/** Longer than nodes wait between two checks of a store that did not answer. */
const recoveryMs = 2500

type FaultScenario = {
  readonly name: string
  /** Runs it; returns what contradicts C121 or C131, in words. */
  readonly violations: (world: LimitedNodes) => Promise<readonly string[]>
}

const peakOf = (requests: readonly Request[]): number =>
  peakWithin(requests, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)

/** What must hold in every scenario; `most` is the maximum that the organization may use in any minute of it. */
function judge({ history }: Caller, most: number): string[] {
  const peak = peakOf(history)
  const denials = denialsBelowShare(history, limit, nodeCount).length
  const late = admittedAfterDenial(history, limit).length
  return [
    ...(peak > most ? [`${peak} requests in a minute, at most ${most} are allowed`] : []),
    ...(denials > 0 ? [`${denials} denials below the share`] : []),
    ...(late > 0 ? [`${late} requests admitted after a denial`] : []),
  ]
}

function judgeOutage(requests: readonly Request[]): string[] {
  const peak = peakOf(requests)
  const longest = Math.max(...requests.map(({ sentMs, answeredMs }) => answeredMs - sentMs))
  return [
    ...(peak > maxAlone ? [`${peak} requests in a minute without the shared count`] : []),
    ...(longest > longestAnswerMs ? [`an answer took ${Math.round(longest)} ms`] : []),
  ]
}

/** Sends a request to a node occasionally, so that it checks its store. */
async function keepAsking(caller: Caller, node: number, forMs: number): Promise<void> {
  for (const untilMs = performance.now() + forMs; performance.now() < untilMs; await delay(150)) await caller.ask(node)
}

async function stall(world: LimitedNodes): Promise<readonly string[]> {
  const found: string[] = []
  for (const [stallMs, beforeMs] of [
    [120, 10],
    [120, 20],
    [120, 40],
    [700, 20],
  ] as const) {
    for (let attempt = 1; ; attempt++) {
      await world.proxy.slowestMs()
      const violations = await stallOnce(world, stallMs, beforeMs)
      const isHealthy = (await world.proxy.slowestMs()) <= healthyMs
      if (isHealthy) found.push(...violations)
      if (isHealthy) break
      if (attempt === maxAttempts) {
        console.log(`not judged: a stall of ${stallMs} ms (this machine is too busy for a Redis that is well)`)
        break
      }
    }
  }
  return found
}

async function stallOnce(world: LimitedNodes, stallMs: number, beforeMs: number): Promise<readonly string[]> {
  const caller = await world.open()
  await caller.burst(0, limit)
  // Node 1 has denied a request, node 2 does not know the organization.
  await caller.ask(1)
  // The delay is so long that requests are being counted when the node stops, and the answers arrive while it is
  // stopped.
  world.proxy.set({ kind: 'delay', ms: 10 })
  for (const node of [1, 2]) {
    const early = caller.burst(node, 40)
    await delay(beforeMs)
    world.processes[node]!.kill('SIGSTOP')
    const late = caller.burst(node, 40)
    await delay(stallMs)
    world.processes[node]!.kill('SIGCONT')
    await Promise.all([early, late])
    await caller.burst(node, 20)
  }
  world.proxy.set({ kind: 'pass' })
  return judge(caller, limit)
}

/** A burst at one node when the fault begins; the other nodes receive requests when it is over. */
async function burstInFault(
  world: LimitedNodes,
  fault: { readonly begin: () => void; readonly end: () => void; readonly lastsMs: number },
): Promise<readonly string[]> {
  // With open connections all of the burst is being counted when the fault is noticed.
  await (await world.open()).burst(0, 100)
  const caller = await world.open()
  fault.begin()
  try {
    await caller.burst(0, 100)
    await keepAsking(caller, 0, fault.lastsMs)
  } catch (error) {
    return [String(error)]
  } finally {
    fault.end()
  }
  const during = [...caller.history]
  await keepAsking(caller, 0, recoveryMs)
  await Promise.all([caller.burst(1, 30), caller.burst(2, 30)])
  return [...judge(caller, 2 * limit), ...judgeOutage(during)]
}

async function kill(world: LimitedNodes): Promise<readonly string[]> {
  // The nodes 1 and 2 have denied a request of one organization, and have never heard of the other.
  const [denied, unheard] = [await world.open(), await world.open()]
  await Promise.all([denied.burst(0, limit), unheard.burst(0, limit)])
  await Promise.all([denied.ask(1), denied.ask(2)])
  world.redis.signal('SIGKILL')
  // There is no shared count at all once the nodes have noticed.
  await delay(500)
  const counts = [denied.history.length, unheard.history.length]
  for (const node of [0, 1, 2]) await Promise.all([denied.burst(node, 70), unheard.burst(node, 70)])
  const during = [denied, unheard].map(({ history }, index) => history.slice(counts[index]))
  await world.redis.start()
  await keepAsking(unheard, 0, recoveryMs)
  for (const node of [0, 1, 2]) await unheard.burst(node, 70)
  return [...judge(denied, 2 * limit), ...judge(unheard, 2 * limit), ...during.flatMap(judgeOutage)]
}

async function recover(world: LimitedNodes): Promise<readonly string[]> {
  world.proxy.set({ kind: 'lose' })
  const before = await world.open()
  for (const node of [0, 1, 2]) await keepAsking(before, node, 1000)
  // New connections work: each node must notice that its own is dead.
  const lagging = new Set([0, 1, 2])
  for (let healthy = 0, attempt = 0; healthy < 15 && attempt < 60; attempt++) {
    await world.proxy.slowestMs()
    for (const node of lagging) {
      const admitted = (await (await world.open()).burst(node, limit)).filter(({ isAdmitted }) => isAdmitted)
      if (admitted.length === limit) lagging.delete(node)
    }
    if (lagging.size === 0) return []
    await delay(1000)
    if ((await world.proxy.slowestMs()) <= healthyMs) healthy++
  }
  return [`${lagging.size} nodes do not find back to the shared count`]
}

/** The order matters: after a kill all organizations are limited to their shares for a minute. */
export const faultScenarios: readonly FaultScenario[] = [
  { name: 'nodes that stall', violations: stall },
  {
    name: 'a delay of 500 ms',
    violations: (world) =>
      burstInFault(world, {
        begin: () => world.proxy.set({ kind: 'delay', ms: 500 }),
        end: () => world.proxy.set({ kind: 'pass' }),
        lastsMs: 2000,
      }),
  },
  {
    name: 'a Redis that is stopped',
    violations: (world) =>
      burstInFault(world, {
        begin: () => world.redis.signal('SIGSTOP'),
        end: () => world.redis.signal('SIGCONT'),
        lastsMs: 5000,
      }),
  },
  {
    name: 'connections that swallow',
    violations: (world) =>
      burstInFault(world, {
        begin: () => world.proxy.set({ kind: 'swallow' }),
        end: () => world.proxy.set({ kind: 'pass' }),
        lastsMs: 5000,
      }),
  },
  { name: 'connections that are dead, while new ones work', violations: recover },
  { name: 'a Redis that is killed and comes back empty', violations: kill },
]
