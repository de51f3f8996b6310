// Requests out of templates: dates in the zone of the source, encoding by place, left-out parameters.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { finenessMs, writeDate } from './date-pattern.ts'
import { checkTemplate, fillTemplate, finenessOf, type Values } from './fill-template.ts'
import { halveSpan } from './halve-span.ts'

const berlin = 'Europe/Berlin'
/** The 20th of November 2026 in Berlin. */
const day: Values = (() => {
  const from = Date.parse('2026-11-19T23:00:00Z')
  const to = Date.parse('2026-11-20T23:00:00Z')
  return { from, to, last: to - 1, before: from - 1 }
})()
const url = (template: string, values: Values = day, zone = berlin) => fillTemplate({ url: template }, values, zone).url

describe('dates', () => {
  test.each([
    ['{from}', '2026-11-20'],
    ['{to:yyyy-MM-dd}', '2026-11-21'],
    ['{last:dd/MM/yyyy HH:mm}', '20/11/2026 23:59'],
    ['{before:yyyy-MM-ddTHH:mm:ss.SSS}', '2026-11-19T23:59:59.999'],
    ['{from:iso}', '2026-11-19T23:00:00.000Z'],
    ['{from:isoSeconds}', '2026-11-19T23:00:00Z'],
    ['{from:yyyy-MM-ddTHH:mm:ssXXX}', '2026-11-20T00:00:00+01:00'],
    ['{from:utc yyyyMMddHHmm}', '202611192300'],
    ['{from:epochMs} {from:epochS}', '1795129200000 1795129200'],
    ['{from:MM-MMMM} {from:MMM yy} {from:d/M/bbbb}', '11-November Nov 26 20/11/2569'],
    ['{from:yyyy}{from:MM}01', '20261101'],
  ])('%s is %s', (pattern, expected) => {
    expect(decodeURIComponent(url(`https://h/?q=${pattern}`).slice(13))).toBe(expected)
  })

  test('the local time of the zone counts, in summer and winter', () => {
    expect(writeDate(Date.parse('2026-07-01T22:30:00Z'), 'yyyy-MM-dd HH:mm XXX', berlin)).toBe(
      '2026-07-02 00:30 +02:00',
    )
    expect(writeDate(Date.parse('2026-07-01T22:30:00Z'), 'yyyy-MM-dd HH:mm XXX', 'America/St_Johns')).toBe(
      '2026-07-01 20:00 -02:30',
    )
  })
})

describe('encoding', () => {
  const odd = { ...day, id: 'ocds-x/1 ä&b=c#d', key: 'k+/=' }
  test('fits a path, a query, headers, forms and JSON', () => {
    expect(url('https://h/a/{id}/b?x={id}&k={key}', odd)).toBe(
      'https://h/a/ocds-x%2F1%20%C3%A4%26b%3Dc%23d/b?x=ocds-x%2F1%20%C3%A4%26b%3Dc%23d&k=k%2B%2F%3D',
    )
    expect(url('https://h/{from:yyyy/MM/dd}/x?d={from:dd/MM/yyyy}')).toBe('https://h/2026/11/20/x?d=20%2F11%2F2026')
    expect(url('{id}', { id: 'https://other.example/a?b=c%20d' })).toBe('https://other.example/a?b=c%20d')
    const form = fillTemplate({ url: 'https://h/', form: { q: '{id}' } }, odd, berlin)
    expect([form.method, new URLSearchParams(form.body).get('q')]).toEqual(['POST', odd.id])
    const json = fillTemplate(
      { url: 'https://h/', json: { q: ['a {id}'], n: '{page}', s: 'p{page}', '{id}': 1 } },
      { ...odd, page: 3 },
      berlin,
    )
    expect(JSON.parse(json.body!)).toEqual({ q: [`a ${odd.id}`], n: 3, s: 'p3', [odd.id]: 1 })
  })

  test('a placeholder without a value is left out if it is alone, and a fault anywhere else', () => {
    const template = {
      url: 'https://h/?a=1&c={cursor}',
      headers: { X: '{key}' },
      json: { c: '{cursor}', d: ['{cursor}', [1]] },
    }
    const request = fillTemplate(template, {}, berlin)
    expect(request.url).toBe('https://h/?a=1')
    expect(request.headers).toEqual({ 'content-type': 'application/json' })
    expect(JSON.parse(request.body!)).toEqual({ d: [[1]] })
    expect(() => url('https://h/?c=x{cursor}', {})).toThrow('nothing fills {cursor}')
  })

  test('sums, dates as numbers in JSON, and JSON inside a form are filled in', () => {
    expect(url('https://h/?a={offset+1}&b={offset+100}&c={page-1}', { offset: 200, page: 3 })).toBe(
      'https://h/?a=201&b=300&c=2',
    )
    const json = fillTemplate({ url: 'https://h/', json: { from: '{from:epochMs}', day: '{from}' } }, day, berlin)
    expect(JSON.parse(json.body!)).toEqual({ from: 1795129200000, day: '2026-11-20' })
    const parts = fillTemplate(
      { url: 'https://h/', multipart: { query: { page: '{page}' }, text: '*' } },
      { page: 2 },
      berlin,
    )
    expect(parts.headers!['content-type']).toMatch(/^multipart\/form-data; boundary=/)
    expect(parts.body).toContain('Content-Type: application/json\r\n\r\n{"page":2}\r\n')
    expect(parts.body).toContain('name="text"\r\n\r\n*\r\n')
  })

  test('braces of queries in other languages are not placeholders', () => {
    const query = 'SELECT ?s WHERE { ?s ?p ?o } LIMIT {limit}'
    expect(
      new URLSearchParams(fillTemplate({ url: 'https://h/', form: { query } }, { limit: 5 }, berlin).body).get('query'),
    ).toBe('SELECT ?s WHERE { ?s ?p ?o } LIMIT 5')
    expect(() => checkTemplate({ url: 'https://h/', form: { query } }, new Set(['limit']))).not.toThrow()
  })
})

describe('halves', () => {
  test('split a span at a point that the request can express, until it cannot be split (300 spans)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.parse('2022-01-01'), max: Date.parse('2027-01-01') }),
        fc.integer({ min: 1, max: 40 * 86_400_000 }),
        fc.constantFrom('yyyy-MM-dd', 'yyyy-MM-ddTHH', 'yyyy-MM-ddTHH:mm', 'yyyy-MM-ddTHH:mm:ss', 'epochMs'),
        fc.constantFrom(berlin, 'UTC', 'Asia/Kathmandu', 'America/Sao_Paulo'),
        (from, length, pattern, zone) => {
          const halves = halveSpan([from, from + length], finenessMs(pattern), zone)
          const isOneUnit = writeDate(from, pattern, zone) === writeDate(from + length - 1, pattern, zone)
          if (!halves) {
            expect(isOneUnit || length < 2).toBe(true)
            return
          }
          const [[a, b], [c, d]] = halves
          expect([a, d]).toEqual([from, from + length])
          expect(b).toBe(c)
          expect(b > a && d > c).toBe(true)
          // Where it is cut, the text of the request changes.
          expect(writeDate(b, pattern, zone)).not.toBe(writeDate(b - 1, pattern, zone))
        },
      ),
      { numRuns: 300 },
    )
  })

  test('days are split into whole days of the zone first, and months are not split where the request names months', () => {
    const month: [number, number] = [Date.parse('2026-10-31T23:00:00Z'), Date.parse('2026-11-30T23:00:00Z')]
    expect(halveSpan(month, 1, berlin)![0][1] % 86_400_000).toBe(23 * 3_600_000)
    expect(halveSpan(month, finenessOf({ url: 'https://h/{from:yyyy-MM}' })!, berlin)).toBeUndefined()
  })
})
