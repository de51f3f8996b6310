// A store of objects in memory that knows conditional PUT and remembers all versions: an imitation that checks no
// signature.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * What happens to a request instead of its answer: a status, or a broken connection; `lost`: done, then broken;
 * `forgotten`: a PUT is confirmed, and nothing is stored.
 */
type Fault = number | 'broken' | 'lost' | 'forgotten' | undefined

export type ObjectStore = {
  readonly port: number
  /** Settings of a process that uses it. */
  readonly env: { readonly [name: string]: string }
  /** By the path in the bucket; the newest version last. */
  readonly versions: ReadonlyMap<string, readonly Buffer[]>
  /** Makes an earlier version the newest one again. */
  readonly putBack: (path: string, bytes: Buffer) => void
  /** Asked about each request. */
  fault: (method: string, path: string) => Fault
}

const etagOf = (bytes: Buffer) => `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`
const prefix = '/editions/stock/'

/** Its bucket is `editions`, its prefix `stock/`. */
export async function startObjectStore(): Promise<ObjectStore> {
  const versions = new Map<string, Buffer[]>()
  const put = (path: string, bytes: Buffer) => versions.set(path, [...(versions.get(path) ?? []), bytes])
  const listing = (start: string) => {
    const keys = [...versions.keys()].map((path) => `stock/${path}`).filter((key) => key.startsWith(start))
    const listed = keys.map(
      (key) => `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>`,
    )
    return `<ListBucketResult>${listed.join('')}</ListBucketResult>`
  }
  const server = createServer(async (request, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { pathname, searchParams } = new URL(request.url!, 'http://store')
    const path = decodeURIComponent(pathname).slice(prefix.length)
    const method = request.method!
    const fault = store.fault(method, path)
    if (fault === 'broken') return request.socket.destroy()
    if (typeof fault === 'number') return answer.writeHead(fault).end('<Error><Code>SlowDown</Code></Error>')
    const reply = (status: number, body: Buffer | string = '', headers = {}) =>
      fault === 'lost' ? request.socket.destroy() : answer.writeHead(status, headers).end(body)
    if (pathname === '/editions') return reply(200, listing(searchParams.get('prefix')!))
    const held = versions.get(path)?.at(-1)
    if (method === 'PUT') {
      const { 'if-match': match, 'if-none-match': none } = request.headers
      if ((none === '*' && held) || (match !== undefined && (!held || match !== etagOf(held)))) return reply(412)
      if (fault !== 'forgotten') put(path, Buffer.concat(chunks))
      return reply(200)
    }
    if (method === 'DELETE') {
      versions.delete(path)
      return reply(204)
    }
    return held ? reply(200, held, { etag: etagOf(held) }) : reply(404, '<Error><Code>NoSuchKey</Code></Error>')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const store: ObjectStore = {
    port,
    env: {
      TENDERSTOCK_EDITIONS: 's3://editions/stock',
      AWS_ACCESS_KEY_ID: 'MADEUP',
      AWS_SECRET_ACCESS_KEY: 'made/up+secret',
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    },
    versions,
    putBack: put,
    fault: () => undefined,
  }
  return store
}
