// A session is opened once per run and used for every request.
import { expect, it } from 'vitest'
import type { FetchContext, SourceReply, SourceRequest, Step } from '../fetch.ts'
import { withPageSession } from './page-session.ts'

const list = {
  kind: 'page',
  request: { url: 'https://portal.example/api/list?page={page}' },
  entries: { format: 'json', at: '/data' },
  firstPage: 0,
  pageSize: 1,
  end: { when: 'short-page' },
} as const

const session = { page: 'https://portal.example/', token: /id="token" value="([^"]*)"/, header: 'usertoken' }

function reply(body: string, headers: SourceReply['headers'] = {}): SourceReply {
  const bytes = new TextEncoder().encode(body)
  return {
    status: 200,
    headers,
    version: undefined,
    bytes: async () => bytes,
    chunks: async function* () {
      yield bytes
    },
  }
}

function contextOf(page: string, asked: SourceRequest[], cookies?: string): FetchContext {
  return {
    slot: { key: 'whole' },
    checkpoint: undefined,
    send: async (request) => {
      asked.push(request)
      if (request.expects === 'page') return reply(page, { 'content-type': 'text/html', 'set-cookie': cookies })
      return reply(request.url.endsWith('page=2') ? '{"data":[]}' : `{"data":[{"url":"${request.url}"}]}`)
    },
    knownVersions: async () => new Map(),
    key: undefined,
    zone: 'UTC',
    now: () => 0,
    scratchFolder: '/nowhere',
    signal: new AbortController().signal,
  }
}

async function stepsOf(context: FetchContext): Promise<Step[]> {
  const delivery = withPageSession(session, list)
  if (delivery.kind !== 'own') throw new Error('not its own')
  const steps: Step[] = []
  for await (const step of delivery.fetch(context)) steps.push(step)
  return steps
}

it('opens the page once, and sends its token and its cookies with every request', async () => {
  const asked: SourceRequest[] = []
  const cookies = 'ASP.NET_SessionId=abc; path=/; expires=Thu, 01 Jan 2026 00:00:00 GMT; HttpOnly, lang=hr; path=/'
  const steps = await stepsOf(contextOf('<input id="token" value="t-1">', asked, cookies))
  expect(steps.flatMap((step) => step.documents)).toHaveLength(2)
  expect(asked.map(({ url }) => url)).toEqual([
    'https://portal.example/',
    ...[0, 1, 2].map((page) => `https://portal.example/api/list?page=${page}`),
  ])
  for (const { headers } of asked.slice(1))
    expect(headers).toMatchObject({
      usertoken: 't-1',
      cookie: 'ASP.NET_SessionId=abc; lang=hr',
      referer: 'https://portal.example/',
    })
})

it('a page without a token is refused', async () => {
  await expect(stepsOf(contextOf('<p>closed for maintenance</p>', []))).rejects.toThrow('portal.example')
})
