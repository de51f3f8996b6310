// The HTTP surface: routes, order of checks (D10), answers. Reads need no database.
import type { IncomingMessage, ServerResponse } from 'node:http'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { toInstant } from '../domain/time.ts'
import { type ConnectionLimit, limitConnections } from '../platform/connection-limit.ts'
import { type LoopDelay, recentMaximum } from '../platform/event-loop-delay.ts'
import type { Log } from '../platform/log.ts'
import { isTracing, recordRequest } from '../platform/tracing.ts'
import type { TokenGrant } from '../store/people/organizations.ts'
import { type AnsweredRequest, logAccess } from './access-log.ts'
import { accessPage } from './access-page.ts'
import type { BulkServing } from './bulk/bulk-serving.ts'
import { type FileOptions, serveFiles } from './bulk/serve-files.ts'
import { clientAddress } from './client-address.ts'
import { contractText } from './contract-text.ts'
import { serveFixed } from './fixed-answer.ts'
import { createFloodGuard, type FloodGuard } from './limits/flood-guard.ts'
import { type LoadWatch, spreadRetryAfter, watchLoad } from './limits/overload.ts'
import { type Maintenance, maintenanceNow, maintenanceProblem } from './maintenance.ts'
import { type McpOptions, serveMcp } from './mcp/serve-mcp.ts'
import type { ToolAnswers } from './mcp/tool-answers.ts'
import { listPath, manifestPath } from './paths.ts'
import type { PipelineState } from './pipeline-state.ts'
import { hasBody, headerPairs, sendProblem } from './problems/answers.ts'
import type { Problem } from './problems/problems.ts'
import { serveQuickly } from './quick-connections.ts'
import { closedSentence, type UnreadyReason, unreadySentence } from './readiness.ts'
import type { RequestCounts } from './request-counts.ts'
import { createRequestIds } from './request-ids.ts'
import { listRouteSchema, recordRouteSchema, sharedSchemas } from './routes.ts'
import { isPromise, type TenderAnswer, TenderAnswers, type TenderAnswersOptions } from './tender-answers.ts'
import { answerUnknownRoute } from './unknown-routes.ts'
import {
  answerUnreadableRequests,
  headersTooLarge,
  malformedRequest,
  maxHeaderLines,
  maxHeadersLength,
  maxUrlLength,
  type ParserError,
  uriTooLong,
} from './unreadable-requests.ts'
import { serveUnsubscribing, type Unsubscribe } from './unsubscribe.ts'

export type ApiOptions = Pick<
  TenderAnswersOptions,
  'reader' | 'tokens' | 'limiter' | 'cursors' | 'clock' | 'random' | 'use' | 'bulk'
> & {
  /**
   * Where the access page is reachable, without a slash at the end: `type` of a problem is `{docsUrl}/access#error-…`.
   * If it is empty, answers refer to the address that the client used.
   */
  readonly docsUrl: string
  /** Where the API itself is reachable, for the examples of the page and the contract; default: `docsUrl`. */
  readonly baseUrl?: string
  /** Log for access lines (`info`) and faults (`error`); default: none. */
  readonly log?: Log | undefined
  /**
   * Returns why the node should receive no requests; undefined while it may. With `draining`, every answer ends its
   * connection, so that a proxy's next request goes to another node.
   */
  readonly unready?: () => UnreadyReason | undefined
  /** The end of maintenance by `clock`, in epoch milliseconds; undefined without one. */
  readonly maintenanceUntil?: () => number | undefined
  /** Counts answered requests, and records how far the event loop is behind. */
  readonly counts?: RequestCounts | undefined
  /** Returns what is wrong although editions are served, a sentence each; `/readyz` shows it and stays 200. */
  readonly degraded?: () => readonly string[]
  /** Returns the state of the stages behind the API, shown in the details of readiness, which it does not affect. */
  readonly pipeline?: () => PipelineState | undefined
  /** Sheds requests under /v1 with 503; by default when the event loop stays behind by 1,000 ms. */
  readonly isOverloaded?: () => boolean
  /**
   * Number of proxies in front that are trusted about the client's address, by which the guard against floods of wrong
   * tokens counts: entries of X-Forwarded-For from its right end. Default: 0.
   */
  readonly trustedHops?: number
  /** Limits the connections of one address; default: none but the limit of all. */
  readonly connections?: ConnectionLimit | undefined
  /** Whether to send the draft headers RateLimit and RateLimit-Policy as well (D34). */
  readonly hasDraftRateLimitHeaders?: boolean
  /** How long a page waits for an edition that another node already serves (R3). */
  readonly editionWaitMs?: number
  /** Maximum requests with a wrong token per address and minute; more are refused with 429. */
  readonly refusedPerMinute?: number
  /** Guard against such floods, if several servers share one; default: a new one. */
  readonly floodGuard?: FloodGuard
  /** Unsubscribes people from mails; without it there is no unsubscribe page. */
  readonly unsubscribe?: Unsubscribe
  /** Answers tools of assistants at `/mcp`; without it that address does not exist. */
  readonly tools?: ToolAnswers
  /** Version of the program, for those tools. */
  readonly version?: string
  /** Called before the routes are declared; the contract generator watches them here. */
  readonly beforeRoutes?: (app: FastifyInstance) => void
}

const recordPath = `${listPath}/:id`
const requestTimeoutMs = 15_000
const headersTimeoutMs = 10_000
const maxEventLoopDelayMs = 1000
/** The parser's own limit is above ours, so that most requests that are too long receive the exact answer (D50). */
const parserLimit = maxUrlLength + maxHeadersLength + 1024
const unavailableSeconds = 10
/**
 * Maximum bytes that a socket buffers before Node tells its writer to wait: more than a page of 100 as gzip, because
 * that event costs more than the answer. Beyond it, a client that sends requests without reading has to wait.
 */
const socketBufferBytes = 256 * 1024

/** What the routes and hooks of a server share. */
type Serving = {
  readonly options: ApiOptions
  readonly tenders: TenderAnswers
  readonly floodGuard: FloodGuard
  readonly newRequestId: () => string
  readonly note: ((answered: AnsweredRequest) => void) | undefined
  readonly maintenance: () => Maintenance | undefined
  readonly addressOf: (request: FastifyRequest) => string
  /** Answers of the routes of tenders, for the access line. */
  readonly answered: WeakMap<FastifyRequest, TenderAnswer>
  /** Whom files are for, for the access line. */
  readonly grants: WeakMap<FastifyRequest, TokenGrant>
  /** Changes while the server runs. */
  readonly state: { isClosing: boolean; loadWatch: LoadWatch | undefined }
}

/** Builds the server; `listen` starts it, `close` finishes running requests and ends it. */
export function buildApi(options: ApiOptions): FastifyInstance {
  const serving = servingOf(options)
  const app = createApp(serving)
  refuseUnreadable(app, serving)
  noteAnswers(app, serving)
  answerFaults(app, serving)
  const endIdle = serveQuickly(app.server, quickWayOf(serving))
  if (options.connections) limitConnections(app.server, options.connections)
  options.beforeRoutes?.(app)
  app.register(async (routes) => {
    serveTenders(routes, serving)
    if (options.bulk) serveFiles(routes, filesOf(serving, options.bulk))
    if (options.tools) serveMcp(routes, toolsOf(serving, options.tools))
    serveDocuments(routes, options)
    if (options.unsubscribe) serveUnsubscribing(routes, options.unsubscribe, unsubscribingOf(serving))
    serveHealth(routes, serving)
  })
  watchLife(app, serving, endIdle)
  return app
}

function servingOf(options: ApiOptions): Serving {
  const { reader, tokens, limiter, cursors, clock, random, docsUrl, log, use, bulk } = options
  const { hasDraftRateLimitHeaders = false, editionWaitMs = 2000, trustedHops = 0 } = options
  const state: Serving['state'] = { isClosing: false, loadWatch: undefined }
  const floodGuard = options.floodGuard ?? createFloodGuard(clock, options.refusedPerMinute ?? 600)
  const isOverloaded = options.isOverloaded ?? (() => state.loadWatch?.isOverloaded() ?? false)
  const maintenance = () => maintenanceNow(options.maintenanceUntil?.(), clock())
  const closed = () => closedSentence(options.unready?.())
  return {
    options,
    tenders: new TenderAnswers({
      reader,
      tokens,
      limiter,
      cursors,
      clock,
      random,
      docsUrl,
      log,
      use,
      bulk,
      floodGuard,
      isOverloaded,
      maintenance,
      closed,
      hasDraftRateLimitHeaders,
      editionWaitMs,
    }),
    floodGuard,
    newRequestId: createRequestIds(clock, random.bytes),
    note: noteOf(options),
    maintenance,
    addressOf: ({ raw }) =>
      clientAddress(raw.socket.remoteAddress ?? '', raw.headers['x-forwarded-for'] as string | undefined, trustedHops),
    answered: new WeakMap(),
    grants: new WeakMap(),
    state,
  }
}

const isLeaving = ({ state, options }: Serving): boolean => state.isClosing || options.unready?.() === 'draining'

/** A server without routes, with limits of size and time. */
function createApp({ options: { docsUrl }, newRequestId, note }: Serving): FastifyInstance {
  let answerParserError: ((error: ParserError, socket: import('node:stream').Duplex) => void) | undefined
  const app = Fastify({
    logger: false,
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
      highWaterMark: socketBufferBytes,
    },
    routerOptions: { maxParamLength: maxUrlLength, querystringParser: (text) => ({ text }) },
    // A path that cannot be decoded is not one of our paths.
    frameworkErrors: (_error, request, reply) => {
      answerUnknownRoute(request as FastifyRequest, reply as unknown as FastifyReply, docsUrl)
    },
    clientErrorHandler: (error, socket) => answerParserError?.(error as unknown as ParserError, socket),
  })
  answerParserError = answerUnreadableRequests(app.server, { docsUrl, newRequestId, note })
  app.server.maxConnections = 20_000
  // Values are read by our own declarations, bodies come finished from the edition log.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  for (const schema of sharedSchemas) app.addSchema(schema)
  return app
}

/** Answers requests that no route reads: too long, ambiguous, or for an address that is none of ours. */
function refuseUnreadable(app: FastifyInstance, serving: Serving): void {
  const { docsUrl } = serving.options
  app.addHook('onRequest', (request, reply, done) => {
    if (isLeaving(serving)) reply.raw.setHeader('connection', 'close')
    const refusal = refusalOf(request.raw)
    if (refusal) return void sendProblem(request, reply, refusal, docsUrl)
    const url = request.raw.url ?? '/'
    if (request.is404 || url === `${listPath}/` || url.startsWith(`${listPath}/?`))
      return void answerUnknownRoute(request, reply, docsUrl)
    done()
  })
  app.setNotFoundHandler((request, reply) => answerUnknownRoute(request, reply, docsUrl))
}

function noteAnswers(app: FastifyInstance, { note, answered, grants, addressOf }: Serving): void {
  if (!note) return
  app.addHook('onResponse', (request, reply, done) => {
    const { method, id: requestId } = request
    const known = answered.get(request)
    note({
      method,
      target: request.raw.url ?? '/',
      requestId,
      route: request.is404 ? undefined : request.routeOptions.url,
      status: reply.raw.statusCode,
      milliseconds: reply.elapsedTime,
      bytes: known ? bytesOf(method, known) : method === 'HEAD' ? 0 : Number(reply.getHeader('content-length') ?? 0),
      address: () => addressOf(request),
      agent: request.headers['user-agent'],
      header: (name) => {
        const value = request.headers[name.toLowerCase()]
        return Array.isArray(value) ? value[0] : value
      },
      grant: known?.grant ?? grants.get(request),
    })
    done()
  })
}

function answerFaults(app: FastifyInstance, { options: { docsUrl, log } }: Serving): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
      reply.header('connection', 'close')
      return sendProblem(request, reply, malformedRequest, docsUrl)
    }
    log?.error({ requestId: request.id, error: error.stack ?? String(error) }, 'request failed')
    const detail = 'The request could not be answered because of an error in the service.'
    return sendProblem(request, reply, { slug: 'internal-error', detail }, docsUrl)
  })
}

/** The short way of reads that need no Fastify. */
function quickWayOf(serving: Serving): Parameters<typeof serveQuickly>[1] {
  const { tenders, newRequestId, note, options } = serving
  return {
    answer: (asked) => tenders.answer(asked),
    newRequestId,
    onAnswered:
      note &&
      ((asked, answer, startedMs) =>
        note({
          method: asked.method,
          target: asked.target,
          requestId: asked.requestId,
          route: asked.id === undefined ? listPath : recordPath,
          status: answer.status,
          milliseconds: performance.now() - startedMs,
          bytes: bytesOf(asked.method, answer),
          address: asked.address,
          agent: asked.agent,
          header: asked.header,
          grant: answer.grant,
        })),
    trustedHops: options.trustedHops ?? 0,
    isOpen: () => !isLeaving(serving),
  }
}

/** Serves reads that the short way did not take: the same answers through Fastify. */
function serveTenders(routes: FastifyInstance, { tenders, answered, addressOf, options: { docsUrl } }: Serving): void {
  function handler(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request
    const answering = tenders.answer({
      target: raw.url ?? '/',
      id: (request.params as { readonly id?: string }).id,
      ...(request.routeOptions.url === manifestPath && { isManifest: true }),
      method: raw.method,
      requestId: request.id,
      authorization: raw.headers.authorization,
      ifNoneMatch: raw.headers['if-none-match'],
      acceptEncoding: raw.headers['accept-encoding'] as string | undefined,
      agent: raw.headers['user-agent'],
      hasBody: hasBody(request),
      address: () => addressOf(request),
    })
    reply.hijack()
    const send = (known: TenderAnswer): void => {
      answered.set(request, known)
      writeAnswer(reply.raw, known)
    }
    if (isPromise(answering)) void answering.then(send)
    else send(answering)
  }
  const shared = { method: ['GET', 'HEAD'] as ['GET', 'HEAD'], exposeHeadRoute: false, handler }
  routes.route({ ...shared, url: listPath, schema: listRouteSchema(docsUrl) })
  routes.route({ ...shared, url: recordPath, schema: recordRouteSchema(docsUrl) })
  routes.route({ ...shared, url: manifestPath, schema: { hide: true } })
}

/** Files are refused where the API is, in the same order. */
function filesOf(serving: Serving, bulk: BulkServing): FileOptions {
  const { options, maintenance, floodGuard, addressOf, grants, tenders } = serving
  return {
    ...bulk,
    limiter: options.limiter,
    closed: () => {
      const pause = maintenance()
      if (pause) return maintenanceProblem(pause)
      return tenders.closedNow()
    },
    refuse: (request, reply, problem) => sendProblem(request, reply, problem, options.docsUrl),
    countWrong: (request) => floodGuard.count(addressOf(request)),
    noteGrant: (request, grant) => grants.set(request, grant),
  }
}

/** Tools are refused where the API is, and each read counts as a request. */
function toolsOf({ options, tenders, addressOf, grants }: Serving, answers: ToolAnswers): McpOptions {
  const { reader, limiter, docsUrl, baseUrl, log, version = '' } = options
  return {
    version,
    reader,
    limiter,
    answers,
    check: (request, tool) => {
      const { authorization, 'user-agent': agent } = request.raw.headers
      const [target, requestId] = [request.raw.url ?? '/', request.id]
      const nothing = { id: undefined, ifNoneMatch: undefined, acceptEncoding: undefined, hasBody: false } as const
      return tenders.answer({
        ...nothing,
        target,
        requestId,
        authorization,
        agent,
        tool,
        address: () => addressOf(request),
      })
    },
    noteRead: (request, grant, read) =>
      options.use?.read(grant, read, { address: () => addressOf(request), agent: request.raw.headers['user-agent'] }),
    origins: [baseUrl, docsUrl].flatMap((url) => (url ? new URL(url).origin : [])),
    refuse: (request, reply, problem) => sendProblem(request, reply, problem, docsUrl),
    send: (reply, { status, headers, body }) =>
      reply
        .code(status)
        .headers(Object.fromEntries(headerPairs(headers)))
        .header('connection', 'close')
        .send(body),
    noteGrant: (request, grant) => grants.set(request, grant),
    grantOf: (request) => grants.get(request),
    onFault: (request, error) => log?.warn({ requestId: request.id, error: String(error) }, 'a message for the tools'),
  }
}

function unsubscribingOf({ floodGuard, addressOf, options }: Serving): Parameters<typeof serveUnsubscribing>[2] {
  const { docsUrl, log, random } = options
  return {
    countWrong: (request) => floodGuard.count(addressOf(request)),
    unavailable: (request, reply, error) => {
      log?.error({ requestId: request.id, error: String(error) }, 'nobody can unsubscribe at the moment')
      const retryAfter = spreadRetryAfter(unavailableSeconds, random.bytes(1)[0]!)
      const detail = `Unsubscribing is not possible at the moment. Repeat the request in ${retryAfter} seconds.`
      return sendProblem(request, reply, { slug: 'unavailable', detail, retryAfter }, docsUrl)
    },
  }
}

/** Watches the load while the server listens; ends idle connections when it closes. */
function watchLife(app: FastifyInstance, { options, state }: Serving, endIdle: () => void): void {
  const { counts } = options
  app.addHook('onListen', (done) => {
    const largest = recentMaximum()
    const onSample = ({ maxMs }: LoopDelay) => {
      if (counts) counts.loopDelaySeconds = largest(maxMs / 1000)
    }
    if (!options.isOverloaded) state.loadWatch = watchLoad(maxEventLoopDelayMs, onSample)
    done()
  })
  app.addHook('preClose', (done) => {
    state.isClosing = true
    endIdle()
    done()
  })
  app.addHook('onClose', (_instance, done) => {
    state.loadWatch?.stop()
    done()
  })
}

/** Returns what to do with each answered request; undefined if nothing, so that it costs nothing. */
function noteOf({ log, counts }: ApiOptions): ((answered: AnsweredRequest) => void) | undefined {
  const access = log && log.isLevelEnabled?.('info') !== false ? log : undefined
  const hasSpans = isTracing()
  if (!access && !counts && !hasSpans) return undefined
  return (answered) => {
    const { route = 'none', status, method, milliseconds, header } = answered
    if (hasSpans) {
      const attributes = { 'http.route': route, 'http.request.method': method }
      recordRequest(`${method} ${route}`, attributes, { status, milliseconds, header })
    }
    counts?.count(answered.route, answered.status, answered.milliseconds / 1000)
    if (access) logAccess(access, answered)
  }
}

/** Returns the body bytes that an answer sends; HEAD has none. */
const bytesOf = (method: string, { body, tail }: TenderAnswer): number =>
  method === 'HEAD' ? 0 : (body?.length ?? 0) + (tail?.length ?? 0)

function writeAnswer(response: ServerResponse, { status, headers, body, tail }: TenderAnswer): void {
  if (body === undefined) {
    response.writeHead(status, headerPairs(headers).flat())
    response.end()
    return
  }
  response.writeHead(status, [...headerPairs(headers).flat(), 'content-length', `${body.length + (tail?.length ?? 0)}`])
  if (tail === undefined) {
    response.end(body)
    return
  }
  response.cork()
  response.write(body)
  response.end(tail)
  response.uncork()
}

/** Problem of a request that is not read any further: too long, or HTTP that can be understood in more than one way. */
function refusalOf({
  url = '/',
  rawHeaders,
  httpVersionMajor,
  httpVersionMinor,
}: IncomingMessage): Problem | undefined {
  if (url.length > maxUrlLength) return uriTooLong
  let headersLength = 0
  for (const text of rawHeaders) headersLength += text.length + 2
  if (headersLength > maxHeadersLength || rawHeaders.length / 2 > maxHeaderLines) return headersTooLarge
  const hosts = countHosts(rawHeaders)
  if (httpVersionMajor !== 1 || url.includes('#') || hosts > 1 || (httpVersionMinor === 1 && hosts === 0))
    return malformedRequest
  return undefined
}

/** Number of `Host` lines of a request: more than one could be read in two ways (RFC 9112 3.2). */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.length === 4 && rawHeaders[index]!.toLowerCase() === 'host') count += 1
  return count
}

/** Serves the access page and the contract. */
function serveDocuments(routes: FastifyInstance, { docsUrl, baseUrl = docsUrl }: ApiOptions): void {
  const page = accessPage({ baseUrl, docsUrl })
  serveFixed(routes, '/access', page.html, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': page.contentSecurityPolicy,
    'referrer-policy': 'no-referrer',
  })
  serveFixed(routes, '/openapi.json', Buffer.from(contractText({ baseUrl, docsUrl })), {
    'content-type': 'application/json',
  })
}

/** `/healthz` says that the process answers, `/readyz` whether it should receive requests. */
function serveHealth(
  routes: FastifyInstance,
  { options: { reader, clock, random, docsUrl, unready, degraded, pipeline }, state: served, maintenance }: Serving,
): void {
  const schema = { hide: true }
  routes.get('/healthz', { schema }, (request, reply) =>
    reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store' }).send({ status: 'ok' }),
  )
  routes.get('/readyz', { schema }, (request, reply) => {
    const { newest } = reader
    const reason = served.isClosing ? 'draining' : (unready?.() ?? (newest ? undefined : 'empty'))
    if (reason !== undefined || newest === undefined) {
      const retryAfter = spreadRetryAfter(unavailableSeconds, random.bytes(1)[0]!)
      const detail = `The service is not ready: ${unreadySentence(reason ?? 'empty')} Repeat the request in ${retryAfter} seconds.`
      return sendProblem(
        request,
        reply,
        { slug: 'unavailable', detail, retryAfter, reason: reason ?? 'empty' },
        docsUrl,
      )
    }
    reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store' })
    const { edition, publishedAt } = newest
    const pause = maintenance()
    const sentences = degraded?.() ?? []
    const state = pipeline?.()
    return reply.send({
      status: sentences.length > 0 ? 'degraded' : 'ready',
      edition,
      editionAgeSeconds: Math.max(0, Math.floor((clock() - publishedAt) / 1000)),
      isFailing: state?.isFailing ?? false,
      failedRounds: state?.failedRounds ?? 0,
      lastRoundAt: state?.lastRoundAt === undefined ? null : toInstant(state.lastRoundAt),
      ...(sentences.length > 0 && { degraded: sentences }),
      ...(pause && { maintenance: { until: toInstant(pause.until) } }),
    })
  })
}
