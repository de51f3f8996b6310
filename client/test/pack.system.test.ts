// The package as people receive it: packed from a clone that was never built, installed into an empty folder, and run
// there on Node 20 and on Node 24.
import { execFile, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiWorld, startApi, startOfTests } from '../../test/api-world.ts'
import { startHubspot } from '../../test/imitations/hubspot.ts'
import { plainId } from '../../test/memory-editions.ts'
import { openEmptyDatabase, testDatabaseUrl } from '../../test/world.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'tenderstock-pack-'))
const user = join(folder, 'user')
const installed = join(user, 'node_modules/@tenderstock/client')
/**
 * The environment that npm and the programs under test receive from this process: without its node_modules/.bin and its
 * settings.
 */
const bare = (more: Record<string, string> = {}) => ({ PATH: process.env.PATH ?? '', HOME: folder, ...more })
/** Versions as the repository has them, so that the cache of npm has them too. */
const versionOf = (name: string): string =>
  (JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as { version: string }).version
const needed = ['pg', 'hyparquet-writer', 'csv-parse'].map((name) => `${name}@${versionOf(name)}`)

async function npm(args: readonly string[], cwd: string): Promise<string> {
  const cache = spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).stdout.trim()
  const { stdout } = await run('npm', [...args, '--no-audit', '--no-fund', '--prefer-offline', '--cache', cache], {
    cwd,
    maxBuffer: 1 << 26,
  })
  return stdout
}

/** Finds a runtime of this major version on the machine, otherwise in the registry. */
async function nodeOf(major: 20 | 24): Promise<string | undefined> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  for (const path of [...(process.env.PATH ?? '').split(':'), '/usr/local/bin', '/usr/bin'].map((each) =>
    join(each, 'node'),
  ))
    if (existsSync(path) && spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout.startsWith(`v${major}.`))
      return path
  const at = join(folder, `node-${major}`)
  mkdirSync(at)
  writeFileSync(join(at, 'package.json'), '{}')
  await npm(['install', `node@${major}`], at).catch(() => '')
  const path = join(at, 'node_modules/node/bin/node')
  return existsSync(path) ? path : undefined
}

let api: ApiWorld
let files: readonly string[] = []
let archive = ''
/** Every entry that can be imported, what patterns match included. */
let entries: readonly string[] = []

/** Entries that the manifest names, and those that its patterns match in the files. */
function entriesOf(manifest: string): string[] {
  const { exports } = JSON.parse(manifest) as { exports: { [entry: string]: string | { import: { default: string } } } }
  return Object.entries(exports).flatMap(([entry, target]) => {
    if (typeof target === 'string') return []
    const [start, end] = target.import.default.slice(2).split('*') as [string, string?]
    if (end === undefined) return [entry]
    return files
      .filter((path) => path.startsWith(start) && path.endsWith(end))
      .map((path) => entry.replace('*', path.slice(start.length, -end.length)))
  })
}
const nodes = new Map<number, string | undefined>()
beforeAll(async () => {
  const clone = join(folder, 'clone')
  const isMade = (path: string): boolean => /\/(?:dist|node_modules)(?:\/|$)/.test(path.slice(root.length))
  cpSync(join(root, 'client'), join(clone, 'client'), { recursive: true, filter: (path) => !isMade(path) })
  cpSync(join(root, 'tsconfig.json'), join(clone, 'tsconfig.json'))
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  const printed = await npm(['pack', '--json', '--pack-destination', folder], join(clone, 'client'))
  // The build may print before the list.
  const listed = JSON.parse(printed.slice(printed.search(/^[[{]/m))) as object
  const [packed] = Object.values(listed) as { readonly filename: string; readonly files: { readonly path: string }[] }[]
  files = packed!.files.map(({ path }) => path)
  mkdirSync(user)
  writeFileSync(join(user, 'package.json'), '{ "private": true, "type": "module" }')
  archive = join(folder, packed!.filename.replace('@', '').replace('/', '-'))
  await npm(['install', archive, ...needed], user)
  entries = entriesOf(readFileSync(join(installed, 'package.json'), 'utf8'))
  for (const major of [20, 24] as const) nodes.set(major, await nodeOf(major))
  api = await startApi()
  api.editions.publish(
    startOfTests,
    Array.from({ length: 250 }, (_, number) => ({ id: plainId(number), title: `Works ${number}\nin two lines` })),
  )
}, 600_000)
afterAll(async () => {
  await api?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a program of the package to its end; one that hangs is ended, and has the code null. */
async function end(node: string, args: readonly string[], more: Record<string, string> = {}) {
  const variables = bare({ TENDER_TOKEN: api.token, ...more, PATH: `${dirname(node)}:${process.env.PATH}` })
  return new Promise<{ code: number | null; out: string; err: string }>((done) => {
    const child = execFile(node, [...args], { cwd: user, env: variables, timeout: 120_000 }, (_error, out, err) =>
      done({ code: child.exitCode, out, err }),
    )
  })
}
const sync = (node: string, command: string, sink: readonly string[], more: Record<string, string> = {}) =>
  end(node, [join(user, 'node_modules/.bin/tender-sync'), command, '--url', api.origin, '--sink', ...sink], more)

describe('the packed package', () => {
  it('holds what it must, and nothing else', () => {
    for (const path of [
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
      'package.json',
      'bin/tender-sync.js',
      'mappings/hubspot-deals.json',
    ])
      expect(files).toContain(path)
    for (const name of ['tender-client', 'sync/sync', 'sinks/csv-sink', 'sinks/sqlite-sink', 'bin/main', 'types'])
      for (const end of ['.js', '.d.ts']) expect(files).toContain(`dist/${name}${end}`)
    expect(files.filter((path) => /\.test\.|^src\/|^test\/|tsconfig|\.map$|^dist\/cjs\/bin\//.test(path))).toEqual([])
    const { exports, keywords, license, publishConfig } = JSON.parse(
      readFileSync(join(installed, 'package.json'), 'utf8'),
    )
    expect({ license, publishConfig }).toEqual({ license: 'Apache-2.0', publishConfig: { access: 'public' } })
    expect(keywords.length).toBeGreaterThan(2)
    const targets = (target: unknown): string[] =>
      typeof target === 'string' ? [target] : Object.values(target as object).flatMap(targets)
    const named = targets(exports).filter((path) => !path.includes('*'))
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter((path) => !existsSync(join(installed, path)))).toEqual([])
  })

  it('is as npm, Node.js, bundlers and TypeScript expect it: publint and attw find nothing', async () => {
    const program = join(root, 'client/test/check-package.mjs')
    const { stdout } = await run(process.execPath, [program, archive, ...entries])
    expect(JSON.parse(stdout)).toEqual({ publint: [], attw: [], hasTypes: true })
  }, 300_000)

  it('has types that a strict program uses, declarations checked too', async () => {
    writeFileSync(
      join(user, 'user.mts'),
      `import { TenderClient } from '@tenderstock/client'
import { csvSink } from '@tenderstock/client/sinks/csv'
import { execSink } from '@tenderstock/client/sinks/exec'
import { openHttpUpsertSink } from '@tenderstock/client/sinks/http-upsert'
import { memorySink } from '@tenderstock/client/sinks/memory'
import { ndjsonSink } from '@tenderstock/client/sinks/ndjson'
import { parquetSink } from '@tenderstock/client/sinks/parquet'
import { openPostgresSink } from '@tenderstock/client/sinks/postgres'
import { sqliteSink } from '@tenderstock/client/sinks/sqlite'
import { sync } from '@tenderstock/client/sync'
const client = new TenderClient({ baseUrl: 'https://x.example', token: 't' })
export async function run(): Promise<string> {
  await using sink = openPostgresSink({ connectionString: '' })
  await using files = ndjsonSink({ file: 'x' })
  await using table = await sqliteSink({ file: 'x' })
  const outcome = await sync({ client, sink })
  return outcome.result + files.name + table.name
}
export const others = [csvSink, execSink, openHttpUpsertSink, memorySink, parquetSink]
`,
    )
    const options = '--noEmit --strict --module nodenext --target es2022 --lib es2022,dom --types node --typeRoots'
    const typeRoots = join(root, 'node_modules/@types')
    await run(join(root, 'node_modules/.bin/tsc'), [...options.split(' '), typeRoots, 'user.mts'], { cwd: user }).catch(
      (error: { stdout: string }) => {
        throw new Error(error.stdout)
      },
    )
  }, 300_000)
})

describe.each([20, 24])('installed in an empty folder, on Node %i', (major) => {
  const node = (): string | undefined => {
    const path = nodes.get(major)
    if (path === undefined) console.log(`skipped: no Node ${major} on this machine and none in the registry`)
    return path
  }

  it('every sink of files and programs makes a copy that verify finds equal', async () => {
    const path = node()
    if (path === undefined) return
    const at = (name: string): string => join(user, `${major}-${name}`)
    for (const sink of [
      ['ndjson:', 'ndjson'],
      ['csv:', 'csv'],
      ['parquet:', 'parquet'],
    ].map(([kind, name]) => [`${kind}${at(name!)}`])) {
      expect(await sync(path, 'run', sink)).toMatchObject({ code: 0, err: expect.not.stringContaining('Error') })
      expect(await sync(path, 'verify', sink)).toMatchObject({ code: 0 })
    }
    const program = ['--state', at('state'), '--', '/bin/sh', '-c', `cat >> ${at('given')}`]
    expect(await sync(path, 'run', ['exec', ...program])).toMatchObject({ code: 0 })
    expect(readFileSync(at('given'), 'utf8').trim().split('\n')).toHaveLength(250)
  })

  it('CommonJS loads every entry, and syncs, without what lets it load ES modules', async () => {
    const path = node()
    if (path === undefined) return
    expect(entries.length).toBeGreaterThan(25)
    const program = join(user, `${major}.cjs`)
    writeFileSync(
      program,
      `for (const entry of ${JSON.stringify(entries)}) require('@tenderstock/client' + entry.slice(1))
const { TenderClient, ProblemError } = require('@tenderstock/client')
const { sync } = require('@tenderstock/client/sync')
const { csvSink } = require('@tenderstock/client/sinks/csv')
const { parseMapping } = require('@tenderstock/client/sinks/http-mapping')
void (async () => {
  const client = new TenderClient({ baseUrl: ${JSON.stringify(api.origin)}, token: process.env.TENDER_TOKEN })
  const outcome = await sync({ client, sink: await csvSink({ file: ${JSON.stringify(join(user, `${major}-cjs.csv`))} }) })
  const refused = await client.get('00000000-0000-8000-8000-000000999999').catch((error) => error)
  console.log(outcome.result, outcome.counts.records, refused instanceof ProblemError, typeof parseMapping)
})()
`,
    )
    const { code, out, err } = await end(path, ['--no-experimental-require-module', program])
    expect(code, err).toBe(0)
    expect(out).toBe('completed 250 true function\n')
  })

  it('the SQLite sink works, or says which Node.js it needs', async () => {
    const path = node()
    if (path === undefined) return
    const result = await sync(path, 'run', [`sqlite:${join(user, `${major}.db`)}`])
    if (major === 20) {
      expect(result.code).toBe(4)
      expect(result.err).toMatch(/^tender-sync: The SQLite sink needs Node\.js 22\.5 or newer[^\n]*\n$/)
    } else {
      expect(result).toMatchObject({ code: 0 })
      expect(await sync(path, 'verify', [`sqlite:${join(user, `${major}.db`)}`])).toMatchObject({ code: 0 })
    }
  })

  it('the sink of CRMs works with a mapping', async () => {
    const path = node()
    if (path === undefined) return
    await using crm = await startHubspot()
    const variables = { HUBSPOT_URL: crm.origin, HUBSPOT_TOKEN: crm.token }
    const state = ['--state', join(user, `${major}-crm`)]
    const { code, err } = await sync(
      path,
      'run',
      [`http:${join(root, 'examples/hubspot/mapping.json')}`, ...state],
      variables,
    )
    expect(code, err).toBe(0)
    expect(crm.deals.size).toBe(250)
  })

  it.skipIf(testDatabaseUrl === undefined)('the first example of the README runs to its end', async () => {
    const path = node()
    if (path === undefined) return
    await using database = await openEmptyDatabase()
    const readme = readFileSync(join(installed, 'README.md'), 'utf8')
    const [, example] = /```ts\n([\s\S]*?)```/.exec(readme)!
    const program = join(user, `example-${major}.mjs`)
    writeFileSync(
      program,
      example!.replace('https://api.example.org', api.origin).replace('postgres://localhost/tenders', database.url),
    )
    const { code, out, err } = await end(path, [program])
    expect(code, out + err).toBe(0)
    expect(out).toMatch(/result: 'completed'/)
    expect(out).toMatch(/records: 250/)
  })
})
it('the other examples of the README have correct types and run to their ends', async () => {
  const node = nodes.get(24)
  if (node === undefined) return console.log('skipped: no Node 24')
  const readme = readFileSync(join(installed, 'README.md'), 'utf8')
  const examples = [...readme.matchAll(/<!-- run -->\n```ts\n([\s\S]*?)```/g)].map(([, text]) => text!)
  expect(examples.length).toBeGreaterThanOrEqual(2)
  const seen: string[] = []
  for (const [number, example] of examples.entries()) {
    const program = join(user, `readme-${number}.mts`)
    writeFileSync(program, example.replace('https://api.example.org', api.origin))
    const { code, out, err } = await end(node, [program, '--once'])
    expect(code, out + err).toBe(0)
    seen.push(out)
  }
  expect(seen.join('')).toMatch(/^\d+ tenders for works\nnot-found\ncompleted\n$/)
  const options = '--noEmit --strict --module nodenext --target es2022 --lib es2022,dom,esnext.disposable --types node'
  const files = examples.map((_, number) => `readme-${number}.mts`)
  const typeRoots = ['--typeRoots', join(root, 'node_modules/@types')]
  await run(join(root, 'node_modules/.bin/tsc'), [...options.split(' '), ...typeRoots, ...files], { cwd: user }).catch(
    (error: { stdout: string }) => {
      throw new Error(error.stdout)
    },
  )
}, 300_000)
if (testDatabaseUrl === undefined) console.log('skipped: the example of the README (no TEST_DATABASE_URL)')

it('without the address of its repository the package is packed, and not published', async () => {
  const client = join(folder, 'clone/client')
  const path = join(client, 'package.json')
  const text = readFileSync(path, 'utf8')
  const publish = () =>
    npm(['run', 'prepublishOnly'], client).then(
      () => 'ready',
      ({ stderr }: { readonly stderr: string }) => stderr,
    )
  const { repository: _, ...manifest } = JSON.parse(text) as Record<string, unknown>
  try {
    writeFileSync(path, JSON.stringify(manifest))
    expect(await publish()).toMatch(/^client\/package\.json names no repository: .*docs\/contributing\.md/m)
    writeFileSync(path, JSON.stringify({ ...manifest, repository: 'https://code.example/tenderstock.git' }))
    expect(await publish()).toBe('ready')
  } finally {
    writeFileSync(path, text)
  }
})

it('nothing was written outside the clone', () => {
  expect(readdirSync(folder).filter((name) => name.endsWith('.tgz'))).toHaveLength(1)
})
