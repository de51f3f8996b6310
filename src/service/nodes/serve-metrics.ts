// The listener of /metrics: on a separate port, so that clients of the API cannot reach it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Log } from '../../platform/log.ts'
import { hostOf, type ListenAddress, listenError } from './listening-address.ts'

const path = '/metrics'
const longestRequestMs = 5_000
const maxConnections = 32

/** Listens, and answers with the text of `scrape`. Throws OperatorError for a port in use. */
export async function serveMetrics(
  { host, port }: ListenAddress,
  metrics: { readonly contentType: string; readonly scrape: () => Promise<string> },
  log: Log,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isOurs = request.url?.split('?', 1)[0] === path
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isOurs || !isRead) {
      const text = isOurs
        ? 'Only GET and HEAD are allowed here.\n'
        : `There is nothing here. The metrics are at ${path}.\n`
      response.writeHead(isOurs ? 405 : 404, {
        'content-type': 'text/plain; charset=utf-8',
        ...(isOurs && { allow: 'GET, HEAD' }),
      })
      response.end(text)
      return
    }
    const text = await metrics.scrape()
    response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' })
    response.end(request.method === 'HEAD' ? undefined : text)
  }
  const server = createServer(
    { headersTimeout: longestRequestMs, requestTimeout: longestRequestMs },
    (request, response) => {
      // bodies are not read
      if (request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined)
        response.setHeader('connection', 'close')
      answer(request, response).catch((error: unknown) => {
        log.error({ error: error instanceof Error ? error.stack : String(error) }, 'the metrics cannot be collected')
        response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' })
        response.end('The metrics cannot be collected; the log says why.\n')
      })
    },
  )
  server.maxConnections = maxConnections
  await new Promise<void>((done, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => fail(listenError(error, host, port, '--metrics-port')))
    server.listen(port, host, done)
  })
  // for its whole life: a failing connection is not our fault
  server.on('error', (error) => log.warn({ error: String(error) }, 'a connection to /metrics failed'))
  const { port: found } = server.address() as AddressInfo
  return {
    url: `http://${hostOf(host)}:${found}${path}`,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
