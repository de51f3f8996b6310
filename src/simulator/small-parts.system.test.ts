// Dates as requests write them, text that matches patterns, members of JSON unchanged.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fetchOf } from '../sources/deliver/fetch-of.ts'
import { loadSources } from '../sources/registry.ts'
import { momentOf, readFields } from './date-pattern.ts'
import { faultNames } from './faults.ts'
import { fittingText } from './fitting-text.ts'
import { issueAfter, issuesOf } from './journal-calendar.ts'
import { rawMembers } from './json-members.ts'
import { textAnswer } from './portal-answer.ts'
import { breakOff } from './portal-wire.ts'

describe('dates as requests write them', () => {
  const read = (text: string, pattern: string, zone = 'Europe/Berlin') => {
    const fields = readFields(text, pattern)
    const moment = fields && momentOf(fields, zone)
    return moment && [new Date(moment.from).toISOString(), (moment.next - moment.from) / 3_600_000]
  }

  test('days, months, years and moments in the zone, over changes of clocks', () => {
    expect(read('2026-11-20', '')).toEqual(['2026-11-19T23:00:00.000Z', 24])
    expect(read('29/03/2026', 'dd/MM/yyyy')).toEqual(['2026-03-28T23:00:00.000Z', 23])
    expect(read('202610', 'yyyyMM')).toEqual(['2026-09-30T22:00:00.000Z', 31 * 24 + 1])
    expect(read('2026', 'yyyy')).toEqual(['2025-12-31T23:00:00.000Z', 365 * 24])
    expect(read('20-Nov-2026', 'dd-MMM-yyyy')).toEqual(['2026-11-19T23:00:00.000Z', 24])
    expect(read('2569-11-20', 'bbbb-MM-dd', 'Asia/Bangkok')).toEqual(['2026-11-19T17:00:00.000Z', 24])
    expect(read('2026-11-20T06:00:00+02:00', 'yyyy-MM-ddTHH:mm:ssXXX')?.[0]).toBe('2026-11-20T04:00:00.000Z')
    expect(read('2026-11-20T06:00:00Z', 'isoSeconds')?.[0]).toBe('2026-11-20T06:00:00.000Z')
    expect(read('1795248000000', 'epochMs')?.[0]).toBe(new Date(1_795_248_000_000).toISOString())
    expect(read('2026-11-20 06:00', 'utc yyyy-MM-dd HH:mm')?.[0]).toBe('2026-11-20T06:00:00.000Z')
  })

  test('invalid days and patterns are refused', () => {
    for (const [text, pattern] of [
      ['2026-02-30', ''],
      ['2026-13', 'yyyy-MM'],
      ['20.11.2026', 'yyyy-MM-dd'],
      ['', 'yyyy'],
      ['x', 'epochMs'],
    ] as const)
      expect(read(text, pattern), text).toBeUndefined()
  })
})

describe('text that fits a pattern of a card', () => {
  const link = /<a[^>]+href="(https?:[^"]+\.csv)"/gi
  const sample = '<a title="Data" href="https://files.example/{key}.csv">'

  test('is the first of the texts that does, with the key in it', () => {
    for (const key of ['2026-11', '2026-12'])
      expect(fittingText(link, [undefined, '<a href="{key}">', sample], key)).toBe(sample.replace('{key}', key))
  })

  test('has the same digits for the same key and others for others', () => {
    const texts = ['a', 'b', 'a'].map((key) => fittingText(/^\d+$/, ['{digits}'], key))
    expect(texts).toEqual([texts[0], expect.not.stringMatching(texts[0]!), texts[0]])
  })

  test('is asked of the card if no text fits', () => {
    expect(() => fittingText(link, ['<a href="{key}">'], '1')).toThrow('needs a sample')
  })
})

describe('members of JSON unchanged', () => {
  test('every member at a pointer, with its bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.integer({ min: 0, max: 4 }), (items, space) => {
        const text = JSON.stringify({ other: [1, { releases: 2 }], package: { releases: items } }, undefined, space)
        expect(rawMembers(text, '/package/releases/*').map((each) => JSON.parse(each) as unknown)).toEqual(
          JSON.parse(JSON.stringify(items)),
        )
        for (const each of rawMembers(text, '/package/releases/*')) expect(text).toContain(each)
      }),
    )
  })

  test('numbers stay as they were written, and half a text is an error', () => {
    expect(rawMembers('{"a":[{"v":1e9999},{"v":1.50}]}', '/a/*')).toEqual(['{"v":1e9999}', '{"v":1.50}'])
    expect(() => rawMembers('{"a":[{"v":1}', '/a/*')).toThrow(SyntaxError)
  })
})

describe('the journal', () => {
  test('has one issue on each working day, numbered without a gap, and whatever is handed in appears in the next', () => {
    const issues = issuesOf(2026)
    expect(issues.map(({ number }) => number)).toEqual(issues.map((_, index) => index + 1))
    expect(issues.length).toBeGreaterThan(245)
    expect(issues.every(({ day }) => ![0, 6].includes(new Date(day).getUTCDay()))).toBe(true)
    for (let hour = 0; hour < 24 * 400; hour += 7) {
      const at = Date.UTC(2026, 0, 1) + hour * 3_600_000
      const issue = issueAfter(at)
      expect(issue.releasedAt).toBeGreaterThanOrEqual(at)
      expect(issue.releasedAt - at).toBeLessThan(6 * 86_400_000)
    }
  })
})

test('docs/simulator.md describes every fault, and no other', async () => {
  const page = await readFile(new URL('../../docs/simulator.md', import.meta.url), 'utf8')
  const rows = page
    .slice(page.indexOf('| Fault |'))
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  const documented = rows.flatMap((line) => [...line.split('|')[1]!.matchAll(/`([\w-]+)`/g)].map(([, name]) => name))
  expect(documented.sort()).toEqual([...faultNames].sort())
})

test('every delivery of every card can be read', async () => {
  for (const source of (await loadSources()).values())
    for (const { delivery } of source.channels) expect(fetchOf(delivery)).toBeTypeOf('function')
})

test('a connection is reset though an earlier answer on it has not ended', async () => {
  const server = createServer((incoming, reply) => {
    if (incoming.url === '/first') reply.flushHeaders()
    else breakOff(reply, textAnswer(200, 'second'), true)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.resume().write('GET /first HTTP/1.1\r\nhost: a\r\n\r\nGET /second HTTP/1.1\r\nhost: a\r\n\r\n')
  await expect(once(client, 'close')).rejects.toMatchObject({ code: 'ECONNRESET' })
  server.close()
})
