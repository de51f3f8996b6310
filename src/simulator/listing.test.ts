// Members of lists in each format: a value is found where it was written, and nothing where there is none.
import { expect, test } from 'vitest'
import type { Entries } from '../sources/delivery.ts'
import { pointed, valueAt, writeListing } from './listing.ts'

const formats: readonly [string, Entries, string, string][] = [
  ['JSON', { format: 'json', at: '/items' }, '/id', '/dates/0/changed'],
  ['CSV', { format: 'csv' }, 'id', 'changed'],
  ['XML', { format: 'xml', element: 'item' }, 'id', 'dates/changed'],
]

test.each(formats)('%s: each value is found, the first and the last, and an empty one', (_, entries, first, last) => {
  for (const value of ['7', '', 'a "b" & <c>']) {
    const text = writeListing(
      entries,
      [
        { at: first, value },
        { at: last, value: '2026-11-30' },
      ],
      'key',
    )
    expect([valueAt(entries, text, first), valueAt(entries, text, last)], text).toEqual([value, '2026-11-30'])
    expect(valueAt(entries, text, entries.format === 'json' ? '/other' : 'other')).toBeUndefined()
  }
})

test('only texts and numbers are values of JSON', () => {
  const text = '{"a":{"b":1,"c/d":"x","e":null,"f":true,"g":[]},"line":"a\nb"}'
  expect(pointed(text, '/a/b')).toBe('1')
  expect(pointed(text, '/a/c~1d')).toBe('x')
  expect(pointed(text, '/line')).toBe('a b')
  for (const pointer of ['/a/e', '/a/f', '/a/g', '/a', '/gone', '/a/b/c'])
    expect(pointed(text, pointer)).toBeUndefined()
  expect(pointed('no JSON', '/a')).toBeUndefined()
})

test('an empty object stays one, and members that are numbers are a list', () => {
  expect(writeListing({ format: 'json', at: '' }, [], 'key')).toBe('{}')
  expect(writeListing({ format: 'json', at: '' }, [{ at: '/a/1', value: 'x' }], 'key')).toBe('{"a":[{},"x"]}')
})
