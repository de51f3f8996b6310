// The client of Python on each Python of this machine: what a run keeps, refuses, waits for and repairs, as
// docs/specification.md says.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { canonicalJson } from '../../client/src/sync/copy-digest.ts'
import { type ApiWorld, startApi, startOfTests } from '../api-world.ts'
import { contentById, editionContent, publishNext, type Row } from '../integrations/stock-world.ts'
import { plainId } from '../memory-editions.ts'
import { randomOf } from '../testing/generate/random.ts'
import { type Python, pythonEnvironment, pythonSources, pythons, recordsOf, runPython } from './pythons.ts'

const folder = mkdtempSync(join(tmpdir(), 'tender-python-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const newest = pythons.at(-1)!
const hasPython = pythons.length > 0
let files = 0

/** A copy of a world, and commands with it. */
function copyOf(world: ApiWorld, python: Python, kind: 'sqlite' | 'ndjson' = 'sqlite') {
  const file = join(folder, `copy-${++files}.${kind === 'sqlite' ? 'db' : 'ndjson'}`)
  const sink = ['--sink', `${kind}:${file}`]
  const command = (...args: string[]) => runPython(python, ['-m', 'tender_sync', ...args], { token: world.token })
  return {
    file,
    command,
    run: (...args: string[]) => command('run', '--url', world.origin, ...sink, ...args),
    verify: () => command('verify', '--url', world.origin, ...sink),
    status: async () => JSON.parse((await command('status', '--json', ...sink)).out),
    records: () => recordsOf<Row>(kind, file),
    change: (sql: string): void => {
      using db = new DatabaseSync(file)
      db.exec(sql)
    },
  }
}

describe.skipIf(!hasPython)('on each Python', () => {
  test.each(pythons.map((python) => ({ python, version: python.version })))(
    'Python $version keeps a copy through editions, in both forms',
    async ({ python }) => {
      await using world = await startApi()
      const random = randomOf(1)
      const copies = [copyOf(world, python), copyOf(world, python, 'ndjson')]
      for (let edition = 1; edition <= 3; edition++) {
        publishNext(world, random, 250)
        const content = await editionContent(world)
        for (const copy of copies) {
          const { code, err } = await copy.run('--initial', 'history')
          expect([code, err]).toEqual([0, ''])
          expect(contentById(copy.records())).toEqual(content)
        }
      }
      for (const copy of copies) expect(await copy.verify()).toMatchObject({ code: 0, err: '' })
      const listed = await copies[0]!.command('list', '--url', world.origin, '--filter', 'cpv=45000000,71000000')
      expect(listed.code).toBe(0)
      const one = JSON.parse(listed.out.split('\n')[0]!) as Row
      expect(JSON.parse((await copies[0]!.command('get', one.id, '--url', world.origin)).out)).toEqual(one)
    },
  )
})

describe.skipIf(!hasPython)('a run', () => {
  test('closes what was archived, merges what was merged, and opens again what was reopened', async () => {
    await using world = await startApi()
    const copy = copyOf(world, newest)
    const ids = [1, 2, 3].map(plainId)
    world.editions.publish(
      startOfTests,
      ids.map((id) => ({ id })),
    )
    await copy.run()
    world.editions.publish(startOfTests + 3_600_000, [
      { id: ids[0]!, status: 'closed', archiveReason: 'expired' },
      // the survivor is new, and archived already
      { id: ids[1]!, status: 'merged', archiveReason: 'merged', mergedInto: plainId(9) },
      { id: plainId(9), status: 'closed', archiveReason: 'expired' },
      // never held: skipped
      { id: plainId(8), status: 'closed', archiveReason: 'expired' },
    ])
    expect((await copy.run()).code).toBe(0)
    const statuses = () => Object.fromEntries(copy.records().map(({ id, status }) => [Number(id.slice(-3)), status]))
    expect(statuses()).toEqual({ 1: 'closed', 2: 'merged', 3: 'open', 9: 'closed' })
    world.editions.publish(startOfTests + 7_200_000, [{ id: ids[0]! }])
    expect((await copy.run()).code).toBe(0)
    expect(statuses()).toEqual({ 1: 'open', 2: 'merged', 3: 'open', 9: 'closed' })
  })

  test('notices by the digest what was damaged, and repairs it once', async () => {
    await using world = await startApi()
    const copy = copyOf(world, newest)
    world.editions.publish(
      startOfTests,
      Array.from({ length: 30 }, (_, number) => ({ id: plainId(number) })),
    )
    await copy.run()
    copy.change(`DELETE FROM tender WHERE id = '${plainId(7)}'`)
    expect((await copy.verify()).code).toBe(5)
    expect(await copy.run()).toMatchObject({ code: 0, err: expect.stringContaining('the copy differs') })
    expect((await copy.verify()).code).toBe(0)
    // a record with other content under the right hash is seen by verify alone
    copy.change(`UPDATE tender SET record = replace(record, 'Tender', 'Tinder') WHERE id = '${plainId(3)}'`)
    expect((await copy.verify()).code).toBe(5)
  })

  test('closes what a restored stock lost, and says so', async () => {
    await using world = await startApi()
    const copy = copyOf(world, newest)
    world.editions.publish(startOfTests, [{ id: plainId(1) }])
    world.editions.publish(startOfTests + 3_600_000, [{ id: plainId(2) }])
    await copy.run()
    world.editions.restore(1, 100)
    world.editions.publish(startOfTests + 7_200_000, [{ id: plainId(3) }])
    const { code, err } = await copy.run()
    expect(code).toBe(0)
    expect(err).toContain('no longer has 1 of')
    expect(copy.records().find(({ id }) => id === plainId(2))).toMatchObject({ status: 'lost', archiveReason: 'lost' })
    expect((await copy.verify()).code).toBe(0)
  })

  test('is skipped while another one is in progress, and goes on where a killed one stopped', async () => {
    await using world = await startApi()
    const copy = copyOf(world, newest)
    world.editions.publish(
      startOfTests,
      Array.from({ length: 450 }, (_, number) => ({ id: plainId(number) })),
    )
    const { list } = world.editions
    let pages = 0
    world.editions.list = (query) => {
      pages++
      return list(query)
    }
    const hold = `
import sys, os, signal
from tender_sync import Client, Copy, sync
pages = []
def on(event):
    if event["event"] == "page":
        pages.append(event)
        if len(pages) == 3:
            print("here", flush=True)
            sys.stdin.readline()
            os.kill(os.getpid(), signal.SIGKILL)
with Copy("sqlite:" + sys.argv[2]) as copy:
    sync(Client(sys.argv[1], os.environ["TENDER_TOKEN"]), copy, on=on)
`
    const held = spawn(newest.path, ['-c', hold, world.origin, copy.file], { env: pythonEnvironment(world.token) })
    onTestFinished(() => void held.kill('SIGKILL'))
    await new Promise((done) => held.stdout.once('data', done))
    for (const args of [[], ['--rebuild']])
      expect(await copy.run(...args)).toMatchObject({ code: 3, err: expect.stringContaining('another run is') })
    // nothing of a first run is visible before its end
    expect(copy.records()).toHaveLength(0)
    held.stdin.end('\n')
    await new Promise((done) => held.once('close', done))
    pages = 0
    // archived meanwhile: the cursor of the killed run is of the edition before
    world.editions.publish(startOfTests + 3_600_000, [{ id: plainId(1), status: 'closed', archiveReason: 'expired' }])
    expect((await copy.run()).code).toBe(0)
    // two of the three pages were kept; then the changes since
    expect(pages).toBe(3 + 1)
    expect(copy.records().find(({ id }) => id === plainId(1))?.['status']).toBe('closed')
  })

  test('goes on as a delta when the cursor of a first run has expired (G1)', async () => {
    await using world = await startApi()
    const copy = copyOf(world, newest)
    world.editions.publish(
      startOfTests,
      Array.from({ length: 250 }, (_, number) => ({ id: plainId(number) })),
    )
    const stop = `
import sys, os
from tender_sync import Client, Copy, sync
def on(event):
    if event["event"] == "page" and event["counts"]["pages"] == 2:
        os._exit(9)
with Copy("sqlite:" + sys.argv[2]) as copy:
    sync(Client(sys.argv[1], os.environ["TENDER_TOKEN"]), copy, on=on)
`
    expect((await runPython(newest, ['-c', stop, world.origin, copy.file], { token: world.token })).code).toBe(9)
    world.now = startOfTests + 25 * 3_600_000
    world.editions.publish(world.now, [
      { id: plainId(1), status: 'closed', archiveReason: 'expired' },
      { id: plainId(240), status: 'closed', archiveReason: 'expired' },
    ])
    const { code, err } = await copy.run()
    expect(code).toBe(0)
    expect(err).toContain('cursor-expired')
    // not repaired afterwards by the digest
    expect(err).not.toContain('differs')
    expect((await copy.verify()).code).toBe(0)
    expect(copy.records().find(({ id }) => id === plainId(1))?.['status']).toBe('closed')
  })

  test('refuses other filters, another address and another beginning, until the copy is to be made anew', async () => {
    await using world = await startApi()
    const copy = copyOf(world, newest)
    world.editions.publish(startOfTests, [{ id: plainId(1), cpvCodes: ['45000000'] }, { id: plainId(2) }])
    await copy.run()
    const works = ['--filter', 'cpv=45000000']
    expect(await copy.run(...works)).toMatchObject({ code: 4, err: expect.stringContaining('[filters-changed]') })
    expect(await copy.run('--initial', 'history')).toMatchObject({ code: 4, err: expect.stringContaining('[source-') })
    const other = copy.command('run', '--sink', copy.file, '--url', world.origin.replace('127.0.0.1', 'localhost'))
    expect(await other).toMatchObject({ code: 4, err: expect.stringContaining('[source-changed]') })
    expect((await copy.run(...works, '--new-filters')).code).toBe(0)
    expect(copy.records().map(({ id }) => id)).toEqual([plainId(1)])
    expect(await copy.verify()).toMatchObject({ code: 2, err: expect.stringContaining('verify compares whole copies') })
    expect((await copy.run('--rebuild')).code).toBe(0)
    expect(copy.records()).toHaveLength(2)
  })

  test('tells what is wrong in one line, with a code and no trace', async () => {
    await using world = await startApi()
    world.editions.publish(startOfTests, [{ id: plainId(1) }])
    const copy = copyOf(world, newest)
    const foreign = join(folder, 'foreign.db')
    using db = new DatabaseSync(foreign)
    db.exec('CREATE TABLE tender (x)')
    const text = join(folder, 'text.db')
    writeFileSync(text, 'not a database, and longer than the header of one '.repeat(10))
    const run = (token: string, ...args: string[]) =>
      runPython(newest, ['-m', 'tender_sync', 'run', ...args], { token })
    const at = ['--url', world.origin, '--sink']
    for (const [token, args, code, words] of [
      ['wrong', [...at, copy.file], 4, '[unauthorized]'],
      ['', [...at, copy.file], 2, 'TENDER_TOKEN'],
      ['a b', [...at, copy.file], 2, 'characters'],
      [world.token, ['--url', 'http://api.test.example', '--sink', copy.file], 2, 'use https'],
      [world.token, ['--url', 'http://127.0.0.1:9', '--sink', copy.file], 4, '[unreachable]'],
      [world.token, [...at, copy.file, '--filter', 'color=red'], 2, 'no filter color'],
      [world.token, [...at, foreign], 4, 'did not create'],
      [world.token, [...at, text], 4, '[copy-damaged]'],
      [world.token, [...at, join(folder, 'none', 'x.db')], 4, 'unable to open'],
    ] as const) {
      const ended = await run(token, ...args)
      expect(ended.err).toContain(words)
      expect(ended.err).not.toContain('Traceback')
      expect(ended.err.trim().split('\n')).toHaveLength(1)
      expect(ended.code).toBe(code)
    }
  })
})

/** An API that answers nothing but this, and the requests that it got. */
async function scripted(answers: readonly (readonly [number, Record<string, string>, string?])[]) {
  const asked: string[] = []
  const server = createServer((request, reply) => {
    const [status, headers, body = ''] = answers[Math.min(asked.length, answers.length - 1)]!
    asked.push(request.url!)
    reply.writeHead(status, headers).end(body)
  }).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  onTestFinished(() => void server.close())
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const emptyPage = [200, { 'content-type': 'application/json' }, '{"data":[],"nextCursor":null}'] as const
const waits = `
import sys
from tender_sync import Client, TenderError
slept = []
try:
    Client(sys.argv[1], "made-up", sleep=slept.append).page(limit=1)
except TenderError as error:
    print(error.code, end=" ")
print([round(each) for each in slept])
`

const twice = `
import sys
from tender_sync import Client
slept = []
client = Client(sys.argv[1], "made-up", sleep=slept.append)
client.page()
client.page()
print(slept[0])
`

describe.skipIf(!hasPython)('waits', () => {
  const date = { date: new Date(1e12).toUTCString() }
  test.each([
    ['as long as a 429 says (C152)', [[429, { 'retry-after': '7' }], emptyPage], '[7]'],
    [
      'until a date, by the date of the answer (C152)',
      [[503, { ...date, 'retry-after': new Date(1e12 + 9e3).toUTCString() }], emptyPage],
      '[9]',
    ],
    ['a minute when an answer does not say', [[503, {}], emptyPage], '[60]'],
    ['at least a second', [[429, { 'retry-after': '0' }], emptyPage], '[1]'],
    ['longer after each failure, then gives up (C153)', [[500, {}]], 'problem [60, 120, 240, 480, 960]'],
    ['for an empty answer as for a failure', [[200, {}, ''], emptyPage], '[60]'],
    ['not for what will not change', [[403, {}]], 'problem []'],
    ['not for a redirect, which it does not follow', [[302, { location: 'http://127.0.0.1:9/' }]], 'problem []'],
    ['at most an hour', [[429, { 'retry-after': '1801' }]], 'problem [1801]'],
  ] as const)('%s', async (_, answers, slept) => {
    const api = await scripted(answers as Parameters<typeof scripted>[0])
    const { out, err } = await runPython(newest, ['-c', waits, api.origin])
    expect(err).toBe('')
    expect(out.trim()).toBe(slept)
    expect(new Set(api.asked).size).toBe(1)
  })

  test('so that the quota is not overdrawn', async () => {
    const api = await scripted([
      [200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '12' }, emptyPage[2]],
      emptyPage,
    ])
    const { out } = await runPython(newest, ['-c', twice, api.origin])
    expect(Number(out)).toBeGreaterThanOrEqual(11)
    expect(Number(out)).toBeLessThan(14)
  })
})

describe.skipIf(!hasPython)('the code', () => {
  const modules = [
    '__init__',
    '__main__',
    'bulk',
    'client',
    'contract',
    'copies',
    'digest',
    'errors',
    'frames',
    'lock',
    'merges',
    'procedure',
  ]

  test('is of Python 3.9 by its syntax', () => {
    const check =
      'import ast, sys\nfor path in sys.argv[1:]: ast.parse(open(path, encoding="utf-8").read(), feature_version=(3, 9))'
    const paths = modules.map((name) => join(pythonSources, 'tender_sync', `${name}.py`))
    for (const { path } of pythons)
      expect(spawnSync(path, ['-c', check, ...paths], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
    writeFileSync(join(folder, 'newer.py'), 'match 1:\n    case 1: pass\n')
    expect(spawnSync(newest.path, ['-c', check, join(folder, 'newer.py')]).status).toBe(1)
  })

  const mypy = ['mypy', '/usr/bin/mypy'].find((name) => spawnSync(name, ['--version']).status === 0)
  test.skipIf(mypy === undefined)('passes mypy --strict', () => {
    const cache = join(folder, 'mypy')
    const { stdout } = spawnSync(mypy!, ['--strict', '--cache-dir', cache, join(pythonSources, 'tender_sync')], {
      encoding: 'utf8',
    })
    expect(stdout).toMatch(/^Success: no issues found in 12 source files/)
  })
  if (mypy === undefined) console.log('skipped: no mypy on this machine')

  test('hashes as the service does', async () => {
    const odd = [
      '1e21',
      '1.0',
      '1e-7',
      '123456789012345680000',
      '-0',
      '0.1',
      '5e-324',
      '1.7976931348623157e308',
      '1e400',
    ]
    const text = odd.slice(0, -1).map((number, index) => `"${String.fromCharCode(0xfb01 - index)}":${number}`)
    const line = `{"z":"\\u0000\\u001f\\"\\\\/é\\ud83d\\ude00\\ud800",${text.join(',')},"\\ud83d\\ude00":[null,true,[]]}`
    const code =
      'import json, sys; from tender_sync.digest import canonical_json; sys.stdout.buffer.write(canonical_json(json.loads(sys.argv[1])).encode())'
    expect((await runPython(newest, ['-c', code, line])).out).toBe(canonicalJson(JSON.parse(line)))
  })
})

const frames = `
import sys
from tender_sync import Client, frame
made = frame(Client(sys.argv[1], sys.argv[2]).list(), sys.argv[3])
print(made.shape[0], made["title"][0], made["contract_value"][1], made["submission_date"][0].isoformat(), made["is_framework"][0])
`

describe.skipIf(!hasPython)('a data frame', () => {
  test.each(['pandas', 'polars'])('of %s has the columns of all tables', async (library) => {
    await using world = await startApi()
    world.editions.publish(startOfTests, [
      { id: plainId(1), title: 'Bridge', submissionDate: '2026-12-01T10:00:00.000Z', isFramework: true },
      { id: plainId(2), contractAmount: { value: 12.5, currency: 'EUR', estimated: false } },
    ])
    const venv = process.env['PYTHON_WITH_FRAMES']
    const python = venv === undefined ? newest : { path: venv, version: '' }
    const { out, err } = await runPython(python, ['-c', frames, world.origin, world.token, library])
    if (err.includes('is not installed here')) {
      console.log(`skipped: no ${library} on this machine`)
      expect(err).toContain(`${library} is not installed here`)
    } else expect(out.trim()).toBe('2 Bridge 12.5 2026-12-01T10:00:00+00:00 True')
  })
})
