// The HTTP surface: routes, order of checks (D10), answers. Reads need no database.
import { setTimeout as delayMs } from 'node:timers/promises'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { toInstant } from '../domain/time.ts'
import { DamagedLogError } from '../edition/damaged-log-error.ts'
import type { EditionInfo, EditionReader } from '../edition/edition-reader.ts'
import { wholePage } from '../edition/pieces.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Random } from '../platform/random.ts'
import type { TokenGrant } from '../store/organizations.ts'
import { accessPage } from './access-page.ts'
import { allowedMethods, pathOf, sendProblem } from './answers.ts'
import { createEncodingChooser } from './content-coding.ts'
import { contractText } from './contract-text.ts'
import type { CursorSealer, OpenedCursor } from './cursor.ts'
import { isNoneMatchHit, listEntityTag, recordEntityTag } from './etag.ts'
import { createFloodGuard } from './flood-guard.ts'
import type { Admission, Limiter } from './limiter.ts'
import { type LoadWatch, spreadRetryAfter, watchLoad } from './overload.ts'
import { describeFaults, type ListQuery, parseListQuery, refuseParameters } from './parameters.ts'
import { isKnownPath, listPath, suggestPath } from './paths.ts'
import { type ParameterFault, type Problem, withoutTokens } from './problems.ts'
import { parseQueryString } from './query-string.ts'
import { createRequestIds } from './request-ids.ts'
import { listRouteSchema, recordRouteSchema, sharedSchemas } from './routes.ts'
import type { TokenLookup, TokenTable } from './token-table.ts'
import {
  answerUnreadableRequests,
  headersTooLarge,
  malformedRequest,
  maxHeadersLength,
  maxUrlLength,
  type ParserError,
  uriTooLong,
} from './unreadable-requests.ts'

export type ApiOptions = {
  readonly reader: EditionReader
  readonly tokens: TokenTable
  readonly limiter: Limiter
  readonly cursors: CursorSealer
  readonly clock: Clock
  readonly random: Random
  /** Where the access page is reachable, without a slash at the end: `type` of a problem is `{docsUrl}/access#error-…`. */
  readonly docsUrl: string
  /** Where the API itself is reachable, for the examples of the page and the contract; `docsUrl` when left out. */
  readonly baseUrl?: string
  /** Access lines (`info`) and faults (`error`); none when left out. */
  readonly log?: Log | undefined
  /** Readiness beyond "an edition can be served", for example false before a shutdown. */
  readonly isReady?: () => boolean
  /** Sheds requests under /v1 with 503; by default when the event loop stays behind by 1,000 ms. */
  readonly isOverloaded?: () => boolean
  /** Behind a proxy: believe X-Forwarded-For for the guard against floods of wrong tokens. */
  readonly trustProxy?: boolean
  /** The draft headers RateLimit and RateLimit-Policy besides (D34). */
  readonly hasDraftRateLimitHeaders?: boolean
  /** How long a page waits for an edition that another node already serves (R3). */
  readonly editionWaitMs?: number
  /** Requests with a wrong token per address and minute before they are refused with 429. */
  readonly refusedPerMinute?: number
  readonly maxConnections?: number
  /** Runs before the routes are declared; the contract generator watches them here. */
  readonly beforeRoutes?: (app: FastifyInstance) => void
}

const requestTimeoutMs = 15_000
const headersTimeoutMs = 10_000
const maxEventLoopDelayMs = 1000
const editionPollMs = 50
/** The parser's own limit lies above ours, so that most of what is too long gets the exact answer (D50). */
const parserLimit = maxUrlLength + maxHeadersLength + 1024
const unavailableSeconds = 10

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const bearerPattern = /^bearer +(\S+) *$/i

/** What became of the checks before a request's own: the organisation to serve, or nothing because an answer was sent. */
type Admitted = { readonly grant: TokenGrant } | undefined

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return value instanceof Promise
}

/** Builds the server; `listen` starts it, `close` finishes running requests and ends it. */
export function buildApi(options: ApiOptions): FastifyInstance {
  const { reader, tokens, limiter, cursors, clock, random, docsUrl, log } = options
  const baseUrl = options.baseUrl ?? docsUrl
  const newRequestId = createRequestIds(clock, random.bytes)
  const chooseEncoding = createEncodingChooser()
  const floodGuard = createFloodGuard(clock, options.refusedPerMinute ?? 600)
  const editionWaitMs = options.editionWaitMs ?? 2000
  let loadWatch: LoadWatch | undefined
  const isOverloaded = options.isOverloaded ?? (() => loadWatch?.isOverloaded() ?? false)
  let isDraining = false
  const grantOf = new WeakMap<FastifyRequest, TokenGrant>()

  let answerParserError: ((error: ParserError, socket: import('node:stream').Duplex) => void) | undefined
  const app = Fastify({
    logger: false,
    trustProxy: options.trustProxy ?? false,
    bodyLimit: 1024,
    requestTimeout: requestTimeoutMs,
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: newRequestId,
    http: {
      maxHeaderSize: parserLimit,
      headersTimeout: headersTimeoutMs,
      requireHostHeader: false,
      connectionsCheckingInterval: 2000,
    },
    routerOptions: { maxParamLength: maxUrlLength, querystringParser: (text) => ({ text }) },
    // A path that cannot be decoded is no path of ours.
    frameworkErrors: (_error, request, reply) => {
      answerUnknownRoute(request as FastifyRequest, reply as unknown as FastifyReply)
    },
    clientErrorHandler: (error, socket) => answerParserError?.(error as unknown as ParserError, socket),
  })
  answerParserError = answerUnreadableRequests(app.server, { docsUrl, newRequestId })
  app.server.maxConnections = options.maxConnections ?? 20_000
  // Values are read by our own declarations, bodies come finished from the edition log.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  for (const schema of sharedSchemas) app.addSchema(schema)

  const answer = (request: FastifyRequest, reply: FastifyReply, problem: Problem) =>
    sendProblem(request, reply, problem, docsUrl)

  function retryLater(): number {
    return spreadRetryAfter(unavailableSeconds, random.bytes(1)[0]!)
  }

  function answerUnavailable(request: FastifyRequest, reply: FastifyReply, reason: string): FastifyReply {
    const retryAfter = retryLater()
    return answer(request, reply, {
      slug: 'unavailable',
      detail: `${reason} Repeat the request in ${retryAfter} seconds.`,
      retryAfter,
    })
  }

  /** 404, 405 or OPTIONS: everything that no route takes, before authentication (D4 to D7). */
  function answerUnknownRoute(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    // A body that nobody reads would have to be read to its end before the connection serves again.
    if (hasBody(request)) reply.header('connection', 'close')
    const target = request.raw.url ?? '/'
    const path = pathOf(target)
    if (request.method === 'OPTIONS' && (isKnownPath(path) || target === '*'))
      return reply.code(204).headers({ allow: allowedMethods, 'x-request-id': request.id }).send()
    if (isKnownPath(path) && request.method !== 'GET' && request.method !== 'HEAD') {
      return answer(request, reply, {
        slug: 'method-not-allowed',
        detail: `${request.method} is not allowed here; use GET, HEAD or OPTIONS.`,
      })
    }
    const suggestion = suggestPath(path)
    return answer(request, reply, {
      slug: 'not-found',
      detail: suggestion ? `There is no such path. Did you mean ${suggestion}?` : 'There is no such path.',
    })
  }

  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request
    const url = raw.url ?? '/'
    if (url.length > maxUrlLength) return void answer(request, reply, uriTooLong)
    let headersLength = 0
    for (const text of raw.rawHeaders) headersLength += text.length + 2
    if (headersLength > maxHeadersLength) return void answer(request, reply, headersTooLarge)
    const isHttp1 = raw.httpVersionMajor === 1
    if (!isHttp1 || url.includes('#') || (raw.httpVersionMinor === 1 && raw.headers.host === undefined))
      return void answer(request, reply, malformedRequest)
    if (request.is404 || url === `${listPath}/` || url.startsWith(`${listPath}/?`))
      return void answerUnknownRoute(request, reply)
    done()
  })

  app.addHook('onResponse', (request, reply, done) => {
    if (log) {
      const grant = grantOf.get(request)
      log.info(
        {
          requestId: request.id,
          method: request.method,
          path: withoutTokens(pathOf(request.raw.url ?? '/').slice(0, 200)),
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime * 1000) / 1000,
          tokenId: grant?.tokenId,
          organizationId: grant?.organizationId,
        },
        'request',
      )
    }
    done()
  })

  app.setNotFoundHandler((request, reply) => answerUnknownRoute(request, reply))

  app.setErrorHandler((error: FastifyError | DamagedLogError, request, reply) => {
    if (error instanceof DamagedLogError) {
      log?.error({ requestId: request.id, error: error.message }, 'damaged edition log')
      reply.removeHeader('etag')
      return answerUnavailable(request, reply, 'The published records are being made anew.')
    }
    if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
      reply.header('connection', 'close')
      return answer(request, reply, malformedRequest)
    }
    log?.error({ requestId: request.id, error: error.stack ?? String(error) }, 'request failed')
    return answer(request, reply, {
      slug: 'internal-error',
      detail: 'The request could not be answered because of a fault of the service.',
    })
  })

  function refuse(request: FastifyRequest, reply: FastifyReply, problem: Problem): undefined {
    const waitSeconds = floodGuard.count(request.ip)
    if (waitSeconds === undefined) answer(request, reply, problem)
    else {
      answer(request, reply, {
        slug: 'rate-limited',
        detail: `Too many refused requests from this address. Repeat the request in ${waitSeconds} seconds.`,
        retryAfter: waitSeconds,
      })
    }
    return undefined
  }

  function refuseToken(request: FastifyRequest, reply: FastifyReply, wasSent: boolean): undefined {
    reply.header('www-authenticate', `Bearer realm="tender-api"${wasSent ? ', error="invalid_token"' : ''}`)
    return refuse(request, reply, {
      slug: 'unauthorized',
      detail: wasSent
        ? 'The token is wrong: unknown, expired or revoked.'
        : 'The Authorization header with a token is missing; send Authorization: Bearer <token>.',
    })
  }

  function admit(request: FastifyRequest, reply: FastifyReply): Admitted | Promise<Admitted> {
    if (isOverloaded()) {
      answerUnavailable(request, reply, 'The service is overloaded.')
      return undefined
    }
    const authorization = request.headers.authorization
    const match = authorization === undefined ? null : bearerPattern.exec(authorization)
    if (!match) return refuseToken(request, reply, false)
    const found = tokens.find(match[1]!)
    return isPromise(found)
      ? found.then((lookup) => admitToken(request, reply, lookup))
      : admitToken(request, reply, found)
  }

  function admitToken(request: FastifyRequest, reply: FastifyReply, lookup: TokenLookup): Admitted | Promise<Admitted> {
    if (lookup.state === 'wrong') return refuseToken(request, reply, true)
    if (lookup.state === 'unavailable') {
      answerUnavailable(request, reply, 'The token cannot be checked at the moment.')
      return undefined
    }
    const { grant } = lookup
    grantOf.set(request, grant)
    if (!grant.hasApiAccess)
      return refuse(request, reply, {
        slug: 'no-api-access',
        detail: 'API access is not set up for this organization.',
      })
    const admission = limiter.take(grant.organizationId, grant.requestsPerMinute)
    return isPromise(admission)
      ? admission.then((known) => applyAdmission(request, reply, grant, known))
      : applyAdmission(request, reply, grant, admission)
  }

  function applyAdmission(
    request: FastifyRequest,
    reply: FastifyReply,
    grant: TokenGrant,
    admission: Admission,
  ): Admitted {
    const { limit, remaining, resetSeconds } = admission
    reply.headers({
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(resetSeconds),
    })
    if (options.hasDraftRateLimitHeaders) {
      reply.headers({
        'ratelimit-policy': `"default";q=${limit};w=60`,
        ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
      })
    }
    if (admission.isAllowed) return { grant }
    answer(request, reply, {
      slug: 'rate-limited',
      detail: `The limit of ${limit} requests per minute is used up. Repeat the request in ${resetSeconds} seconds.`,
      retryAfter: resetSeconds,
    })
    return undefined
  }

  function answerFaults(request: FastifyRequest, reply: FastifyReply, faults: readonly ParameterFault[]): FastifyReply {
    return answer(request, reply, { slug: 'invalid-parameter', detail: describeFaults(faults), errors: faults })
  }

  let stockState: { readonly edition: number; readonly text: string } | undefined
  function stockStateText({ edition, publishedAt }: EditionInfo): string {
    if (stockState?.edition !== edition) stockState = { edition, text: `${edition}; ${toInstant(publishedAt)}` }
    return stockState.text
  }

  function sendFound(
    request: FastifyRequest,
    reply: FastifyReply,
    found: { readonly entityTag: string; readonly edition: EditionInfo; readonly isCompressible: boolean },
    body: (encoding: 'identity' | 'gzip') => Buffer,
  ): FastifyReply {
    reply.headers({
      'x-request-id': request.id,
      'cache-control': 'private, no-cache',
      vary: 'Authorization, Accept-Encoding',
      etag: found.entityTag,
      'x-stock-state': stockStateText(found.edition),
    })
    if (isNoneMatchHit(request.headers['if-none-match'], found.entityTag)) return reply.code(304).send()
    const encoding = found.isCompressible
      ? chooseEncoding(request.headers['accept-encoding'] as string | undefined)
      : 'identity'
    const bytes = body(encoding)
    reply.headers({ 'content-type': 'application/json', 'x-content-type-options': 'nosniff' })
    if (encoding === 'gzip') reply.header('content-encoding', 'gzip')
    return reply.code(200).send(bytes)
  }

  /** The cursor's position, or the problem that it is. */
  async function openCursor(text: string, { filter }: ListQuery, grant: TokenGrant): Promise<OpenedCursor> {
    const opened = cursors.open(text, filter, grant.organizationId)
    if (opened.state !== 'unknownKey') return opened
    await cursors.refresh()
    return cursors.open(text, filter, grant.organizationId)
  }

  function answerCursor(
    request: FastifyRequest,
    reply: FastifyReply,
    opened: OpenedCursor,
    text: string,
  ): FastifyReply {
    if (opened.state === 'expired') {
      const detail =
        'The cursor is older than 24 hours. Start again without it, with updated_since set to your stored state.'
      return answer(request, reply, {
        slug: 'cursor-expired',
        detail,
        errors: [{ parameter: 'cursor', code: 'cursor-expired', detail: 'The cursor is older than 24 hours.' }],
      })
    }
    if (opened.state === 'mismatch') {
      const names = opened.parameters
      return answer(request, reply, {
        slug: 'cursor-filter-mismatch',
        detail: `The cursor was issued for other values of: ${names.join(', ') || 'the filters'}. Send the filters of the first page, or start again without cursor.`,
        errors: names.map((parameter) => ({
          parameter,
          code: 'filter-differs',
          detail: 'Differs from the request that delivered the cursor.',
        })),
      })
    }
    const detail = 'The cursor was not issued by this service to your organization, or it was altered.'
    return answer(request, reply, {
      slug: 'cursor-invalid',
      detail,
      errors: [
        { parameter: 'cursor', code: 'cursor-invalid', detail, value: text.slice(0, 100).replace(/[^\w-]/g, '?') },
      ],
    })
  }

  /** Waits a moment for an edition that another node already served (R3). */
  async function isEditionHere(edition: number): Promise<boolean> {
    for (let waitedMs = 0; ; waitedMs += editionPollMs) {
      if (reader.newest !== undefined && reader.newest.edition >= edition) return true
      if (waitedMs >= editionWaitMs) return false
      await delayMs(editionPollMs, undefined, { ref: false })
    }
  }

  async function listTenders(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const admitting = admit(request, reply)
    const admitted = isPromise(admitting) ? await admitting : admitting
    if (!admitted) return reply
    const { grant } = admitted
    const { values, faults } = parseQueryString(queryText(request))
    const parsed = parseListQuery(values)
    if (faults.length > 0 || 'faults' in parsed || hasBody(request)) {
      const others = 'faults' in parsed ? parsed.faults : []
      return answerFaults(request, reply, [...bodyFaults(request, reply), ...faults, ...others])
    }
    const { query } = parsed
    let after: { readonly lastModified: number; readonly id: string } | undefined
    let pinned: number | undefined
    if (query.cursor !== undefined) {
      const opened = await openCursor(query.cursor, query, grant)
      if (opened.state !== 'valid') return answerCursor(request, reply, opened, query.cursor)
      after = opened.position.after
      pinned = opened.position.edition
      const newest = reader.newest
      if ((newest === undefined || newest.edition < pinned) && !(await isEditionHere(pinned)))
        return answerUnavailable(request, reply, 'The edition of this cursor is not here yet.')
    }
    // From here on without a pause: positions hold until the event loop turns.
    const { newest } = reader
    if (newest === undefined) return answerUnavailable(request, reply, 'Nothing has been published yet.')
    const edition = pinned ?? newest.edition
    const shown = reader.edition(edition) ?? newest
    const entityTag = listEntityTag({
      edition: shown.edition,
      pinnedEdition: edition,
      filter: query.filter,
      limit: query.limit,
      after,
      organizationId: grant.organizationId,
      now: clock(),
    })
    // Found only when it is sent: a 304 and an empty page need no bodies.
    if (isNoneMatchHit(request.headers['if-none-match'], entityTag))
      return sendFound(request, reply, { entityTag, edition: shown, isCompressible: false }, () => Buffer.alloc(0))
    const { positions, next } = reader.list({
      filter: query.filter,
      edition,
      limit: query.limit,
      ...(after && { after }),
    })
    const nextCursor = next ? cursors.seal({ after: next, edition }, query.filter, grant.organizationId) : null
    return sendFound(request, reply, { entityTag, edition: shown, isCompressible: positions.length > 0 }, (encoding) =>
      wholePage(reader.pageBody(positions, shown.edition, encoding), nextCursor),
    )
  }

  async function getTender(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const admitting = admit(request, reply)
    const admitted = isPromise(admitting) ? await admitting : admitting
    if (!admitted) return reply
    const { values, faults } = parseQueryString(queryText(request))
    const others = refuseParameters(values)
    if (faults.length > 0 || others.length > 0 || hasBody(request))
      return answerFaults(request, reply, [...bodyFaults(request, reply), ...faults, ...others])
    const { newest } = reader
    if (newest === undefined) return answerUnavailable(request, reply, 'Nothing has been published yet.')
    const id = (request.params as { readonly id: string }).id.toLowerCase()
    if (!uuidPattern.test(id)) {
      return answer(request, reply, {
        slug: 'not-found',
        detail: 'This is not the id of a tender: ids are UUIDs, such as 0f8a1c52-7d3e-8b64-9a10-5c2e7f4b9d31.',
        stockState: stockStateText(newest),
      })
    }
    const position = reader.find(id)
    if (position === undefined)
      return answer(request, reply, {
        slug: 'not-found',
        detail: 'There is no tender with this id.',
        stockState: stockStateText(newest),
      })
    const { lastModified, mergedInto } = reader.meta(position)
    if (mergedInto !== undefined) reply.header('link', `<${listPath}/${mergedInto}>; rel="canonical"`)
    const found = { entityTag: recordEntityTag(id, lastModified), edition: newest, isCompressible: true }
    return sendFound(request, reply, found, (encoding) => reader.record(position, encoding))
  }

  options.beforeRoutes?.(app)
  app.register(async (routes) => {
    const methods = ['GET', 'HEAD'] as ['GET', 'HEAD']
    routes.route({
      method: methods,
      url: listPath,
      exposeHeadRoute: false,
      schema: listRouteSchema(docsUrl),
      handler: listTenders,
    })
    routes.route({
      method: methods,
      url: `${listPath}/:id`,
      exposeHeadRoute: false,
      schema: recordRouteSchema(docsUrl),
      handler: getTender,
    })

    const hidden = { hide: true }
    const page = accessPage({ baseUrl, docsUrl })
    routes.get('/access', { schema: hidden }, (request, reply) => {
      reply.headers({
        'x-request-id': request.id,
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'public, max-age=300',
        'content-security-policy': page.contentSecurityPolicy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      return reply.send(page.html)
    })
    routes.get('/openapi.json', { schema: hidden }, (request, reply) => {
      reply.headers({
        'x-request-id': request.id,
        'content-type': 'application/json',
        'cache-control': 'public, max-age=300',
        'x-content-type-options': 'nosniff',
      })
      return reply.send(Buffer.from(contractText({ baseUrl, docsUrl })))
    })
    routes.get('/healthz', { schema: hidden }, (request, reply) =>
      reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store' }).send({ status: 'ok' }),
    )
    routes.get('/readyz', { schema: hidden }, (request, reply) => {
      if (isDraining || reader.newest === undefined || options.isReady?.() === false)
        return answerUnavailable(request, reply, 'The service is not ready.')
      reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store' })
      return reply.send({ status: 'ready', edition: reader.newest.edition })
    })
  })

  app.addHook('onListen', (done) => {
    if (!options.isOverloaded) loadWatch = watchLoad(maxEventLoopDelayMs)
    done()
  })
  app.addHook('preClose', (done) => {
    isDraining = true
    done()
  })
  app.addHook('onClose', (_instance, done) => {
    loadWatch?.stop()
    done()
  })
  return app
}

function queryText(request: FastifyRequest): string {
  const url = request.raw.url ?? ''
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

function hasBody({ raw }: FastifyRequest): boolean {
  const length = raw.headers['content-length']
  return raw.headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) !== 0)
}

/** A body on GET (D9); the connection is closed, because nobody reads that body. */
function bodyFaults(request: FastifyRequest, reply: FastifyReply): ParameterFault[] {
  if (!hasBody(request)) return []
  reply.header('connection', 'close')
  return [{ parameter: 'body', code: 'body-not-allowed', detail: 'A GET request takes no body.' }]
}
