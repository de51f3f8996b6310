// Spans of a real service as the SDK that its operator loaded receives them, in the trace of a caller that sends
// `traceparent`.
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startService } from './watched-process.ts'

type SeenSpan = {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parent?: string
  readonly attributes: { readonly [name: string]: unknown }
}

test('requests continue the trace of their caller on both paths of answering; stages are children of their round', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-spans-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'spans.ndjson')
  const telemetry = new URL('./telemetry.ts', import.meta.url)
  await using service = await startService(['start', '--source', 'no-doffin'], {
    env: { SPANS: file },
    nodeArgs: ['--import', telemetry.href],
  })
  const authorization = `Bearer ${(await readFile(join(service.folder, 'trial-token'), 'utf8')).trim()}`
  const [trace, caller] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
  const ask = async (path: string, headers: { readonly [name: string]: string }) => {
    const answer = await fetch(service.ready.api + path, { headers: { authorization, ...headers } })
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
  }
  const traceparent = `00-${trace}-${caller}-01`
  // the first is answered on its socket, the second by the server of Node
  await ask('/v1/tenders?limit=1', { traceparent })
  await ask('/readyz', { Traceparent: traceparent })
  await ask('/v1/tenders?limit=2', {})
  await ask('/v1/tenders?limit=3', { traceparent: 'nonsense' })
  const spans = () =>
    (existsSync(file) ? readFileSync(file, 'utf8') : '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as SeenSpan)
  const requests = () => spans().filter(({ attributes }) => 'http.route' in attributes)
  await expect.poll(() => requests().length, { timeout: 30_000 }).toBeGreaterThanOrEqual(4)
  const [list, ready, alone, odd] = requests()
  expect(list).toMatchObject({ name: 'GET /v1/tenders', traceId: trace, parent: caller })
  expect(list!.attributes).toMatchObject({ 'http.route': '/v1/tenders', 'http.response.status_code': 200 })
  expect(ready).toMatchObject({ name: 'GET /readyz', traceId: trace, parent: caller })
  for (const own of [alone, odd]) {
    expect(own!.parent).toBeUndefined()
    expect(own!.traceId).not.toBe(trace)
  }
  const round = spans().find(({ name }) => name === 'round')!
  const stages = spans().filter(({ parent }) => parent === round.spanId)
  expect(stages.length).toBeGreaterThan(1)
  expect(new Set(stages.map(({ traceId }) => traceId))).toEqual(new Set([round.traceId]))
}, 300_000)
