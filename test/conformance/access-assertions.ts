// Assertions on who may read, how much, and what a refusal contains.
import { expect } from 'vitest'
import { assertion } from './ledger.ts'
import { outgoingConnections, send, startService } from './trial-process.ts'
import type { WireProblem, World } from './world.ts'

const tokenPattern = /tdr_(?:live|test)_[0-9A-Za-z]{36}/
const minuteMs = 60_000

/** Refusals that need no control of the service. */
export function refusalAssertions(world: World): void {
  assertion('C111', 'no Authorization header: 401', async () => {
    const answer = await world.request('/v1/tenders', { token: null })
    await world.expectProblem(answer, 401, 'unauthorized')
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="tender-api"')
  })
  assertion('C112', 'a wrong token: 401', async () => {
    for (const token of [
      'wrong',
      `${world.token}x`,
      world.token.slice(0, -1),
      'tdr_test_000000000000000000000000000000000000',
    ])
      await world.expectProblem(await world.request('/v1/tenders', { token }), 401, 'unauthorized')
    await world.expectProblem(
      await world.request(`/v1/tenders?token=${world.token}&access_token=${world.token}`, { token: null }),
      401,
      'unauthorized',
    )
  })
  assertion('C113', 'another scheme: 401', async () => {
    const basic = Buffer.from(`${world.token}:`).toString('base64')
    await world.expectProblem(
      await world.request('/v1/tenders', { token: null, headers: { authorization: `Basic ${basic}` } }),
      401,
      'unauthorized',
    )
    await world.expectProblem(
      await world.request('/v1/tenders', { token: null, headers: { authorization: world.token } }),
      401,
      'unauthorized',
    )
  })
  assertion('C110', 'by id too the rate headers are present, and the request counts', async () => {
    const { id } = (await world.page('limit=1')).data[0]!
    const [one, two] = [await world.request(`/v1/tenders/${id}`), await world.request(`/v1/tenders/${id}`)]
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
      expect(one.headers[name], name).toMatch(/^\d+$/)
    expect(Number(two.headers['x-ratelimit-remaining'])).toBeLessThan(Number(one.headers['x-ratelimit-limit']))
    expect(Number(two.headers['x-ratelimit-remaining'])).toBeLessThanOrEqual(
      Number(one.headers['x-ratelimit-remaining']),
    )
  })
  assertion('C132', 'every error is application/problem+json', async () => {
    for (const problem of await problems(world)) expect(problem.contentType).toMatch(/^application\/problem\+json(;|$)/)
  })
  assertion('C133', 'errors have type, title, status, detail, instance of the right types', async () => {
    for (const { body } of await problems(world))
      expect([
        typeof body.type,
        typeof body.title,
        typeof body.status,
        typeof body.detail,
        typeof body.instance,
      ]).toEqual(['string', 'string', 'number', 'string', 'string'])
  })
  assertion('C134', 'status equals the HTTP status', async () => {
    for (const { status, body } of await problems(world)) expect(body.status).toBe(status)
  })
  assertion('C135', 'the type points to an anchor that the access page has', async () => {
    const page = (await send(world.base, '/access')).body.toString()
    for (const { body } of await problems(world)) {
      const url = new URL(body.type)
      expect(url.pathname.endsWith('/access')).toBe(true)
      expect(page).toContain(`id="${url.hash.slice(1)}"`)
    }
  })
  assertion('C136', 'instance of a list error is /v1/tenders, without the query', async () => {
    for (const { body, path } of await problems(world))
      if (path.startsWith('/v1/tenders?')) expect(body.instance).toBe('/v1/tenders')
  })
  assertion('C139', 'no stack trace, SQL or host name in any error', async () => {
    for (const { text, path } of await problems(world))
      expect(text.replace(/"type":"[^"]*"/, ''), path).not.toMatch(
        /\.ts:\d|node_modules|\bat \w+ \(|\bselect\b.*\bfrom\b|localhost|127\.0\.0\.1|\/work\/|\/home\//i,
      )
  })
  assertion('C138', 'the contract answers 500, 502 and 504 as problems', async () => {
    const contract = (await world.request('/openapi.json')).json() as {
      paths: Record<string, { get: { responses: Record<string, { content?: object; $ref?: string }> } }>
      components: { responses?: Record<string, { content?: object }> }
    }
    for (const { get } of Object.values(contract.paths))
      for (const status of ['500', '502', '504']) {
        const response = get.responses[status]!
        const resolved = response.$ref ? contract.components.responses![response.$ref.split('/').at(-1)!]! : response
        expect(Object.keys(resolved.content!)).toEqual(['application/problem+json'])
      }
  })
  assertion('C117', 'no route makes tokens: that is for the owner, in the console of a later issue', async () => {
    for (const path of ['/v1/tokens', '/v1/organizations', '/v1/token', '/console/tokens', '/tokens'])
      for (const method of ['POST', 'PUT', 'GET'])
        expect([404, 405]).toContain((await world.request(path, { method })).status)
  })
  assertion('C118', 'there is no area for API access before it is set up', async () => {
    for (const path of ['/console', '/settings', '/console/api-access'])
      expect((await world.request(path)).status).toBe(404)
  })
  assertion('C142', 'the read API emits no events: no stream, no callback, no upgrade', async () => {
    const { id } = (await world.page('limit=1')).data[0]!
    const stream = await world.request(`/v1/tenders/${id}`, { headers: { accept: 'text/event-stream' } })
    expect(stream.headers['content-type']).toMatch(/^application\/json/)
    const contract = (await world.request('/openapi.json')).json() as {
      webhooks?: object
      paths: Record<string, Record<string, { callbacks?: object }>>
    }
    // messages that the service itself posts are described beside the paths; no request to the API returns them
    expect(Object.keys(contract.webhooks ?? {})).toEqual(['search.hit', 'search.hit.changed', 'webhook.test'])
    for (const path of Object.values(contract.paths))
      for (const operation of Object.values(path)) expect(operation?.callbacks).toBeUndefined()
  })
  assertion('C143', 'no read path returns hits', async () => {
    for (const path of ['/v1/hits', '/v1/searches', '/v1/tenders/hits', '/v1/events', '/v1/webhooks'])
      expect((await world.request(path)).status).toBe(404)
    for (const query of ['fit_score=50', 'search=1', 'hits=true'])
      await world.expectProblem(await world.request(`/v1/tenders?${query}`), 400, 'invalid-parameter')
  })
}

type Seen = {
  readonly path: string
  readonly status: number
  readonly contentType: string
  readonly body: WireProblem
  readonly text: string
}

/** One answer for every refusal that can be provoked from outside. */
async function problems(world: World): Promise<Seen[]> {
  const { id } = (await world.page('limit=1')).data[0]!
  const { nextCursor } = await world.page('limit=1')
  const asked: [path: string, options?: Parameters<World['request']>[1]][] = [
    ['/v1/tenders?limit=0'],
    ['/v1/tenders?cpv=45'],
    ['/v1/tenders?cpv=00000000'],
    ['/v1/tenders?nuts=D'],
    ['/v1/tenders?nuts=GR30'],
    ['/v1/tenders?procedure=closed'],
    ['/v1/tenders?published_since=2026-01-01'],
    ['/v1/tenders?updated_since=2026-01-01T00:00:00'],
    ['/v1/tenders?deadline_after=yesterday'],
    ['/v1/tenders?value_min=1.5'],
    ['/v1/tenders?value_min=10&value_max=5'],
    ['/v1/tenders?archived=1'],
    ['/v1/tenders?updated_sinse=2026-01-01T00:00:00Z'],
    ['/v1/tenders?limit=1&limit=2'],
    ['/v1/tenders?cpv='],
    ['/v1/tenders?cursor=x'],
    [`/v1/tenders?cpv=45000000&cursor=${nextCursor}`],
    ['/v1/tenders?%zz'],
    [`/v1/tenders?cpv=${Array.from({ length: 201 }, (_, index) => 45_000_000 + index).join(',')}`],
    [`/v1/tenders?cpv=${'45000000,'.repeat(1200)}45000000`],
    ['/v1/tenders/nothing'],
    ['/v1/tenders/00000000-0000-4000-8000-000000000000'],
    ['/v1/tenders/'],
    ['/v1/elsewhere'],
    ['/v1/tenders', { token: null }],
    ['/v1/tenders', { token: 'wrong' }],
    ['/v1/tenders', { method: 'POST' }],
    [`/v1/tenders/${id}`, { method: 'DELETE' }],
    [`/v1/tenders/${id}?x=1`],
    ['/v1/tenders', { headers: { 'x-long': 'a'.repeat(20_000) } }],
  ]
  const seen: Seen[] = []
  for (const [path, options] of asked) {
    const answer = await world.request(path, options)
    expect(answer.status, path).toBeGreaterThanOrEqual(400)
    seen.push({
      path,
      status: answer.status,
      contentType: String(answer.headers['content-type']),
      body: answer.json() as WireProblem,
      text: answer.body.toString(),
    })
  }
  return seen
}

/** Assertions that need organizations, tokens and a clock under our control. */
export function limitAssertions(world: World): void {
  const organization = async (name: string, ...args: string[]): Promise<string> => {
    const made = await world.started.run('organization', 'create', name, ...args)
    expect(made.code, made.text).toBe(0)
    return createToken(name)
  }
  const createToken = async (name: string): Promise<string> => {
    const made = await world.started.run('token', 'create', name)
    expect(made.code, made.text).toBe(0)
    return tokenPattern.exec(made.text)![0]
  }
  const ask = (token: string) => world.request('/v1/tenders?limit=1', { token })
  /** Gives up only when a token is still refused after the stated delay of revocations and grants. */
  const eventually = async (token: string, status: number): Promise<number> => {
    for (let attempt = 0; attempt < 400; attempt++) {
      const answer = await ask(token)
      if (answer.status === status) return status
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    return (await ask(token)).status
  }

  assertion('C114', 'a valid token of an organisation without access: 403', async () => {
    const token = await organization('No Access Ltd')
    expect((await world.started.run('organization', 'update', 'No Access Ltd', '--access', 'off')).code).toBe(0)
    expect(await eventually(token, 403)).toBe(403)
    const answer = await ask(token)
    await world.expectProblem(answer, 403, 'no-api-access')
    expect(answer.headers['x-ratelimit-limit']).toBeUndefined()
  })
  assertion('C115', 'two tokens of one organisation work at once', async () => {
    const tokens = [await organization('Two Tokens Ltd'), await createToken('Two Tokens Ltd')]
    expect(new Set(tokens).size).toBe(2)
    expect(await Promise.all(tokens.map(async (token) => (await ask(token)).status))).toEqual([200, 200])
  })
  assertion('C116', 'a third valid token never exists, also under parallel creations', async () => {
    expect((await world.started.run('organization', 'create', 'Parallel Ltd')).code).toBe(0)
    const made = await Promise.all(
      Array.from({ length: 12 }, () => world.started.run('token', 'create', 'Parallel Ltd')),
    )
    expect(made.filter(({ code }) => code === 0)).toHaveLength(2)
    for (const { code, text } of made) if (code !== 0) expect(text).not.toMatch(tokenPattern)
    expect((await world.started.run('token', 'create', 'Parallel Ltd')).code).not.toBe(0)
  })
  assertion('C119', 'rotation gives no 401 to a client with a valid token', async () => {
    const old = await organization('Rotating Ltd', '--requests-per-minute', '100000')
    let current = old
    const refusedWhileValid: string[] = []
    let isDone = false
    const client = (async () => {
      while (!isDone) {
        const token = current
        if ((await ask(token)).status === 401) refusedWhileValid.push(token)
      }
    })()
    const fresh = await createToken('Rotating Ltd')
    current = fresh
    const listed = await world.started.run('token', 'list', 'Rotating Ltd')
    const ids = [...listed.text.matchAll(/"(?:tokenId|id)":"([0-9a-f-]{36})"/g)].map((match) => match[1]!)
    const oldId = await idOfToken(listed.text, old, ids)
    expect((await world.started.run('token', 'revoke', oldId, '--yes')).code).toBe(0)
    expect(await eventually(old, 401)).toBe(401)
    isDone = true
    await client
    expect(refusedWhileValid).toEqual([])
    expect((await ask(fresh)).status).toBe(200)
  })

  let limited: string
  assertion('C121', '60 requests within a minute are served, the 61st is 429', async () => {
    limited = await organization('Limited Ltd')
    const statuses: number[] = []
    for (let request = 0; request < 61; request++) statuses.push((await ask(limited)).status)
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 200), 429])
  })
  assertion('C122', 'the count is shared by both tokens', async () => {
    expect((await ask(await createToken('Limited Ltd'))).status).toBe(429)
  })
  assertion('C123', 'other organizations are unaffected', async () => {
    expect((await world.request('/v1/tenders?limit=1')).status).toBe(200)
    expect((await ask(await organization('Unaffected Ltd'))).status).toBe(200)
  })
  assertion('C124', '429 carries an integer Retry-After', async () => {
    const answer = await ask(limited)
    const problem = await world.expectProblem(answer, 429, 'rate-limited')
    expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect(problem.retryAfter).toBe(Number(answer.headers['retry-after']))
  })
  assertion('C125', 'after that wait the same request is served', async () => {
    const waitMs = Number((await ask(limited)).headers['retry-after']) * 1000
    await world.started.advance(waitMs)
    expect((await ask(limited)).status).toBe(200)
  })
  assertion('C126', 'X-RateLimit-Limit is the limit per minute', async () => {
    await world.started.advance(minuteMs)
    expect((await ask(limited)).headers['x-ratelimit-limit']).toBe('60')
  })
  assertion('C127', 'X-RateLimit-Remaining is the number left', async () => {
    await world.started.advance(minuteMs)
    for (const left of [59, 58, 57]) expect((await ask(limited)).headers['x-ratelimit-remaining']).toBe(String(left))
    expect((await world.request('/v1/tenders?limit=x', { token: limited })).headers['x-ratelimit-remaining']).toBe('56')
    expect((await world.request('/v1/nothing', { token: limited })).headers['x-ratelimit-remaining']).toBeUndefined()
    expect(
      (await world.request('/v1/tenders', { token: limited, method: 'POST' })).headers['x-ratelimit-remaining'],
    ).toBeUndefined()
    expect((await ask(limited)).headers['x-ratelimit-remaining']).toBe('55')
  })
  assertion('C128', 'X-RateLimit-Reset says when Remaining increases: 1 to 60 seconds', async () => {
    const reset = Number((await ask(limited)).headers['x-ratelimit-reset'])
    expect(reset).toBeGreaterThanOrEqual(1)
    expect(reset).toBeLessThanOrEqual(60)
    const before = Number((await ask(limited)).headers['x-ratelimit-remaining'])
    await world.started.advance(reset * 1000)
    expect(Number((await ask(limited)).headers['x-ratelimit-remaining'])).toBeGreaterThanOrEqual(before)
  })
  assertion('C129', 'a higher limit of the contract is enforced and shown', async () => {
    const token = await organization('Higher Ltd', '--requests-per-minute', '75')
    const statuses: number[] = []
    for (let request = 0; request < 76; request++) {
      const answer = await ask(token)
      expect(answer.headers['x-ratelimit-limit']).toBe('75')
      statuses.push(answer.status)
    }
    expect(statuses).toEqual([...Array.from({ length: 75 }, () => 200), 429])
  })
  assertion('C130', '60 pages of 100 are served within a minute', async () => {
    await world.started.advance(minuteMs)
    let records = 0
    for (let request = 0; request < 60; request++) {
      const answer = await world.request('/v1/tenders?archived=true&limit=100', { token: limited })
      expect(answer.status).toBe(200)
      records += (answer.json() as { data: unknown[] }).data.length
    }
    expect(records).toBe(6000)
  })
  assertion('C10', 'serving opens no connection to anyone', async () => {
    const port = Number(new URL(world.base).port)
    const seen = new Set<string>()
    for (let request = 0; request < 30; request++) {
      await world.request('/v1/tenders?limit=100')
      for (const line of outgoingConnections(world.started.pid(), port)) seen.add(line)
    }
    expect([...seen]).toEqual([])
  })
  assertion('C120', 'no token appears in an answer, a log line or an error', async () => {
    const leaks: string[] = []
    for (const path of [
      '/v1/tenders',
      `/v1/tenders?token=${world.token}`,
      `/v1/tenders?cursor=${world.token}`,
      `/v1/tenders/${world.token}`,
      `/${world.token}`,
    ]) {
      for (const token of [world.token, null, `${world.token}x`]) {
        const answer = await world.request(path, { token, headers: { 'x-request-id': world.token } })
        if (`${answer.body}${JSON.stringify(answer.headers)}`.includes(world.token)) leaks.push(path)
      }
    }
    expect(leaks).toEqual([])
    const logged = world.started
      .output()
      .split('\n')
      .filter((line) => tokenPattern.test(line))
    expect(logged).toEqual([])
  })
}

async function idOfToken(listed: string, token: string, ids: readonly string[]): Promise<string> {
  const lastFour = token.slice(-4)
  const events = listed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { [member: string]: unknown })
  const tokens = events.flatMap((event) =>
    Array.isArray(event.tokens) ? (event.tokens as { [member: string]: unknown }[]) : [event],
  )
  const mine = tokens.find((entry) => Object.values(entry).includes(lastFour))
  return String(mine?.tokenId ?? mine?.id ?? ids[0])
}

/** A second service with the hourly interval and nothing published yet. */
export function intervalAssertions(
  files: () => readonly (readonly [string, string])[],
  more: () => readonly (readonly [string, string])[],
): void {
  assertion('C137', 'before the first edition: 503 with Retry-After', async () => {
    const service = await startService({ until: 'ready' }).catch(() => undefined)
    // A service that is ready only with an edition cannot be queried before; then it serves an empty stock.
    if (!service) throw new Error('a service without notices does not start')
    try {
      const answer = await send(service.api(), '/v1/tenders', { token: service.token() })
      expect(answer.status).toBe(503)
      expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
      const seconds = Number(answer.headers['retry-after'])
      expect(seconds).toBeGreaterThanOrEqual(5)
      expect(seconds).toBeLessThanOrEqual(120)
    } finally {
      await service.stop()
    }
  })
  assertion('C5', 'no two states become visible less than 60 minutes apart', async () => {
    const service = await startService({ files: files() })
    try {
      const newest = async () =>
        String((await send(service.api(), '/v1/tenders?limit=1', { token: service.token() })).headers['x-stock-state'])
      const before = await newest()
      await service.ingest(more())
      expect((await service.run('publish')).code).toBe(4)
      expect(await newest()).toBe(before)
      await service.advance(58 * minuteMs)
      expect((await service.run('publish')).code).toBe(4)
      expect(await newest()).toBe(before)
      await service.advance(2 * minuteMs + 1000)
      // The service publishes on its own when the hour is over; then the command finds that it is too early for one
      // more.
      expect([0, 4]).toContain((await service.run('publish')).code)
      expect(await newest()).not.toBe(before)
    } finally {
      await service.stop()
    }
  })
}
