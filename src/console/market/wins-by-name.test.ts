import { expect, test } from 'vitest'
import { createMemoryEditions, plainId } from '../../../test/memory-editions.ts'
import type { TenderOrganization } from '../../domain/tender.ts'
import { winsByName, wordsOfName } from './wins-by-name.ts'

const at = Date.UTC(2026, 10, 30)
const asIs = { value: <Value>(value: Value) => value }

function editionsOf(wins: readonly (readonly TenderOrganization[])[]) {
  const editions = createMemoryEditions()
  editions.publish(
    at,
    wins.map((winners, index) => ({
      id: plainId(index + 1),
      status: 'awarded' as const,
      title: `Tender ${index + 1}`,
      lots: [{ lotId: 'LOT-0001', status: 'awarded' as const, cpvCodes: [], nutsCodes: [], winners: [...winners] }],
    })),
  )
  return editions
}

const strabau = { name: 'Strabau Schwaben GmbH & Co. KG', nationalId: 'DE 246813579', country: 'DE' }
const found = (wins: readonly (readonly TenderOrganization[])[], typed: string, redactor = asIs) =>
  winsByName(editionsOf(wins), redactor, { typed, limit: 10, at }).wins.map(({ winner }) => winner.name)

test('finds wins by words of the name, from the beginning of a word, whatever the legal form', () => {
  const wins = [[strabau], [{ name: 'STRABAU AG' }], [{ name: 'Betrabau GmbH' }]]
  expect(found(wins, 'strabau').sort()).toEqual(['STRABAU AG', strabau.name])
  expect(found(wins, 'Strab')).toHaveLength(2)
  expect(found(wins, 'Strabau Schwaben GmbH')).toEqual([strabau.name])
  expect(found(wins, 'str')).toEqual([])
  expect(found(wins, '…')).toEqual([])
})

test('all words are of one company, not of two winners of a lot', () => {
  expect(found([[strabau, { name: 'Meier Nord GmbH' }]], 'strabau nord')).toEqual([])
})

test('people are not found: without a legal form, trading under their name, marked, or redacted', () => {
  const people = [
    { name: 'Hans Meier', nationalId: 'DE123456789', country: 'DE' },
    { name: 'Bau Hans Meier e.K.', nationalId: 'HRA 1234 Köln', country: 'DE' },
    { name: 'Meier Bau GmbH', isNaturalPerson: true },
    { name: 'John Meier trading as Meier Cleaning' },
  ]
  expect(found([people], 'meier')).toEqual([])
  const redacted = {
    value: <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replace('Strabau', '[redacted]')),
  }
  expect(found([[strabau]], 'Strabau Schwaben', redacted)).toEqual([])
})

test('says that there are more', () => {
  const editions = editionsOf([[strabau], [strabau], [strabau]])
  const ask = (limit: number) => winsByName(editions, asIs, { typed: 'strabau', limit, at })
  expect(ask(2)).toMatchObject({ wins: [{}, {}], hasMore: true })
  expect(ask(3).hasMore).toBe(false)
  expect(wordsOfName('GmbH')).toEqual(['gmbh'])
})
