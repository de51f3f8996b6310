import { expect, it } from 'vitest'
import { canonicalJson, hashedForm } from './copy-digest.ts'

/** The same by the letter of RFC 8785. */
function plain(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.replace(/\p{Surrogate}/gu, '\uFFFD'))
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(plain).join(',')}]`
  const members = value as { readonly [name: string]: unknown }
  return `{${Object.keys(members)
    .sort()
    .map((name) => `${plain(name)}:${plain(members[name])}`)
    .join(',')}}`
}

it.each<[string, unknown]>([
  ['nothing', {}],
  [
    'members in another order, twice',
    [
      { b: 1, a: 2 },
      { a: 1, b: 2 },
      { b: 1, a: 2 },
    ],
  ],
  ['names that joined are equal', [{ 'a,b': 1, c: 2 }, { a: 1, 'b,c': 2 }, { a: 1, b: 2, c: 3 }, { 'a,b,c': 1 }]],
  ['names by code units', { '\uFB33': 1, '\u{1F600}': 2, ö: 3, '10': 4, '9': 5 }],
  ['half pairs, and texts that look like one', ['\uD800', 'a\uDC00b', '\u{1F600}', '\\ud800', '\\\uD800', '\\\\ud800']],
  ['half pairs in names', { '\uD800': { '\uDFFFx': '"' } }],
  ['numbers and texts', [1e21, 1e-7, -0, 0.1, true, null, 'a"\\\n\u2028', [[], [[]], {}]]],
])('canonical JSON of %s', (_name, value) => {
  expect(canonicalJson(value)).toBe(plain(value))
  // with what was learned of its objects
  expect(canonicalJson(value)).toBe(plain(value))
})

it('canonical JSON of more kinds of objects than are remembered', () => {
  for (let number = 0; number < 2500; number++) {
    const value = { [`b${number}`]: 1, a: { [`n${number % 7}`]: number } }
    expect(canonicalJson(value)).toBe(plain(value))
  }
})

it('what is hashed leaves out when a record was checked', () => {
  expect(hashedForm({ id: 'a', checkedAt: 'now', b: 1 })).toBe('{"b":1,"id":"a"}')
})
