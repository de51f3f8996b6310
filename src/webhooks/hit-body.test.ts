import { expect, test } from 'vitest'
import { correctedBy } from '../domain/hit-event.ts'
import { hitBody } from './hit-body.ts'

const maxBytes = 256 * 1024

const bodyOf = (members: object): string =>
  hitBody({
    kind: 'search.hit',
    at: 0,
    hitId: 'hit',
    edition: 1,
    search: { id: 'search', name: 'Brücken', version: 1 },
    fitScore: 78,
    fit: '{}',
    matched: '[]',
    tender: JSON.stringify({ id: 'tender', title: 'Brücke', lots: [], originalSources: [], ...members }),
  })

test('a change that the service made by other rules has its reason, code first', () => {
  const record = {
    kind: 'search.hit.changed',
    at: 0,
    hitId: 'hit',
    edition: 1,
    fitScore: 78,
    fit: '{}',
    matched: '[]',
  } as const
  const message = { ...record, search: { id: 'search', name: 'x', version: 1 }, changes: '["closed"]', tender: '{}' }
  const { data } = JSON.parse(hitBody({ ...message, reason: JSON.stringify(correctedBy(['acts'])) })) as {
    data: object
  }
  expect(data).toMatchObject({
    changes: ['closed'],
    reason: { code: 'corrected', rules: ['acts'], text: 'corrected by the service' },
  })
  expect(hitBody(message)).not.toContain('"reason"')
})

/** Two bytes for each letter. */
const bytes = (count: number): string => 'ü'.repeat(count / 2)
const lotOf = (members: object) => ({ lotId: 'LOT-0001', status: 'open', cpvCodes: [], nutsCodes: [], ...members })

test.each<readonly [readonly string[], object]>([
  [['lots.description'], { lots: [lotOf({ description: bytes(maxBytes) })] }],
  [['lots.description', 'lots'], { lots: [lotOf({ title: bytes(maxBytes) })] }],
  [['lots.description', 'lots', 'translations'], { translations: { fr: { title: bytes(maxBytes) } } }],
  [
    ['lots.description', 'lots', 'translations', 'originalSources'],
    { originalSources: [{ publisher: 'ted', url: bytes(maxBytes) }] },
  ],
  [['lots.description', 'lots', 'translations', 'originalSources', 'description'], { description: bytes(maxBytes) }],
])('a body that is too large lacks %j, and no more', (truncated, members) => {
  const body = bodyOf({ description: 'short', ...members })
  expect(Buffer.byteLength(body)).toBeLessThan(maxBytes)
  const { data } = JSON.parse(body) as { readonly data: { readonly truncated: string[]; readonly tender: object } }
  expect(data.truncated).toEqual(truncated)
  expect('description' in data.tender).toBe(!truncated.includes('description'))
})

test('a body of the largest size is whole, and one byte more is too large', () => {
  const room = maxBytes - Buffer.byteLength(bodyOf({ description: '' }))
  const description = 'ü'.repeat(room / 2) + 'x'.repeat(room % 2)
  const whole = bodyOf({ description })
  expect(Buffer.byteLength(whole)).toBe(maxBytes)
  expect(whole).not.toContain('truncated')
  expect(bodyOf({ description: `${description}x` })).toContain('truncated')
})
