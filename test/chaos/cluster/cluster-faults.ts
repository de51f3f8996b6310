// The faults of a cluster run, by lane: those of one lane come one after the other, and lanes overlap at random.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../../testing/generate/random.ts'
import type { ClusterWorld } from './cluster-world.ts'

export type Lane = 'database' | 'node' | 'publisher' | 'redis'

export type ClusterFault = {
  readonly kind: string
  readonly lane: Lane
  /** Why this machine cannot plant it; undefined if it can. */
  readonly lacks?: (world: ClusterWorld) => string | undefined
  readonly strike: (world: ClusterWorld, random: Random) => Promise<void>
}

const minuteMs = 60_000
const clockOffSeconds = 300

const lacksChanges = ({ servers }: ClusterWorld) => (servers.changes ? undefined : 'there is one database server')
const lacksClock = ({ clocks }: ClusterWorld) => (clocks ? undefined : 'no package faketime')
const lacksNewer = ({ newer }: ClusterWorld) => (newer === undefined ? 'there is one version' : undefined)
const isRoot = process.getuid?.() === 0

/** A change of the leader; afterwards all members run again before the next fault of this lane. */
const change = (kind: string, how: 'promote' | 'kill' | 'freeze'): ClusterFault => ({
  kind,
  lane: 'database',
  lacks: lacksChanges,
  strike: async ({ log, servers: { changes } }) => {
    await changes!.settle()
    await log.during(kind, 'database', () => changes![how]())
    await changes!.settle()
  },
})

/** What a site's connections to the database suffer. */
const network = (
  kind: string,
  mode: (random: Random) => Parameters<ClusterWorld['sites'][number]['setDatabase']>[0],
  lastsMs: (random: Random) => number,
): ClusterFault => ({
  kind,
  lane: 'database',
  strike: async ({ log, sites }, random) => {
    const hit = random.chance(0.3) ? sites : [random.pick(sites)]
    await log.during(kind, 'database', async () => {
      const found = mode(random)
      for (const site of hit) site.setDatabase(found)
      await delay(lastsMs(random))
      for (const site of hit) site.setDatabase({ kind: 'pass' })
    })
  },
})

const redisFault = (kind: string, work: (world: ClusterWorld, random: Random) => Promise<void>): ClusterFault => ({
  kind,
  lane: 'redis',
  strike: (world, random) =>
    world.log.during(kind, 'redis', async () => {
      const done = work(world, random)
      // what the nodes admit now is counted by nobody else
      await delay(300)
      await world.burst()
      await done
    }),
})

/** Delays the reads, writes and flushes of files by running processes. Resolves to what ends it. */
async function slowDown(pids: readonly number[], transferMs: number): Promise<() => Promise<void>> {
  const tracer: ChildProcess = spawn(
    'strace',
    [
      ...['-f', '-qq', '-o', '/dev/null', '-e', 'trace=fsync,fdatasync,pread64,pwrite64'],
      ...pids.flatMap((pid) => ['-p', String(pid)]),
      ...['-e', 'inject=fsync,fdatasync:delay_enter=300000'],
      ...['-e', `inject=pread64,pwrite64:delay_enter=${transferMs * 1000}`],
    ],
    { stdio: 'ignore' },
  )
  const ended = once(tracer, 'close')
  return async () => {
    // it lets go of the process, which continues
    tracer.kill('SIGINT')
    await ended
  }
}

const hasStrace = spawnSync('strace', ['-V']).status === 0
const lacksStrace = () => (hasStrace && isRoot ? undefined : 'no strace, or this user may not trace a process')

export const clusterFaults: readonly ClusterFault[] = [
  change('primary killed', 'kill'),
  change('replica promoted', 'promote'),
  change('primary frozen', 'freeze'),
  {
    kind: 'disk of the primary slow',
    lane: 'database',
    lacks: (world) => lacksChanges(world) ?? lacksStrace(),
    strike: async ({ log, servers: { changes } }, random) => {
      await changes!.settle()
      const processes = await changes!.leaderProcesses()
      await log.during('disk of the primary slow', 'database', async () => {
        const end = await slowDown(processes, 150)
        await delay(random.integer(8000, 15_000))
        await end()
      })
      await changes!.settle()
    },
  },
  network(
    'connections to the database half-open',
    () => ({ kind: 'lose' }),
    () => 1000,
  ),
  network(
    'database cut off',
    () => ({ kind: 'swallow' }),
    (random) => random.integer(5000, 20_000),
  ),
  network(
    'database delayed',
    (random) => ({ kind: 'delay', ms: random.integer(20, 120) }),
    (random) => random.integer(8000, 15_000),
  ),

  {
    kind: 'node killed',
    lane: 'node',
    strike: async ({ log, nodes, isUp }, random) => {
      const node = random.pick(nodes)
      await log.during('node killed', node.name, async () => {
        node.process.kill(random.integer(0, 3000))
        await isUp(node.process)
      })
    },
  },
  {
    kind: 'node frozen',
    lane: 'node',
    strike: async ({ log, nodes }, random) => {
      const node = random.pick(nodes)
      const forMs = random.chance(0.3) ? random.integer(15_000, 30_000) : random.integer(500, 6000)
      await log.during('node frozen', node.name, () => node.process.freeze(forMs))
    },
  },
  {
    kind: 'clock of a node 5 min off',
    lane: 'node',
    lacks: lacksClock,
    strike: async ({ log, clocks }, random) => {
      await log.during('clock of a node 5 min off', 'clock', async () => {
        await clocks!.node.setOff(random.chance(0.5) ? clockOffSeconds : -clockOffSeconds)
        await delay(random.integer(12_000, 25_000))
        await clocks!.node.setOff(0)
        await delay(2000)
      })
    },
  },
  {
    kind: 'disk of a node full',
    lane: 'node',
    lacks: ({ smallDisk }) => (smallDisk === undefined ? 'this user may not mount a file system' : undefined),
    strike: async ({ log, nodes, smallDisk }, random) => {
      const filler = join(smallDisk!, 'filler')
      await log.during('disk of a node full', nodes[0]!.name, async () => {
        spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k'], { stdio: 'ignore' })
        await delay(random.integer(10_000, 20_000))
        rmSync(filler)
      })
    },
  },
  {
    kind: 'disk of a node slow',
    lane: 'node',
    lacks: lacksStrace,
    strike: async ({ log, nodes }, random) => {
      const node = nodes[1]!
      const pid = node.process.pid()
      if (pid === undefined) return
      await log.during('disk of a node slow', node.name, async () => {
        const end = await slowDown([pid], 20)
        await delay(random.integer(8000, 15_000))
        await end()
      })
    },
  },
  {
    kind: 'node back after two days',
    lane: 'node',
    lacks: lacksClock,
    strike: async ({ log, returning, isUp, watchReturned }, random) => {
      const { process: node, image, data } = returning!
      await log.during('node back after two days', returning!.name, async () => {
        await node.stop('SIGKILL')
        rmSync(data, { recursive: true, force: true })
        cpSync(image, data, { recursive: true })
        node.start()
        await isUp(node)
      })
      await watchReturned(random.integer(8000, 15_000))
      await log.during('returned node off', returning!.name, () => node.stop('SIGKILL'))
    },
  },
  {
    kind: 'node of another version',
    lane: 'node',
    lacks: lacksNewer,
    strike: async ({ log, nodes, isUp }) => {
      const node = nodes[1]!
      await log.during('node of another version', node.name, async () => {
        await node.process.stop('SIGTERM')
        node.changeVersion()
        node.process.start()
        await isUp(node.process)
      })
    },
  },

  {
    kind: 'publisher killed',
    lane: 'publisher',
    strike: async ({ log, publishers, isUp }, random) => {
      const publisher = random.pick(publishers)
      await log.during('publisher killed', publisher.name, async () => {
        publisher.process.kill(random.integer(0, 3000))
        await isUp(publisher.process)
      })
    },
  },
  {
    kind: 'publisher frozen',
    lane: 'publisher',
    strike: async ({ log, publishers }, random) => {
      const publisher = random.pick(publishers)
      const forMs = random.chance(0.25) ? random.integer(62_000, 75_000) : random.integer(1000, 15_000)
      await log.during('publisher frozen', publisher.name, () => publisher.process.freeze(forMs))
    },
  },
  {
    kind: 'clock of a publisher 5 min off',
    lane: 'publisher',
    lacks: lacksClock,
    strike: async ({ log, clocks }, random) => {
      await log.during('clock of a publisher 5 min off', 'clock', async () => {
        await clocks!.publisher.setOff(random.chance(0.5) ? clockOffSeconds : -clockOffSeconds)
        await delay(random.integer(12_000, 25_000))
        await clocks!.publisher.setOff(0)
      })
    },
  },
  {
    kind: 'publisher of another version',
    lane: 'publisher',
    lacks: lacksNewer,
    strike: async ({ log, publishers, isUp }) => {
      const publisher = publishers[0]!
      await log.during('publisher of another version', publisher.name, async () => {
        await publisher.process.stop('SIGTERM')
        publisher.changeVersion()
        publisher.process.start()
        await isUp(publisher.process)
      })
    },
  },

  redisFault('Redis killed', async ({ redis, isUp }, random) => {
    redis.process.kill(random.integer(2000, 10_000))
    await isUp(redis.process)
  }),
  redisFault('Redis read-only', async ({ redis }, random) => {
    await tell(redis.port, 'REPLICAOF 127.0.0.1 1')
    await delay(random.integer(4000, 10_000))
    await tell(redis.port, 'REPLICAOF NO ONE')
  }),
  redisFault('Redis silent', async ({ redis }, random) => {
    redis.proxy.set({ kind: 'swallow' })
    await delay(random.integer(4000, 10_000))
    redis.proxy.set({ kind: 'pass' })
  }),
  redisFault('Redis delayed', async ({ redis }, random) => {
    redis.proxy.set({ kind: 'delay', ms: 400 })
    await delay(random.integer(4000, 10_000))
    redis.proxy.set({ kind: 'pass' })
  }),
  redisFault('connections to Redis half-open', async ({ redis }) => {
    redis.proxy.set({ kind: 'lose' })
    await delay(6000)
    redis.proxy.set({ kind: 'pass' })
  }),
]

/** The mean pause between two faults of a lane. Redis stays well for longer than the minute of the limit. */
export const meanPauseMs: { readonly [lane in Lane]: number } = {
  database: 12_000,
  node: 6000,
  publisher: 12_000,
  redis: 1.3 * minuteMs,
}

/** One command to a Redis. */
function tell(port: number, command: string): Promise<void> {
  return new Promise((done, fail) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`))
    socket.once('data', (answer) => {
      socket.destroy()
      if (answer.toString().startsWith('+OK')) done()
      else fail(new Error(`${command}: ${answer}`))
    })
    socket.once('error', fail)
  })
}
