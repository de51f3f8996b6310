import { expect, it } from 'vitest'
import { parseOcds } from './parse-ocds.ts'
import { compileVersions, isVersioned } from './versioned-release.ts'

const at = (releaseDate: string, value: unknown) => ({
  releaseID: releaseDate,
  releaseDate,
  releaseTag: ['tender'],
  value,
})
const [first, second] = ['2026-01-05T09:00:00Z', '2026-02-01T09:00:00Z'] as const

const compiled = {
  ocid: 'ocds-abc123-1',
  date: second,
  tag: ['compiled'],
  buyer: { name: 'Town of Quellmar' },
  tender: {
    id: '1',
    title: 'Renewal of the bridge',
    status: 'active',
    tenderPeriod: { endDate: '2026-03-10T12:00:00Z' },
    value: { amount: 250_000, currency: 'EUR' },
    items: [{ id: '1', classification: { scheme: 'CPV', id: '45221111' } }],
  },
}
const versioned = {
  ocid: compiled.ocid,
  buyer: { name: [at(first, 'Town of Quellmar')] },
  tender: {
    id: '1',
    title: [at(first, 'Renewal of a bridge'), at(second, 'Renewal of the bridge')],
    status: [at(first, 'active')],
    tenderPeriod: { endDate: [at(first, '2026-02-20T12:00:00Z'), at(second, '2026-03-10T12:00:00Z')] },
    value: { amount: [at(first, 250_000)], currency: [at(first, 'EUR')] },
    items: [{ id: '1', classification: { scheme: [at(first, 'CPV')], id: [at(first, '45221111')] } }],
  },
}

it('the last value of each member is the compiled release', () => {
  expect(compileVersions(versioned)).toEqual(compiled)
})

it('a versioned release is read as its compiled one, alone and in a record', () => {
  const [alone] = parseOcds(versioned)
  const [expected] = parseOcds(compiled)
  const [inRecord] = parseOcds({ records: [{ ocid: compiled.ocid, versionedRelease: versioned }] })
  expect(alone).toEqual(expected)
  expect(inRecord).toEqual({ ...expected, pointer: '/records/0/versionedRelease' })
})

it('lists of objects that have a date and a value of their own are no versions', () => {
  expect(isVersioned({ ...compiled, planning: { budget: { parts: [{ date: first, value: 1 }] } } })).toBe(false)
  expect(isVersioned({ tender: { title: [] } })).toBe(false)
})
