import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { relay } from './relay.ts'

type Asked = { readonly headers: Headers; readonly body: string }

/** Sends lines to a service that answers so; what came back, and what it was asked. */
async function relayed(lines: readonly object[], answer: (body: { id?: number }) => Response) {
  const input = new PassThrough()
  const written: string[] = []
  const asked: Asked[] = []
  const done = relay({
    url: 'https://api.example.org',
    token: async () => 'secret',
    input,
    write: (line) => written.push(line),
    signal: new AbortController().signal,
    fetch: async (_url, init) => {
      const body = String(init?.body)
      asked.push({ headers: new Headers(init?.headers), body })
      return answer(JSON.parse(body))
    },
  })
  for (const line of lines) {
    input.write(`${JSON.stringify(line)}\n`)
    await new Promise((next) => setImmediate(next))
  }
  input.end()
  await done
  return { written: written.map((line) => JSON.parse(line)), asked }
}

const json = (body: object, status = 200, type = 'application/json') =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': type } })

it('brings a message and its answer, also from a stream of events', async () => {
  const { written, asked } = await relayed([{ jsonrpc: '2.0', id: 1, method: 'tools/list' }], () => {
    const event = 'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\n\n'
    return new Response(event, { headers: { 'content-type': 'text/event-stream' } })
  })
  expect(written).toEqual([{ jsonrpc: '2.0', id: 1, result: { tools: [] } }])
  expect(asked[0]!.headers.get('authorization')).toBe('Bearer secret')
})

it('repeats the version on which both agreed, and says name and method to newer services', async () => {
  const { asked } = await relayed(
    [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
      {
        jsonrpc: '2.0',
        id: 3,
        method: 'tools/call',
        params: { name: 'get_tender', _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
      },
    ],
    ({ id }) => json({ jsonrpc: '2.0', id, result: { protocolVersion: '2025-06-18' } }),
  )
  const versions = asked.map(({ headers }) => headers.get('mcp-protocol-version'))
  expect(versions).toEqual([null, '2025-06-18', '2026-07-28'])
  expect(asked.map(({ headers }) => headers.get('mcp-name'))).toEqual([null, null, 'get_tender'])
})

it('answers nothing to a notification, and an error where the service cannot', async () => {
  const { written } = await relayed(
    [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'search_tenders' } },
    ],
    ({ id }) =>
      id === undefined
        ? new Response(null, { status: 202 })
        : json({ title: 'Unauthorized', detail: 'The token is invalid.' }, 401, 'application/problem+json'),
  )
  expect(written).toEqual([
    { jsonrpc: '2.0', id: 7, error: { code: -32000, message: 'Unauthorized: The token is invalid.' } },
  ])
})

it('says what to do where there are no tools', async () => {
  const { written } = await relayed(
    [{ jsonrpc: '2.0', id: 1, method: 'ping' }],
    () => new Response('', { status: 404 }),
  )
  expect(written[0].error.message).toContain('has no /mcp: check --url')
})

it('answers a line that is no message', async () => {
  const { written } = await relayed([['a list'] as unknown as object], () => json({}))
  expect(written[0].error.code).toBe(-32600)
})
