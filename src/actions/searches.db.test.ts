import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { anna, logged, newOrganization, now, openActingWorld, run, store } from '../../test/acting-world.ts'
import type { StoredSearch } from '../store/hits/searches.ts'
import { addProfile } from './profiles.ts'
import { activateSearch, addSearch, copySearch, deleteSearch, editSearch, releaseSearch } from './searches.ts'

const terms = { filter: { cpv: ['45000000'] }, profileId: null, threshold: 50 }

let organizationId = ''
let search: StoredSearch

openActingWorld()
beforeEach(async () => {
  organizationId = (await newOrganization()).organizationId
  const creation = await run((trx) => addSearch(trx, anna, { ...terms, organizationId, name: 'Roofs' }))
  if (creation.kind !== 'created') throw new Error(creation.kind)
  search = creation.search
})

test('a search is changed by whoever has seen the newest version, and each kind of term is a change', async () => {
  let seen: Pick<StoredSearch, 'searchNo' | 'version'> = search
  const edit = async (change: Omit<Parameters<typeof editSearch>[2], 'seen'>) => {
    const edited = await run((trx) => editSearch(trx, anna, { seen, ...change }))
    if (edited.kind === 'edited') seen = edited.search
    return edited.kind
  }
  expect([await edit({ terms, name: 'Roofs' }), await edit({ terms: { ...terms, threshold: 60 } })]).toEqual([
    'unchanged',
    'edited',
  ])
  expect(await edit({ terms: { ...terms, threshold: 60, filter: { cpv: ['45261000'] } } })).toBe('edited')
  expect(await edit({ name: 'Roof works' })).toBe('edited')
  seen = search
  expect(await edit({ name: 'Late' })).toBe('stale')
  expect(await logged(organizationId, 2)).toEqual(['search.edit', 'search.edit', 'search.edit'])
})

test('a profile that is set or taken away is a change', async () => {
  const added = await run((trx) =>
    addProfile(trx, anna, { organizationId, name: 'Roofer', profile: { cpv: ['45261000'] } }),
  )
  if (added.kind !== 'created') throw new Error(added.kind)
  const { profileId } = added.profile
  const edit = (change: { readonly profileId: string | null }) =>
    run((trx) => editSearch(trx, anna, { seen: search, terms: { ...terms, ...change } }))
  expect(await edit({ profileId })).toMatchObject({ kind: 'edited', hasNewTerms: true, isRenamed: false })
})

test('a search pauses once, is deleted by its name only, and then is gone', async () => {
  const { searchNo } = search
  const activate = async (isActive: boolean) => (await run((trx) => activateSearch(trx, anna, searchNo, isActive))).kind
  expect([await activate(true), await activate(false), await activate(false), await activate(true)]).toEqual([
    'unchanged',
    'changed',
    'unchanged',
    'changed',
  ])
  const remove = async (name: string) => (await run((trx) => deleteSearch(trx, anna, searchNo, name))).kind
  expect([await remove('roofs'), await remove('Roofs'), await remove('Roofs')]).toEqual([
    'unconfirmed',
    'deleted',
    'gone',
  ])
  expect([await activate(false), (await run((trx) => copySearch(trx, anna, searchNo, 'Copy'))).kind]).toEqual([
    'gone',
    'gone',
  ])
  expect(await logged(organizationId, 2)).toEqual(['search.pause', 'search.resume', 'search.delete'])
})

test('one held edition is released, or all, the older first, each with its entry', async () => {
  const { searchNo } = search
  const hold = (edition: number) =>
    sql`insert into search_edition (search_no, edition, hits, state) values (${searchNo}, ${edition}, 0, 'held')`.execute(
      store.db,
    )
  for (const edition of [3, 5, 8]) await hold(edition)
  const release = async (only?: number) => {
    const editions: number[] = []
    for await (const { edition } of releaseSearch(store, { ...anna, clock: () => now }, search, only))
      editions.push(edition)
    return editions
  }
  expect([await release(5), await release(4), await release(), await release()]).toEqual([[5], [], [3, 8], []])
  expect(await logged(organizationId, 2)).toEqual(['search.release', 'search.release', 'search.release'])
})
