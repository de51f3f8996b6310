import { expect, test } from 'vitest'
import { missingFromShape } from './answer-shape.ts'

test.each<[string, readonly string[], string, readonly string[]]>([
  ['members of JSON', ['/releases/0/ocid', '/links/next'], '{"releases":[{"ocid":"x"}],"links":{}}', ['/links/next']],
  ['any member', ['/rows/*/id', '/rows/*/gone'], '{"rows":{"a":{},"b":{"id":1}}}', ['/rows/*/gone']],
  ['members with a slash in the name', ['/a~1b'], '{"a/b":null}', []],
  ['members with a tilde in the name', ['/a~0b'], '{"a~b":null}', []],
  ['lines of JSON', ['/1/id'], '{"id":1}\n{"id":2}\n', []],
  [
    'elements of XML, whatever their prefix',
    ['entry', 'ContractFolderStatus', 'en'],
    '<feed><entry><x:ContractFolderStatus/></entry></feed>',
    ['en'],
  ],
  ['columns of a CSV', ['title', 'id'], '"id";"name"\n1;x', ['title']],
  ['columns between semicolons, tabs or bars', ['id', 'a', 'b', 'c'], 'id;a\tb|c\n', []],
  ['cut JSON lacks all', ['/a'], '{"a":', ['/a']],
  ['nothing is expected', [], 'anything', []],
])('%s', (_, shape, text, missing) => {
  expect(missingFromShape(shape, Buffer.from(text))).toEqual(missing)
})
