import { expect, test } from 'vitest'
import { parseDocument } from './parse-document.ts'

const release = (number: number, value = '') =>
  `{"ocid":"ocds-a1b2c3-${number}","id":"r${number}","tag":["tender"],"date":"2026-05-01T10:00:00Z",` +
  `"buyer":{"name":"Ministry of Samples"},"tender":{"id":"T","title":"Desks [${number}], \\"new\\""${value}}}`
const amount = (written: string) => `,"value":{"amount":${written},"currency":"NGN"}`
const packaged = (...releases: string[]) =>
  `{"uri":"https://p.example","publisher":{"name":"P"},"releases":[${releases.join(', ')}],"license":"x"}`

/** What is read: the amount of each notice, the reason of each rejection, by place. */
function read(text: string): { readonly [pointer: string]: unknown } {
  return Object.fromEntries(
    parseDocument(Buffer.from(text)).map((part) => [
      part.pointer,
      'notice' in part ? (part.notice.estimatedValue?.value ?? 'no amount') : part.rejection.reason,
    ]),
  )
}

test('a broken release costs only itself, and is rejected with its place', () => {
  const broken = release(2).replace('"tag":["tender"]', '"tag":["tender"],"awardID"')
  const text = packaged(release(1), broken, release(3, amount('5000')))
  expect(read(text)).toEqual({ '/releases/0': 'no amount', '/releases/1': 'malformed', '/releases/2': 5000 })
  expect(read(`[${broken}, ${release(3)}]`)).toEqual({ '/0': 'malformed', '/1': 'no amount' })
  expect(read(text.replace('"releases"', '"records"'))).toHaveProperty('/records/1', 'malformed')
})

test('amounts that a reader understands are read', () => {
  const written = ['', '221,000,000.50', 'N230000000', '₦7,000', '5000']
  const text = packaged(...written.map((each, index) => release(index, amount(each))))
  expect(Object.values(read(text))).toEqual(['no amount', 221_000_000.5, 230_000_000, 7000, 5000])
})

test('the releases before the end of a file that breaks off are read', () => {
  expect(read(packaged(release(1), release(2)).slice(0, -60))).toEqual({
    '/releases/0': 'no amount',
    '/releases/1': 'malformed',
  })
})

test('packages one after the other are read, each as it is', () => {
  const parts = parseDocument(Buffer.from(`${packaged(release(1))} ${packaged(release(2))}\n${packaged(release(3))}`))
  expect(parts.map((part) => 'notice' in part && part.notice.title)).toEqual(
    [1, 2, 3].map((number) => ({ und: `Desks [${number}], "new"` })),
  )
})

test('what has no sound release is one rejection', () => {
  expect(read('{"ocid":')).toEqual({ '': 'malformed' })
  expect(read(packaged('{"ocid": x}'))).toEqual({ '': 'malformed' })
  expect(read('{"releases":[{"version":"1.0"},{"version" "2"}]}')).toEqual({ '': 'malformed' })
})
