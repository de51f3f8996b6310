// Data that EJN keeps in other sets is joined to its notice.
import { expect, it } from 'vitest'
import { parseEjn } from './parse-ejn.ts'

const notice = {
  Id: 80001,
  ProcedureId: 2770001,
  ProcedureName: 'Nabavka goriva',
  ProcedureType: 'OpenProcedure',
  ContractType: 'Goods',
  Announced: '2026-09-14T09:30:12.4Z',
  ApplicationDeadlineDateTime: '2026-10-05T10:00:00Z',
  ContractingAuthorityName: 'Općina Primjer',
}
const codes = [
  { Id: 7, Code: '09130000-9', Description: 'Nafta' },
  { Id: 8, Code: '09132000-3', Description: 'Benzin' },
]
const read = (document: unknown) => {
  const [part] = parseEjn(Buffer.from(JSON.stringify(document)))
  if (!part || !('notice' in part)) throw new Error('no notice')
  return part.notice
}

it('uses value, description and codes of the only lot as those of the notice', () => {
  const lots = [{ Id: 1, ProcedureId: 2770001, EstimatedValue: 50000.5, ShortDescription: 'Gorivo za vozila' }]
  const links = [{ Id: 1, LotId: 1, CpvCodeId: 7 }]
  const found = read({ notice, lots, links, codes: codes.slice(0, 1) })
  expect(found.cpvCodes).toEqual(['09130000'])
  expect(found.estimatedValue).toEqual({ value: 50000.5, currency: 'BAM' })
  expect(found.description).toMatchObject({ bs: 'Gorivo za vozila' })
  expect(found.lots).toEqual([])
})

it('adds up several lots, unless one has no value, and gives each its own codes', () => {
  const lots = [
    { Id: 1, ProcedureId: 2770001, EstimatedValue: 100, ShortDescription: 'Nafta' },
    { Id: 2, ProcedureId: 2770001, EstimatedValue: 50, ShortDescription: null },
  ]
  const links = [
    { Id: 1, LotId: 1, CpvCodeId: 7 },
    { Id: 2, LotId: 2, CpvCodeId: 8 },
  ]
  const found = read({ notice, lots, links, codes })
  expect(found.cpvCodes).toEqual(['09130000', '09132000'])
  expect(found.estimatedValue?.value).toBe(150)
  expect(found.lots.map(({ lotId, cpvCodes }) => [lotId, cpvCodes])).toEqual([
    ['1', ['09130000']],
    ['2', ['09132000']],
  ])
  const partly = read({ notice, lots: [lots[0], { ...lots[1], EstimatedValue: null }], links, codes })
  expect(partly.estimatedValue).toBeUndefined()
})

it('reads the notice without lots, or with malformed ones', () => {
  expect(read(notice).noticeKey).toBe(read({ notice, lots: [], links: [], codes: [] }).noticeKey)
  expect(read({ notice, lots: [null, 1, {}], links: 'x', codes: [{}] }).title).toMatchObject({ bs: 'Nabavka goriva' })
})
