// Tools over stdin and stdout for assistants that start a program: each message goes to `/mcp` of a service, and its
// answer comes back. What the service offers is what the assistant sees.
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

export type RelayOptions = {
  /** Of the API, without a slash at the end. */
  readonly url: string
  readonly token: () => Promise<string>
  readonly input: Readable
  readonly write: (line: string) => void
  readonly signal: AbortSignal
  readonly fetch?: typeof globalThis.fetch | undefined
}

type Message = { readonly id?: unknown; readonly method?: unknown; readonly params?: Params }
type Params = {
  readonly name?: unknown
  readonly uri?: unknown
  readonly protocolVersion?: unknown
  readonly _meta?: Meta
}
type Meta = { readonly [name: string]: unknown }

/** What a call may take: a search of a large stock while an edition is indexed. */
const longestMs = 30_000
const versionMember = 'io.modelcontextprotocol/protocolVersion'
/** An error of the other side, as JSON-RPC has no code for it. */
const failedCode = -32000

/** Relays until the input ends or the signal comes; open messages are answered before. */
export async function relay({ input, signal, ...options }: RelayOptions): Promise<void> {
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
  const stop = (): void => lines.close()
  signal.addEventListener('abort', stop, { once: true })
  const session: Session = { version: undefined }
  const open = new Set<Promise<void>>()
  for await (const line of lines) {
    if (line.trim() === '') continue
    const answering = answerLine(line, options, session).then((answer) => {
      if (answer !== undefined) options.write(`${answer}\n`)
    })
    open.add(answering)
    void answering.finally(() => open.delete(answering))
  }
  signal.removeEventListener('abort', stop)
  await Promise.all(open)
}

/** The version on which both sides agreed, for a client that says it only once. */
type Session = { version: string | undefined }

async function answerLine(
  line: string,
  options: Omit<RelayOptions, 'input' | 'signal'>,
  session: Session,
): Promise<string | undefined> {
  let message: Message
  try {
    message = JSON.parse(line) as Message
  } catch {
    return failure(null, -32700, 'The line is not JSON.')
  }
  if (message === null || typeof message !== 'object' || Array.isArray(message))
    return failure(null, -32600, 'Send one message of JSON-RPC a line.')
  const { id, method, params } = message
  // a client that answers or cancels waits for nothing
  const isAsking = id !== undefined && method !== undefined
  try {
    const answer = await ask(line, message, options, session)
    if (!isAsking) return undefined
    if (method === 'initialize') session.version = versionIn(answer) ?? textOf(params?.protocolVersion)
    return answer ?? failure(id, failedCode, `${options.url} answered with nothing.`)
  } catch (error) {
    if (!isAsking) return undefined
    const reason =
      error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error)
    return failure(id, failedCode, `${options.url} cannot be asked: ${reason}`)
  }
}

async function ask(
  line: string,
  { id, method, params }: Message,
  { url, token, fetch = globalThis.fetch }: Omit<RelayOptions, 'input' | 'signal'>,
  session: Session,
): Promise<string | undefined> {
  const version = textOf(params?._meta?.[versionMember]) ?? session.version
  const name = textOf(params?.name) ?? textOf(params?.uri)
  const isModern = params?._meta?.[versionMember] !== undefined
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    redirect: 'manual',
    signal: AbortSignal.timeout(longestMs),
    headers: {
      authorization: `Bearer ${await token()}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(version !== undefined && { 'mcp-protocol-version': version }),
      ...(isModern && method !== undefined && { 'mcp-method': String(method) }),
      ...(isModern && name !== undefined && { 'mcp-name': name }),
    },
    body: line,
  })
  const text = await response.text()
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) return lastEvent(text)
  if (type.startsWith('application/json') && text !== '') return JSON.stringify(JSON.parse(text))
  if (response.ok) return undefined
  return failure(id ?? null, failedCode, refusalOf(response.status, text, url))
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function versionIn(answer: string | undefined): string | undefined {
  const { result } = JSON.parse(answer ?? '{}') as { readonly result?: { readonly protocolVersion?: unknown } }
  return textOf(result?.protocolVersion)
}

/** The message of an answer that comes as a stream of events with one event. */
function lastEvent(text: string): string | undefined {
  const data = text.split(/\r?\n/).filter((each) => each.startsWith('data:'))
  return data.at(-1)?.slice('data:'.length).trim()
}

/** What the API says, and what to do. */
function refusalOf(status: number, text: string, url: string): string {
  if (status === 404) return `${url} has no /mcp: check --url, or ask the operator for a newer version.`
  try {
    const { title, detail } = JSON.parse(text) as { readonly title?: unknown; readonly detail?: unknown }
    if (typeof title === 'string' && typeof detail === 'string') return `${title}: ${detail}`
  } catch {
    // a proxy in between answered
  }
  return `${url} answered ${status}.`
}

const failure = (id: unknown, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
