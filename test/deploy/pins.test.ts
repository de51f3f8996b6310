// Images and actions by digest: what the repository uses has an entry, and the command fills and checks them against a
// made-up registry.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { faultsOf, type Lookup, type Pins, pinned, pinsFile, runPins, usesIn } from '../../deploy/pins.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const pins = JSON.parse(read(pinsFile)) as Pins
const files = [...new Set(usesIn(read).map(({ path }) => path)), pinsFile]

const sha = (text: string): string => `sha256:${Buffer.from(text).toString('hex').padEnd(64, '0').slice(-64)}`
const commit = 'c'.repeat(40)

/** A registry whose digests say the name and `state`. */
function lookup(state: string): Lookup {
  return {
    fetch: (async (url: string | URL | Request, init?: RequestInit) => {
      const { hostname, pathname, searchParams } = new URL(String(url))
      if (hostname === 'auth.docker.io') return Response.json({ token: searchParams.get('scope') })
      const [, repository, tag] = /^\/v2\/(.+)\/manifests\/(.+)$/.exec(pathname)!
      const granted = new Headers(init?.headers).get('authorization')
      if (granted !== `Bearer repository:${repository}:pull`) return new Response(null, { status: 401 })
      return new Response(null, { headers: { 'docker-content-digest': sha(`${state} ${repository} ${tag}`) } })
    }) as typeof fetch,
    listRemote: (_url, tag) => `${'b'.repeat(40)}\trefs/tags/${tag}\n${commit}\trefs/tags/${tag}^{}\n`,
  }
}

function copyOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenderstock-pins-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const path of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path))
  }
  return folder
}
const inCopy = (folder: string) => (path: string) => readFileSync(join(folder, path), 'utf8')

test('every image and action of the repository has an entry, and is used with its digest', () => {
  expect(usesIn(read).length).toBeGreaterThan(8)
  expect(faultsOf(pins, usesIn(read))).toEqual([])
  for (const digest of Object.values(pins)) if (digest !== null) expect(digest).toMatch(/^(?:sha256:)?[0-9a-f]{40,64}$/)
})

test.each(['compose.yaml', 'Dockerfile', '.github/workflows/ci.yml'])(
  'a tag without an entry in %s fails',
  async (path) => {
    const folder = copyOf()
    const changed = read(path).replace(/caddy:2|node:24-bookworm-slim|checkout@v4/, (name) => `${name}9`)
    writeFileSync(join(folder, path), changed)
    const [fault, ...others] = await runPins(folder, true, lookup('new'))
    expect(fault).toMatch(/9, which has no entry in deploy\/pins\.json/)
    expect(others).toEqual([])
    expect(readFileSync(join(folder, pinsFile), 'utf8')).toBe(read(pinsFile))
  },
)

test('the command writes the digests of the registry into the file and all uses; later it finds what changed', async () => {
  const folder = copyOf()
  expect(await runPins(folder, true, lookup('new'))).toEqual([])
  const filled = JSON.parse(inCopy(folder)(pinsFile)) as Pins
  expect(filled['docker.io/library/postgres:17']).toBe(sha('new library/postgres 17'))
  expect(filled['actions/checkout@v4']).toBe(commit)
  expect(inCopy(folder)('compose.yaml')).toContain(
    `image: docker.io/library/postgres:17@${sha('new library/postgres 17')}\n`,
  )
  expect(inCopy(folder)('Dockerfile')).toContain(`debian:bookworm-slim@${sha('new library/debian bookworm-slim')}\n`)
  expect(inCopy(folder)('.github/workflows/ci.yml')).toContain(`uses: actions/checkout@${commit} # v4\n`)
  expect(faultsOf(filled, usesIn(inCopy(folder)))).toEqual([])
  expect(await runPins(folder, false, lookup('new'))).toEqual([])
  const stale = await runPins(folder, false, lookup('newer'))
  expect(stale).toHaveLength(Object.keys(filled).length - 1)
  // filled again, and the same files again
  expect(await runPins(folder, true, lookup('newer'))).toEqual([])
  expect(await runPins(folder, false, lookup('newer'))).toEqual([])
  // a digest that somebody removed by hand
  writeFileSync(join(folder, 'compose.yaml'), read('compose.yaml'))
  expect(await runPins(folder, false, lookup('newer'))).toHaveLength(3)
})

test('nothing is written where the registry answers without a digest', async () => {
  const folder = copyOf()
  const silent: Lookup = { ...lookup('new'), fetch: async () => Response.json({ token: 'x' }) }
  await expect(runPins(folder, true, silent)).rejects.toThrow(/no digest was answered/)
  for (const path of files) expect(inCopy(folder)(path)).toBe(read(path))
  expect(pinned('compose.yaml', read('compose.yaml'), pins)).toBe(read('compose.yaml'))
})
