import { expect, test } from 'vitest'
import type { FetchContext } from '../fetch.ts'
import { Asking, resolved } from './asking.ts'

test.each([
  ['http://localhost:8080/export/1.xml?a=1', 'https://portal.example.org/export/1.xml?a=1'],
  ['http://10.0.0.7/export', 'https://portal.example.org/export'],
  ['http://gateway//evil.example/export', 'https://portal.example.org//evil.example/export'],
  [
    'http://gateway/..//evil.example/export?x=//evil.example',
    'https://portal.example.org//evil.example/export?x=//evil.example',
  ],
  ['http://gateway/\\evil.example', 'https://portal.example.org//evil.example'],
  ['http://portal.example.org/next', 'https://portal.example.org/next'],
])('a link %s of a portal behind a gateway leads to the portal', (link, address) => {
  expect(resolved(link, 'https://portal.example.org/list')).toBe(address)
})

test.each([
  ['a key of six characters', 'abc/12', 'https://p.example/abc/12?k=abc%2F12', 'https://p.example/{key}?k={key}'],
  ['no key of five, which may be there by chance', 'abc12', 'https://p.example/abc12', 'https://p.example/abc12'],
])('an address that is stored hides %s, plain and encoded', (_, key, url, stored) => {
  expect(new Asking({ key } as FetchContext, undefined).hide(url)).toBe(stored)
})
