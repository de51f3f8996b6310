// Tools for assistants at `/mcp`, beside the API: the Model Context Protocol over HTTP, without sessions. Whoever asks
// has a token of the API; each call of a tool counts as one request of the organization. The library of the protocol is
// loaded with the first request.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TenderSource } from '#mcp/tender-server'
import { ToolError } from '#mcp/tool-error'
import type { TenderRecord } from '../../domain/tender.ts'
import type { EditionView } from '../../edition/read/edition-view.ts'
import { OperatorError } from '../../platform/errors.ts'
import type { TokenGrant } from '../../store/people/organizations.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Problem } from '../problems/problems.ts'
import type { ToolAnswer, ToolAnswers } from './tool-answers.ts'

const mcpPath = '/mcp'
/** Maximum bytes of a message: a question has a few hundred. */
const maxMessage = 32 * 1024
/** Handshakes, lists and refused calls of an organization in a minute; they do not count as requests for records. */
export const messagesPerMinute = 120
/** Methods that read tenders: each message counts as one request of the organization. */
const readingMethods = new Set(['tools/call', 'resources/read'])

/** What the checks of the API say; `status` 200: admitted. */
type Checked = {
  readonly status: number
  /** Header lines. */
  readonly headers: string
  readonly body: Buffer | undefined
  readonly grant: TokenGrant | undefined
}

export type McpOptions = {
  readonly version: string
  readonly reader: EditionView
  readonly limiter: Limiter
  readonly answers: ToolAnswers
  /** All checks of the API, in their order; `enter` counts nothing, `read` one request of the organization. */
  readonly check: (request: FastifyRequest, tool: 'enter' | 'read') => Checked | Promise<Checked>
  /** Origins of pages that may ask: the service's own. */
  readonly origins: readonly string[]
  readonly refuse: (request: FastifyRequest, reply: FastifyReply, problem: Problem) => FastifyReply
  readonly send: (reply: FastifyReply, refusal: Checked) => FastifyReply
  /** Counts the records in an answer that the organization read, and the bytes of the answer. */
  readonly noteRead: (
    request: FastifyRequest,
    grant: TokenGrant,
    read: { readonly records: number; readonly bytes: number },
  ) => void
  readonly noteGrant: (request: FastifyRequest, grant: TokenGrant) => void
  /** What was noted. */
  readonly grantOf: (request: FastifyRequest) => TokenGrant | undefined
  readonly onFault: (request: FastifyRequest, error: unknown) => void
}

type Message = { readonly method?: unknown; readonly id?: unknown }

export function serveMcp(routes: FastifyInstance, options: McpOptions): void {
  const { limiter, origins, refuse, send, noteRead, noteGrant, grantOf, onFault } = options
  let library: Promise<typeof import('@modelcontextprotocol/server')> | undefined
  let tools: Promise<typeof import('#mcp/tender-server')> | undefined

  const headersOf = (request: FastifyRequest) => ({ 'x-request-id': request.id, 'cache-control': 'no-store' })

  /** Before the body is read: who may not ask sends no message. */
  async function onRequest(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    reply.headers(headersOf(request))
    const { origin } = request.headers
    if (origin !== undefined && !origins.includes(origin)) {
      reply.code(403).header('connection', 'close')
      return reply.send(protocolError(null, -32600, 'Pages of other origins may not ask.'))
    }
    const entered = await options.check(request, 'enter')
    if (entered.grant) noteGrant(request, entered.grant)
    if (entered.status === 200) return undefined
    return send(reply, entered)
  }

  /** What is no request for records has a limit of its own. Networks are none: customers share that of a vendor. */
  async function waitOf(request: FastifyRequest): Promise<number | undefined> {
    try {
      const admission = await limiter.take(`mcp ${grantOf(request)!.organizationId}`, messagesPerMinute)
      return admission.isAllowed ? undefined : admission.resetSeconds
    } catch (error) {
      // no room for one more organization: the token was checked
      if (error instanceof OperatorError) return undefined
      throw error
    }
  }

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const message = request.body as Message | readonly Message[] | null
    if (message === null || typeof message !== 'object' || Array.isArray(message))
      return reply.code(400).send(protocolError(null, -32600, 'Send one message of JSON-RPC, no list.'))
    const { method, id } = message as Message
    // a stream that stays open would be a session
    if (method === 'subscriptions/listen')
      return reply.code(404).send(protocolError(id ?? null, -32601, 'Nothing can be subscribed to here.'))
    // counted before it is read: a tool that does not exist, and a question that is none, cost a request too
    const counted = readingMethods.has(String(method)) ? await options.check(request, 'read') : undefined
    if (counted?.status !== 200) {
      const wait = await waitOf(request)
      if (wait !== undefined) {
        const detail = `More than ${messagesPerMinute} messages of this organization in a minute. Repeat it in ${wait} seconds.`
        return refuse(request, reply, { slug: 'rate-limited', detail, retryAfter: wait })
      }
    }
    library ??= import('@modelcontextprotocol/server')
    tools ??= import('#mcp/tender-server')
    const [{ createMcpHandler }, { createTenderServer }] = await Promise.all([library, tools])
    let records = 0
    const source = sourceOf(options, request, { counted, note: (count) => (records += count) })
    const protocol = createMcpHandler(() => createTenderServer(source, options.version), {
      keepAliveMs: 0,
      maxSubscriptions: 1,
      onerror: (error) => onFault(request, error),
    })
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' && (name === 'accept' || name === 'content-type' || name.startsWith('mcp-'))
        ? [[name, value]]
        : [],
    )
    const asked = new Request(`http://localhost${mcpPath}`, { method: 'POST', headers, body: JSON.stringify(message) })
    const answer = await protocol.fetch(asked, { parsedBody: message })
    const text = await answer.text()
    if (counted?.grant && records > 0) noteRead(request, counted.grant, { records, bytes: Buffer.byteLength(text) })
    const type = answer.headers.get('content-type')
    if (type !== null) reply.header('content-type', type)
    return reply.code(answer.status).send(text)
  }

  const schema = { hide: true }
  routes.route({ method: 'POST', url: mcpPath, schema, bodyLimit: maxMessage, onRequest, handler })
  routes.route({
    method: ['GET', 'DELETE'],
    url: mcpPath,
    exposeHeadRoute: false,
    schema,
    onRequest: async (request, reply) =>
      reply
        .code(405)
        .headers({ ...headersOf(request), allow: 'POST' })
        .send(protocolError(null, -32600, 'There are no sessions here: send each message by POST.')),
    handler: (_request, reply) => reply,
  })
}

const protocolError = (id: unknown, code: number, message: string) => ({ jsonrpc: '2.0', id, error: { code, message } })

/** The edition of this node, for a message that was counted; a refused one is told so by the tool that it calls. */
function sourceOf(
  { reader, answers, onFault }: McpOptions,
  request: FastifyRequest,
  { counted, note }: { readonly counted: Checked | undefined; readonly note: (records: number) => void },
): TenderSource {
  type Find = (id: string) => TenderRecord | undefined
  async function read<Answer>(produce: (find: Find) => Promise<Answer>): Promise<Answer> {
    const { status, body } = counted!
    if (status !== 200) throw new ToolError(refusalText(JSON.parse(body!.toString('utf8'))))
    try {
      return await produce((id) => {
        const record = recordOf(reader, id)
        if (record) note(1)
        return record
      })
    } catch (error) {
      if (error instanceof ToolError) throw error
      onFault(request, error)
      throw new ToolError('The service could not answer. Its operator is told: wait a minute, then call again.')
    }
  }
  return {
    search: (question) =>
      read(async (find) => {
        const { edition, total, indexed, ids } = answered(await answers.findTenders(question))
        const records = ids.flatMap((id) => find(id) ?? [])
        const remark = `The index of this edition is being made: ${Math.floor(indexed * 100)} % of it were searched.`
        return { edition, total, records, ...(indexed < 1 && { remark }) }
      }),
    get: (id) => read(async (find) => find(id.toLowerCase())),
    findCodes: (question) => read(async () => answered(await answers.findCodes(question))),
  }
}

function answered<Answer>(answer: ToolAnswer<Answer>): Answer {
  if ('fault' in answer) throw new ToolError(answer.fault)
  return answer.answer
}

function recordOf(reader: EditionView, id: string): TenderRecord | undefined {
  const position = reader.find(id)
  if (position === undefined) return undefined
  const { bytes, release } = reader.record(position, 'identity')
  const record = JSON.parse(Buffer.from(bytes).toString('utf8')) as TenderRecord
  release?.()
  return record
}

/** A refusal of the API in the words of a tool: nothing waits here, the caller does. */
function refusalText({ title, detail, retryAfter }: { title: string; detail: string; retryAfter?: number }): string {
  const next = retryAfter === undefined ? '' : ` Wait ${retryAfter} seconds, then call again.`
  return `${title}: ${detail.replace(/ Repeat the request in \d+ seconds\.$/, '')}${next}`
}
