// The dlt configuration: it is valid by dlt's types, and what it describes keeps a copy equal. dlt itself is not run
// here.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type ApiWorld, startApi } from '../api-world.ts'
import { randomOf } from '../testing/generate/random.ts'
import { hasPython, python } from './python.ts'
import { contentById, editionContent, publishNext, type Row, upsert } from './stock-world.ts'

type Config = {
  readonly client: { readonly base_url: string; readonly headers: Record<string, string>; readonly auth: Auth }
  readonly resources: readonly [Resource]
}
type Auth = { readonly type: string; readonly token: string }
type Resource = {
  readonly name: string
  readonly primary_key: string
  readonly write_disposition: string
  readonly endpoint: Endpoint
}
type Endpoint = {
  readonly path: string
  readonly data_selector: string
  readonly params: Record<string, string | number>
  readonly paginator: { readonly type: string; readonly cursor_path: string; readonly cursor_param: string }
  readonly incremental: { readonly cursor_path: string; readonly initial_value: string }
}

/** The keys of `RESTAPIConfig` and its parts, after dlt/sources/rest_api/typing.py. */
const keys: { readonly [part: string]: readonly string[] } = {
  config: ['client', 'resources', 'resource_defaults'],
  client: ['base_url', 'headers', 'auth', 'paginator', 'session'],
  auth: ['type', 'token'],
  resource: [
    'name',
    'endpoint',
    'table_name',
    'max_table_nesting',
    'write_disposition',
    'columns',
    'primary_key',
    'merge_key',
    'selected',
    'parallelized',
    'processing_steps',
  ],
  endpoint: ['path', 'method', 'params', 'json', 'paginator', 'data_selector', 'response_actions', 'incremental'],
  paginator: ['type', 'cursor_path', 'cursor_param'],
  incremental: [
    'cursor_path',
    'initial_value',
    'last_value_func',
    'primary_key',
    'end_value',
    'row_order',
    'convert',
    'start_param',
    'end_param',
    'lag',
    'range_start',
    'range_end',
    'on_cursor_value_missing',
  ],
}

const configOf = (baseUrl: string, token: string, filters = {}): Config => {
  const call = `tenderstock.config(${JSON.stringify(baseUrl)}, ${JSON.stringify(token)}, ${JSON.stringify(filters)})`
  return JSON.parse(python('dlt', '-c', `import json, tenderstock; print(json.dumps(${call}))`))
}

type State = { readonly lastValue: string; readonly idsAtLastValue: readonly string[] }

/**
 * One load as dlt does it: the placeholder filled once, pages by cursor, rows seen at the boundary dropped by their
 * key.
 */
async function load(config: Config, state: State | undefined): Promise<{ rows: Row[]; state: State; urls: string[] }> {
  const [{ endpoint }] = config.resources
  const { cursor_path: field, initial_value: initial } = endpoint.incremental
  const start = state?.lastValue ?? initial
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(endpoint.params)) {
    const text = String(value).replace('{incremental.start_value}', start)
    if (text.includes('{')) throw new Error(`a placeholder that this interpreter does not know: ${text}`)
    parameters.set(name, text)
  }
  const rows: Row[] = []
  const urls: string[] = []
  for (;;) {
    const url = `${new URL(endpoint.path, config.client.base_url)}?${parameters}`
    urls.push(url)
    const headers = { ...config.client.headers, authorization: `Bearer ${config.client.auth.token}` }
    const response = await fetch(url, { headers })
    if (!response.ok) throw new Error(`status ${response.status}`)
    const body = (await response.json()) as Record<string, unknown>
    rows.push(...(body[endpoint.data_selector] as Row[]))
    const cursor = body[endpoint.paginator.cursor_path]
    if (!cursor) break
    parameters.set(endpoint.paginator.cursor_param, String(cursor))
  }
  const lastValue = rows.reduce((largest, row) => (String(row[field]) > largest ? String(row[field]) : largest), start)
  const fresh = rows.filter((row) => !(row[field] === start && state?.idsAtLastValue.includes(row.id)))
  const idsAtLastValue = rows.filter((row) => row[field] === lastValue).map(({ id }) => id)
  return { rows: fresh, urls, state: { lastValue, idsAtLastValue } }
}

describe.skipIf(!hasPython)('the dlt configuration', () => {
  test('has only keys that dlt knows, merges by id and starts at the beginning of the archive', () => {
    const config = configOf('http://127.0.0.1:1/', 'secret', { cpv: '45000000' })
    const [resource] = config.resources
    const { endpoint } = resource
    const parts = {
      config,
      client: config.client,
      auth: config.client.auth,
      resource,
      endpoint,
      paginator: endpoint.paginator,
      incremental: endpoint.incremental,
    }
    for (const [part, value] of Object.entries(parts))
      for (const key of Object.keys(value)) expect(keys[part], `${part}.${key}`).toContain(key)
    expect(config.client.base_url).toBe('http://127.0.0.1:1/v1/')
    expect(resource).toMatchObject({ name: 'tenders', primary_key: 'id', write_disposition: 'merge' })
    expect(endpoint.paginator.type).toBe('cursor')
    expect(endpoint.incremental).toEqual({ cursor_path: 'lastModified', initial_value: '2022-01-01T00:00:00.000Z' })
    expect(endpoint.params).toEqual({ cpv: '45000000', limit: 100, updated_since: '{incremental.start_value}' })
  })

  test('C153 sets dlt’s waits to 1, 2, 4, 8, 16 minutes', () => {
    const text = readFileSync(new URL('../../integrations/dlt/.dlt/config.toml', import.meta.url), 'utf8')
    const value = (name: string) => Number(new RegExp(`^${name} = (\\d+)$`, 'm').exec(text)?.[1])
    const waits = Array.from({ length: value('request_max_attempts') - 1 }, (_, failures) =>
      Math.min(value('request_max_retry_delay'), value('request_backoff_factor') * 2 ** failures),
    )
    expect(waits).toEqual([60, 120, 240, 480, 960])
  })

  test.each([1, 2, 3, 4, 5])('describes loads that keep a copy equal over twelve editions (seed %i)', async (seed) => {
    await using world: ApiWorld = await startApi()
    const random = randomOf(seed)
    const config = configOf(world.origin, world.token)
    const copy = new Map<string, Row>()
    let state: State | undefined
    for (let edition = 1; edition <= 12; edition++) {
      publishNext(world, random, 300)
      if (random.chance(0.2)) continue
      const loaded = await load(config, state)
      for (const row of loaded.rows) upsert(copy, row)
      state = loaded.state
      expect(contentById(copy.values())).toEqual(await editionContent(world))
      expect(new Set(loaded.urls.map((url) => new URL(url).searchParams.get('updated_since'))).size).toBe(1)
    }
  })
})
