import { expect, test } from 'vitest'
import { loadSources } from '../../sources/registry.ts'
import { termsOfSources } from './edition-operations.ts'

test('notices that were ingested from files have the terms of the card of their publisher', async () => {
  const terms = termsOfSources(await loadSources())
  expect(terms.get('no-doffin')).toMatchObject({ license: 'NLOD 2.0', country: 'NO' })
  expect(terms.get('doffin')).toEqual({ ...terms.get('no-doffin'), id: 'doffin' })
  expect(terms.get('pt-impic')).toEqual({ ...terms.get('pt-base'), id: 'pt-impic' })
  expect(terms.get('nobody')).toBeUndefined()
})
