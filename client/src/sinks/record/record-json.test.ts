import { expect, it } from 'vitest'
import { parsedRecord, storable, wellFormed, wellFormedJson } from './record-json.ts'

it('a record that came as a line is stored as that line', () => {
  const line = '{"id":"a", "n":1.50,"t":"\\u00e4"}'
  const record = parsedRecord(line) as object
  expect(record).toEqual({ id: 'a', n: 1.5, t: 'ä' })
  expect([wellFormedJson(record), wellFormed(record).json, storable(record).json]).toEqual([line, line, line])
  expect(wellFormedJson({ ...record })).toBe('{"id":"a","n":1.5,"t":"ä"}')
  expect(parsedRecord('null')).toBe(null)
})

it('a line with what no program accepts is not', () => {
  const record = parsedRecord('{"t":"\\uD800"}') as object
  expect([wellFormedJson(record), wellFormed(record), storable(record).json]).toEqual([
    '{"t":"\uFFFD"}',
    { record: { t: '\uFFFD' }, json: '{"t":"\uFFFD"}' },
    '{"t":"\uFFFD"}',
  ])
  expect(storable(parsedRecord('{"t":"a\\u0000b"}') as object).json).toBe('{"t":"ab"}')
})
