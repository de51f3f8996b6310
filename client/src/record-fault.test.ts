// What a broken server may answer: everything that the contract says a record has is left out, or of another kind.
import { describe, expect, it } from 'vitest'
import { readContract } from '../generate-types.ts'
import { problemAnswer } from '../test/fake-api.ts'
import { syncWorld } from '../test/sync-world.ts'
import { readText } from './read-text.ts'
import { checkedRecord } from './record-fault.ts'
import { FeedError } from './sync/feed-error.ts'
import { recordOf } from './testing/sink-conformance.ts'
import type { TenderRecord } from './types.ts'

const sentMs = Date.parse('2026-11-02T08:00:00.000Z')
const amount = { value: 5.5, currency: 'EUR' }
const organization = { name: 'Klinikum Quellmar' }
/** A record with every object of the contract. */
const whole: TenderRecord = {
  ...recordOf(1),
  mergedInto: 'another',
  contractingAuthority: organization,
  jointAuthorities: [organization],
  contractAmount: { ...amount, estimated: true, low: 1, high: 9 },
  awardedAmount: amount,
  realizedLocation: { country: 'DE' },
  lots: [
    { lotId: 'LOT-0001', status: 'open', cpvCodes: [], nutsCodes: [] },
    {
      lotId: 'LOT-0002',
      status: 'open',
      cpvCodes: ['45000000'],
      nutsCodes: ['DE1'],
      contractAmount: amount,
      awardedAmount: amount,
      duration: { value: 5 },
      winners: [organization],
      receivedTenders: 3,
      realizedLocation: {},
    },
  ],
  originalSources: [{ publisher: 'ted', format: 'eforms', formType: 'competition', noticeType: 'cn-standard' }],
} as TenderRecord
const { schemas } = readContract().components
/** With no object in two places. */
const clone = () => JSON.parse(JSON.stringify(whole)) as TenderRecord
type Json = { [name: string]: unknown }
const faultOf = (record: unknown): string => {
  try {
    checkedRecord(record, sentMs)
  } catch (error) {
    expect(error).toBeInstanceOf(FeedError)
    return (error as FeedError).message
  }
  return 'none'
}

/** Every object in the record, with its path and the name of its schema. */
function objectsOf(value: unknown, path: string, schema: string): { at: string; of: Json; schema: string }[] {
  const found = [{ at: path, of: value as Json, schema }]
  for (const [name, member] of Object.entries(schemas[schema]!.properties!)) {
    const text = JSON.stringify(member)
    const [, referred] = /schemas\/(\w+)"/.exec(text) ?? []
    const own = (value as Json)[name]
    if (referred === undefined || own === undefined) continue
    const inner = path === '' ? name : `${path}.${name}`
    for (const [index, each] of [own].flat().entries())
      found.push(...objectsOf(each, Array.isArray(own) ? `${inner}[${index}]` : inner, referred))
  }
  return found
}

describe('a record of an answer', () => {
  it('passes as it is, with members of a later version, and with null in the place of one that may be missing', () => {
    expect(faultOf(whole)).toBe('none')
    expect(checkedRecord(whole, Number.NaN)).toBe(whole)
    expect(faultOf({ ...whole, added: { anything: [1] }, status: 'a new one', description: null })).toBe('none')
    expect(faultOf({ ...whole, contractAmount: null })).toBe('none')
  })

  it('without a required member, at any depth, is refused by the name of the member', () => {
    let tried = 0
    for (const { at, schema } of objectsOf(whole, '', 'TenderRecord')) {
      for (const member of schemas[schema]!.required ?? []) {
        const broken = clone()
        delete objectsOf(broken, '', 'TenderRecord').find((each) => each.at === at)!.of[member]
        const name = at === '' ? member : `${at}.${member}`
        const who = name === 'id' ? 'A record' : `Record ${whole.id}`
        expect(faultOf(broken)).toBe(`${who} of the API cannot be used: ${name} is missing.`)
        tried++
      }
    }
    expect(tried).toBeGreaterThan(30)
  })

  it('with a member of another kind, at any depth, is refused by the name of the member', () => {
    let tried = 0
    for (const { at, of } of objectsOf(whole, '', 'TenderRecord'))
      for (const [member, right] of Object.entries(of)) {
        const name = at === '' ? member : `${at}.${member}`
        for (const wrong of [5, 'text', true, [5], {}, Number.POSITIVE_INFINITY]) {
          const isSame = typeof wrong === typeof right && Array.isArray(wrong) === Array.isArray(right)
          if (isSame && !Array.isArray(wrong) && wrong !== Number.POSITIVE_INFINITY) continue
          const broken = clone()
          objectsOf(broken, '', 'TenderRecord').find((each) => each.at === at)!.of[member] = wrong
          expect(faultOf(broken), `${name}: ${wrong}`).toContain(`cannot be used: ${name}`)
          tried++
        }
      }
    expect(tried).toBeGreaterThan(200)
  })

  it.each([null, undefined, 5, 'text', [], { lots: [] }])('that is none is refused: %j', (value) => {
    expect(faultOf(value)).toMatch(/^A record of the API cannot be used|^A record.*missing/)
  })

  it.each([
    ['9999-12-31T23:59:59.999Z', 'more than a day later than the answer itself (2026-11-02T08:00:00.000Z)'],
    ['2026-11-03T08:00:00.001Z', 'more than a day later'],
    ['2026-11-03T08:00:00.000Z', 'none'],
    ['1970-01-01T00:00:00.000Z', 'none'],
    ['2026-11-02T08:00:00Z', 'not a UTC time with milliseconds'],
    ['2026-11-02T09:00:00.000+01:00', 'not a UTC time with milliseconds'],
    ['Nov 2, 2026', 'not a UTC time with milliseconds'],
    ['+010000-01-01T00:00:00.000Z', 'more than a day later'],
    ['soon', 'lastModified is not a time'],
  ])('of %s: %s', (lastModified, expected) => {
    expect(faultOf({ ...whole, lastModified })).toContain(expected)
  })
})

describe('a run against a broken server ends with a sentence, keeps its state, and the next one goes on', () => {
  const json =
    (body: unknown, headers: Record<string, string> = {}) =>
    () =>
      Response.json(body, { headers })
  const date = new Date(sentMs).toUTCString()
  const page = (...records: readonly unknown[]) => ({ data: records, nextCursor: null })
  const { lots: _, ...withoutLots } = whole

  it.each<[string, () => Response, string]>([
    ['a member left out', json(page(withoutLots)), `Record ${whole.id} of the API cannot be used: lots is missing.`],
    ['null for a record', json(page(null)), 'A record of the API cannot be used'],
    [
      'a time of the year 9999',
      json(page({ ...whole, lastModified: '9999-12-31T23:59:59.999Z' }), { date }),
      'its lastModified 9999-12-31T23:59:59.999Z is more than a day later than the answer itself',
    ],
    ['the same record again and again', json({ data: [whole, whole], nextCursor: null }), 'follows a later one'],
    [
      'pages without end and without records',
      json({ data: [], nextCursor: 'more' }),
      'without records that is not the last',
    ],
  ])('%s', async (_name, answer, sentence) => {
    const world = syncWorld()
    world.api.publish([{ id: 'a' }])
    await world.complete()
    const before = await world.states.load()
    world.api.publish([{ id: 'b' }])
    world.api.faults.push(answer)
    const outcome = await world.run()
    expect(outcome).toMatchObject({ result: 'aborted', reason: 'feed' })
    expect(String((outcome as { error: unknown }).error)).toContain(sentence)
    expect(await world.states.load()).toEqual(before)
    await world.complete()
    world.expectEqual()
  })

  it('a single record is checked as well: a survivor of the year 9999, and another record than the one that was asked for', async () => {
    for (const wrong of [{ id: 'b', lastModified: '9999-01-01T00:00:00.000Z' }, { id: 'c' }]) {
      const world = syncWorld('direct', { filters: { cpv: ['1'] } })
      world.api.publish([{ id: 'a', cpvCodes: ['1'] }, { id: 'b' }])
      await world.complete()
      const merged = { id: 'a', cpvCodes: ['1'], archiveReason: 'merged', status: 'merged', mergedInto: 'b' } as const
      world.api.publish([merged])
      world.api.faults.push(undefined, json({ ...whole, ...wrong }, { date }))
      expect(await world.run()).toMatchObject({ result: 'aborted', reason: 'feed' })
      expect(world.ids()).toEqual(['a'])
      await world.complete()
      expect(world.ids()).toEqual(['a', 'b'])
    }
  })

  it('a number of an edition that is none is not stored: the next run could not read its state', async () => {
    const world = syncWorld()
    world.api.publish([{ id: 'a' }])
    world.api.faults.push(
      json(page({ ...whole, id: 'a' }), { 'x-stock-state': '99999999999999999999999; 2026-11-02T08:00:00.000Z' }),
    )
    await world.complete()
    expect((await world.states.load())?.copy?.edition).toBeUndefined()
    await world.complete()
  })

  it('a quota that asks for a wait of years is taken for the longest that there is, a minute', async () => {
    const world = syncWorld()
    world.api.publish([{ id: 'a' }])
    world.api.faults.push(
      json(page(), { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1e12' }),
    )
    await world.complete()
    await world.complete()
    expect(Math.max(...world.time.slept)).toBeLessThan(61_000)
  })
})

describe('the body of an answer is read up to a limit', () => {
  /** A body of `mib` MiB, chunk by chunk; `sent` counts what was taken. */
  function bodyOf(mib: number) {
    const sent = { mib: 0 }
    const chunk = new Uint8Array(2 ** 20).fill(32)
    const stream = new ReadableStream({
      pull: (controller) => {
        if (sent.mib === mib) return controller.close()
        sent.mib++
        controller.enqueue(chunk)
      },
    })
    return { stream, sent }
  }

  it('of 64 MiB, after which nothing more is taken; the attempt counts as a failure', async () => {
    const world = syncWorld()
    world.api.publish([{ id: 'a' }])
    const { stream, sent } = bodyOf(600)
    world.api.faults.push(() => new Response(stream))
    await world.complete()
    expect(sent.mib).toBeLessThan(70)
    const retry = world.clientEvents.find(({ type }) => type === 'retry') as { readonly cause: unknown } | undefined
    expect(String(retry?.cause)).toContain('longer than 64 MiB')
    world.expectEqual()
  })

  it('of 1 MiB for an error, whose status counts', async () => {
    const world = syncWorld()
    const { stream, sent } = bodyOf(600)
    world.api.faults.push(() => new Response(stream, { status: 401 }))
    expect(await world.run()).toMatchObject({ reason: 'problem', error: { problem: { status: 401 } } })
    expect(sent.mib).toBeLessThan(5)
  })

  it('a body that never ends hides no status either', async () => {
    const world = syncWorld()
    const stream = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) })
    world.api.faults.push(() => new Response(stream, { status: 403 }))
    const error = await world.client.page({}, { timeoutMs: 20 }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ problem: { status: 403 } })
  })

  it('characters that are cut between two chunks stay whole', async () => {
    const bytes = new TextEncoder().encode('„Straße“ 🏗')
    const stream = new ReadableStream({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]))
        controller.close()
      },
    })
    expect(await readText(new Response(stream), 100)).toBe('„Straße“ 🏗')
    expect(await readText(new Response(null), 100)).toBe('')
    expect(await readText(problemAnswer(400, 'x'), 10_000)).toContain('error-x')
  })
})
