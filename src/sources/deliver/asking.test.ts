import { expect, test } from 'vitest'
import { resolved } from './asking.ts'

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
