// Proves C51 to C54, C141 and D28 to D31 for cursors in isolation.
import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TenderFilter } from '../../domain/filter.ts'
import { parseListQuery } from '../parameters/parameters.ts'
import { parseQueryString } from '../parameters/query-string.ts'
import { type CursorKey, createCursorSealer } from './cursor.ts'

const issuedAt = Date.UTC(2026, 10, 2, 8)
const dayMs = 86_400_000
const position = { after: { lastModified: issuedAt - 5, id: '0f8a1c52-7d3e-8b64-9a10-5c2e7f4b9d31' }, edition: 70_000 }
const firstKey: CursorKey = { keyId: 1, key: createSecretKey(new Uint8Array(32).fill(7)) }

function sealerAt(now: number, keys: readonly CursorKey[] = [firstKey]) {
  let drawn = 0
  return createCursorSealer({
    ring: { keys: () => keys, refresh: async () => {} },
    clock: () => now,
    randomBytes: (count) => Uint8Array.from({ length: count }, () => drawn++),
  })
}
function filterOf(text: string): TenderFilter {
  const parsed = parseListQuery(parseQueryString(text).values)
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  return parsed.query.filter
}
const plain = filterOf('')

describe('a cursor', () => {
  const text = sealerAt(issuedAt).seal(position, plain, 'one')

  test('C50, D28: comes back as sealed, in at most 512 characters', () => {
    expect(text).toMatch(/^[A-Za-z0-9_-]{1,512}$/)
    expect(sealerAt(issuedAt).open(text, plain, 'one')).toEqual({ state: 'valid', position })
  })

  test('any key, edition and filter survive the round trip', () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.integer({ min: 0, max: 2 ** 45 }),
        fc.integer({ min: 1, max: 2 ** 32 - 1 }),
        (id, lastModified, edition) => {
          const sealer = sealerAt(issuedAt)
          const filter = filterOf('cpv=45000000,71000000&value_min=5')
          const some = { after: { lastModified, id }, edition }
          expect(sealer.open(sealer.seal(some, filter, 'one'), filter, 'one')).toEqual({
            state: 'valid',
            position: some,
          })
        },
      ),
    )
  })

  test('C51, C52: works at exactly 24 hours, not a millisecond later', () => {
    expect(sealerAt(issuedAt + dayMs).open(text, plain, 'one').state).toBe('valid')
    expect(sealerAt(issuedAt + dayMs + 1).open(text, plain, 'one').state).toBe('expired')
  })

  test('D31: an issue time of up to 60 seconds ahead is a clock, beyond it a forgery', () => {
    expect(sealerAt(issuedAt - 60_000).open(text, plain, 'one').state).toBe('valid')
    expect(sealerAt(issuedAt - 60_001).open(text, plain, 'one').state).toBe('invalid')
  })

  test('D30: expired is reported before mismatch', () => {
    expect(sealerAt(issuedAt + dayMs + 1).open(text, filterOf('cpv=45000000'), 'one').state).toBe('expired')
  })

  test('C53: no altered character is accepted, at any place', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const sealer = sealerAt(issuedAt)
    for (let index = 0; index < text.length; index++) {
      // each bit of the character alone, and all together
      for (const change of [1, 2, 4, 8, 16, 32, 63]) {
        const other = alphabet[alphabet.indexOf(text[index]!) ^ change]!
        const altered = text.slice(0, index) + other + text.slice(index + 1)
        expect(['invalid', 'unknownKey']).toContain(sealer.open(altered, plain, 'one').state)
      }
    }
  })

  test('C53: nothing that is cut, lengthened, padded or made up is accepted', () => {
    const sealer = sealerAt(issuedAt)
    const others = [
      text.slice(1),
      text.slice(0, -1),
      `${text}A`,
      `${text}=`,
      `${text} `,
      '',
      'A',
      text + text,
      text.replaceAll('-', '+'),
    ]
    for (const other of others) if (other !== text) expect(sealer.open(other, plain, 'one').state).toBe('invalid')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 700 }), (garbage) => {
        expect(['invalid', 'unknownKey']).toContain(sealer.open(garbage, plain, 'one').state)
      }),
    )
  })

  test('C54: belongs to an organization, whichever token it uses', () => {
    expect(sealerAt(issuedAt).open(text, plain, 'two').state).toBe('invalid')
  })

  test('two seals of the same position differ: the content cannot be compared', () => {
    const sealer = sealerAt(issuedAt)
    expect(sealer.seal(position, plain, 'one')).not.toBe(sealer.seal(position, plain, 'one'))
  })
})

describe('filters of a cursor', () => {
  const mismatch = (from: string, to: string) => {
    const sealer = sealerAt(issuedAt)
    const opened = sealer.open(sealer.seal(position, filterOf(from), 'one'), filterOf(to), 'one')
    return opened.state === 'mismatch' ? opened.parameters : opened.state
  }

  test.each([
    ['cpv=45000000', '', ['cpv']],
    ['', 'nuts=DE', ['nuts']],
    ['cpv=45000000&nuts=DE', 'cpv=45000000&nuts=AT', ['nuts']],
    ['value_min=1&value_max=5', 'value_min=2&value_max=6', ['value_min', 'value_max']],
    ['archived=true', '', ['archived']],
    ['updated_since=2026-11-01T00:00:00Z', 'updated_since=2026-11-01T00:00:00.001Z', ['updated_since']],
    ['updated_since=2026-11-01T00:00:00Z', '', ['updated_since', 'archived']],
    ['procedure=open', 'procedure=restricted', ['procedure']],
    [
      'published_since=2026-11-01T00:00:00Z',
      'deadline_after=2026-11-01T00:00:00Z',
      ['published_since', 'deadline_after'],
    ],
  ])('D29: %s continued with "%s" names what differs', (from, to, parameters) => {
    expect(mismatch(from, to)).toEqual(parameters)
  })

  test.each([
    ['cpv=45000000,71000000', 'cpv=71000000&cpv=45000000-7'],
    ['updated_since=2026-11-01T00:00:00Z', 'updated_since=2026-11-01T01:00:00%2B01:00&archived=false'],
    ['limit=5', 'limit=100'],
    ['archived=false', ''],
    ['nuts=de2', 'nuts=DE2'],
  ])('D25, D30: %s may be continued with "%s"', (from, to) => {
    expect(mismatch(from, to)).toBe('valid')
  })
})

describe('the key ring', () => {
  const secondKey: CursorKey = { keyId: 2, key: createSecretKey(new Uint8Array(32).fill(9)) }
  const old = sealerAt(issuedAt).seal(position, plain, 'one')

  test('D28: the newest key seals, older ones still open', () => {
    const both = sealerAt(issuedAt, [firstKey, secondKey])
    expect(both.open(old, plain, 'one').state).toBe('valid')
    const fresh = both.seal(position, plain, 'one')
    expect(sealerAt(issuedAt, [secondKey]).open(fresh, plain, 'one').state).toBe('valid')
    expect(sealerAt(issuedAt).open(fresh, plain, 'one').state).toBe('unknownKey')
  })

  test('after a restore, a key opens the cursors of the editions that are the same', () => {
    const opened = (lastEdition: number) =>
      sealerAt(issuedAt, [{ ...firstKey, lastEdition }, secondKey]).open(old, plain, 'one').state
    expect(opened(position.edition)).toBe('valid')
    expect(opened(position.edition - 1)).toBe('expired')
    expect(opened(0)).toBe('expired')
  })

  test('a cursor whose key was dropped long ago is expired, so that the client restarts its run', () => {
    expect(sealerAt(issuedAt + 7 * dayMs, [secondKey]).open(old, plain, 'one').state).toBe('expired')
  })
})

// Sealed once with the fixed key, filters and organization above; it must open for as long as its version may be in
// use.
test('C141: a cursor that an earlier version of the program issued is still read', () => {
  const issued =
    'AQAAAAEBAQEBAQEBAQEBAQF3QBLyJ0TjhM2GoR_7U-oh9NVrv4WmOxJJQULD_fGOu7Qgyx2pUz4AK-_noD0Hq2Qbvjry3bvpt5o_-HWjuPPdxxxaBRhtu7paHbV_hyR7wvGXZWDtaHYxQtQ'
  expect(sealerAt(issuedAt).open(issued, plain, 'one')).toEqual({ state: 'valid', position })
})

/** The cursor as another version seals it: with the last print cut, or one added. */
function withOtherPrints(text: string, change: (content: Buffer) => Buffer): string {
  const bytes = Buffer.from(text, 'base64url')
  const [header, nonce] = [bytes.subarray(0, 17), bytes.subarray(5, 17)]
  const decipher = createDecipheriv('aes-256-gcm', firstKey.key, nonce)
  decipher.setAAD(header).setAuthTag(bytes.subarray(-16))
  const content = Buffer.concat([decipher.update(bytes.subarray(17, -16)), decipher.final()])
  const cipher = createCipheriv('aes-256-gcm', firstKey.key, nonce)
  cipher.setAAD(header)
  const sealed = Buffer.concat([cipher.update(change(content)), cipher.final()])
  return Buffer.concat([header, sealed, cipher.getAuthTag()]).toString('base64url')
}

test.each<[string, (content: Buffer) => Buffer]>([
  ['before the last parameter existed', (content) => content.subarray(0, -2)],
  ['that knows one more parameter', (content) => Buffer.concat([content, Buffer.alloc(2)])],
])('C141: a cursor of a version %s still works, and still names a filter that differs', (_, change) => {
  const sealer = sealerAt(issuedAt)
  const filter = filterOf('cpv=45000000')
  const other = withOtherPrints(sealer.seal(position, filter, 'one'), change)
  expect(sealer.open(other, filter, 'one')).toEqual({ state: 'valid', position })
  expect(sealer.open(other, plain, 'one')).toMatchObject({
    state: 'mismatch',
    parameters: expect.arrayContaining(['cpv']),
  })
  expect(sealer.open(other, filter, 'two').state).toBe('invalid')
})

test('D28: Node itself opens it as AES-256-GCM, with a nonce of 96 bits, the header authenticated and a tag of 128 bits', () => {
  const bytes = Buffer.from(sealerAt(issuedAt).seal(position, plain, 'one'), 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', firstKey.key, bytes.subarray(5, 17))
  decipher.setAAD(bytes.subarray(0, 17)).setAuthTag(bytes.subarray(-16))
  const content = Buffer.concat([decipher.update(bytes.subarray(17, -16)), decipher.final()])
  expect(content.readUIntBE(0, 6)).toBe(position.after.lastModified)
})
