// Mapping files: the schema, the faults in words, and how a record becomes properties.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Ajv2020 from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { proofCount } from '../../../../test/proof/proof-count.ts'
import { archivedOf, idOf, mergedOf, recordOf } from '../../testing/sink-conformance.ts'
import { schemaFaults } from '../faults/schema-faults.ts'
import { filledJson } from './filled-json.ts'
import { type HttpMapping, type MappedField, parseMapping } from './http-mapping.ts'
import { mappingSchema } from './http-mapping-schema.ts'
import { mappedProperties } from './mapped-properties.ts'
import { readAnswer } from './read-answer.ts'

const file = (name: string) => JSON.parse(readFileSync(new URL(`../../../mappings/${name}`, import.meta.url), 'utf8'))
const environment = {
  HUBSPOT_TOKEN: 'h',
  SALESFORCE_CLIENT_ID: 'i',
  SALESFORCE_CLIENT_SECRET: 's',
  SALESFORCE_URL: 'https://own.my.salesforce.example',
}
const shipped = ['hubspot-deals.json', 'salesforce.json'] as const

describe('mapping files', () => {
  test.each(shipped)('%s can be used unchanged', (name) => {
    const mapping = parseMapping(file(name), environment)
    if (mapping.auth)
      expect(mapping.auth).toEqual({
        tokenUrl: 'https://own.my.salesforce.example/services/oauth2/token',
        clientId: 'i',
        clientSecret: 's',
      })
    else expect(mapping.headers).toEqual({ Authorization: 'Bearer h' })
    expect(mapping.baseUrl).not.toMatch(/\/$/)
  })

  test('reports every fault at once, with its position and a suggestion', () => {
    const mapping = file('hubspot-deals.json')
    mapping.vresion = 1
    delete mapping.version
    mapping.fields[0].maxLenght = 3
    mapping.fields[1].when = 'never'
    mapping.upsert.batchSize = 0
    mapping.upsert.answer.kind = 'listed'
    let message = ''
    try {
      parseMapping(mapping, environment)
    } catch (error) {
      message = String(error)
    }
    expect(message.split('\n- ').slice(1)).toEqual([
      'The file lacks "version"',
      'upsert.batchSize must be at least 1',
      'upsert.answer.kind must be one of keyed, ordered, not "listed"',
      'fields[0] has an unknown member "maxLenght"; did you mean "maxLength"?',
      'fields[1].when must be one of always, create, not "never"',
      'The file has an unknown member "vresion"; did you mean "version"?',
    ])
  })

  test.each([
    [
      'a variable that is not set is named, never its neighbors',
      (_: HttpMapping) => undefined,
      {},
      'HUBSPOT_TOKEN, which is not set',
    ],
    ['checkedAt is no field', (m) => m.fields.push({ to: 'x', from: 'checkedAt' }), environment, 'checkedAt'],
    [
      'from and value',
      (m) => m.fields.push({ to: 'x', from: 'title', value: 1 }),
      environment,
      'either "from" or "value"',
    ],
    ['the same property twice', (m) => m.fields.push({ to: 'dealname', from: 'title' }), environment, 'another field'],
    ['an unknown source', (m) => m.fields.push({ to: 'x', from: '$now' }), environment, '$state and $isBackfill'],
    [
      'an unknown zone',
      (m) => m.fields.push({ to: 'x', from: 'title', timeZone: 'Mars/North' }),
      environment,
      'Mars/North',
    ],
    [
      'when at a close field',
      (m) => m.close.fields.push({ to: 'x', value: 1, when: 'create' }),
      environment,
      'set once anyway',
    ],
    [
      'a session beside a token',
      (m) => void Object.assign(m, { auth: { tokenUrl: 'https://x.example', clientId: 'i', clientSecret: 's' } }),
      environment,
      'auth and headers.Authorization exclude each other',
    ],
    [
      'a secret over plain HTTP',
      (m) =>
        void Object.assign(m, {
          headers: {},
          auth: { tokenUrl: 'http://x.example', clientId: 'i', clientSecret: 's' },
        }),
      environment,
      'auth.tokenUrl must be an absolute address with https',
    ],
    ['create without lookup', (m) => void delete (m as { lookup?: unknown }).lookup, environment, 'lookup is missing'],
  ] as readonly (readonly [string, (mapping: Mutable) => unknown, object, string])[])(
    'refused: %s',
    (_, change, env, words) => {
      const mapping = file('hubspot-deals.json')
      change(mapping)
      expect(() => parseMapping(mapping, env as typeof environment)).toThrow(words)
    },
  )

  test('a value may be in a file that its variable names; the variable itself comes first', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mapping-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const [secret, empty] = [join(folder, 'secret'), join(folder, 'empty')]
    writeFileSync(secret, 'from-file\n')
    writeFileSync(empty, '\n')
    const { SALESFORCE_CLIENT_SECRET: _, ...others } = environment
    const secretOf = (more: { [name: string]: string }) =>
      parseMapping(file('salesforce.json'), { ...others, ...more }).auth?.clientSecret
    expect(secretOf({ SALESFORCE_CLIENT_SECRET_FILE: secret })).toBe('from-file')
    expect(secretOf({ SALESFORCE_CLIENT_SECRET_FILE: secret, SALESFORCE_CLIENT_SECRET: 's' })).toBe('s')
    expect(() => secretOf({ SALESFORCE_CLIENT_SECRET_FILE: empty })).toThrow(/SALESFORCE_CLIENT_SECRET_FILE is empty$/)
    expect(() => secretOf({ SALESFORCE_CLIENT_SECRET_FILE: join(folder, 'none') })).toThrow(/none .*cannot be read/)
    expect(() => secretOf({})).toThrow(/SALESFORCE_CLIENT_SECRET, which is not set/)
  })

  test('the checker agrees with a complete one, whatever is wrong', () => {
    const ajv = new Ajv2020.Ajv2020({ strict: false, allowUnionTypes: true })
    const schema = mappingSchema
    const validate = ajv.compile(schema)
    const base = file('salesforce.json')
    const paths: (string | number)[][] = []
    const walk = (value: unknown, path: (string | number)[]): void => {
      if (path.length > 0) paths.push(path)
      if (typeof value === 'object' && value !== null)
        for (const [name, member] of Object.entries(value))
          walk(member, [...path, Array.isArray(value) ? Number(name) : name])
    }
    walk(base, [])
    const replacement = fc.oneof(
      fc.constantFrom(0, -1, 1.5, '', 'x', true, null, [], {}, ['a'], { a: 1 }),
      fc.constant(undefined),
    )
    fc.assert(
      fc.property(fc.constantFrom(...paths), replacement, fc.boolean(), (path, value, isAdded) => {
        const mutated = structuredClone(base)
        let section = mutated
        for (const part of path.slice(0, -1)) section = section[part]
        const last = path.at(-1)!
        if (isAdded && typeof last === 'string') section[`${last}X`] = value ?? null
        else if (value === undefined && typeof last === 'string') delete section[last]
        else section[last] = value ?? null
        expect(schemaFaults(mutated, schema).length === 0).toBe(validate(mutated))
      }),
      { numRuns: proofCount({ share: 150, full: 5000 }) },
    )
  })
})

type Mutable = { fields: MappedField[]; close: { fields: MappedField[] } }

describe('properties', () => {
  const of = (field: Omit<MappedField, 'to'>, record = recordOf(1), isBackfill = false) =>
    mappedProperties(record, [{ to: 'p', ...field }], { emptyValue: null, isBackfill }).p

  test('come from paths, fallbacks, constants, maps and defaults', () => {
    expect(of({ from: 'contractAmount.value', type: 'number' })).toBe(2001)
    expect(of({ from: 'contractAmount.value' })).toBe('2001')
    expect(of({ from: 'originalSources.-1.url' })).toBe('https://n.example/1')
    expect(of({ from: ['contractingAuthority.name', 'realizedLocation.city'] })).toBe('Mornstadt')
    expect(of({ value: 'default' })).toBe('default')
    expect(of({ from: 'status', map: { open: 'Offen', '*': 'Zu' } })).toBe('Offen')
    expect(of({ from: 'status', map: { open: 'Offen', '*': 'Zu' } }, archivedOf(1))).toBe('Zu')
    expect(of({ from: 'status', map: { closed: 'Zu' } })).toBe('open')
    expect(of({ from: 'tenderNumber' })).toBeNull()
    expect(of({ from: 'tenderNumber', empty: 'skip' })).toBeUndefined()
    expect(of({ from: 'tenderNumber', default: 'none' })).toBe('none')
    expect(of({ from: 'cpvCodes' })).toBe('45000000;45210000;45000000')
    expect(of({ from: 'isFramework', type: 'boolean', default: false })).toBe(false)
    expect(of({ from: '$state' })).toBe('open')
    expect(of({ from: '$state' }, mergedOf(1, 1, 2))).toBe('merged')
    expect(of({ from: '$isBackfill', type: 'boolean' }, recordOf(1), true)).toBe(true)
  })

  test('the region comes from the place of performance if the tender has none', () => {
    const from = ['nutsCodes.0', 'realizedLocation.nuts']
    expect(of({ from }, recordOf(1, 0, { nutsCodes: [] }))).toBe('DE212')
    expect(of({ from }, recordOf(1, 0, { nutsCodes: ['AT130'] }))).toBe('AT130')
  })

  test('dates fall on the day of their zone, in summer and in winter', () => {
    const record = recordOf(1, 0, {
      submissionDate: '2026-07-01T22:30:00.000Z',
      participationDate: '2026-01-01T23:30:00.000Z',
    })
    expect(of({ from: 'submissionDate', type: 'date' }, record)).toBe('2026-07-01')
    expect(of({ from: 'submissionDate', type: 'date', timeZone: 'Europe/Berlin' }, record)).toBe('2026-07-02')
    expect(of({ from: 'participationDate', type: 'date', timeZone: 'Europe/Berlin' }, record)).toBe('2026-01-02')
    expect(of({ from: 'submissionDate', type: 'epochMs' }, record)).toBe(Date.UTC(2026, 6, 1, 22, 30))
    expect(of({ from: 'submissionDate', type: 'datetime' }, record)).toBe('2026-07-01T22:30:00.000Z')
    expect(of({ from: 'title', type: 'date' }, record)).toBeNull()
  })

  test('long texts are cut to what fits, never within a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.integer({ min: 1, max: 20 }),
        (title, maxLength) => {
          const value = of({ from: 'title', maxLength, default: '' }, recordOf(1, 0, { title })) as string
          expect(value.length).toBeLessThanOrEqual(maxLength)
          expect(value.isWellFormed()).toBe(title.isWellFormed())
          if (title.length <= maxLength) expect(value).toBe(title)
          else expect(value.endsWith('…')).toBe(true)
        },
      ),
    )
  })
})

test('templates fill whole values, words in texts, and spread objects', () => {
  const template = {
    id: '{externalId}',
    text: 'tender {externalId}',
    '...': '{properties}',
    list: ['{item}', '{other}'],
  }
  expect(filledJson(template, { externalId: 'a', properties: { n: 1, t: null }, item: [2] })).toEqual({
    id: 'a',
    text: 'tender a',
    n: 1,
    t: null,
    list: [[2], '{other}'],
  })
})

describe('answers', () => {
  const { answer: keyed } = parseMapping(file('hubspot-deals.json'), environment).upsert
  const { answer: ordered } = parseMapping(file('salesforce.json'), environment).upsert
  const ids = [idOf(1), idOf(2), idOf(3)]

  test('a record that the answer does not mention does not count as written', () => {
    const body = { results: [{ id: '9', objectWriteTraceId: ids[0] }] }
    expect(readAnswer(keyed, body, ids).map(({ result }) => result)).toEqual(['ok', 'failed', 'failed'])
    expect(
      readAnswer(keyed, {}, ids).every((outcome) => outcome.result === 'failed' && outcome.code === undefined),
    ).toBe(true)
    expect(readAnswer(ordered, [{ success: true, id: '1' }], ids).every(({ result }) => result === 'failed')).toBe(true)
    expect(readAnswer(ordered, undefined, ids).every(({ result }) => result === 'failed')).toBe(true)
  })

  test('errors find their record by key or by position', () => {
    const error = { category: 'VALIDATION_ERROR', message: 'no', context: { objectWriteTraceId: [ids[1]] } }
    const results = ids.map((id) => ({ id: 'x', properties: { tenderstock_id: id } }))
    expect(readAnswer(keyed, { results, errors: [error] }, ids)).toEqual([
      { result: 'ok', crmId: 'x' },
      { result: 'failed', code: 'VALIDATION_ERROR', reason: 'VALIDATION_ERROR: no' },
      { result: 'ok', crmId: 'x' },
    ])
    const entries = [
      { success: true, id: '1' },
      { success: false, errors: [{ statusCode: 'STRING_TOO_LONG', message: 'Name' }] },
      { success: false },
    ]
    expect(readAnswer(ordered, entries, ids).map((outcome) => ('reason' in outcome ? outcome.reason : 'ok'))).toEqual([
      'ok',
      'STRING_TOO_LONG: Name',
      'unknown: no reason given',
    ])
  })
})
