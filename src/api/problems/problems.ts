// Every problem that the API answers (RFC 9457): one catalog feeds the answers, the contract and the access page.

/**
 * Whether the same request may succeed later. `wait`: after Retry-After; `backoff`: after growing waits; `no`: change
 * it first.
 */
type RetryAdvice = 'wait' | 'backoff' | 'restart' | 'no'

export type ProblemKind = {
  readonly status: number
  readonly title: string
  readonly cause: string
  readonly fix: string
  readonly retry: RetryAdvice
  readonly retryText: string
  /** A realistic `detail`; the page and the contract show it. */
  readonly exampleDetail: string
  /** Default: the list of tenders. */
  readonly examplePath?: string
  readonly exampleErrors?: readonly ParameterFault[]
  readonly exampleRetryAfter?: number
}

/** One fault of one parameter (D2). Codes never change their meaning. */
export type ParameterFault = {
  readonly parameter: string
  readonly code: string
  readonly detail: string
  readonly value?: string
  readonly allowed?: readonly string[]
}

/** Slugs are frozen (D1); new ones may be added (D52), so clients treat an unknown one by its status. */
export const problemKinds = {
  'cursor-expired': {
    status: 400,
    title: 'Cursor expired',
    cause: 'The value of `cursor` was issued more than 24 hours ago.',
    fix: 'Restart the run without `cursor`, with `updated_since` set to your stored state.',
    retry: 'restart',
    retryText: 'Not with this cursor. Restart the run from your stored state; nothing is lost.',
    exampleDetail:
      'The cursor is older than 24 hours. Restart without it, with updated_since set to your stored state.',
    exampleErrors: [{ parameter: 'cursor', code: 'cursor-expired', detail: 'The cursor is older than 24 hours.' }],
  },
  'cursor-invalid': {
    status: 400,
    title: 'Cursor invalid',
    cause:
      'The value of `cursor` was not issued by this service to your organization, or was altered or truncated on the way.',
    fix: 'Send `nextCursor` of the previous page exactly as received. If it is lost, restart the run without `cursor`.',
    retry: 'no',
    retryText: 'No. The same cursor will never be accepted.',
    exampleDetail: 'The cursor was not issued by this service to your organization, or it was altered.',
    exampleErrors: [
      {
        parameter: 'cursor',
        code: 'cursor-invalid',
        detail: 'The cursor was not issued by this service to your organization, or it was altered.',
        value: 'AQAAAAFa',
      },
    ],
  },
  'cursor-filter-mismatch': {
    status: 400,
    title: 'Cursor belongs to other filters',
    cause: 'The request has other filters than the one that delivered the cursor.',
    fix: 'Send the same filters with every page of a run; only `limit` may change. `errors` names those that differ.',
    retry: 'no',
    retryText: 'No. Send the filters of the first page, or start a new run without `cursor`.',
    exampleDetail:
      'The cursor was issued for other values of: cpv, nuts. Send the filters of the first page, or restart without cursor.',
    exampleErrors: [
      { parameter: 'cpv', code: 'filter-differs', detail: 'Differs from the request that delivered the cursor.' },
      { parameter: 'nuts', code: 'filter-differs', detail: 'Differs from the request that delivered the cursor.' },
    ],
  },
  'invalid-parameter': {
    status: 400,
    title: 'Invalid parameter',
    cause: 'One or more parameters are unknown, repeated or empty or have an invalid value, or a body was sent.',
    fix: 'Correct the request. `errors` lists every fault, with the parameter, a code and the allowed values.',
    retry: 'no',
    retryText: 'No. The same request will fail again.',
    exampleDetail: 'updatedsince: There is no such parameter. Did you mean updated_since?',
    exampleErrors: [
      {
        parameter: 'updatedsince',
        code: 'unknown-parameter',
        detail: 'There is no such parameter. Did you mean updated_since?',
        value: '2026-11-02T08:00:00.000Z',
      },
    ],
  },
  'malformed-request': {
    status: 400,
    title: 'Malformed request',
    cause: 'The bytes received are not a well-formed HTTP/1.1 request.',
    fix: 'Use an HTTP library rather than writing requests by hand; check the proxies in between.',
    retry: 'no',
    retryText: 'No. The same bytes will fail again.',
    exampleDetail: 'The request is not well-formed HTTP.',
    examplePath: '/',
  },
  unauthorized: {
    status: 401,
    title: 'Token missing or invalid',
    cause:
      'The `Authorization` header is missing, is not of the form `Bearer <token>`, or its token is unknown, expired or revoked.',
    fix: 'Send `Authorization: Bearer <token>` with a valid token of your organization. Tokens in the URL are ignored.',
    retry: 'no',
    retryText: 'No. Stop the run and replace the token; your stored state remains valid.',
    exampleDetail: 'The token is invalid: unknown, expired or revoked.',
  },
  'no-api-access': {
    status: 403,
    title: 'No API access',
    cause: 'The token is valid, but API access is not set up for its organization, or the contract has ended.',
    fix: 'Ask your contact to set up API access for your organization. You do not need a new token.',
    retry: 'no',
    retryText: 'No, not until access has been set up.',
    exampleDetail: 'API access is not set up for this organization.',
  },
  'no-bulk-access': {
    status: 403,
    title: 'No files of editions',
    cause: 'The token is valid, but the contract of its organization does not include files of whole editions.',
    fix: 'Load the list, which brings the same records; or ask your contact to add files to the contract.',
    retry: 'no',
    retryText: 'No, not until the contract includes them.',
    exampleDetail: 'The contract of this organization has no files.',
    examplePath: '/bulk/editions/latest',
  },
  'link-ended': {
    status: 403,
    title: 'Link has ended',
    cause:
      'The link to a file is older than six hours, was altered, or was made for a token or a contract that has ended meanwhile.',
    fix: 'Ask for the manifest again, and load the rest of the file with its new link.',
    retry: 'no',
    retryText: 'No. A new manifest brings new links.',
    exampleDetail: 'This link has ended, or was not made for this file.',
    examplePath: '/bulk/files/0f8a1c527d3e8b649a105c2e7f4b9d310f8a1c527d3e8b649a105c2e7f4b9d31.ndjson.gz',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    cause:
      "There is no tender with this id, or no such path. A tender's id never disappears once it has been delivered.",
    fix: 'Compare the id with the one you received, or the path with the contract. Paths are written exactly as shown.',
    retry: 'no',
    retryText: 'No.',
    exampleDetail: 'There is no tender with this id.',
    examplePath: '/v1/tenders/0f8a1c52-7d3e-8b64-9a10-5c2e7f4b9d32',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    cause: 'The API is read-only: GET, HEAD and OPTIONS.',
    fix: 'Use one of the methods that the `Allow` header names.',
    retry: 'no',
    retryText: 'No.',
    exampleDetail: 'POST is not allowed here; use GET, HEAD or OPTIONS.',
  },
  'request-timeout': {
    status: 408,
    title: 'Request not received in time',
    cause: 'The request did not arrive completely within the time limit.',
    fix: 'Send the request in one go; check for a slow or broken connection in between.',
    retry: 'backoff',
    retryText: 'Yes, on a new connection.',
    exampleDetail: 'The request was not received completely in time.',
    examplePath: '/',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    cause: 'The organization used up its requests of the last 60 seconds, both tokens together.',
    fix: 'Wait as many seconds as `Retry-After` says, then repeat the same request. `X-RateLimit-Remaining` helps to pace a run.',
    retry: 'wait',
    retryText: 'Yes, after `Retry-After` seconds.',
    exampleDetail: 'The limit of 60 requests per minute is used up. Repeat the request in 17 seconds.',
    exampleRetryAfter: 17,
  },
  'uri-too-long': {
    status: 414,
    title: 'URL too long',
    cause: 'The URL of the request has more than 8,192 bytes.',
    fix: 'Use codes higher up in the tree, or split the list over several requests.',
    retry: 'no',
    retryText: 'No.',
    exampleDetail: 'The URL of a request may have at most 8192 bytes.',
  },
  'headers-too-large': {
    status: 431,
    title: 'Headers too large',
    cause: 'The header fields of the request have more than 16,384 bytes together, or are more than 900 lines.',
    fix: 'Omit cookies and other headers that the service does not need.',
    retry: 'no',
    retryText: 'No.',
    exampleDetail: 'The headers of a request may have at most 16384 bytes together, in at most 900 lines.',
  },
  'internal-error': {
    status: 500,
    title: 'Internal error',
    cause: 'The service failed. The error was logged under the request id.',
    fix: 'Retry after 1, 2, 4, 8 and 16 minutes; then stop the run and leave the state unchanged. Quote `requestId` when you report it.',
    retry: 'backoff',
    retryText: 'Yes, after 1, 2, 4, 8 and 16 minutes.',
    exampleDetail: 'The request could not be answered because of an error in the service.',
  },
  'bad-gateway': {
    status: 502,
    title: 'Bad gateway',
    cause: 'A server in front of the service received no usable answer from it.',
    fix: 'Retry after 1, 2, 4, 8 and 16 minutes; then stop the run and leave the state unchanged.',
    retry: 'backoff',
    retryText: 'Yes, after 1, 2, 4, 8 and 16 minutes.',
    exampleDetail: 'The service gave no usable answer.',
  },
  unavailable: {
    status: 503,
    title: 'Service unavailable',
    cause: 'The service is overloaded, is under maintenance, or has not published its first edition yet.',
    fix: 'Wait as many seconds as `Retry-After` says, then repeat the same request.',
    retry: 'wait',
    retryText: 'Yes, after `Retry-After` seconds.',
    exampleDetail: 'The service is overloaded. Repeat the request in 10 seconds.',
    exampleRetryAfter: 10,
  },
  'gateway-timeout': {
    status: 504,
    title: 'Gateway timeout',
    cause: 'A server in front of the service received no answer from it in time.',
    fix: 'Retry after 1, 2, 4, 8 and 16 minutes; then stop the run and leave the state unchanged.',
    retry: 'backoff',
    retryText: 'Yes, after 1, 2, 4, 8 and 16 minutes.',
    exampleDetail: 'The service did not answer in time.',
  },
} as const satisfies { readonly [slug: string]: ProblemKind }

export type ProblemSlug = keyof typeof problemKinds
export const problemSlugs = Object.keys(problemKinds) as ProblemSlug[]

/** Widened type of a slug's catalog entry. */
export const problemKind = (slug: ProblemSlug): ProblemKind => problemKinds[slug]

/** A problem before it is written: `retryAfter` in whole seconds. */
export type Problem = {
  readonly slug: ProblemSlug
  readonly detail: string
  readonly errors?: readonly ParameterFault[] | undefined
  readonly retryAfter?: number | undefined
  /**
   * X-Stock-State, sent if nothing was found: it distinguishes a record that does not exist from a node that lags
   * behind a list.
   */
  readonly stockState?: string | undefined
  /** Why a node is not ready, for programs. */
  readonly reason?: string | undefined
}

/** URL in `type`; it exists on the access page (C135). */
export const problemType = (docsUrl: string, slug: ProblemSlug): string => `${docsUrl}/access#error-${slug}`

/**
 * Removes everything that looks like one of our tokens, wherever a client put it by mistake, percent-encoded or not
 * (C120).
 */
export function withoutTokens(text: string): string {
  const plain = text.includes('%') ? text.replace(encodedTokenCharacter, decodeURIComponent) : text
  return plain.includes('tdr_') ? plain.replace(/tdr_(live|test)_[A-Za-z0-9]*/g, 'tdr_$1_[hidden]') : text
}

/** Letters, digits and the underscore, written as `%41`. */
const encodedTokenCharacter = /%(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff])/g

const maxInstanceLength = 512

/**
 * Returns a path as a URI reference (RFC 9457 3.1.5): without query, with characters that no URI may contain
 * percent-encoded.
 */
export function toInstance(path: string): string {
  const cut = withoutTokens(path.slice(0, maxInstanceLength))
  // A path that begins with two slashes would name a host (RFC 3986 4.2); `/.` in front leads to the same path.
  return (cut.startsWith('//') ? `/.${cut}` : cut)
    .replace(/%(?![0-9A-Fa-f]{2})/g, '%25')
    .replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/g, encodeURIComponent)
}

export const allowedMethods = 'GET, HEAD, OPTIONS'

/** Header lines of a problem answer. The rate limit and authentication add theirs. */
export function problemHeaders({ slug, stockState, retryAfter }: Problem, requestId: string): string {
  let lines = `x-request-id: ${requestId}\r\ncontent-type: application/problem+json\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\n`
  if (stockState !== undefined) lines += `x-stock-state: ${stockState}\r\n`
  if (retryAfter !== undefined) lines += `retry-after: ${retryAfter}\r\n`
  if (slug === 'method-not-allowed') lines += `allow: ${allowedMethods}\r\n`
  return lines
}

/** The body of a problem answer as JSON text. */
export function problemBody(problem: Problem, context: { docsUrl: string; path: string; requestId: string }): string {
  const kind = problemKind(problem.slug)
  return JSON.stringify({
    type: problemType(context.docsUrl, problem.slug),
    title: kind.title,
    status: kind.status,
    detail: withoutTokens(problem.detail),
    instance: toInstance(context.path),
    requestId: context.requestId,
    ...(problem.errors === undefined
      ? {}
      : {
          errors: problem.errors.map((fault) => ({
            ...fault,
            parameter: withoutTokens(fault.parameter),
            detail: withoutTokens(fault.detail),
            ...(fault.value === undefined ? {} : { value: withoutTokens(fault.value) }),
          })),
        }),
    ...(problem.retryAfter === undefined ? {} : { retryAfter: problem.retryAfter }),
    ...(problem.reason === undefined ? {} : { reason: problem.reason }),
  })
}
