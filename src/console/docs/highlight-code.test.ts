// Tints of code: a URL in a string is not a comment, and a quoted quote ends no text.
import { expect, test } from 'vitest'
import { highlightCode } from './highlight-code.ts'

test.each([
  ['ts', 'fetch(`http://localhost/v1?a=1`, {', [['s', '`http://localhost/v1?a=1`']]],
  [
    'ts',
    "const a = 'x' // why",
    [
      ['k', 'const'],
      ['s', "'x'"],
      ['c', '// why'],
    ],
  ],
  [
    'json',
    '{"a": "say \\"no\\""}',
    [
      ['s', '"a"'],
      ['s', '"say \\"no\\""'],
    ],
  ],
  [
    'sh',
    "curl 'http://localhost/#x' # a page",
    [
      ['k', 'curl'],
      ['s', "'http://localhost/#x'"],
      ['c', '# a page'],
    ],
  ],
] as const)('%s: %s', (language, text, expected) => {
  const spans = [...highlightCode(text, language).text.matchAll(/<span class="(\w)">(.*?)<\/span>/g)]
  const plain = (escaped: string) =>
    escaped
      .replace(/&#39;/g, "'")
      .replace(/&quot;/g, '"')
      .replace(/&#96;/g, '`')
      .replace(/&amp;/g, '&')
  expect(spans.map(([, kind, inner]) => [kind, plain(inner!)])).toEqual(expected)
})
