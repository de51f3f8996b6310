// The Singer tap, executed: its messages, applied by a small target, keep a copy equal to the edition.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { singerSchema } from '../../integrations/generate-schemas.ts'
import { startApi } from '../api-world.ts'
import { plainId } from '../memory-editions.ts'
import { randomOf } from '../testing/generate/random.ts'
import { hasPython, python } from './python.ts'
import { contentById, editionContent, publishNext, type Row, upsert } from './stock-world.ts'

const folder = fileURLToPath(new URL('../../integrations/singer/', import.meta.url))
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

type Message = {
  readonly type: 'SCHEMA' | 'RECORD' | 'STATE'
  readonly stream?: string
  readonly schema?: object
  readonly key_properties?: readonly string[]
  readonly record?: Row
  readonly value?: { readonly bookmarks: { readonly tenders: { readonly replication_key_value: string } } }
}

test('the settings of the tap hold every filter of the contract', () => {
  const contract = JSON.parse(readFileSync(new URL('../../contract/openapi.json', import.meta.url), 'utf8')) as {
    readonly paths: { readonly '/v1/tenders': { readonly get: { readonly parameters: readonly { name: string }[] } } }
  }
  const names = contract.paths['/v1/tenders'].get.parameters.map(({ name }) => name)
  const filters = names.filter((name) => !['updated_since', 'archived', 'limit', 'cursor'].includes(name)).sort()
  const [, list] = /^FILTERS = \(([^)]+)\)/m.exec(read('tap_tenderstock.py'))!
  expect(filters.length).toBeGreaterThan(5)
  expect([...list!.matchAll(/'(\w+)'/g)].map(([, name]) => name).sort()).toEqual(filters)
  const [, row] = /^\| (`cpv`[^|]+) \|/m.exec(read('README.md'))!
  expect([...row!.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()).toEqual(filters)
})

/** What every Singer target does: checks records against the schema, upserts by key, keeps the last state. */
function createTarget() {
  const copy = new Map<string, Row>()
  let validate: ReturnType<Ajv['compile']> | undefined
  let state: Message['value']
  return {
    copy,
    get state() {
      return state
    },
    apply(line: string): Message {
      const message = JSON.parse(line) as Message
      if (message.type === 'SCHEMA') {
        expect(message.key_properties).toEqual(['id'])
        validate = addFormats.default(new Ajv({ strict: false })).compile(message.schema!)
      } else if (message.type === 'RECORD') {
        expect(validate!(message.record), JSON.stringify(validate!.errors)).toBe(true)
        upsert(copy, message.record!)
      } else state = message.value
      return message
    },
  }
}

function newFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'singer-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

function writeJson(path: string, value: unknown): string {
  writeFileSync(path, JSON.stringify(value))
  return path
}

/** The tap as a child process, asynchronous, because the API it reads runs in this one. */
function startTap(...parameters: string[]): ChildProcess {
  const tap = spawn('python3', ['tap_tenderstock.py', ...parameters], {
    cwd: folder,
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', PYTHONIOENCODING: 'utf-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => {
    tap.kill('SIGKILL')
  })
  return tap
}

async function runTap(...parameters: string[]): Promise<{ lines: string[]; errors: string; code: number | null }> {
  const tap = startTap(...parameters)
  let errors = ''
  tap.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const ended = once(tap, 'close')
  const lines: string[] = []
  for await (const line of createInterface({ input: tap.stdout! })) lines.push(line)
  await ended
  return { lines, errors, code: tap.exitCode }
}

describe.skipIf(!hasPython)('the Singer tap', () => {
  test('passes its own tests of waits and bookmarks', () => {
    python('singer', '-m', 'unittest', '-q')
  })

  test('discovers one stream with its key, its replication key and every field of the contract', () => {
    const contract = readFileSync(new URL('../../contract/openapi.json', import.meta.url), 'utf8')
    expect(read('tenders.schema.json')).toBe(singerSchema(contract))
    const { streams } = JSON.parse(python('singer', 'tap_tenderstock.py', '--config', 'unused.json', '--discover'))
    expect(streams).toHaveLength(1)
    expect(streams[0]).toMatchObject({
      tap_stream_id: 'tenders',
      key_properties: ['id'],
      replication_key: 'lastModified',
      schema: JSON.parse(singerSchema(contract)),
    })
  })

  test.each([1, 2, 3])('keeps a copy equal to the edition over ten editions (seed %i)', async (seed) => {
    await using world = await startApi()
    const random = randomOf(seed)
    const files = newFolder()
    const config = writeJson(join(files, 'config.json'), { base_url: world.origin, token: world.token })
    const catalog = join(files, 'catalog.json')
    writeFileSync(catalog, python('singer', 'tap_tenderstock.py', '--config', config, '--discover'))
    const target = createTarget()
    for (let edition = 1; edition <= 10; edition++) {
      publishNext(world, random, 250)
      if (random.chance(0.2)) continue
      const state = target.state ? ['--state', writeJson(join(files, 'state.json'), target.state)] : []
      const { lines, code, errors } = await runTap('--config', config, '--catalog', catalog, ...state)
      expect(code, errors).toBe(0)
      const bookmarks = lines.map((line) => target.apply(line)).filter(({ type }) => type === 'STATE')
      const values = bookmarks.map(({ value }) => value!.bookmarks.tenders.replication_key_value)
      expect(values).toEqual([...values].sort())
      expect(contentById(target.copy.values())).toEqual(await editionContent(world))
    }
  })

  test('a run that is killed continues from its last bookmark, and no change in between is lost', async () => {
    await using world = await startApi()
    const random = randomOf(4)
    const files = newFolder()
    const config = writeJson(join(files, 'config.json'), { base_url: world.origin, token: world.token })
    const open = Array.from({ length: 1200 }, (_, index) => ({ id: plainId(index + 1), description: 'x'.repeat(500) }))
    world.editions.publish(world.now, open)
    const target = createTarget()
    const tap = startTap('--config', config)
    const ended = once(tap, 'close')
    let pages = 0
    for await (const line of createInterface({ input: tap.stdout! })) {
      if (target.apply(line).type === 'STATE' && ++pages === 3) break
    }
    tap.kill('SIGKILL')
    await ended
    expect(target.copy.size).toBeGreaterThanOrEqual(300)
    expect(target.copy.size).toBeLessThan(1200)
    // What the copy holds as open is archived, and what it lacks too: neither may be missed (G1).
    const archived = [...open.slice(0, 50), ...open.slice(-50)]
    world.editions.publish(
      world.now + 3_600_000,
      archived.map(({ id }) => ({ id, status: 'closed' as const, archiveReason: 'expired' as const })),
    )
    publishNext(world, random)
    const state = writeJson(join(files, 'state.json'), target.state)
    const { lines, code, errors } = await runTap('--config', config, '--state', state)
    expect(code, errors).toBe(0)
    for (const line of lines) target.apply(line)
    expect(contentById(target.copy.values())).toEqual(await editionContent(world))
  })

  test('reports the error, with the reason of the API, and exits with 1', async () => {
    await using world = await startApi()
    const files = newFolder()
    const wrong = writeJson(join(files, 'config.json'), { base_url: world.origin, token: 'wrong' })
    const refused = await runTap('--config', wrong)
    expect(refused.code).toBe(1)
    expect(refused.errors).toContain('401')
    const empty = await runTap('--config', writeJson(join(files, 'empty.json'), {}))
    expect(empty).toMatchObject({ code: 1, lines: [], errors: expect.stringContaining('add "base_url"') })
  })
})

/** What target-jsonl does, as its source says: a file for each run, and the state only if no record follows it. */
const standIn = `#!${process.execPath}
const { appendFileSync } = require('node:fs')
let state
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { type, record, value } = JSON.parse(line)
  if (type === 'RECORD') appendFileSync('tenders-' + process.pid + '.jsonl', JSON.stringify(record) + '\\n')
  if (type !== 'SCHEMA') state = value
}).on('close', () => state && console.log(JSON.stringify(state)))
`
const hasTarget = spawnSync('sh', ['-c', 'command -v target-jsonl']).status === 0
if (!hasTarget)
  console.log('skipped: the commands of the page with the real target-jsonl, which is not on this machine')

describe.skipIf(!hasPython)('the commands of the page', () => {
  const [first, each] = [...read('README.md').matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!)

  test.each([false, ...(hasTarget ? [true] : [])])(
    'keep the files of a target equal to the edition (real target-jsonl: %s)',
    async (isReal) => {
      await using world = await startApi()
      const random = randomOf(6)
      const files = newFolder()
      for (const name of ['tap_tenderstock.py', 'tenders.schema.json'])
        copyFileSync(join(folder, name), join(files, name))
      mkdirSync(join(files, 'bin'))
      if (!isReal) writeFileSync(join(files, 'bin/target-jsonl'), standIn, { mode: 0o755 })
      const env = { ...process.env, PATH: `${join(files, 'bin')}:${process.env['PATH']}`, PYTHONIOENCODING: 'utf-8' }
      const run = (block: string) => {
        const script = block.replace('http://127.0.0.1:8080', world.origin).replace('…', world.token)
        return promisify(execFile)('bash', ['-ec', script], { cwd: files, env, timeout: 60_000 })
      }
      await run(first!)
      world.editions.publish(world.now, [])
      const copy = new Map<string, Row>()
      const states: string[] = []
      // the first run finds nothing, and the last two find the same
      for (let edition = 0; edition <= 4; edition++) {
        if (edition > 0 && edition < 4) publishNext(world, random, 300)
        const { stderr } = await run(each!)
        if (edition === 4) expect(Number(/(\d+) records/.exec(stderr)![1])).toBeLessThan(copy.size)
        states.push(readFileSync(join(files, 'state.json'), 'utf8'))
        for (const file of globSync('tenders-*.jsonl', { cwd: files }).map((name) => join(files, name))) {
          for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) upsert(copy, JSON.parse(line) as Row)
          rmSync(file)
        }
        expect(contentById(copy.values())).toEqual(await editionContent(world))
      }
      expect(copy.size).toBeGreaterThan(10)
      expect(JSON.parse(states[0]!)).toEqual({})
      expect(states[4]).toBe(states[3])
      expect(new Set(states).size).toBe(4)
    },
  )
})

describe('the Meltano definition', () => {
  test('names the tap’s program, its capabilities and its settings', () => {
    const { plugins } = parse(read('meltano.yml'))
    const [tap] = plugins.extractors
    expect(tap).toMatchObject({ executable: './tap_tenderstock.py', capabilities: ['catalog', 'discover', 'state'] })
    const program = read('tap_tenderstock.py')
    for (const { name } of tap.settings) expect(program).toMatch(new RegExp(`'${name}'`))
  })
})
