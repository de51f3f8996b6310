// Answers of /v1/tenders and /v1/tenders/{id}, and the manifest of files: all checks in their order (D10), whichever
// way the request arrived. Reads need no database. Nothing here waits unless a token, a count or an edition has to be
// fetched from elsewhere.
import { setTimeout as delayMs } from 'node:timers/promises'
import { toInstant } from '../domain/time.ts'
import { DamagedLogError } from '../edition/format/damaged-log-error.ts'
import { isRecordId } from '../edition/format/record-id.ts'
import type { EditionInfo, EditionView, Encoding, RecordKey } from '../edition/read/edition-view.ts'
import type { Clock } from '../platform/clock.ts'
import { OperatorError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { Random } from '../platform/random.ts'
import type { TokenGrant } from '../store/people/organizations.ts'
import { bulkManifest } from './bulk/bulk-manifest.ts'
import { type BulkServing, manifestsPerMinute, mayLoadFiles } from './bulk/bulk-serving.ts'
import { chooseEncoding } from './content-coding.ts'
import type { CursorSealer, OpenedCursor } from './cursors/cursor.ts'
import { isNoneMatchHit, listEntityTag, recordEntityTag } from './etag.ts'
import type { FloodGuard } from './limits/flood-guard.ts'
import type { Admission, Limiter } from './limits/limiter.ts'
import { spreadRetryAfter } from './limits/overload.ts'
import { type Maintenance, maintenanceProblem } from './maintenance.ts'
import { createListQueryCache } from './parameters/list-query-cache.ts'
import { describeFaults, type ListQuery, refuseParameters } from './parameters/parameters.ts'
import { parseQueryString } from './parameters/query-string.ts'
import { listPath } from './paths.ts'
import { pathOf } from './problems/answers.ts'
import { type ParameterFault, type Problem, problemBody, problemHeaders, problemKind } from './problems/problems.ts'
import type { TokenLookup, TokenTable } from './tokens/token-table.ts'
import type { UseCounter } from './tokens/use-counter.ts'

/** A request for records, as read by a transport. */
export type AskedTenders = {
  /** The request target as it was sent. */
  readonly target: string
  /** Decoded id; undefined for the list. */
  readonly id: string | undefined
  /** The manifest of the files of the newest edition is asked for. */
  readonly isManifest?: true
  /**
   * A tool asks, and reads by itself what it is admitted to: `enter` may send a message, which counts nothing, `read`
   * counts as one request. The answer to what is admitted has no body.
   */
  readonly tool?: 'enter' | 'read'
  /** HEAD is answered without a body. */
  readonly method?: string | undefined
  readonly requestId: string
  readonly authorization: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly acceptEncoding: string | undefined
  /** Name that the client gives itself. */
  readonly agent: string | undefined
  /** Content-Length above 0 or Transfer-Encoding. */
  readonly hasBody: boolean
  /** Returns the client's address; needed only for refused requests, and once a second for each token. */
  readonly address: () => string
}

/** What to send. The transport omits the body of a HEAD, but not its length. */
export type TenderAnswer = {
  readonly status: number
  /** Header lines as sent, each `name: value` and CRLF; without Content-Length. */
  readonly headers: string
  /** Undefined for an answer that has no content at all (304). May be shared with other answers. */
  readonly body: Buffer | undefined
  /** Sent after the body. */
  readonly tail: Buffer | undefined
  /** May be called once, after the body was sent: its memory is then reused. */
  readonly release: (() => void) | undefined
  /** Grant of the token, as far as it became known: for the access line. */
  readonly grant: TokenGrant | undefined
}

export type TenderAnswersOptions = {
  readonly reader: EditionView
  readonly tokens: TokenTable
  readonly limiter: Limiter
  readonly cursors: CursorSealer
  readonly clock: Clock
  readonly random: Random
  readonly docsUrl: string
  readonly log: Log | undefined
  readonly isOverloaded: () => boolean
  /** Returns the maintenance in progress; undefined if there is none. Default: never. */
  readonly maintenance?: () => Maintenance | undefined
  /** Returns why this node must not answer, as a sentence; undefined while it may. Default: never. */
  readonly closed?: () => string | undefined
  readonly hasDraftRateLimitHeaders: boolean
  readonly editionWaitMs: number
  readonly floodGuard: FloodGuard
  /** Counts the requests of each token; default: they are not counted. */
  readonly use?: UseCounter | undefined
  /** Hands out files of whole editions; default: there are none. */
  readonly bulk?: BulkServing | undefined
}

const plainHeaders = 'content-type: application/json\r\nx-content-type-options: nosniff\r\n'
const contentHeaders: { readonly [encoding in Encoding]: string } = {
  identity: plainHeaders,
  gzip: `${plainHeaders}content-encoding: gzip\r\n`,
}
const editionPollMs = 50
const unavailableSeconds = 10
const bearerPattern = /^bearer +(\S+) *$/i

export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return value instanceof Promise
}

/** What is known about a request while it is being answered. */
type Course = {
  readonly asked: AskedTenders
  /** Header lines that every answer from here on carries. */
  headers: string
  grant: TokenGrant | undefined
}
type Answering = TenderAnswer | Promise<TenderAnswer>

/**
 * Answers requests for records. The methods are in the order of the checks: maintenance, readiness, overload, token,
 * access, rate limit, parameters, cursor, edition.
 */
export class TenderAnswers {
  readonly #options: TenderAnswersOptions
  readonly #reader: EditionView
  readonly #cursors: CursorSealer
  readonly #log: Log | undefined
  readonly #readListQuery = createListQueryCache()
  #stockState: { readonly edition: number; readonly publishedAt: number; readonly text: string } | undefined

  constructor(options: TenderAnswersOptions) {
    this.#options = options
    this.#reader = options.reader
    this.#cursors = options.cursors
    this.#log = options.log
  }

  /** Never rejects: a fault is an answer too. */
  answer(asked: AskedTenders): TenderAnswer | Promise<TenderAnswer> {
    const course: Course = { asked, headers: '', grant: undefined }
    try {
      const answer = this.#admit(course)
      return isPromise(answer) ? answer.catch((error: unknown) => this.#fault(course, error)) : answer
    } catch (error) {
      return this.#fault(course, error)
    }
  }

  #problem(course: Course, what: Problem): TenderAnswer {
    const { asked, grant } = course
    const headers = course.headers + problemHeaders(what, asked.requestId)
    const text = problemBody(what, {
      docsUrl: this.#options.docsUrl,
      path: pathOf(asked.target),
      requestId: asked.requestId,
    })
    return {
      status: problemKind(what.slug).status,
      headers,
      body: Buffer.from(text),
      tail: undefined,
      release: undefined,
      grant,
    }
  }

  #unavailable(course: Course, reason: string): TenderAnswer {
    return this.#problem(course, this.#unavailableNow(reason))
  }

  #unavailableNow(reason: string): Problem {
    const retryAfter = spreadRetryAfter(unavailableSeconds, this.#options.random.bytes(1)[0]!)
    return { slug: 'unavailable', detail: `${reason} Repeat the request in ${retryAfter} seconds.`, retryAfter }
  }

  /** Why nothing is answered now; undefined while this node may answer. */
  closedNow(): Problem | undefined {
    const closed = this.#options.closed?.()
    if (closed !== undefined) return this.#unavailableNow(closed)
    return this.#options.isOverloaded() ? this.#unavailableNow('The service is overloaded.') : undefined
  }

  #fault(course: Course, error: unknown): TenderAnswer {
    const { requestId } = course.asked
    if (error instanceof DamagedLogError) {
      this.#log?.error({ requestId, error: error.message }, 'damaged edition log')
      return this.#unavailable(course, 'The published records are being rebuilt.')
    }
    if (error instanceof OperatorError) {
      this.#log?.error({ requestId }, error.message)
      return this.#unavailable(course, 'The service has no room for this request at the moment.')
    }
    this.#log?.error({ requestId, error: error instanceof Error ? error.stack : String(error) }, 'request failed')
    return this.#problem(course, {
      slug: 'internal-error',
      detail: 'The request could not be answered because of an error in the service.',
    })
  }

  /** Refuses the request. `challenge` holds header lines that belong to `what`, and not to the 429 of a flood. */
  #refuse(course: Course, what: Problem, challenge = ''): TenderAnswer {
    const waitSeconds = this.#options.floodGuard.count(course.asked.address())
    if (waitSeconds === undefined) {
      course.headers += challenge
      return this.#problem(course, what)
    }
    return this.#problem(course, {
      slug: 'rate-limited',
      detail: `Too many refused requests from this address. Repeat the request in ${waitSeconds} seconds.`,
      retryAfter: waitSeconds,
    })
  }

  /** `detail`: what is wrong with the header; absent if it holds a token, which is wrong. */
  #refuseToken(course: Course, detail?: string): TenderAnswer {
    const challenge = `www-authenticate: Bearer realm="tender-api"${detail ? '' : ', error="invalid_token"'}\r\n`
    detail ??= 'The token is invalid: unknown, expired or revoked.'
    return this.#refuse(course, { slug: 'unauthorized', detail }, challenge)
  }

  #admit(course: Course): Answering {
    const maintenance = this.#options.maintenance?.()
    if (maintenance) return this.#problem(course, maintenanceProblem(maintenance))
    const closed = this.closedNow()
    if (closed) return this.#problem(course, closed)
    const { authorization } = course.asked
    const match = authorization === undefined ? null : bearerPattern.exec(authorization)
    if (!match) return this.#refuseToken(course, headerFault(authorization))
    const found = this.#options.tokens.find(match[1]!)
    return isPromise(found) ? found.then((lookup) => this.#admitToken(course, lookup)) : this.#admitToken(course, found)
  }

  #admitToken(course: Course, lookup: TokenLookup): Answering {
    if (lookup.state === 'wrong') return this.#refuseToken(course)
    if (lookup.state === 'unavailable') return this.#unavailable(course, 'The token cannot be checked at the moment.')
    const { grant } = lookup
    course.grant = grant
    if (!grant.hasApiAccess)
      return this.#refuse(course, { slug: 'no-api-access', detail: 'API access is not set up for this organization.' })
    const { isManifest, tool } = course.asked
    if (tool === 'enter') return admitted(course)
    if (isManifest && !mayLoadFiles(grant))
      return this.#refuse(course, { slug: 'no-bulk-access', detail: 'The contract of this organization has no files.' })
    const admission = isManifest
      ? this.#options.limiter.take(`bulk ${grant.organizationId}`, manifestsPerMinute)
      : this.#options.limiter.take(grant.organizationId, grant.requestsPerMinute)
    return isPromise(admission)
      ? admission.then((known) => this.#serve(course, grant, known))
      : this.#serve(course, grant, admission)
  }

  #serve(course: Course, grant: TokenGrant, admission: Admission): Answering {
    const { limit, remaining, resetSeconds } = admission
    this.#options.use?.count(grant, admission.isAllowed, course.asked)
    course.headers += `x-ratelimit-limit: ${limit}\r\nx-ratelimit-remaining: ${remaining}\r\nx-ratelimit-reset: ${resetSeconds}\r\n`
    if (this.#options.hasDraftRateLimitHeaders)
      course.headers += `ratelimit-policy: "default";q=${limit};w=60\r\nratelimit: "default";r=${remaining};t=${resetSeconds}\r\n`
    if (!admission.isAllowed)
      return this.#problem(course, {
        slug: 'rate-limited',
        detail: `The limit of ${limit} requests per minute is used up. Repeat the request in ${resetSeconds} seconds.`,
        retryAfter: resetSeconds,
      })
    if (course.asked.isManifest) return this.#manifest(course, grant)
    if (course.asked.tool === 'read') return admitted(course)
    return course.asked.id === undefined ? this.#list(course, grant) : this.#record(course, course.asked.id)
  }

  #manifest(course: Course, { tokenId }: TokenGrant): TenderAnswer {
    const query = queryText(course.asked.target)
    if (query !== '' || course.asked.hasBody)
      return this.#refuseFaults(course, refuseParameters(parseQueryString(query).values))
    const { bulk, clock } = this.#options
    const state = bulk?.state()
    if (!bulk || !state) return this.#unavailable(course, 'The files of the newest edition are being made.')
    const { grant, asked } = course
    return {
      status: 200,
      headers: `${course.headers}x-request-id: ${asked.requestId}\r\ncache-control: private, no-store\r\n${plainHeaders}`,
      body: Buffer.from(bulkManifest(state, { links: bulk.links, clock, tokenId })),
      tail: undefined,
      release: undefined,
      grant,
    }
  }

  #refuseFaults(course: Course, faults: readonly ParameterFault[]): TenderAnswer {
    let all = faults
    if (course.asked.hasBody) {
      // That body is not read (D9), so no other request can follow it.
      course.headers += 'connection: close\r\n'
      all = [{ parameter: 'body', code: 'body-not-allowed', detail: 'A GET request must not have a body.' }, ...faults]
    }
    return this.#problem(course, { slug: 'invalid-parameter', detail: describeFaults(all), errors: all })
  }

  #stockStateText({ edition, publishedAt }: EditionInfo): string {
    if (this.#stockState?.edition !== edition || this.#stockState.publishedAt !== publishedAt)
      this.#stockState = { edition, publishedAt, text: `${edition}; ${toInstant(publishedAt)}` }
    return this.#stockState.text
  }

  #foundHeaders({ headers, asked }: Course, entityTag: string, edition: EditionInfo): string {
    return (
      `${headers}x-request-id: ${asked.requestId}\r\ncache-control: private, no-cache\r\nvary: Authorization, ` +
      `Accept-Encoding\r\netag: ${entityTag}\r\nx-stock-state: ${this.#stockStateText(edition)}\r\n`
    )
  }

  /** Fetches newer keys if the cursor's key is unknown. */
  #openCursor(text: string, { filter }: ListQuery, grant: TokenGrant): OpenedCursor | Promise<OpenedCursor> {
    const opened = this.#cursors.open(text, filter, grant.organizationId)
    if (opened.state !== 'unknownKey') return opened
    return this.#cursors.refresh().then(() => this.#cursors.open(text, filter, grant.organizationId))
  }

  /** Waits a moment for an edition that another node already served (R3). */
  async #isEditionHere(edition: number): Promise<boolean> {
    for (let waitedMs = 0; ; waitedMs += editionPollMs) {
      if (this.#reader.newest !== undefined && this.#reader.newest.edition >= edition) return true
      if (waitedMs >= this.#options.editionWaitMs) return false
      await delayMs(editionPollMs, undefined, { ref: false })
    }
  }

  #list(course: Course, grant: TokenGrant): Answering {
    const parsed = this.#readListQuery(queryText(course.asked.target))
    if ('faults' in parsed || course.asked.hasBody)
      return this.#refuseFaults(course, 'faults' in parsed ? parsed.faults : [])
    const { query } = parsed
    if (query.cursor === undefined) return this.#page(course, grant, query, undefined, undefined)
    const opened = this.#openCursor(query.cursor, query, grant)
    return isPromise(opened)
      ? opened.then((known) => this.#nextPage(course, grant, query, known))
      : this.#nextPage(course, grant, query, opened)
  }

  #nextPage(course: Course, grant: TokenGrant, query: ListQuery, opened: OpenedCursor): Answering {
    if (opened.state !== 'valid') return this.#problem(course, cursorProblem(opened, query.cursor!))
    const { after, edition } = opened.position
    const { newest } = this.#reader
    if (newest !== undefined && newest.edition >= edition) return this.#page(course, grant, query, after, edition)
    return this.#isEditionHere(edition).then((isHere) =>
      isHere
        ? this.#page(course, grant, query, after, edition)
        : this.#unavailable(course, "This server has not loaded the cursor's edition yet."),
    )
  }

  /** Never pauses: positions are valid until the event loop turns. */
  #page(
    course: Course,
    grant: TokenGrant,
    { filter, limit }: ListQuery,
    after: RecordKey | undefined,
    pinned: number | undefined,
  ): TenderAnswer {
    const { newest } = this.#reader
    if (newest === undefined) return this.#unavailable(course, 'This node holds no edition yet.')
    const { asked } = course
    const { organizationId } = grant
    const edition = pinned ?? newest.edition
    const held = pinned === undefined ? newest : this.#reader.edition(pinned)
    const shown = held ?? newest
    const entityTag = listEntityTag({
      edition: shown.edition,
      publishedAt: shown.publishedAt,
      pinnedEdition: edition,
      filter,
      limit,
      after,
      organizationId,
      now: this.#options.clock(),
    })
    // A list that approximates an edition no longer held (R5) has no digest.
    if (held?.checksum !== undefined) course.headers += `x-stock-digest: ${held.checksum}\r\n`
    // Found only when it is sent: a 304 needs no list, an empty page no bodies.
    if (isNoneMatchHit(asked.ifNoneMatch, entityTag))
      return notModified(course, this.#foundHeaders(course, entityTag, shown))
    const { positions, next } = this.#reader.list(
      after === undefined ? { filter, edition, limit } : { filter, edition, limit, after },
    )
    const nextCursor = next ? this.#cursors.seal({ after: next, edition }, filter, organizationId) : null
    const encoding = positions.length > 0 ? chooseEncoding(asked.acceptEncoding ?? 'identity') : 'identity'
    const page = this.#reader.pageBody(positions, shown.edition, encoding)
    const tail = page.finish(nextCursor)
    this.#noteRead(course, positions.length, page.bytes.length + tail.length)
    return found(course, this.#foundHeaders(course, entityTag, shown), encoding, {
      body: page.bytes,
      tail,
      release: page.release,
    })
  }

  #noteRead({ asked, grant }: Course, records: number, bytes: number): void {
    if (grant && asked.method !== 'HEAD') this.#options.use?.read(grant, { records, bytes }, asked)
  }

  #record(course: Course, asked: string): TenderAnswer {
    const query = queryText(course.asked.target)
    if (query !== '' || course.asked.hasBody) {
      const { values, faults } = parseQueryString(query)
      const others = refuseParameters(values)
      if (faults.length > 0 || others.length > 0 || course.asked.hasBody)
        return this.#refuseFaults(course, [...faults, ...others])
    }
    const { newest } = this.#reader
    if (newest === undefined) return this.#unavailable(course, 'This node holds no edition yet.')
    const id = asked.toLowerCase()
    if (!isRecordId(id)) {
      return this.#problem(course, {
        slug: 'not-found',
        detail: 'This is not a tender id: ids are UUIDs, such as 0f8a1c52-7d3e-8b64-9a10-5c2e7f4b9d31.',
        stockState: this.#stockStateText(newest),
      })
    }
    const position = this.#reader.find(id)
    if (position === undefined)
      return this.#problem(course, {
        slug: 'not-found',
        detail: 'There is no tender with this id.',
        stockState: this.#stockStateText(newest),
      })
    const { lastModified, mergedInto } = this.#reader.meta(position)
    const entityTag = recordEntityTag(id, lastModified)
    const isUnchanged = isNoneMatchHit(course.asked.ifNoneMatch, entityTag)
    const encoding = isUnchanged ? 'identity' : chooseEncoding(course.asked.acceptEncoding ?? 'identity')
    // Read before the headers are written: a damaged record is answered without the headers of a success.
    const body = isUnchanged ? undefined : this.#reader.record(position, encoding)
    if (mergedInto !== undefined) course.headers += `link: <${listPath}/${mergedInto}>; rel="canonical"\r\n`
    const headers = this.#foundHeaders(course, entityTag, newest)
    if (body) this.#noteRead(course, 1, body.bytes.length)
    return body === undefined
      ? notModified(course, headers)
      : found(course, headers, encoding, { body: body.bytes, tail: undefined, release: body.release })
  }
}

const found = (
  { grant }: Course,
  headers: string,
  encoding: Encoding,
  { body, tail, release }: Pick<TenderAnswer, 'body' | 'tail' | 'release'>,
): TenderAnswer => ({ status: 200, headers: headers + contentHeaders[encoding], body, tail, release, grant })

const admitted = ({ headers, grant }: Course): TenderAnswer => ({
  status: 200,
  headers,
  body: undefined,
  tail: undefined,
  release: undefined,
  grant,
})

const notModified = ({ grant }: Course, headers: string): TenderAnswer => ({
  status: 304,
  headers,
  body: undefined,
  tail: undefined,
  release: undefined,
  grant,
})

function cursorProblem(opened: Exclude<OpenedCursor, { readonly state: 'valid' }>, text: string): Problem {
  if (opened.state === 'expired') {
    const detail = 'The cursor is older than 24 hours. Restart without it, with updated_since set to your stored state.'
    return {
      slug: 'cursor-expired',
      detail,
      errors: [{ parameter: 'cursor', code: 'cursor-expired', detail: 'The cursor is older than 24 hours.' }],
    }
  }
  if (opened.state === 'mismatch') {
    const names = opened.parameters
    return {
      slug: 'cursor-filter-mismatch',
      detail: `The cursor was issued for other values of: ${names.join(', ') || 'the filters'}. Send the filters of the first page, or restart without cursor.`,
      errors: names.map((parameter) => ({
        parameter,
        code: 'filter-differs',
        detail: 'Differs from the request that delivered the cursor.',
      })),
    }
  }
  const detail = 'The cursor was not issued by this service to your organization, or it was altered.'
  return {
    slug: 'cursor-invalid',
    detail,
    errors: [
      { parameter: 'cursor', code: 'cursor-invalid', detail, value: text.slice(0, 100).replace(/[^\w-]/g, '?') },
    ],
  }
}

function queryText(target: string): string {
  const start = target.indexOf('?')
  return start < 0 ? '' : target.slice(start + 1)
}

/** Why a header holds no token. Never repeats it: a word at the wrong place may be the token. */
function headerFault(authorization: string | undefined): string {
  const words = (authorization ?? '').trim().split(/\s+/)
  const hasScheme = /^bearer$/i.test(words[0]!)
  const fault =
    words[0] === ''
      ? 'The Authorization header with a token is missing'
      : hasScheme
        ? words.length === 1
          ? 'The Authorization header has the word Bearer, but no token after it'
          : 'The Authorization header has something other than a space and one token after the word Bearer'
        : words.length === 1
          ? 'The Authorization header lacks the word Bearer before the token'
          : 'The Authorization header has another scheme than Bearer'
  return `${fault}; send Authorization: Bearer <token>.`
}
