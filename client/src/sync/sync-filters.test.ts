// The hash names the filters: whatever parameter of the contract changes, it changes.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { filterHash, type SyncFilters } from './sync-filters.ts'

type Parameter = { readonly name: string; readonly in: string; readonly schema: { readonly type?: string } }
const contract = JSON.parse(readFileSync(new URL('../../../contract/openapi.json', import.meta.url), 'utf8')) as {
  paths: { '/v1/tenders': { get: { parameters: Parameter[] } } }
}
/** Set by the sync itself. */
const own = ['cursor', 'updated_since', 'archived', 'limit']
const names = contract.paths['/v1/tenders'].get.parameters.flatMap(({ name, in: place }) =>
  place === 'query' && !own.includes(name) ? [name] : [],
)

it('every filter of the contract is one', () => {
  expect(names).toEqual(expect.arrayContaining(['cpv', 'nuts', 'value_min', 'value_max', 'deadline_after']))
})

it.each(names)('another value of %s, or none, gives another hash, alone and with all others', async (name) => {
  const all = Object.fromEntries(names.map((each, index) => [each, `${index}`]))
  const { [name]: _, ...others } = all
  const variants: object[] = [
    {},
    { [name]: '1' },
    { [name]: '2' },
    { [name]: 1_000_000 },
    all,
    others,
    { ...all, [name]: 'x' },
  ]
  const hashes = await Promise.all(variants.map((filters) => filterHash(filters as SyncFilters)))
  expect(new Set(hashes).size).toBe(variants.length)
})

it('the order of codes, a code that is repeated and a filter that is empty make no difference', async () => {
  const hash = await filterHash({ cpv: ['45000000', '71000000'] } as SyncFilters)
  for (const same of [
    { cpv: ['71000000', '45000000'] },
    { cpv: ['45000000', '71000000', '45000000'] },
    { nuts: [], cpv: ['45000000', '71000000'], country: undefined },
  ])
    expect(await filterHash(same as SyncFilters), JSON.stringify(same)).toBe(hash)
})
