// The sample portals as servers on loopback, so that the way from a portal over HTTP to the stock is the real one.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../platform/clock.ts'
import { type SampleDocument, sampleDocuments } from './sample-documents.ts'
import { type SamplePortal, samplePortals } from './sample-world.ts'

export type RunningPortals = {
  /** `http://127.0.0.1:port/ted` … */
  readonly addresses: { readonly portal: SamplePortal; readonly url: string }[]
  readonly close: () => Promise<void>
}

/** One line of a portal's index. */
export type IndexEntry = { readonly path: string; readonly isFeed: boolean }

/** Starts all portals on one free port of 127.0.0.1. `GET /<portal>/index.json` lists its documents. */
export async function startSamplePortals(options: {
  readonly epoch: number
  readonly clock: Clock
}): Promise<RunningPortals> {
  const shelf = new Map<string, { readonly at: number; readonly documents: readonly SampleDocument[] }>()
  const documentsOf = (portal: SamplePortal) => {
    const now = Math.floor(options.clock() / 60_000) * 60_000
    let held = shelf.get(portal)
    if (held?.at !== now) {
      held = { at: now, documents: sampleDocuments(options.epoch, portal, now) }
      shelf.set(portal, held)
    }
    return held.documents
  }
  const server = createServer((request, reply) => {
    const url = new URL(request.url ?? '/', 'http://portal.invalid')
    const [, name, ...rest] = url.pathname.split('/')
    const portal = samplePortals.find((each) => each === name)
    if (!portal || request.method !== 'GET') return send(reply, 404, 'text/plain', 'not found')
    const path = rest.join('/')
    if (path === 'index.json') {
      const entries = documentsOf(portal).map(({ path: each, isFeed }): IndexEntry => ({ path: each, isFeed }))
      return send(reply, 200, 'application/json', JSON.stringify(entries))
    }
    const document = documentsOf(portal).find((each) => each.path === path)
    if (!document) return send(reply, 404, 'text/plain', 'not found')
    send(reply, 200, path.endsWith('.xml') ? 'application/xml' : 'application/json', document.write())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    addresses: samplePortals.map((portal) => ({ portal, url: `${base}/${portal}` })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function send(reply: ServerResponse, status: number, type: string, body: string): void {
  reply.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body)
}
