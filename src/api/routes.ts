// Routes as declared: what the contract says about each, and which problems it may answer.
import { type TSchema, Type } from 'typebox'
import { tenderRecordSchema } from '../domain/tender.ts'
import { listParameters } from './parameters/parameters.ts'
import { type ProblemSlug, problemBody, problemKind, problemType } from './problems/problems.ts'

const exampleRequestId = '019aa5f2-7c1e-7d3a-9b42-5f0c6a1d8e77'

/** RFC 9457 with our members; open, because members may be added (D2). */
const problemSchema = Type.Object(
  {
    type: Type.String({
      format: 'uri-reference',
      description: 'Type of the error; branch on this. It is the URL of its explanation.',
    }),
    title: Type.String({ description: 'Short title of the type.' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The HTTP status.' }),
    detail: Type.String({ description: 'What is wrong with this request, for people.' }),
    instance: Type.String({ format: 'uri-reference', description: 'Path of the request, without its query.' }),
    requestId: Type.String({
      format: 'uuid',
      description: 'Same as the header `X-Request-Id`; quote it when you report a problem.',
    }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          parameter: Type.String(),
          code: Type.String({ description: 'Stable code of the fault.' }),
          detail: Type.String(),
          value: Type.Optional(Type.String({ description: 'The value as received, shortened.' })),
          allowed: Type.Optional(Type.Array(Type.String(), { description: 'What is allowed instead.' })),
        }),
        { description: 'All faults of the parameters at once.' },
      ),
    ),
    retryAfter: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Same as the header `Retry-After`, in seconds.' }),
    ),
  },
  {
    $id: 'Problem',
    title: 'Problem',
    description: 'A problem (RFC 9457). Members that you do not know must be ignored.',
  },
)

const tenderListSchema = Type.Object(
  {
    data: Type.Array(Type.Ref('TenderRecord'), {
      maxItems: 100,
      description: 'One page of records, ascending by `lastModified`, then `id`.',
    }),
    nextCursor: Type.Union([Type.String({ maxLength: 512 }), Type.Null()], {
      description: 'Cursor of the next page; null when the list has ended.',
    }),
  },
  { $id: 'TenderList', title: 'TenderList', description: 'One page of tender records.' },
)

export const sharedSchemas: readonly TSchema[] = [tenderRecordSchema, tenderListSchema, problemSchema]

const header = (description: string, schema: TSchema) => ({ ...schema, description })
const rateHeaders = {
  'X-RateLimit-Limit': header(
    'Requests per minute of the organization, both tokens together.',
    Type.Integer({ minimum: 1 }),
  ),
  'X-RateLimit-Remaining': header('Requests left in the last 60 seconds.', Type.Integer({ minimum: 0 })),
  'X-RateLimit-Reset': header(
    'Whole seconds until `X-RateLimit-Remaining` can rise. At 0 remaining it equals `Retry-After`.',
    Type.Integer({ minimum: 1, maximum: 62 }),
  ),
}
const requestIdHeader = {
  'X-Request-Id': header('Id of this request (UUID version 7).', Type.String({ format: 'uuid' })),
}
const stockStateHeader = {
  'X-Stock-State': header('Number and publication time of the edition that the answer comes from.', Type.String()),
}
const stockDigestHeader = {
  'X-Stock-Digest': header(
    'Digest of the edition in `X-Stock-State`, the same whatever the filters: two sums modulo 2^256 of the ' +
      'SHA-256 of the canonical JSON (RFC 8785) of records without `checkedAt`, `open` over those that are not ' +
      'archived, `all` over all. Missing where the edition of the cursor is no longer held.',
    Type.String({ pattern: '^open=[0-9a-f]{64}, all=[0-9a-f]{64}$' }),
  ),
}
const successHeaders = {
  ...rateHeaders,
  ...requestIdHeader,
  ETag: header('Weak entity tag; send it back in `If-None-Match` to get a 304 without a body.', Type.String()),
  ...stockStateHeader,
}
const retryAfterHeader = {
  'Retry-After': header('Seconds to wait before the same request is repeated.', Type.Integer({ minimum: 1 })),
}

/** A problem as answered, from the catalog. */
export function exampleProblem(slug: ProblemSlug, docsUrl: string): Record<string, unknown> {
  const kind = problemKind(slug)
  return JSON.parse(
    problemBody(
      { slug, detail: kind.exampleDetail, errors: kind.exampleErrors, retryAfter: kind.exampleRetryAfter },
      { docsUrl, path: kind.examplePath ?? '/v1/tenders', requestId: exampleRequestId },
    ),
  )
}

/** Problems that occur after the organization is known carry the rate limit (D13). */
const slugsWithRateHeaders = new Set<ProblemSlug>([
  'cursor-expired',
  'cursor-invalid',
  'cursor-filter-mismatch',
  'invalid-parameter',
  'not-found',
  'rate-limited',
])

function problemAnswers(slugs: readonly ProblemSlug[], docsUrl: string): Record<string, unknown> {
  const answers: Record<string, unknown> = {}
  for (const status of [...new Set(slugs.map((slug) => problemKind(slug).status))].sort()) {
    const here = slugs.filter((slug) => problemKind(slug).status === status)
    answers[status] = {
      description: here.map((slug) => `${problemKind(slug).title}: \`${problemType('{docs_url}', slug)}\`.`).join(' '),
      headers: {
        ...requestIdHeader,
        ...(here.some((slug) => slugsWithRateHeaders.has(slug)) ? rateHeaders : {}),
        ...(here.some((slug) => problemKind(slug).exampleRetryAfter !== undefined) ? retryAfterHeader : {}),
        ...(status === 401 ? { 'WWW-Authenticate': header('The scheme to use (RFC 6750).', Type.String()) } : {}),
        ...(status === 404 ? stockStateHeader : {}),
        ...(status === 405 ? { Allow: header('The methods that are allowed.', Type.String()) } : {}),
      },
      content: {
        'application/problem+json': {
          schema: Type.Ref('Problem'),
          examples: Object.fromEntries(
            here.map((slug) => [slug, { summary: problemKind(slug).title, value: exampleProblem(slug, docsUrl) }]),
          ),
        },
      },
    }
  }
  return answers
}

const exampleRecord = {
  id: '0f8a1c52-7d3e-8b64-9a10-5c2e7f4b9d31',
  checkedAt: '2026-11-02T08:55:00.000Z',
  status: 'open',
  lastModified: '2026-11-02T08:00:00.007Z',
  title: 'Neubau einer Grundschule, Rohbauarbeiten',
  language: 'de',
  contractingAuthority: { name: 'Stadt Musterhausen', city: 'Musterhausen', country: 'DE' },
  submissionDate: '2026-12-04T11:00:00.000Z',
  publicationDate: '2026-11-02T00:00:00.000Z',
  contractAmount: { value: 1250000, currency: 'EUR', estimated: false },
  procedureType: 'open',
  cpvCodes: ['45214210'],
  nutsCodes: ['DE212'],
  lots: [],
  originalSources: [],
}

/** Everything that any authenticated route may answer. */
const commonSlugs: readonly ProblemSlug[] = [
  'invalid-parameter',
  'malformed-request',
  'unauthorized',
  'no-api-access',
  'rate-limited',
  'uri-too-long',
  'headers-too-large',
  'internal-error',
  'bad-gateway',
  'unavailable',
  'gateway-timeout',
]
const listSlugs: readonly ProblemSlug[] = ['cursor-expired', 'cursor-invalid', 'cursor-filter-mismatch', ...commonSlugs]
const recordSlugs: readonly ProblemSlug[] = ['not-found', ...commonSlugs]

const listHeaders = { ...successHeaders, ...stockDigestHeader }
const notModified = (headers: object) => ({
  description: 'Not modified since the entity tag in `If-None-Match`. Counts as a request.',
  headers,
})

/** Schemas of `GET /v1/tenders` for Fastify and the contract. */
export function listRouteSchema(docsUrl: string): Record<string, unknown> {
  return {
    operationId: 'listTenders',
    summary: 'List tender records',
    description:
      'One page of the newest edition, ascending by `lastModified`, then `id`. Follow `nextCursor` with the ' +
      'same filters to the end: all pages of a run come from one edition. Different filters combine with ' +
      'AND, several values of one filter with OR; a filter on a field leaves out tenders in which that field ' +
      'is missing.',
    tags: ['tenders'],
    security: [{ bearerToken: [] }],
    querystring: Type.Object(
      Object.fromEntries(
        listParameters.map(({ name, schema, description }) => [
          name,
          Type.Optional({ ...schema, description } as TSchema),
        ]),
      ),
      { additionalProperties: false },
    ),
    response: {
      200: {
        description: 'A page of records; empty when nothing matches.',
        headers: listHeaders,
        content: {
          'application/json': {
            schema: Type.Ref('TenderList'),
            examples: { page: { summary: 'The last page', value: { data: [exampleRecord], nextCursor: null } } },
          },
        },
      },
      304: notModified(listHeaders),
      ...problemAnswers(listSlugs, docsUrl),
    },
  }
}

/** Schemas of `GET /v1/tenders/{id}`. */
export function recordRouteSchema(docsUrl: string): Record<string, unknown> {
  return {
    operationId: 'getTender',
    summary: 'Get one tender record',
    description:
      'The newest version of one record, even if archived. For a merged record the answer is the record ' +
      'itself, with `mergedInto` and a `Link` to its survivor.',
    tags: ['tenders'],
    security: [{ bearerToken: [] }],
    params: Type.Object({
      id: Type.String({ format: 'uuid', description: 'The `id` of a tender. Upper case is read as lower case.' }),
    }),
    response: {
      200: {
        description: 'The record, exactly as a list delivers it.',
        headers: {
          ...successHeaders,
          Link: header('On a merged record: its survivor, `rel="canonical"`.', Type.String()),
        },
        content: {
          'application/json': {
            schema: Type.Ref('TenderRecord'),
            examples: { open: { summary: 'An open tender', value: exampleRecord } },
          },
        },
      },
      304: notModified(successHeaders),
      ...problemAnswers(recordSlugs, docsUrl),
    },
  }
}
