import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { namesInDocument } from './names-in-document.ts'

const names = (text: string) => [...namesInDocument(Buffer.from(text))].sort()

describe('the names in a document', () => {
  test('of XML are elements without their prefix, and codes of short lists', () => {
    expect(
      names(
        '<?xml version="1.0"?><a:Notice xmlns:a="urn:x"><b:Code listName="notice-type">cn-standard</b:Code>' +
          '<Cpv listName="cpv">45000000</Cpv><Text>Some words</Text></a:Notice>',
      ),
    ).toEqual(['<Code>', '<Cpv>', '<Notice>', '<Text>', 'notice-type=cn-standard'])
  })

  test('of JSON are members with their path, without list indexes and without IDs that serve as members', () => {
    expect(
      names('{"releases":[{"tag":["tender"],"status":"active"},{"value":{"amount":1}}],"byId":{"2026-00012":{"x":1}}}'),
    ).toEqual([
      '/byId',
      '/byId/*',
      '/byId/*/x',
      '/releases',
      '/releases/status',
      '/releases/status=active',
      '/releases/tag',
      '/releases/value',
      '/releases/value/amount',
    ])
  })

  test('of anything else are none', () => {
    expect(names('id;title\n1;x')).toEqual([])
    expect(names('{"cut": [')).toEqual([])
  })

  test('never throws, for any bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.string().map((text) => Buffer.from(`<${text}`)),
          fc.json().map((text) => Buffer.from(text)),
        ),
        (bytes) => {
          expect(namesInDocument(bytes).size).toBeLessThanOrEqual(2_001)
        },
      ),
    )
  })
})
