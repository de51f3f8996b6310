import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import { anyCharacter } from '../../../test/testing/generate/any-character.ts'
import { absoluteTarget, ownPath, requestedUrl, returnPath } from './own-path.ts'

const origin = 'https://console.example.org'
const numRuns = proofCount({ share: 2000, full: 100_000 })

/** Pieces of which addresses are made that read as a path here and lead elsewhere. */
const pieces = [
  ...[
    '/',
    '/',
    '/',
    '//',
    '\\',
    '.',
    '..',
    '/.',
    '/..',
    '%2e',
    '%2E%2e',
    '.%2e',
    '%2f',
    '%5c',
    '%5C',
    '%00',
    '%09',
    '%',
    '%zz',
  ],
  ...[
    '\t',
    '\n',
    '\r',
    ' ',
    '\0',
    '\u00a0',
    '\u3000',
    '\u200b',
    '\ufeff',
    '\ud800',
    '\uff0f',
    '\u2044',
    '\u2215',
    '\uff0e',
    '\u3002',
  ],
  ...[
    'evil.example',
    '@evil.example',
    ':443',
    ':',
    '@',
    '?',
    '#',
    '&',
    ';',
    'http:',
    'https://',
    'javascript:',
    '[::1]',
  ],
  ...['me', 'operator', 'o', 'ä', '€', 'a'.repeat(700)],
]
const madeUp = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 9 }).map((list) => list.join('')) },
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 9 }).map((list) => `/${list.join('')}`) },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 40 }).map((text) => `/${text}`) },
)

/** Where a browser goes from any page of the console. */
const from = (path: string) => new URL(path, `${origin}/o/acme/hits?tab=new`)

test.each([
  '/..//evil.example',
  '/.//evil.example',
  '/%2e%2e//evil.example',
  '/me/../..//evil.example',
  '/../../\\evil.example',
  '/\t/evil.example',
  '//evil.example',
  '/\\evil.example',
  'https://evil.example',
  'evil',
  `/${'a'.repeat(2000)}`,
  '',
  null,
])('%j leads to the first page', (text) => {
  expect(returnPath(text)).toBe('/')
})

test.each([
  ['/me', '/me'],
  ['/o/acme/hits?tab=new&after=1#h', '/o/acme/hits?tab=new&after=1#h'],
  ['/o/acme/../other', '/o/other'],
  ['/tenders//x', '/tenders//x'],
  ['/explorer?q=//evil.example', '/explorer?q=//evil.example'],
  [`/${'a'.repeat(1999)}`, `/${'a'.repeat(1999)}`],
])('%s stays', (text, path) => {
  expect(returnPath(text)).toBe(path)
})

test('of made-up paths, each stays on the console, and reading it again changes nothing', () => {
  let kept = 0
  const property = fc.property(madeUp, (text) => {
    const path = returnPath(text)
    expect(from(path).origin).toBe(origin)
    expect(from(path).href).toBe(origin + path)
    expect(returnPath(path)).toBe(path)
    expect(ownPath(path)).toBe(path)
    expect(path.length).toBeLessThanOrEqual(2000)
    if (path !== '/') kept++
  })
  fc.assert(property, { numRuns })
  // it is not safe because it refuses everything
  expect(kept).toBeGreaterThan(numRuns / 10)
})

test('of made-up request targets, each has an address here, which a link may repeat', () => {
  const property = fc.property(madeUp, (target) => {
    const url = requestedUrl(absoluteTarget(target)?.path ?? target, origin)
    expect(url.origin).toBe(origin)
    expect(from(url.pathname + url.search).origin).toBe(origin)
    expect(from(url.pathname).href).toBe(origin + url.pathname)
  })
  fc.assert(property, { numRuns })
})

test('a target in absolute form names its host', () => {
  expect(absoluteTarget('http://evil.example/me?a=1')).toEqual({ host: 'evil.example', path: '/me?a=1' })
  expect(absoluteTarget('http://console.example.org@evil.example')).toEqual({ host: 'evil.example', path: '/' })
  expect(absoluteTarget('http://:80/')).toEqual({ host: '', path: '/' })
  for (const target of ['/me', '//evil.example', '*']) expect(absoluteTarget(target)).toBeUndefined()
})
