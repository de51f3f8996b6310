// Answers that are the same for all clients for the life of the process: compressed once, and identified by a tag.
import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { chooseEncoding } from './content-coding.ts'
import { isNoneMatchHit } from './etag.ts'

/** Declares a route, outside the contract, that answers `body` to everybody. */
export function serveFixed(
  routes: FastifyInstance,
  path: string,
  body: Buffer,
  headers: { readonly [name: string]: string },
): void {
  const packed = gzipSync(body, { level: 9 })
  // Weak, because the same content has two codings.
  const etag = `W/"${hash('sha256', body, 'base64url').slice(0, 27)}"`
  routes.get(path, { schema: { hide: true } }, (request, reply) => {
    reply.headers({
      'x-request-id': request.id,
      'cache-control': 'public, max-age=300',
      vary: 'Accept-Encoding',
      etag,
    })
    if (isNoneMatchHit(request.headers['if-none-match'], etag)) return reply.code(304).send()
    reply.headers({ ...headers, 'x-content-type-options': 'nosniff' })
    if (chooseEncoding(String(request.headers['accept-encoding'] ?? 'identity')) === 'identity') return reply.send(body)
    return reply.header('content-encoding', 'gzip').send(packed)
  })
}
