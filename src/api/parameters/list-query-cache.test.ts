import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import { seed } from '../../../test/testing/seed.ts'
import { createListQueryCache } from './list-query-cache.ts'
import { parseListQuery } from './parameters.ts'
import { parseQueryString } from './query-string.ts'

console.log(`list-query-cache.test seed ${seed} (SEED repeats it)`)

/** Reads without a cache, as the parameters are declared. */
function readAfresh(text: string): unknown {
  const { values, faults } = parseQueryString(text)
  const parsed = parseListQuery(values)
  if (faults.length === 0) return parsed
  return { faults: 'faults' in parsed ? [...faults, ...parsed.faults] : faults }
}

test('the cache never changes the meaning of a query, whatever came before', () => {
  const pieces = fc.constantFrom(
    'cursor=AQx_-9',
    'cursor=B',
    'cursor=',
    'cursor',
    'cursor=a%2Bb',
    '%63ursor=C',
    'xcursor=D',
    'limit=7',
    'limit=0',
    'archived=true',
    'cpv=45000000',
    'cpv=45000000,71000000',
    'updated_since=2026-01-01T00:00:00Z',
    '',
    '%zz=1',
    `nuts=${'DE,'.repeat(600)}DE`,
  )
  const texts = fc.array(pieces, { maxLength: 4 }).map((parts) => parts.join('&'))
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 12 }), (asked) => {
      const read = createListQueryCache()
      for (const text of [...asked, ...asked]) expect(read(text)).toEqual(readAfresh(text))
    }),
    { seed, numRuns: proofCount({ share: 120, full: 5000 }) },
  )
})
