// The Airbyte manifest: its structure is valid, it is current with the contract, and what it describes keeps a copy
// equal.
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { withSchema } from '../../integrations/generate-schemas.ts'
import { type ApiWorld, startApi } from '../api-world.ts'
import { plainId } from '../memory-editions.ts'
import { randomOf } from '../testing/generate/random.ts'
import { faultsOf, type ManifestNode, readManifest, render, resolveReferences, waitFor } from './interpret-manifest.ts'
import { contentById, editionContent, publishNext, type Row, upsert } from './stock-world.ts'

const text = readFileSync(new URL('../../integrations/airbyte/manifest.yaml', import.meta.url), 'utf8')
const contract = readFileSync(new URL('../../contract/openapi.json', import.meta.url), 'utf8')
const manifest = parse(text) as ManifestNode
const configOf = (world: ApiWorld) => ({ base_url: world.origin, token: world.token })

type Stream = {
  readonly retriever: { readonly paginator: { readonly pagination_strategy: { stop_condition: string } } }
  readonly incremental_sync: { start_time_option?: unknown; readonly start_datetime: { datetime: string } }
}

describe('the manifest', () => {
  test('has no unknown member or component of the component schema, and everything required', () => {
    expect(faultsOf(manifest)).toEqual([])
    expect(faultsOf(parse(text.replace('cursor_value:', 'cursor_path:')) as ManifestNode)).toEqual([
      expect.stringContaining('CursorPagination has no cursor_path'),
      expect.stringContaining('CursorPagination lacks cursor_value'),
    ])
  })

  test("carries the contract's record schema, as integrations/generate-schemas.ts writes it", () => {
    expect(text).toBe(withSchema(text, contract))
  })

  test('starts at the beginning of the archive and has no end: the first load is a delta, immune to G1', () => {
    const [stream] = manifest.streams as [ManifestNode]
    expect(stream.incremental_sync).toMatchObject({ start_datetime: { datetime: '2022-01-01T00:00:00.000Z' } })
    expect(stream.incremental_sync).not.toHaveProperty('end_datetime')
    expect(stream.incremental_sync).not.toHaveProperty('end_time_option')
    expect(stream.primary_key).toEqual(['id'])
  })

  test('declares what its requests need: every config value in a template is in the specification', () => {
    const read = [...text.matchAll(/config(?:\.get\('|\[')(\w+)/g)].map(([, name]) => name!)
    const { properties } = (manifest.spec as { connection_specification: { properties: ManifestNode } })
      .connection_specification
    expect(new Set(read)).toEqual(new Set(Object.keys(properties)))
  })

  test('C152 C153 waits Retry-After after 429 and 503, 1, 2, 4, 8, 16 minutes after 500, 502, 504, and stops on the rest', () => {
    const [stream] = resolveReferences(manifest).streams as [
      { retriever: { requester: { error_handler: ManifestNode } } },
    ]
    const handler = stream.retriever.requester.error_handler
    const decide = (status: number, attempt: number, headers = {}, body = {}) =>
      waitFor(handler, { status, headers: new Headers(headers), body }, attempt)
    expect(decide(429, 1, { 'retry-after': '17' })).toEqual({ waitSeconds: 17 })
    expect(decide(503, 2, { 'retry-after': '30' })).toEqual({ waitSeconds: 30 })
    for (const status of [500, 502, 504]) {
      const waits = [1, 2, 3, 4, 5].map((attempt) => decide(status, attempt))
      expect(waits).toEqual([60, 120, 240, 480, 960].map((waitSeconds) => ({ waitSeconds })))
      expect(decide(status, 6)).toEqual({ error: 'attempts exhausted' })
    }
    const expired = { type: 'https://docs.example/access#error-cursor-expired', detail: 'older than 24 hours' }
    expect(decide(400, 1, {}, expired)).toEqual({ error: 'transient_error: older than 24 hours' })
    for (const status of [400, 401, 403, 404])
      expect(decide(status, 1, {}, { detail: 'why' })).toEqual({ error: 'config_error: why' })
  })

  test('leaves filters that are not configured out of the request', () => {
    expect(render("{{ config.get('cpv', '') }}", { config: {} })).toBeUndefined()
    expect(render("{{ config.get('cpv', '') }}", { config: { cpv: '03212210' } })).toBe('03212210')
  })
})

describe('what the manifest describes', () => {
  test.each([1, 2, 3, 4, 5])('keeps a copy equal to the edition over twelve editions (seed %i)', async (seed) => {
    await using world = await startApi()
    const random = randomOf(seed)
    const copy = new Map<string, Row>()
    const validate = addFormats
      .default(new Ajv({ strict: false }))
      .compile((manifest.schemas as { tenders: ManifestNode }).tenders)
    let state = {}
    for (let edition = 1; edition <= 12; edition++) {
      publishNext(world, random, 300)
      if (random.chance(0.2)) continue
      const run = await readManifest(manifest, configOf(world), state)
      for (const row of run.rows) {
        expect(validate(row), JSON.stringify(validate.errors)).toBe(true)
        upsert(copy, row)
      }
      state = run.state
      expect(contentById(copy.values())).toEqual(await editionContent(world))
      expect(run.rows.length).toBe(new Set(run.rows.map(({ id }) => id)).size)
    }
  })

  const faults: readonly (readonly [string, (stream: Stream) => void])[] = [
    ['no updated_since', ({ incremental_sync }) => delete incremental_sync.start_time_option],
    [
      'an end after the first page',
      ({ retriever }) => (retriever.paginator.pagination_strategy.stop_condition = 'true'),
    ],
    ['a late start', ({ incremental_sync }) => (incremental_sync.start_datetime.datetime = '2026-11-02T11:00:00.000Z')],
  ]

  test.each(faults)('fails with a mistake in the manifest: %s', async (_name, plant) => {
    const faulty = structuredClone(manifest) as unknown as { streams: [Stream] }
    plant(faulty.streams[0])
    await using world = await startApi()
    const random = randomOf(1)
    const copy = new Map<string, Row>()
    let state = {}
    let mismatches = 0
    for (let edition = 1; edition <= 6; edition++) {
      publishNext(world, random, 300)
      const run = await readManifest(faulty as unknown as ManifestNode, configOf(world), state)
      for (const row of run.rows) upsert(copy, row)
      state = run.state
      if (!isDeepStrictEqual(contentById(copy.values()), await editionContent(world))) mismatches++
    }
    expect(mismatches).toBeGreaterThan(0)
  })

  test('R2 a run during which an edition is published ends with the edition it began in; the next run has the rest', async () => {
    await using world = await startApi()
    const random = randomOf(7)
    const record = (number: number) => ({ id: plainId(number) })
    world.editions.publish(
      world.now,
      Array.from({ length: 450 }, (_, index) => record(index + 1)),
    )
    const before = await editionContent(world)
    const copy = new Map<string, Row>()
    const run = await readManifest(manifest, configOf(world), {}, (page) => {
      if (page === 2) publishNext(world, random)
    })
    expect(run.urls).toHaveLength(5)
    for (const row of run.rows) upsert(copy, row)
    expect(contentById(copy.values())).toEqual(before)
    for (const row of (await readManifest(manifest, configOf(world), run.state)).rows) upsert(copy, row)
    expect(contentById(copy.values())).toEqual(await editionContent(world))
  })

  test('C148 C149 takes its state from the records: an empty run changes nothing', async () => {
    await using world = await startApi()
    publishNext(world, randomOf(1))
    const { state } = await readManifest(manifest, configOf(world), {})
    const empty = await readManifest(manifest, { ...configOf(world), cpv: '99999999' }, state)
    expect(empty.rows).toEqual([])
    expect(empty.state).toEqual(state)
  })

  test('filters pass, and a wrong token ends the run with the API’s reason', async () => {
    await using world = await startApi()
    publishNext(world, randomOf(3), 100)
    const { rows } = await readManifest(manifest, { ...configOf(world), cpv: '45000000', nuts: 'DE2' }, {})
    expect(contentById(rows)).toEqual(await editionContent(world, '&cpv=45000000&nuts=DE2'))
    await expect(readManifest(manifest, { ...configOf(world), token: 'wrong' }, {})).rejects.toThrow('config_error')
  })
})
