// A power cut for the client: tender-sync runs in a separate process under strace, and at random moments the folder is
// rebuilt from what its system calls had made durable by then. Everything that was acknowledged must exist, and the
// next run must make the copy equal. The same proof finds mistakes that are planted into the source of the sinks.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { startOfTests } from '../api-world.ts'
import { plainId } from '../memory-editions.ts'
import { type PlantedEdit, plantingHook } from '../planted-edit.ts'
import { proofCount, proofDraw } from '../proof/proof-count.ts'
import { type CommandWorld, openCommandWorld } from '../tender-sync/command-world.ts'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'
import { plantedEdits } from './planted-edits.ts'
import { type Call, readTrace, TracedDisk, tracedCalls } from './traced-disk.ts'

const root = join(import.meta.dirname, '../..')
const hasStrace = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0
if (!hasStrace) console.log('skipped: power cuts of the client (no strace, or no right to use it)')
const cutsOfEach = proofCount({ share: 3, full: 100 })
const hour = 3_600_000
const aside = mkdtempSync(join(tmpdir(), 'tender-cut-'))
afterAll(() => rmSync(aside, { recursive: true, force: true }))

const kinds = ['sqlite', 'ndjson', 'csv'] as const
type Kind = (typeof kinds)[number]
const sinkOf = (kind: Kind, folder: string): string => `${kind}:${join(folder, 'copy')}`

/** One run under strace: its calls, and what the folder held before. */
async function traced(world: CommandWorld, kind: Kind, folder: string, planted: PlantedEdit | undefined) {
  const trace = join(aside, 'trace')
  const hook = planted ? ['--import', plantingHook(planted)] : []
  const command = [process.execPath, ...hook, join(root, 'client/src/bin/tender-sync.ts'), 'run', '--json']
  const args = ['-f', '-x', '-s', '10000000', '-e', `trace=${tracedCalls}`, '-o', trace, ...command]
  const disk = new TracedDisk(folder)
  const child = spawn('strace', [...args, '--url', world.api.origin, '--sink', sinkOf(kind, folder)], {
    env: { PATH: process.env.PATH ?? '', TENDER_TOKEN: world.api.token, HOME: world.folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let err = ''
  child.stderr.on('data', (chunk) => (err += chunk))
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect(code, err).toBe(0)
  return { disk, calls: readTrace(trace) }
}

/** The state that the process confirmed with this call, if any. */
const acknowledged = ({ name, args }: Call): string | undefined =>
  name === 'write' && args.startsWith('1, ') && args.includes('\\"event\\":\\"end\\"')
    ? /\\"updatedSince\\":\\"([^\\]+)\\"/.exec(args)?.[1]
    : undefined

const isTurn = ({ name }: Call): boolean => /rename|sync|unlink|truncate/.test(name)

/** Cuts the power this many times in a run; returns the first thing that was lost, if any. */
async function cutRun(
  world: CommandWorld,
  kind: Kind,
  { disk, calls }: Awaited<ReturnType<typeof traced>>,
  random: ReturnType<typeof randomOf>,
  cuts: number,
  before: string | undefined,
): Promise<string | undefined> {
  const turns = calls.flatMap((call, index) => (isTurn(call) ? [index, index + 1] : []))
  const chosen = Array.from({ length: cuts }, (_, cut) =>
    cut === 0 ? calls.length : random.chance(0.7) ? random.pick(turns) : random.integer(0, calls.length),
  ).sort((a, b) => a - b)
  let known = before
  let done = 0
  for (const [cut, at] of chosen.entries()) {
    for (; done < at; done++) {
      disk.apply(calls[done]!)
      known = acknowledged(calls[done]!) ?? known
    }
    const target = join(aside, 'after')
    rmSync(target, { recursive: true, force: true })
    mkdirSync(target)
    disk.cutInto(target, () => cut % 2 === 1 && random.chance(0.5))
    const sink = sinkOf(kind, target)
    const where = `${kind}, cut ${cut} at call ${at} of ${calls.length} (${calls[at]?.name ?? 'the end'}), seed ${seed}`
    if (known !== undefined) {
      const status = await world.sync(`status --sink ${sink} --json`)
      if (status.code !== 0) return `${where}: status says ${status.err}`
      const { state } = JSON.parse(status.out) as { state: { updatedSince?: string } | null }
      if (!((state?.updatedSince ?? '') >= known))
        return `${where}: ${known} was acknowledged, and the disk holds ${state?.updatedSince}`
    }
    const run = await world.sync(`run ${world.url} --quiet --sink ${sink}`)
    if (run.code !== 0) return `${where}: the next run fails: ${run.err}`
    const verify = await world.sync(`verify ${world.url} --quiet --sink ${sink}`)
    if (verify.code !== 0) return `${where}: the copy differs: ${verify.out}`
  }
  return undefined
}

/** A first run and a run over changes, each with cuts. */
async function lifeOf(kind: Kind, cuts: number, planted?: PlantedEdit): Promise<string | undefined> {
  await using world = await openCommandWorld()
  const random = randomOf(seed, kind.length + cuts)
  const folder = join(world.folder, 'disk')
  mkdirSync(folder)
  const description = 'made up '.repeat(200)
  let updatedSince: string | undefined
  for (let edition = 0; edition < 2; edition++) {
    const from = edition * 100
    const records = Array.from({ length: 160 }, (_, index) => ({
      id: plainId(from + index),
      title: `Part ${index} of edition ${edition}`,
      description,
    }))
    world.api.now = startOfTests + edition * hour
    world.api.editions.publish(world.api.now, records)
    const run = await traced(world, kind, folder, planted)
    const lost = await cutRun(world, kind, run, random, cuts, updatedSince)
    if (lost !== undefined) return lost
    updatedSince = new Date(world.api.editions.newest!.lastModified).toISOString()
  }
  return undefined
}

describe.skipIf(!hasStrace)(`power cuts of the client (SEED=${seed})`, () => {
  it.each(kinds)(
    `%s: nothing acknowledged is lost in ${2 * cutsOfEach} cuts, and the next run makes the copy equal`,
    async (kind) => {
      expect(await lifeOf(kind, cutsOfEach)).toBeUndefined()
    },
    600_000,
  )

  it.each(proofDraw(plantedEdits, 2).map((planted) => [planted.name, planted] as const))(
    'reveal the planted mistake: %s',
    async (_name, planted) => {
      expect(readFileSync(join(root, planted.file), 'utf8')).toContain(planted.from)
      const found = await lifeOf(planted.kind, 40, planted)
      console.log(`planted: ${planted.name}: ${found ?? 'not found'}`)
      expect(found).toBeDefined()
    },
    600_000,
  )
})
