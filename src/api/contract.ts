// The contract (OpenAPI 3.1), generated from the routes that the service really has.
import swagger from '@fastify/swagger'
import { hitEventSchemas } from '../domain/hit-event.ts'
import { recordParts } from '../domain/tender.ts'
import type { EditionView } from '../edition/read/edition-view.ts'
import { exampleBaseUrl, exampleDocsUrl } from './contract-text.ts'
import type { CursorSealer } from './cursors/cursor.ts'
import { createLocalLimiter } from './limits/limiter-memory.ts'
import { listParameters } from './parameters/parameters.ts'
import { buildApi } from './server.ts'

type JsonObject = { [key: string]: unknown }

const description = `Read-only access to consolidated records of public procurement: one record per tender, from an official journal and many portals.

Records are kept in step by polling: load once with your filters, store the largest \`lastModified\`, then ask every \
hour with \`updated_since\` set to it. A new edition of the stock appears at most once an hour. The page \
/docs/ways-to-the-data of the console names all other ways: clients, files of whole editions, CRMs, connectors.

Further problems than those listed at the operations may occur anywhere: 404 for an unknown path, 405 for another \
method than GET, HEAD and OPTIONS, 408 when a request does not arrive in time. Members, enum values, parameters and \
kinds of problems may be added within version 1; ignore what you do not know.`

/** Examples and list style of the parameters, for which JSON Schema has no keyword. */
function completeParameters(operation: JsonObject): void {
  for (const parameter of (operation.parameters ?? []) as JsonObject[]) {
    const declared = listParameters.find(({ name }) => name === parameter.name)
    if (declared) {
      const values = Object.entries(declared.examples).map(([name, text]) => {
        const plain = decodeURIComponent(text)
        const schemaType = declared.schema as { type?: string }
        if (declared.isList) return [name, { value: plain.split(',') }]
        if (schemaType.type === 'integer') return [name, { value: Number(plain) }]
        if (schemaType.type === 'boolean') return [name, { value: plain === 'true' }]
        return [name, { value: plain }]
      })
      parameter.examples = Object.fromEntries(values)
      if (declared.isList) Object.assign(parameter, { style: 'form', explode: false })
    } else if (parameter.in === 'path') {
      parameter.examples = { id: { value: '0f8a1c52-7d3e-8b64-9a10-5c2e7f4b9d31' } }
    }
  }
}

/** An edition view for a service that is never called. */
const nothing: EditionView = {
  newest: undefined,
  edition: () => undefined,
  list: () => ({ positions: [], next: null }),
  find: () => undefined,
  meta: () => {
    throw new RangeError('no records')
  },
  pageBody: () => ({ bytes: Buffer.alloc(0), finish: () => Buffer.alloc(0) }),
  record: () => ({ bytes: Buffer.alloc(0) }),
}
const noCursors: CursorSealer = { seal: () => '', open: () => ({ state: 'invalid' }), refresh: async () => {} }

/** JSON text of the contract, as committed: two spaces, members in a fixed order. */
export async function generateContract(version: string): Promise<string> {
  const app = buildApi({
    reader: nothing,
    tokens: { find: () => ({ state: 'wrong' }), close: async () => {} },
    limiter: createLocalLimiter(() => 0),
    cursors: noCursors,
    clock: () => 0,
    random: { bytes: (count) => Buffer.alloc(count), uuid: () => '' },
    docsUrl: exampleDocsUrl,
    beforeRoutes: (instance) => {
      instance.register(swagger, {
        openapi: {
          openapi: '3.1.0',
          info: {
            title: 'Tender Data Read API',
            version,
            description,
            license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as { name: string },
          },
          servers: [{ url: exampleBaseUrl, description: 'The service' }],
          tags: [{ name: 'tenders', description: 'Tender records.' }],
          components: {
            securitySchemes: {
              bearerToken: {
                type: 'http',
                scheme: 'bearer',
                description: 'Token of the organization; up to two are valid at the same time.',
              },
            },
          },
          externalDocs: { url: `${exampleDocsUrl}/access`, description: 'Access, limits and all problems explained' },
        },
        refResolver: {
          buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `schema-${index}`),
        },
      })
    },
  })
  await app.ready()
  const document = JSON.parse(JSON.stringify(app.swagger())) as JsonObject
  await app.close()
  finish(document)
  return `${JSON.stringify(document, null, 2)}\n`
}

function finish(document: JsonObject): void {
  const paths = document.paths as { [path: string]: { [method: string]: JsonObject } }
  for (const operations of Object.values(paths)) {
    // HEAD is GET without a body; a second description would only drift.
    delete operations.head
    for (const operation of Object.values(operations)) completeParameters(operation)
  }
  nameRecordParts(document)
  addWebhooks(document)
  const list = paths['/v1/tenders']?.get?.responses as { '200': JsonObject }
  list['200'].links = {
    getTender: {
      operationId: 'getTender',
      parameters: { id: '$response.body#/data/0/id' },
      description: 'The record of an entry by its id.',
    },
    nextPage: {
      operationId: 'listTenders',
      parameters: { cursor: '$response.body#/nextCursor' },
      description: 'The next page, with the same filters.',
    },
  }
}

/** Moves the parts of a record into components with their titles as names, and refers to them. */
function nameRecordParts(document: JsonObject): void {
  const { schemas } = document.components as { schemas: JsonObject }
  const parts = JSON.parse(JSON.stringify(recordParts)) as (JsonObject & { title: string })[]
  const referring = (_: string, value: unknown): unknown => {
    const { title, description } = (value ?? {}) as JsonObject
    const part = parts.find((each) => each.title === title)
    if (part === undefined) return value
    return { $ref: `#/components/schemas/${part.title}`, ...(description !== part.description && { description }) }
  }
  const named = (schema: JsonObject): JsonObject => ({
    ...schema,
    properties: JSON.parse(JSON.stringify(schema.properties, referring)),
  })
  schemas.TenderRecord = named(schemas.TenderRecord as JsonObject)
  for (const part of parts) schemas[part.title] = named(part)
}

const webhookTexts = {
  'search.hit': ['A tender is a hit of a saved search for the first time.', 'HitEvent'],
  'search.hit.changed': ['The tender of a hit was closed or merged, or its deadline or value changed.', 'HitEvent'],
  'webhook.test': ['Somebody tries the endpoint.', 'TestEvent'],
} as const

/** What the service posts to the endpoints of organizations. The read API never returns any of it (C143). */
function addWebhooks(document: JsonObject): void {
  const { schemas } = document.components as { schemas: JsonObject }
  for (const schema of hitEventSchemas) {
    const { $id, ...text } = JSON.parse(JSON.stringify(schema)) as { $id: string }
    schemas[$id] = text
  }
  const header = (name: string, text: string) => ({
    name,
    in: 'header',
    required: true,
    description: text,
    schema: { type: 'string' },
  })
  document.webhooks = Object.fromEntries(
    Object.entries(webhookTexts).map(([name, [text, schema]]) => [
      name,
      {
        post: {
          operationId: name,
          summary: text,
          description: 'Signed by Standard Webhooks 1.0.0. Sent at least once, always under the same `webhook-id`.',
          // the signature replaces a token
          security: [],
          parameters: [
            header('webhook-id', 'The same for all attempts.'),
            header('webhook-timestamp', 'Unix seconds of the attempt.'),
            header('webhook-signature', '`v1,` and the base64 of HMAC-SHA256, one for each valid secret.'),
          ],
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
          },
          responses: {
            '2XX': { description: 'Taken.' },
            default: { description: 'Not taken: sent again by the schedule. 410 disables the endpoint.' },
          },
        },
      },
    ]),
  )
}
