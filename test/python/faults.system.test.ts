// The clients of TypeScript and of Python through the same faults: after every completed run the copy is an edition,
// and after a quiet one the newest.
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parseDigest } from '../../client/src/sync/copy-digest.ts'
import type { TenderRecord } from '../../client/src/types.ts'
import { type ApiWorld, startApi } from '../api-world.ts'
import { contentById, editionContent, publishNext } from '../integrations/stock-world.ts'
import { faultKinds, startFaultProxy } from '../testing/fault-proxy.ts'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'
import { answerSeconds, digestOfCopy, type ImpatientClient, impatientClients } from './impatient-clients.ts'
import { recordsOf } from './pythons.ts'

const seeds = Number(process.env['FAULT_SEEDS'] ?? 1)
const editions = Number(process.env['FAULT_EDITIONS'] ?? 3)
const folder = mkdtempSync(join(tmpdir(), 'tender-faults-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A copy whose runs meet faults and publications. */
async function suffer(client: ImpatientClient, kind: string, initial: 'open' | 'history', ofSeed: number) {
  await using world: ApiWorld = await startApi()
  const random = randomOf(ofSeed, kind === 'sqlite' ? 1 : 2)
  using proxy = await startFaultProxy(world.origin, randomOf(ofSeed, kind === 'sqlite' ? 3 : 4))
  const file = join(folder, `${client.name}-${kind}-${initial}-${ofSeed}`.replaceAll(' ', ''))
  const args = ['run', '--url', proxy.origin, '--sink', `${kind}:${file}`, '--initial', initial, '--max-wait', '60']
  const side = initial === 'open' ? 'open' : 'all'
  const published = () => parseDigest(world.editions.newest!.checksum!)![side]
  const held = async () => (await digestOfCopy(kind, file))[side]
  const codes: (number | null)[] = []
  let child: ChildProcess | undefined
  proxy.onKill = () => void child?.kill('SIGKILL')
  proxy.onRequest = () => {
    if (proxy.rate > 0 && random.chance(0.05)) publishNext(world, random, 400)
  }
  onTestFinished(() => void child?.kill('SIGKILL'))
  const run = async (): Promise<number | null> => {
    child = client.start(args, world.token, proxy.rate === 0 ? answerSeconds.quiet : answerSeconds.withFaults)
    let said = ''
    child.stdout!.on('data', (chunk) => (said += chunk))
    child.stderr!.on('data', (chunk) => (said += chunk))
    const code = await new Promise<number | null>((done) => child!.once('close', done))
    codes.push(code)
    // killed, completed or given up, and never a bug
    expect(proxy.rate === 0 ? [0] : [null, 0, 4], said).toContain(code)
    expect(said).not.toMatch(/Traceback|\[bug\]|^ +at /m)
    return code
  }
  let equal = 0
  for (let edition = 1; edition <= editions; edition++) {
    publishNext(world, random, 400)
    proxy.rate = 0.4
    for (let times = 0; times < 4; times++) {
      const before = world.editions.newest!.edition
      if ((await run()) !== 0 || world.editions.newest!.edition !== before) continue
      expect(await held()).toBe(published())
      equal++
    }
    proxy.rate = 0
    await run()
    expect(await held()).toBe(published())
    equal++
    const records = recordsOf<TenderRecord>(kind, file)
    if (initial === 'history') expect(contentById(records)).toEqual(await editionContent(world))
  }
  return { struck: proxy.struck, codes, equal }
}

describe('through the same faults', () => {
  const total = new Map<string, number>()
  beforeAll(() => expect(faultKinds.length).toBeGreaterThanOrEqual(20))
  afterAll(() => {
    const sum = [...total.values()].reduce((all, each) => all + each, 0)
    console.log(`faults: ${sum} of ${total.size} kinds`)
  })

  const cases = impatientClients.flatMap((client) =>
    (['sqlite', 'ndjson'] as const).flatMap((kind) =>
      Array.from({ length: seeds }, (_, number) => {
        const initial = (number + (kind === 'sqlite' ? 0 : 1)) % 2 === 0 ? ('history' as const) : ('open' as const)
        return { client, name: client.name, kind, initial, ofSeed: seed + number }
      }),
    ),
  )
  test.each(cases)(
    '$name keeps $kind ($initial) equal by digest, seed $ofSeed',
    async ({ client, name, kind, initial, ofSeed }) => {
      const { struck, codes, equal } = await suffer(client, kind, initial, ofSeed)
      for (const [fault, times] of struck) total.set(fault, (total.get(fault) ?? 0) + times)
      console.log(`${name}: ${codes.length} runs, ${equal} times compared`)
      expect(codes).toContain(0)
    },
    600_000,
  )
})
