// Compressed answers as clients of all kinds read them: zlib, gunzip, curl, Python and Chromium must find the plain
// text, whichever way the request took, whether the page was requested before, and after the stock changed.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hourMs, toInstant } from '../src/domain/time.ts'
import { appendEdition, type EditionLog, openEditionLog } from '../src/edition/write/edition-log.ts'
import { type ApiWorld, startApi, startOfTests } from './api-world.ts'
import { chromiumPath, hasChromium } from './testing/chromium.ts'
import { generateTender } from './testing/generate/stock.ts'
import { seed } from './testing/seed.ts'

const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const programs = { gunzip: has('gunzip'), curl: has('curl'), python: has('python3'), chromium: hasChromium }
for (const [name, isThere] of Object.entries(programs))
  if (!isThere) console.log(`skipped: answers read by ${name} (not installed)`)

console.log(`compressed answers: SEED=${seed}`)
const count = 230

let folder: string
let log: EditionLog
let world: ApiWorld
const keptAgent = new Agent({ keepAlive: true, maxSockets: 1 })

const generated = (index: number, version: number) =>
  generateTender({ seed, count, now: startOfTests, size: index % 7 === 0 ? 'small' : 'real' }, index, version)

async function publish(edition: number, indexes: readonly number[], version: number): Promise<void> {
  const publishedAt = startOfTests + edition * hourMs
  const first = publishedAt - indexes.length
  const entries = indexes.map((index, place) => ({
    lastModified: first + place,
    body: JSON.stringify({ ...generated(index, version), lastModified: toInstant(first + place) }),
    sources: '["generated"]',
  }))
  await appendEdition(
    log,
    {
      edition,
      lastModified: publishedAt - 1,
      publishedAt,
      records: count,
      changes: indexes.length,
      checks: { generated: publishedAt },
    },
    entries,
  )
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'compressed-answers-'))
  log = await openEditionLog(join(folder, 'log'), { clock: () => startOfTests })
  await publish(
    1,
    Array.from({ length: count }, (_, index) => index),
    0,
  )
  world = await startApi({ reader: log })
})
afterAll(async () => {
  keptAgent.destroy()
  await world[Symbol.asyncDispose]()
  await log.close()
  rmSync(folder, { recursive: true, force: true })
})

type Raw = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }

/**
 * The bytes as they arrived. On a connection that is to be closed the HTTP server answers; on one that is kept, the
 * short way does.
 */
function ask(
  path: string,
  headers: { readonly [name: string]: string },
  way: 'short' | 'long',
  method = 'GET',
): Promise<Raw> {
  const { promise, resolve, reject } = Promise.withResolvers<Raw>()
  const agent = way === 'short' ? keptAgent : false
  const request = httpRequest(
    world.origin + path,
    { method, agent, headers: { authorization: `Bearer ${world.token}`, ...headers } },
    (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(chunks) }),
      )
    },
  )
  request.on('error', reject)
  request.end()
  return promise
}

/** A page's text without its cursor, which is different each time. */
const withoutCursor = (text: string): string => text.replace(/"nextCursor":"[\w-]+"\}$/, '"nextCursor":"…"}')

async function questions(): Promise<string[]> {
  const all = '/v1/tenders?archived=true'
  const { bytes } = await ask(`${all}&limit=100`, {}, 'short')
  const page = JSON.parse(bytes.toString()) as { data: { id: string }[]; nextCursor: string }
  return [
    `${all}&limit=100`,
    `${all}&limit=100&cursor=${page.nextCursor}`,
    `${all}&limit=1`,
    `${all}&limit=37`,
    '/v1/tenders?updated_since=2999-01-01T00:00:00Z',
    `/v1/tenders/${page.data[0]!.id}`,
    `/v1/tenders/${page.data[50]!.id.toUpperCase()}`,
  ]
}

const isEmptyPage = (path: string): boolean => path.includes('2999')

/**
 * Requests both encodings in both ways, checks what every gzip must have, and returns the compressed bytes with their
 * text.
 */
async function check(path: string): Promise<{ readonly packed: Buffer; readonly text: string }[]> {
  const plain = await ask(path, { 'accept-encoding': 'identity' }, 'short')
  expect(plain.status).toBe(200)
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(plain.headers['content-length']).toBe(`${plain.bytes.length}`)
  const found: { packed: Buffer; text: string }[] = []
  for (const way of ['short', 'long', 'short'] as const) {
    const { status, headers, bytes } = await ask(path, { 'accept-encoding': 'gzip' }, way)
    expect(status).toBe(200)
    expect(headers['content-length']).toBe(`${bytes.length}`)
    const again = await ask(path, { 'accept-encoding': 'identity' }, way)
    expect(withoutCursor(again.bytes.toString())).toBe(withoutCursor(plain.bytes.toString()))
    if (isEmptyPage(path)) {
      expect([headers['content-encoding'], bytes.toString()]).toEqual([undefined, plain.bytes.toString()])
      continue
    }
    expect(headers['content-encoding']).toBe('gzip')
    const text = gunzipSync(bytes).toString()
    expect(withoutCursor(text)).toBe(withoutCursor(plain.bytes.toString()))
    // RFC 1952: CRC-32 and length of the text end the file.
    expect([bytes.readUInt32LE(bytes.length - 8), bytes.readUInt32LE(bytes.length - 4)]).toEqual([
      crc32(text),
      Buffer.byteLength(text),
    ])
    found.push({ packed: bytes, text })
    const head = await ask(path, { 'accept-encoding': 'gzip' }, way, 'HEAD')
    expect([head.status, head.bytes.length]).toEqual([200, 0])
    expect(head.headers['content-length']).toBe(headers['content-length'])
    expect(head.headers['content-encoding']).toBe('gzip')
    expect(head.headers.etag).toBe(headers.etag)
    const etag = headers.etag!
    const unchanged = await ask(path, { 'accept-encoding': 'gzip', 'if-none-match': etag }, way)
    expect([unchanged.status, unchanged.bytes.length, unchanged.headers.etag]).toEqual([304, 0, etag])
    expect(unchanged.headers['content-encoding']).toBeUndefined()
  }
  return found
}

describe('compressed answers', () => {
  const packed: { packed: Buffer; text: string }[] = []

  test('D45: text, CRC and length are right on both paths, the first time and again; HEAD and 304 agree with them', async () => {
    for (const path of await questions()) packed.push(...(await check(path)))
  })

  test('R1, R2: the same holds after another edition, and an earlier run continues in its own', async () => {
    const [, pinned] = await questions()
    const before = await ask(pinned!, { 'accept-encoding': 'identity' }, 'short')
    await publish(
      2,
      Array.from({ length: 60 }, (_, index) => index * 3),
      1,
    )
    const after = await ask(pinned!, { 'accept-encoding': 'identity' }, 'short')
    expect(withoutCursor(after.bytes.toString())).toBe(withoutCursor(before.bytes.toString()))
    packed.push(...(await check(pinned!)))
    for (const path of await questions()) packed.push(...(await check(path)))
  })

  test.skipIf(!programs.gunzip)('gunzip accepts every answer and returns the text', () => {
    const file = join(folder, 'answer.gz')
    for (const { packed: bytes, text } of packed) {
      writeFileSync(file, bytes)
      execFileSync('gunzip', ['-t', file])
      expect(execFileSync('gunzip', ['-c', file], { maxBuffer: 1 << 26 }).toString()).toBe(text)
    }
  })

  test.skipIf(!programs.python)('gzip and zlib of Python return the text, in one go and byte by byte', () => {
    packed.forEach(({ packed: bytes }, index) => {
      writeFileSync(join(folder, `${index}.gz`), bytes)
    })
    const script = `import gzip, zlib, hashlib, sys
for index in range(int(sys.argv[2])):
    data = open(f'{sys.argv[1]}/{index}.gz', 'rb').read()
    text = gzip.decompress(data)
    reader = zlib.decompressobj(wbits=31)
    parts = b''.join(reader.decompress(data[at:at + 1]) for at in range(len(data)))
    assert parts + reader.flush() == text and reader.eof and not reader.unused_data
    print(hashlib.sha256(text).hexdigest())`
    const output = execFileSync('python3', ['-c', script, folder, `${packed.length}`])
      .toString()
      .trim()
      .split('\n')
    expect(output).toEqual(packed.map(({ text }) => createHash('sha256').update(text).digest('hex')))
  })

  test.skipIf(!programs.curl)('curl --compressed receives gzip and prints the plain answer', async () => {
    const lines = join(folder, 'header-lines')
    for (const path of await questions()) {
      const plain = await ask(path, { 'accept-encoding': 'identity' }, 'short')
      const { promise, resolve } = Promise.withResolvers<number | null>()
      const authorization = `Authorization: Bearer ${world.token}`
      const parameters = ['-sS', '--fail', '--compressed', '-D', lines, '-H', authorization, world.origin + path]
      const child = spawn('curl', parameters)
      const chunks: Buffer[] = []
      child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
      child.on('close', resolve)
      expect(await promise).toBe(0)
      expect(withoutCursor(Buffer.concat(chunks).toString())).toBe(withoutCursor(plain.bytes.toString()))
      expect(/^content-encoding: gzip\r$/im.test(readFileSync(lines, 'latin1'))).toBe(!isEmptyPage(path))
    }
  })

  test.skipIf(!programs.chromium)(
    'Chromium reads the plain answer, of the announced length',
    { timeout: 60_000 },
    async () => {
      const paths = await questions()
      const plain = await Promise.all(paths.map((path) => ask(path, { 'accept-encoding': 'identity' }, 'long')))
      const read = await readInChromium(paths)
      expect(read).toEqual(plain.map(({ bytes }) => withoutCursor(bytes.toString())))
    },
  )
})

/**
 * Serves a page beside the API (which has no pages for browsers), passes its requests on unchanged, and waits for its
 * report.
 */
async function readInChromium(paths: readonly string[]): Promise<unknown> {
  const script = `(async () => {
    const texts = []
    for (const path of ${JSON.stringify(paths)}) {
      const answer = await fetch(path, { headers: { authorization: 'Bearer ${world.token}' }, cache: 'no-store' })
      texts.push((await answer.text()).replace(/"nextCursor":"[\\w-]+"\\}$/, '"nextCursor":"…"}'))
    }
    return texts
  })().catch(String).then((found) => fetch('/report', { method: 'POST', body: JSON.stringify(found) }))`
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const encodings: unknown[] = []
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === '/report') {
      let text = ''
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      incoming.on('end', () => {
        outgoing.end()
        resolve(JSON.parse(text))
      })
      return
    }
    if (!incoming.url?.startsWith('/v1/')) {
      outgoing.setHeader('content-type', 'text/html; charset=utf-8')
      outgoing.end(`<!doctype html><script>${script}</script>`)
      return
    }
    const { host: _, ...headers } = incoming.headers
    httpRequest(world.origin + incoming.url, { headers, agent: keptAgent }, (answer) => {
      encodings.push(answer.headers['content-encoding'])
      outgoing.writeHead(answer.statusCode!, answer.rawHeaders)
      answer.pipe(outgoing)
    }).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const profile = mkdtempSync(join(tmpdir(), 'chromium-'))
  const child = spawn(
    chromiumPath!,
    ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`, `http://127.0.0.1:${port}/`],
    { stdio: 'ignore' },
  )
  const ended = new Promise<unknown>((done) => child.once('close', (code) => done(`Chromium ended with ${code}`)))
  try {
    const found = await Promise.race([promise, ended])
    expect(encodings.filter((encoding) => encoding === 'gzip')).toHaveLength(paths.length - 1)
    return found
  } finally {
    child.kill('SIGKILL')
    await ended
    server.closeAllConnections()
    server.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}
