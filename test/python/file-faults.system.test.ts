// The clients of TypeScript and of Python load their first run from files, through faults of the files and of
// everything else, from the service and from a bucket: each copy is the edition.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseDigest } from '../../client/src/sync/copy-digest.ts'
import { openAddresses } from '../../src/api/bulk/bulk-addresses.ts'
import type { BucketLocation } from '../../src/platform/config.ts'
import { s3Keys, startS3Store } from '../imitations/s3-store.ts'
import { proofDraw } from '../proof/proof-count.ts'
import { type BulkWorld, openBulkWorld } from '../testing/bulk-world.ts'
import { startFaultProxy } from '../testing/fault-proxy.ts'
import { fileFaultKinds } from '../testing/file-faults.ts'
import { randomOf } from '../testing/generate/random.ts'
import { seed } from '../testing/seed.ts'
import { answerSeconds, digestOfCopy, impatientClients } from './impatient-clients.ts'

const folder = mkdtempSync(join(tmpdir(), 'file-faults-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)
/** How often a run is repeated before its last one, without faults. */
const mostTries = 6

/** Files come from here, or from a bucket. */
async function openService(isBucket: boolean) {
  const store = await startS3Store({ bucket: 'files', region: 'eu-1', clock: Date.now })
  const location: BucketLocation = {
    ...s3Keys,
    kind: 'bucket',
    bucket: 'files',
    prefix: 'bulk/',
    region: 'eu-1',
    endpoint: store.url,
  }
  const service = await openBulkWorld({
    seed,
    records: 60,
    ...(isBucket && { addressOf: openAddresses(location, Date.now) }),
  })
  const publish = async (numbers: readonly number[]) => {
    await service.publish(numbers)
    await service.files.update()
    for (const name of readdirSync(service.bulk))
      if (name.endsWith('.gz')) store.objects.set(`files/bulk/${name}`, readFileSync(join(service.bulk, name)))
  }
  const loads = () => store.requests.filter(({ path }) => path.endsWith('.gz')).length
  const close = async () => {
    await service[Symbol.asyncDispose]()
    await store[Symbol.asyncDispose]()
  }
  return { service, publish, loads, [Symbol.asyncDispose]: close }
}

/** A token of an organization of its own, whose limits are unused. */
async function newToken({ tokens }: BulkWorld, name: string): Promise<string> {
  const token = tokens.add(name, { hasBulkFiles: true, requestsPerMinute: 100_000 })
  // the table of tokens looks again
  await new Promise((done) => setTimeout(done, 300))
  return token
}

const cases = impatientClients.flatMap((client) =>
  (['sqlite', 'ndjson'] as const).flatMap((kind) =>
    (['the service', 'a bucket'] as const).map((from) => ({ name: client.name, client, kind, from })),
  ),
)

describe(`a first load through faults of files (SEED=${seed})`, () => {
  test.each(proofDraw(cases, 4))('C160, C162: $name into $kind, from $from', { timeout: 600_000 }, async (each) => {
    const { client, name, kind, from } = each
    await using world = await openService(from === 'a bucket')
    const { service, publish } = world
    const random = randomOf(seed, cases.indexOf(each))
    using proxy = await startFaultProxy(service.origin, random)
    let kill = (): void => {}
    proxy.onKill = () => kill()
    const run = async (file: string, token: string) => {
      const args = ['run', '--url', proxy.origin, '--sink', `${kind}:${file}`, '--initial', 'history', '--bulk']
      const within = proxy.rate === 0 ? answerSeconds.quiet : answerSeconds.withFaults
      const child = client.start([...args, '--max-wait', '60'], token, within)
      kill = () => void child.kill('SIGKILL')
      let said = ''
      for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (said += chunk))
      const code = await new Promise<number | null>((done) => child.once('close', done))
      // killed, completed or given up, and never a bug
      expect(proxy.rate === 0 ? [0] : [null, 0, 4], said).toContain(code)
      expect(said).not.toMatch(/Traceback|\[bug\]|^ +at /m)
      return { code, said }
    }
    const expectEqual = async (file: string) =>
      expect((await digestOfCopy(kind, file)).all).toBe(parseDigest(service.log.newest!.checksum!)!.all)
    const fileOf = (life: number) => join(folder, [name, kind, from, life].join('-').replaceAll(' ', ''))
    await publish(range(0, 300))
    for (const life of [0, 1, 2]) {
      const token = await newToken(service, `life ${life}`)
      await publish(range(0, 330).filter(() => random.chance(0.2)))
      proxy.files.loads.clear()
      proxy.files.struck.clear()
      if (life === 1) {
        proxy.files.rate = 0.5
        proxy.rate = 0.4
        for (let tries = 0; ; tries++) {
          if (tries === mostTries) proxy.rate = 0
          if ((await run(fileOf(life), token)).code === 0) break
        }
        proxy.rate = 0
      } else {
        // each file fails once, and nothing else does
        proxy.files.rate = 1
        const { said } = await run(fileOf(life), token)
        expect(said).not.toContain('in place of files')
        expect([...proxy.files.struck.keys()].sort()).toEqual([...fileFaultKinds].sort())
        expect(Math.max(...proxy.files.loads.values())).toBe(2)
      }
      await expectEqual(fileOf(life))
    }
    // links open the files: the token goes nowhere with them
    expect(proxy.files.tokens).toEqual(new Set([undefined]))
    expect(proxy.files.elsewhere()).toBeGreaterThan(0)
    expect(world.loads() > 0).toBe(from === 'a bucket')
  })
})
