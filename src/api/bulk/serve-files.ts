// Files of whole editions by their links: whole, or from a byte on. A transfer ends when its link, its token, the
// contract or the file ends.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { bulkNamePattern } from '../../edition/bulk/bulk-state.ts'
import { undefinedWhenMissing } from '../../platform/folders.ts'
import type { TokenGrant } from '../../store/people/organizations.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Problem } from '../problems/problems.ts'
import { type BulkServing, filesPerMinute, mayLoadFiles } from './bulk-serving.ts'

const bulkFilePath = '/bulk/files/:name'

/** How often a transfer is checked again. */
const checkEveryMs = 10_000
/** Transfers of an organization at a time, in each thread. */
const transfersAtOnce = 16
const busySeconds = 5

const types = { 'ndjson.gz': 'application/gzip', parquet: 'application/vnd.apache.parquet' } as const

const privately = { 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' }

export type FileOptions = BulkServing & {
  readonly limiter: Limiter
  /** Why no file is sent now; undefined while the node may answer. */
  readonly closed: () => Problem | undefined
  readonly refuse: (request: FastifyRequest, reply: FastifyReply, problem: Problem) => FastifyReply
  /** Counts a wrong link; the seconds to wait if there were too many from this address. */
  readonly countWrong: (request: FastifyRequest) => number | undefined
  /** Called with whom an answer is for, for the access line. */
  readonly noteGrant: (request: FastifyRequest, grant: TokenGrant) => void
}

export function serveFiles(routes: FastifyInstance, options: FileOptions): void {
  const { folder, links, grantOf, addressOf, limiter, closed, refuse, countWrong, noteGrant } = options
  const transfers = new Map<string, number>()

  /** Refuses what is no link of ours, or one that has ended. */
  function refuseLink(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const waitSeconds = countWrong(request)
    if (waitSeconds === undefined)
      return refuse(request, reply, {
        slug: 'link-ended',
        detail: 'This link has ended, or was not made for this file.',
      })
    const detail = `Too many refused requests from this address. Repeat the request in ${waitSeconds} seconds.`
    return refuse(request, reply, { slug: 'rate-limited', detail, retryAfter: waitSeconds })
  }

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.header('x-request-id', request.id)
    const reason = closed()
    if (reason) return refuse(request, reply, reason)
    const { name } = request.params as { readonly name: string }
    const [, sha256, ending] = bulkNamePattern.exec(name) ?? []
    const link = /^link=([\w-]+)$/.exec((request.query as { readonly text: string }).text)?.[1]
    const tokenId = sha256 === undefined || link === undefined ? undefined : await links.open(link, sha256)
    const grant = tokenId === undefined ? undefined : grantOf(tokenId)
    if (!mayLoadFiles(grant)) return refuseLink(request, reply)
    noteGrant(request, grant)
    const { organizationId } = grant
    const admission = await limiter.take(`files ${organizationId}`, filesPerMinute)
    if (!admission.isAllowed) {
      const detail = `The limit of ${filesPerMinute} requests for files per minute is used up.`
      return refuse(request, reply, { slug: 'rate-limited', detail, retryAfter: admission.resetSeconds })
    }
    const path = join(folder, name)
    const size = (await stat(path).catch(undefinedWhenMissing))?.size
    if (size === undefined)
      return refuse(request, reply, { slug: 'not-found', detail: 'This file is gone: ask for a new manifest.' })
    const elsewhere = request.method === 'GET' ? addressOf?.(name) : undefined
    if (elsewhere) return reply.headers(privately).redirect(await elsewhere, 302)
    const tag = `"${sha256}"`
    const range = rangeOf(request.headers.range, request.raw.headers['if-range'] as string | undefined, { size, tag })
    reply.headers({
      ...privately,
      'content-type': types[ending as keyof typeof types],
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      etag: tag,
    })
    if (range === 'none')
      return reply
        .code(416)
        .headers({ 'content-range': `bytes */${size}`, 'content-length': 0 })
        .send()
    const { from, to } = range ?? { from: 0, to: size - 1 }
    if (range) reply.code(206).header('content-range', `bytes ${from}-${to}/${size}`)
    reply.header('content-length', to - from + 1)
    if (request.method === 'HEAD') return reply.send()
    const running = transfers.get(organizationId) ?? 0
    if (running >= transfersAtOnce) {
      const detail = `${running} transfers are in progress. Repeat the request in ${busySeconds} seconds.`
      return refuse(request, reply.removeHeader('content-length'), {
        slug: 'rate-limited',
        detail,
        retryAfter: busySeconds,
      })
    }
    transfers.set(organizationId, running + 1)
    const bytes = createReadStream(path, { start: from, end: to, highWaterMark: 256 * 1024 })
    const check = setInterval(async () => {
      const isOpen = (await links.open(link!, sha256!)) !== undefined && mayLoadFiles(grantOf(tokenId!))
      const isThere = isOpen && (await stat(path).catch(() => undefined)) !== undefined
      if (!isThere) bytes.destroy(new Error('the link or the file has ended'))
    }, checkEveryMs)
    bytes.once('close', () => {
      clearInterval(check)
      const left = transfers.get(organizationId)! - 1
      if (left === 0) transfers.delete(organizationId)
      else transfers.set(organizationId, left)
    })
    return reply.send(bytes)
  }

  const method = ['GET', 'HEAD'] as ['GET', 'HEAD']
  routes.route({ method, url: bulkFilePath, exposeHeadRoute: false, schema: { hide: true }, handler })
}

type Range = { readonly from: number; readonly to: number }

/**
 * The one range that was asked for. Undefined: everything, also for several ranges or of another file (RFC 9110, 14.2);
 * `none`: it is outside of the file.
 */
export function rangeOf(
  asked: string | undefined,
  ifRange: string | undefined,
  { size, tag }: { readonly size: number; readonly tag: string },
): Range | 'none' | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(asked ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (ifRange !== undefined && ifRange !== tag) return undefined
  if (first === '') return Number(last) === 0 ? 'none' : { from: Math.max(0, size - Number(last)), to: size - 1 }
  const [from, to] = [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)]
  if (last !== '' && Number(last) < from) return undefined
  return from >= size ? 'none' : { from, to }
}
