// The listener of the console: who sends a request, whether they may, the page's answer in its frame, and strict
// headers.
import { gzipSync } from 'node:zlib'
import cookies from '@fastify/cookie'
import formbody from '@fastify/formbody'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { clientAddress } from '../api/client-address.ts'
import { addressPrefix } from '../api/limits/address-prefix.ts'
import { minuteMs } from '../domain/time.ts'
import { type ConnectionLimit, limitConnections } from '../platform/connection-limit.ts'
import { OperatorError } from '../platform/errors.ts'
import { within } from '../platform/within.ts'
import { isConnectionLoss } from '../store/connections/connection-loss.ts'
import { inTransaction } from '../store/database/database.ts'
import { endSessions, longestSessionMs, startSession } from '../store/people/sessions.ts'
import { loadAssets } from './assets.ts'
import type { ConsoleContext } from './frame/console-context.ts'
import { keyHashOf } from './frame/directory.ts'
import { type FrameContext, frame } from './frame/frame.ts'
import { frameTexts } from './frame/frame-texts.ts'
import { gzipApart } from './frame/gzip-apart.ts'
import { html } from './frame/html.ts'
import { keptForm, openKeptForm } from './frame/kept-form.ts'
import { isLanguage, preferredLanguage } from './frame/languages.ts'
import { absoluteTarget, ownPath, requestedUrl } from './frame/own-path.ts'
import {
  type OrganizationRequest,
  type Page,
  type PageAnswer,
  PageError,
  type PageRequest,
  type PageRoute,
  type Viewer,
  type ViewerMembership,
} from './frame/page.ts'
import { refusalText } from './frame/refusals.ts'
import { strictPolicy } from './frame/strict-policy.ts'
import { routesOf } from './routes.ts'

/** Maximum time that a page waits for the database, and that a change may take. */
const longestPageMs = 2_000
const longestChangeMs = 20_000
/** Maximum age of a sign-in for sensitive actions. */
const freshSignInMs = 15 * minuteMs
/** Maximum bytes of a form. */
const maxFormBytes = 256 * 1024
const retrySeconds = 5

/** Headers of every answer: nothing inline, nothing from elsewhere, no framing. */
const strictHeaders = {
  'content-security-policy': strictPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const

export type ConsoleOptions = {
  readonly host: string
  /** Not 0. */
  readonly port: number
  /** Number of proxies in front that are trusted about the client's address. */
  readonly trustedHops: number
  /** Limits the connections of one address; default: none. */
  readonly connections?: ConnectionLimit
  /** Whether the service is stopping: then every answer ends its connection. */
  readonly isLeaving?: () => boolean
  /** Called when a page throws because of a bug. */
  readonly onFault: (error: unknown, pattern: string) => void
}

export type Console = { readonly close: () => Promise<void> }

/** Starts the console. Rejects with Node's error when it cannot listen. */
export async function openConsole(context: ConsoleContext, options: ConsoleOptions): Promise<Console> {
  const listener = new Listener(context, options)
  return listener.open()
}

const acceptsGzip = ({ headers }: FastifyRequest): boolean => /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''))

class Listener {
  readonly #context: ConsoleContext
  readonly #options: ConsoleOptions
  readonly #assets = loadAssets()
  readonly #isSecure: boolean
  readonly #sessionCookie: string

  constructor(context: ConsoleContext, options: ConsoleOptions) {
    this.#context = context
    this.#options = options
    // Safari refuses Secure cookies over plain http, even on loopback
    this.#isSecure = context.origin.startsWith('https:')
    this.#sessionCookie = this.#isSecure ? '__Host-session' : 'session'
  }

  async open(): Promise<Console> {
    const server = fastify({
      bodyLimit: maxFormBytes,
      forceCloseConnections: true,
      requestTimeout: 30_000,
      connectionTimeout: 60_000,
      routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
      // the host of a target in absolute form counts, and not the header beside it (RFC 9112, 3.2.2)
      rewriteUrl: (raw) => {
        const absolute = absoluteTarget(raw.url ?? '/')
        if (absolute) raw.headers.host = absolute.host
        return absolute?.path ?? raw.url ?? '/'
      },
      // a path that cannot be decoded is not one of ours; no hook runs before
      frameworkErrors: (_error, request, reply) => {
        this.#guard(reply as unknown as FastifyReply)
        this.#refuse(request as FastifyRequest, reply as unknown as FastifyReply, new PageError(404, ''))
      },
    })
    server.addHook('onRequest', async (request, reply) => {
      this.#guard(reply)
      // a foreign DNS name that leads here is not this console
      if (request.headers.host !== new URL(this.#context.origin).host && !isMachineName(request.headers.host)) {
        reply.code(421).type('text/plain; charset=utf-8').send(`This console is at ${this.#context.origin}\n`)
        return reply
      }
      return undefined
    })
    await server.register(cookies)
    await server.register(formbody)
    server.removeContentTypeParser(['application/json', 'text/plain'])
    for (const [path, { type, body, packed }] of this.#assets.files)
      server.get(path, async (request, reply) => {
        reply.type(type).headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
        return packed && acceptsGzip(request) ? reply.header('content-encoding', 'gzip').send(packed) : reply.send(body)
      })
    for (const route of routesOf(this.#context))
      server.route({
        method: route.method,
        url: route.path,
        handler: (request, reply) => this.#serve(route, request, reply),
      })
    server.setNotFoundHandler((request, reply) => this.#refuse(request, reply, new PageError(404, '')))
    server.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
      const status = error.statusCode === 413 ? 413 : 400
      if ((error.statusCode ?? 500) < 500) return this.#refuse(request, reply, new PageError(status, error.message))
      return this.#refuse(request, reply, error)
    })
    if (this.#options.connections) limitConnections(server.server, this.#options.connections)
    await server.listen({ host: this.#options.host, port: this.#options.port })
    return { close: () => server.close() }
  }

  /** Sets the headers of every answer. */
  #guard(reply: FastifyReply): void {
    reply.headers(strictHeaders)
    if (this.#options.isLeaving?.()) reply.header('connection', 'close')
    if (this.#isSecure) reply.header('strict-transport-security', 'max-age=31536000')
  }

  async #serve(route: PageRoute, raw: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const request = this.#requestOf(raw)
    try {
      if (route.method === 'POST' && !this.#isOwnForm(raw))
        throw new PageError(403, frameTexts[request.language].foreignForm)
      const organization = this.#admit(route, request)
      if ('kind' in organization) return await this.#send(organization, route, request, undefined, reply)
      const form = request.viewer ? openKeptForm(request, request.viewer) : request.form
      const asked = { ...request, ...organization, form } as OrganizationRequest
      const longestMs = route.method === 'GET' && !route.asksElsewhere ? longestPageMs : longestChangeMs
      const answer = await beforeLong(
        Promise.resolve().then(() => route.answer(asked)),
        longestMs,
      )
      return await this.#send(answer, route, request, asked.organization, reply)
    } catch (error) {
      return this.#refuse(raw, reply, error, request, route)
    }
  }

  #requestOf(raw: FastifyRequest): PageRequest {
    const { directory, clock } = this.#context
    const url = requestedUrl(raw.url, this.#context.origin)
    // nobody read them for a path that cannot be decoded
    const kept = (raw.cookies as typeof raw.cookies | null) ?? {}
    const cookie = kept[this.#sessionCookie]
    const viewer = cookie === undefined ? undefined : directory.viewerOf(cookie)
    const chosen = kept['language'] ?? viewer?.person.language
    const forwarded = raw.headers['x-forwarded-for']
    const address = clientAddress(
      raw.socket.remoteAddress ?? '',
      Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
      this.#options.trustedHops,
    )
    return {
      method: raw.method === 'POST' ? 'POST' : 'GET',
      url,
      params: raw.params as { [name: string]: string },
      query: url.searchParams,
      form: formOf(raw.body),
      language: chosen !== undefined && isLanguage(chosen) ? chosen : preferredLanguage(raw.headers['accept-language']),
      viewer,
      now: clock(),
      addressPrefix: addressPrefix(address),
      agent: (raw.headers['user-agent'] ?? '').slice(0, 200),
      cookies: kept,
      ifNoneMatch: raw.headers['if-none-match'],
      asset: this.#assets.addressOf,
    }
  }

  /** Whether a change comes from a page of this console: by `Sec-Fetch-Site`, else by `Origin`. */
  #isOwnForm(raw: FastifyRequest): boolean {
    const site = raw.headers['sec-fetch-site']
    if (site !== undefined) return site === 'same-origin'
    return raw.headers.origin === this.#context.origin
  }

  /**
   * What the audience of a route adds to the request, or the answer to people who may not send it. Throws PageError.
   */
  #admit(route: PageRoute, request: PageRequest): { organization?: ViewerMembership } | PageAnswer {
    const { viewer, language } = request
    if (route.audience === 'public') return {}
    const texts = frameTexts[language]
    if (!viewer) return keptForm(request, undefined) ?? this.#signInFirst(request)
    let organization: ViewerMembership | undefined
    if (route.audience === 'member' || route.audience === 'owner') {
      organization = viewer.memberships.find((each) => each.organizationId === request.params['organization'])
      if (!organization || (route.needsAccessArea && !organization.hasAccessArea))
        throw new PageError(404, texts.noPage)
      if (route.audience === 'owner' && organization.role !== 'owner') {
        const owners = this.#context.directory.ownersOf(organization.organizationId)
        throw new PageError(403, texts.ownersOnly(owners.map(({ name, mail }) => name || mail).join(', ')))
      }
    }
    if (route.audience === 'operator' && !viewer.person.isOperator) throw new PageError(403, texts.operatorsOnly)
    if (route.isSensitive && request.now - viewer.signedInAt > freshSignInMs)
      return keptForm(request, viewer) ?? this.#signInFirst(request)
    return organization ? { organization } : {}
  }

  #signInFirst(request: PageRequest): PageAnswer {
    const { method, url } = request
    const back = method === 'GET' ? url.pathname + url.search : pageOfForm(url.pathname)
    return {
      kind: 'redirect',
      to: `/sign-in?return=${encodeURIComponent(back)}`,
      ...(request.viewer && { notice: frameTexts[request.language].signInAgain }),
    }
  }

  async #send(
    answer: PageAnswer,
    route: PageRoute | undefined,
    request: PageRequest,
    organization: ViewerMembership | undefined,
    reply: FastifyReply,
  ): Promise<unknown> {
    if (answer.kind === 'redirect') return this.#sendRedirect(answer, request, reply)
    const isPublic = route?.audience === 'public' && !request.viewer
    // language and notice come from cookies
    reply.header('cache-control', isPublic ? 'private, no-cache' : 'no-store')
    if (answer.kind === 'content')
      return reply
        .code(answer.status ?? 200)
        .headers(answer.headers ?? {})
        .type(answer.type)
        .send(answer.body)
    return this.#sendPage(answer, route, request, organization, reply)
  }

  #sendPage(
    answer: Page,
    route: PageRoute | undefined,
    request: PageRequest,
    organization: ViewerMembership | undefined,
    reply: FastifyReply,
  ): unknown {
    const notice = request.cookies['notice']
    if (notice !== undefined) reply.clearCookie('notice', { path: '/' })
    const kind = kindOf(route?.audience, request.viewer)
    // on pages that belong to no organization, people of one keep its navigation
    const shown = organization ?? (kind === 'person' ? onlyOne(request.viewer?.memberships) : undefined)
    const context: FrameContext = {
      language: request.language,
      viewer: request.viewer,
      path: request.url.pathname + request.url.search,
      kind,
      ...(shown && { organization: shown }),
      notice,
      version: this.#context.version,
      brand: this.#context.brand,
      origin: this.#context.origin,
      asset: this.#assets.addressOf,
    }
    const text = frame(answer, context).text
    reply.code(answer.status ?? 200).type('text/html; charset=utf-8')
    reply.header('vary', 'accept-encoding, cookie')
    if (answer.isUnlisted) reply.header('x-robots-tag', 'noindex')
    // a page of a signed-in person may hold a secret beside text that others chose (BREACH)
    const isPacked = !request.viewer || (answer.isWithoutSecrets === true && notice === undefined)
    if (!isPacked || !acceptsGzip(reply.request)) return reply.send(text)
    const packed = request.viewer ? gzipApart(text.split(/(?=<main |<footer )/)) : gzipSync(text)
    return reply.header('content-encoding', 'gzip').send(packed)
  }

  async #sendRedirect(
    answer: PageAnswer & { kind: 'redirect' },
    request: PageRequest,
    reply: FastifyReply,
  ): Promise<unknown> {
    const location = answer.to instanceof URL ? answer.to.href : ownPath(answer.to)
    if (location === undefined) throw new Error(`a page leads to ${answer.to}, which is not on this console`)
    const common = { path: '/', httpOnly: true, sameSite: 'lax', secure: this.#isSecure } as const
    if (answer.notice !== undefined) reply.setCookie('notice', answer.notice, { ...common, maxAge: 60 })
    for (const { name, value, maxAgeSeconds } of answer.cookies ?? [])
      if (value === '') reply.clearCookie(name, common)
      else reply.setCookie(name, value, { ...common, maxAge: maxAgeSeconds })
    if (answer.signIn) {
      const value = Buffer.from(this.#context.random.bytes(32)).toString('base64url')
      await this.#startSession(answer.signIn.personId, keyHashOf(value), request)
      reply.setCookie(this.#sessionCookie, value, { ...common, maxAge: longestSessionMs / 1000 })
    } else if (answer.isSigningOut) {
      if (request.viewer) {
        await endSessions(this.#context.store.db, { sessionId: request.viewer.sessionId })
        await this.#context.directory.refresh()
      }
      reply.clearCookie(this.#sessionCookie, common)
    }
    return reply.header('cache-control', 'no-store').redirect(location, 303)
  }

  async #startSession(personId: string, sessionId: string, request: PageRequest): Promise<void> {
    const { store, directory } = this.#context
    const { now, agent, addressPrefix, viewer } = request
    const session = { sessionId, personId, createdAt: now, seenAt: now, signedInAt: now, agent, addressPrefix }
    await inTransaction(store, (trx) => startSession(trx, session, viewer?.sessionId))
    await directory.refresh()
  }

  #refuse(
    raw: FastifyRequest,
    reply: FastifyReply,
    error: unknown,
    request: PageRequest = this.#requestOf(raw),
    route?: PageRoute,
  ): unknown {
    const texts = frameTexts[request.language]
    const isChange = request.method === 'POST'
    const isGone = isConnectionLoss(error)
    const isBusy = error instanceof LateError || isGone
    if (isBusy && !isChange) reply.header('retry-after', String(retrySeconds))
    if (!isBusy && !(error instanceof PageError) && !(error instanceof OperatorError))
      // paths have secrets: links of letters, invitations and calendars
      this.#options.onFault(error, raw.routeOptions.url ?? 'no page')
    const { status, detail } =
      error instanceof PageError
        ? { status: error.status, detail: error.message || texts.noPage }
        : isBusy
          ? { status: 503, detail: isChange ? texts.busyPost : isGone ? texts.gone : texts.busy }
          : error instanceof OperatorError
            ? { status: 409, detail: refusalText(error, request.language) }
            : { status: 500, detail: texts.bug }
    reply.header('cache-control', 'no-store')
    const known = status === 404 && !route ? undefined : route
    const organization = request.viewer?.memberships.find(
      (each) => each.organizationId === request.params?.['organization'],
    )
    return this.#sendPage(
      {
        title: isGone ? texts.goneTitle : texts.errorTitle(status),
        lead: detail,
        status,
        ...(isBusy && !isChange && { refreshSeconds: retrySeconds }),
        body: html`<div class="row">
          ${
            isChange &&
            (isBusy || error instanceof OperatorError) &&
            html`<a class="btn go" href="${pageOfForm(request.url.pathname)}">${texts.toPage}</a>`
          }
          <a class="btn" href="/">${texts.home}</a>
        </div>`,
      },
      known,
      request,
      organization,
      reply,
    )
  }
}

/** Where the form is that is sent to this path. */
const pageOfForm = (pathname: string): string => pathname.replace(/\/[^/]*$/, '') || '/'

/** Thrown if the database did not answer in time. */
class LateError extends Error {}

/** The result of the work, unless it takes longer; it then continues, but its answer is lost. */
async function beforeLong<Result>(work: Promise<Result>, longestMs: number): Promise<Result> {
  // a failure after the page was answered has nobody to tell
  work.catch(() => {})
  if (await within(work, longestMs)) return work
  throw new LateError('the page waited too long')
}

function formOf(body: unknown): URLSearchParams {
  const form = new URLSearchParams()
  // no field contains a NUL intentionally, and no database accepts one
  for (const [name, value] of Object.entries((body ?? {}) as { [name: string]: string | string[] }))
    for (const each of Array.isArray(value) ? value : [value]) form.append(name, each.replaceAll('\0', ''))
  return form
}

function kindOf(audience: PageRoute['audience'] | undefined, viewer: Viewer | undefined): FrameContext['kind'] {
  if (audience === 'operator') return viewer?.person.isOperator ? 'operator' : 'public'
  if (audience === 'member' || audience === 'owner') return viewer ? 'organization' : 'public'
  return audience === 'person' && viewer ? 'person' : 'public'
}

const onlyOne = <Item>(list: readonly Item[] = []): Item | undefined => (list.length === 1 ? list[0] : undefined)

/** Whether a host is loopback by name or number, with any port: a service on the same machine, or a tunnel to it. */
function isMachineName(host: string | undefined): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host ?? '')
}
