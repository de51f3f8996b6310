// Words and shapes that public clients were found to read otherwise than a card did.
import { expect, test } from 'vitest'
import type { Notice } from '../../domain/notice.ts'
import { loadSources } from '../registry.ts'

const sources = await loadSources()

function read(id: string, document: string): Notice {
  const parts = sources.get(id)!.parse!(Buffer.from(document))
  if (parts.length !== 1 || !('notice' in parts[0]!)) throw new Error(`not one notice: ${JSON.stringify(parts)}`)
  return parts[0].notice
}

test.each([
  ['Negotiation procedure with prior publication', 'neg-w-call'],
  ['Negotiation procedure without prior publication', 'neg-wo-call'],
  ['Partnership for innovation', 'innovation'],
])('Montenegro: %s is %s', (typeOfProcedureCaption, procedureType) => {
  const entry = { id: 1, title: 'Kotlovi', contractAuthority: 'Opština', typeOfProcedureCaption }
  expect(read('me-cejn', JSON.stringify({ entry })).procedureType).toBe(procedureType)
})

test.each([
  ['SimplifiedOpenProcedure', 'open'],
  ['ProcedureForTalkingWithPreviousAnnouncement', 'neg-w-call'],
  ['ProcedureForTalkingWithoutPreviousAnnouncement', 'neg-wo-call'],
])('North Macedonia: %s is %s', (EntityProcedureType, procedureType) => {
  const row = { Id: 'a', Subject: 'Столови', ContractingInstitutionName: 'Општина', EntityProcedureType }
  expect(read('mk-esjn', JSON.stringify(row)).procedureType).toBe(procedureType)
})

test('UNDP: number, agency, country and deadline of a negotiation', () => {
  const item = `<item><title>UNW-BIH-00123 - Repair of a school - UN Women - GEORGIA</title>
    <link>https://procurement-notices.undp.org/view_negotiation.cfm?nego_id=77</link><deadline>2026-12-31</deadline></item>`
  expect(read('zz-undp', `<RDF>${item}</RDF>`)).toMatchObject({
    title: { en: 'Repair of a school' },
    internalReference: 'UNW-BIH-00123',
    contractingAuthorities: [{ name: 'UN Women' }],
    submissionDate: '2027-01-01T04:59:59.000Z',
  })
})

test.each([
  ['Ανοικτή', 'open'],
  ['Διαπραγμάτευση χωρίς προηγούμενη δημοσίευση', 'neg-wo-call'],
  ['Συνοπτική Διαδικασία', undefined],
])('Cyprus: %s is %s', (procedure, procedureType) => {
  const heads = 'CFTID,ORGANIZATIONNAME,CFTTITLE,Procedure El,EONAME,AWARDEDCONTRVALUE,AWARDDATE'
  const row = `7,Δήμος,Τραπέζια,${procedure},ABC Ltd,100,02-01-2025 00:00:00`
  expect(read('cy-awarded-contracts', `${heads}\n${row}\n`).procedureType).toBe(procedureType)
})
