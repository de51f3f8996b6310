// The contract is committed as generated, passes the linter, and is true of live answers.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, startApi, startOfTests } from '../../test/api-world.ts'
import { plainId } from '../../test/memory-editions.ts'
import { makeToken } from '../domain/token.ts'
import { systemRandom } from '../platform/random.ts'
import { generateContract } from './contract.ts'
import { contractFile, contractText, exampleBaseUrl, exampleDocsUrl } from './contract-text.ts'
import { listParameters } from './parameters/parameters.ts'
import { problemSlugs, problemType } from './problems/problems.ts'

type Answer = {
  headers?: Record<string, unknown>
  content?: Record<string, { schema: AnySchema; examples: Record<string, { value: unknown }> }>
}
type Operation = {
  operationId: string
  parameters: { name: string; in: string; examples?: object; description?: string }[]
  responses: Record<string, Answer>
}
type Document = {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, AnySchema> }
}

const root = join(import.meta.dirname, '../..')
const text = readFileSync(contractFile, 'utf8')
const document = JSON.parse(text) as Document
const list = document.paths['/v1/tenders']!['get']!
const record = document.paths['/v1/tenders/{id}']!['get']!

const ajv = new Ajv2020({ strict: false, allErrors: true })
;(formats as unknown as (target: Ajv2020) => void)(ajv)
ajv.addSchema({ $id: 'contract', ...document })

type Part = { readonly properties: { readonly [member: string]: object }; readonly required?: readonly string[] }
const partsOf = ({ components }: Document) => components.schemas as unknown as { readonly [name: string]: Part }

function validatorOf({ content }: Answer, type: string): ValidateFunction {
  const schema = JSON.parse(JSON.stringify(content?.[type]?.schema ?? false).replaceAll('"#/', '"contract#/'))
  return ajv.compile(schema)
}

describe('the committed contract', () => {
  test('is what the routes generate; run "npm run generate" when this fails', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    expect(text).toBe(await generateContract(version))
  })

  test('passes the linter with the rules of redocly.yaml', async () => {
    const redocly = join(root, 'node_modules/@redocly/cli/bin/cli.js')
    const { stderr } = await promisify(execFile)(
      process.execPath,
      [redocly, 'lint', 'contract/openapi.json', '--config', 'redocly.yaml'],
      {
        cwd: root,
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    )
    expect(stderr).toContain('valid')
    expect(stderr).not.toMatch(/warning/i)
  })

  test('C1, C140: OpenAPI 3.1 with exactly the two paths of the specification, both GET', () => {
    expect(document.openapi).toMatch(/^3\.1\./)
    expect(Object.entries(document.paths).map(([path, operations]) => [path, Object.keys(operations)])).toEqual([
      ['/v1/tenders', ['get']],
      ['/v1/tenders/{id}', ['get']],
    ])
    expect([list.operationId, record.operationId]).toEqual(['listTenders', 'getTender'])
  })

  test('describes every parameter, with an example', () => {
    expect(list.parameters.map(({ name }) => name)).toEqual(listParameters.map(({ name }) => name))
    for (const parameter of [...list.parameters, ...record.parameters]) {
      expect(parameter.description).toBeTruthy()
      expect(Object.keys(parameter.examples ?? {}).length).toBeGreaterThan(0)
    }
  })

  test('D1: shows every problem type of the operations with an example that is a valid problem', () => {
    const shown = new Set<string>()
    for (const operation of [list, record]) {
      for (const [status, answer] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue
        const isValid = validatorOf(answer, 'application/problem+json')
        for (const { value } of Object.values(answer.content!['application/problem+json']!.examples)) {
          expect(isValid(value), JSON.stringify(isValid.errors)).toBe(true)
          expect(value).toMatchObject({ status: Number(status) })
          shown.add((value as { type: string }).type)
        }
      }
    }
    const beside = ['method-not-allowed', 'request-timeout', 'no-bulk-access', 'link-ended'] as const
    expect([...shown].sort()).toEqual(
      problemSlugs
        .filter((slug) => !beside.some((other) => other === slug))
        .map((slug) => problemType(exampleDocsUrl, slug))
        .sort(),
    )
  })

  test('its examples of success are valid', () => {
    for (const operation of [list, record]) {
      const isValid = validatorOf(operation.responses['200']!, 'application/json')
      for (const { value } of Object.values(operation.responses['200']!.content!['application/json']!.examples))
        expect(isValid(value), JSON.stringify(isValid.errors)).toBe(true)
    }
  })

  test('D38: the status of a record and of a lot is an open list of known values', () => {
    const { TenderRecord, Lot } = partsOf(document)
    expect(TenderRecord!.properties['status']).toMatchObject({
      type: 'string',
      'x-extensible-enum': expect.arrayContaining(['open', 'merged']),
    })
    for (const each of [TenderRecord!, Lot!]) expect(each.properties['status']).not.toHaveProperty('enum')
  })

  test('D41: a place of performance has a country, a NUTS code, a postal code and a city, each if it is known', () => {
    const { RealizedLocation } = partsOf(document)
    expect(Object.keys(RealizedLocation!.properties)).toEqual(['country', 'nuts', 'postalCode', 'city'])
    expect(RealizedLocation!.required ?? []).toEqual([])
  })

  test('every object in a record has a name, so that a generated client has a type for it', () => {
    const { TenderRecord, Lot, Organization, OriginalSource, Amount } = partsOf(document)
    for (const schema of [TenderRecord, Lot, Organization, OriginalSource, Amount]) {
      const { translations, ...members } = schema!.properties
      expect(JSON.stringify(members)).not.toContain('"properties"')
    }
    expect(Lot!.properties['winners']).toMatchObject({ items: { $ref: '#/components/schemas/Organization' } })
    expect(Lot!.properties['awardedAmount']).toEqual({
      $ref: '#/components/schemas/Amount',
      description: 'Awarded value of the lot (BT-720).',
    })
  })

  test('records and problems stay open for new members (D52)', () => {
    for (const name of ['TenderRecord', 'Lot', 'Organization', 'Problem', 'TenderList'])
      expect(document.components.schemas[name]).not.toHaveProperty('additionalProperties', false)
  })
})

describe('live answers', () => {
  let world: ApiWorld
  beforeAll(async () => {
    world = await startApi({ baseUrl: 'https://api.test.example' })
    world.editions.publish(startOfTests, [
      {
        id: plainId(1),
        contractAmount: { value: 5.5, currency: 'EUR', estimated: false },
        cpvCodes: ['45000000'],
        nutsCodes: ['DE2'],
      },
      { id: plainId(2), status: 'merged', archiveReason: 'merged', mergedInto: plainId(1) },
      { id: plainId(3) },
    ])
  })
  afterAll(() => world[Symbol.asyncDispose]())

  async function expectAsPromised(operation: Operation, response: Response): Promise<void> {
    const promised = operation.responses[String(response.status)]
    expect(promised, `status ${response.status} is promised`).toBeDefined()
    const body = await response.text()
    if (response.status !== 304) {
      const isValid = validatorOf(promised!, response.headers.get('content-type')!)
      expect(isValid(JSON.parse(body)), JSON.stringify(isValid.errors)).toBe(true)
    }
    const optional = new Set([
      'Link',
      'Retry-After',
      ...(response.status >= 400 ? ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] : []),
    ])
    for (const name of Object.keys(promised!.headers ?? {}))
      if (!optional.has(name)) expect(response.headers.has(name), name).toBe(true)
  }

  test('are what the contract promises: bodies, statuses and headers', async () => {
    const etag = (await world.get('/v1/tenders')).headers.get('etag')!
    const wrong = { authorization: `Bearer ${makeToken(systemRandom.bytes)}` }
    const closed = { authorization: `Bearer ${world.tokens.add('none', { hasApiAccess: false })}` }
    const small = { authorization: `Bearer ${world.tokens.add('small', { requestsPerMinute: 1 })}` }
    await (await world.get('/v1/tenders', small)).arrayBuffer()
    const lists: [string, Record<string, string>, number][] = [
      ['/v1/tenders', {}, 200],
      ['/v1/tenders?limit=1&archived=true', {}, 200],
      ['/v1/tenders?cpv=03000000', {}, 200],
      ['/v1/tenders', { 'if-none-match': etag }, 304],
      ['/v1/tenders?nope=1&cpv=4&procedure=x', {}, 400],
      ['/v1/tenders?cursor=abc', {}, 400],
      ['/v1/tenders', wrong, 401],
      ['/v1/tenders', closed, 403],
      [`/v1/tenders?x=${'a'.repeat(9000)}`, {}, 414],
      ['/v1/tenders', small, 429],
    ]
    for (const [path, headers, status] of lists) {
      const response = await world.get(path, headers)
      expect(response.status).toBe(status)
      await expectAsPromised(list, response)
    }
    for (const [path, headers] of [
      [plainId(1), {}],
      [plainId(2), {}],
      [plainId(9), {}],
      ['nonsense', {}],
      [`${plainId(1)}?a=1`, {}],
      [plainId(1), wrong],
    ] as [string, Record<string, string>][])
      await expectAsPromised(record, await world.get(`/v1/tenders/${path}`, headers))
  })

  test('/openapi.json is the contract with the address of this service', async () => {
    const response = await fetch(`${world.origin}/openapi.json`)
    expect(response.headers.get('content-type')).toBe('application/json')
    const served = await response.text()
    expect(served).toBe(contractText({ baseUrl: 'https://api.test.example', docsUrl: world.docsUrl }))
    for (const url of [exampleBaseUrl, exampleDocsUrl]) expect(served).not.toContain(url)
    expect(JSON.parse(served).servers[0].url).toBe('https://api.test.example')
  })
})
