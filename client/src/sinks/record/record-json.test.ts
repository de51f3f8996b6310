import { expect, it } from 'vitest'
import {
  cameWith,
  givenHash,
  headRecord,
  storable,
  wellFormed,
  wellFormedBytes,
  wellFormedJson,
} from './record-json.ts'

function parsedRecord(json: string): object {
  const record = JSON.parse(json) as object
  cameWith(record, { json })
  return record
}

it('a record that came as a line is stored as that line', () => {
  const line = '{"id":"a", "n":1.50,"t":"\\u00e4"}'
  const record = parsedRecord(line)
  expect(record).toEqual({ id: 'a', n: 1.5, t: 'ä' })
  expect([wellFormedJson(record), wellFormed(record).json, storable(record).json]).toEqual([line, line, line])
  expect(wellFormedJson({ ...record })).toBe('{"id":"a","n":1.5,"t":"ä"}')
})

it('a head is stored as the line of its record, and its hash is the one that came with it', () => {
  const head = (text: string) =>
    headRecord({ id: 'a', lastModified: 't', status: 'open' }, { line: Buffer.from(text), hash: 'f' })
  const line = '{"id":"a","t":"\\u00e4"}'
  const record = head(line)
  expect([wellFormedBytes(record).toString(), wellFormedJson(record), givenHash(record)]).toEqual([line, line, 'f'])
  // what is made from it is another record
  expect([wellFormedBytes({ ...record, id: 'ä' }).toString(), givenHash({ ...record })]).toEqual([
    '{"id":"ä","lastModified":"t","status":"open"}',
    undefined,
  ])
  expect(wellFormedBytes(head('{"t":"\\uD800","u":1.0}')).toString()).toBe('{"t":"\uFFFD","u":1}')
})

it('a line with what no program accepts is not', () => {
  const record = parsedRecord('{"t":"\\uD800"}')
  expect([wellFormedJson(record), wellFormed(record), storable(record).json]).toEqual([
    '{"t":"\uFFFD"}',
    { record: { t: '\uFFFD' }, json: '{"t":"\uFFFD"}' },
    '{"t":"\uFFFD"}',
  ])
  expect(storable(parsedRecord('{"t":"a\\u0000b"}')).json).toBe('{"t":"ab"}')
})
