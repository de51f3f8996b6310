// First loads from files that are killed, publications in between. A run dies at a byte of its load, which the service
// holds there, or in the time after it, by the time that runs usually take: a busy machine has kills everywhere, too.
import type { ChildProcess } from 'node:child_process'
import { expect } from 'vitest'
import { type BulkWorld, openBulkWorld } from './bulk-world.ts'
import type { Random } from './generate/random.ts'
import { seed } from './seed.ts'

export type KilledClient = {
  /** Starts a run on the copy of this life. */
  readonly start: (service: BulkWorld, life: number) => ChildProcess
  /** What it prints when the files are there. */
  readonly loaded: RegExp
  /** What it prints where it goes on with what it has. */
  readonly goesOn: RegExp
  /** How a run may end; null: by the kill. */
  readonly codes: readonly (number | null)[]
  /** Compares the copy of this life with the newest edition. */
  readonly compare: (service: BulkWorld, life: number) => Promise<void>
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)

/** Compares each copy whose run may end; `loads` counts the kills during a load, `resumed` the runs that went on. */
export async function killLoads(
  { start, loaded, goesOn, codes, compare }: KilledClient,
  kills: number,
  random: Random,
) {
  await using service = await openBulkWorld({ seed, records: 60, requestsPerMinute: 100_000 })
  await service.publish(range(0, 600))
  await service.files.update()
  const counts = { kills: 0, lives: 0, loads: 0, resumed: 0 }
  let usualMs = 0

  async function publish(): Promise<void> {
    await service.publish(range(random.integer(0, 600), random.integer(600, 650)).slice(0, 100))
    if (random.chance(0.5)) await service.files.update()
  }

  /** Resolves to the code of its end. */
  async function run(life: number, mayEnd: boolean): Promise<number | null> {
    const child = start(service, life)
    const die = (ms: number): void => void setTimeout(() => child.kill('SIGKILL'), ms)
    const [share, pauseMs, position] = [random.next(), random.integer(0, 30), random.next()]
    const files = service.shown.state?.files.filter(({ format }) => format !== 'parquet') ?? []
    const bytes = Math.ceil(position * files.reduce((sum, file) => sum + file.bytes, 0))
    const reached = (): void => {
      counts.loads++
      die(pauseMs)
    }
    service.held.hold = !mayEnd && random.chance(0.5) ? { bytes, reached } : undefined
    let said = ''
    let loadedAt: number | undefined
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk: Buffer) => {
        said += chunk
        if (loadedAt !== undefined || !loaded.test(said)) return
        loadedAt = performance.now()
        if (!mayEnd) die(share * usualMs)
      })
    const code = await new Promise<number | null>((done) => child.once('close', done))
    service.held.hold = undefined
    expect(codes, said).toContain(code)
    expect(said).not.toMatch(/another digest|differs/)
    if (goesOn.test(said)) counts.resumed++
    if (code === null) counts.kills++
    if (code === 0 && loadedAt !== undefined)
      usualMs = (usualMs + performance.now() - loadedAt) / (usualMs === 0 ? 1 : 2)
    return code
  }

  for (; counts.kills < kills; counts.lives++) {
    for (let code: number | null | undefined; code !== 0; ) {
      if (random.chance(0.3)) await publish()
      code = await run(counts.lives, usualMs === 0 || counts.kills >= kills || random.chance(0.3))
    }
    await compare(service, counts.lives)
  }
  return counts
}
