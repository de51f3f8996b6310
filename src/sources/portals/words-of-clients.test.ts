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

test('World Bank: the project is not the buyer', () => {
  const row = { id: 'OP1', notice_type: 'Invitation for Bids', project_name: 'Rural Roads', project_id: 'P1' }
  const [stated, missing] = [{ ...row, contact_organization: 'Roads Agency' }, row].map((each) =>
    read('zz-world-bank', JSON.stringify({ ...each, bid_description: 'Bridges', noticedate: '20-Nov-2026' })),
  )
  expect(stated!.contractingAuthorities).toMatchObject([{ name: 'Roads Agency' }])
  expect(missing!.contractingAuthorities).toEqual([])
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

test('Luxembourg: the buyer is the service, not the portal on which it buys; a value of zero is none', () => {
  const consultation = {
    id: 532,
    intitule: 'Bureaux',
    organismeDenomination: 'Portail des marchés publics',
    directionServiceLibelle: 'Administration des exemples',
    dateMiseEnLigneCalcule: '2026-11-20T10:00:00+01:00',
    dateLimiteRemiseOffres: '2026-12-18T10:00:00+01:00',
    codeCpvPrincipal: '39130000',
    valeurEstimee: 0,
  }
  const notice = read('lu-pmp', JSON.stringify(consultation))
  expect(notice).toMatchObject({
    contractingAuthorities: [{ name: 'Administration des exemples' }],
    submissionDate: '2026-12-18T09:00:00.000Z',
    cpvCodes: ['39130000'],
  })
  expect(notice.estimatedValue).toBeUndefined()
  expect(read('fr-place', JSON.stringify(consultation)).contractingAuthorities).toMatchObject([
    { name: 'Portail des marchés publics' },
  ])
})

test.each(['NE PAS UTILISER - essai', 'Consultation technique test'])('Atexo: %s is no procurement', (intitule) => {
  const parts = sources.get('lu-pmp')!.parse!(Buffer.from(JSON.stringify({ id: 7, intitule })))
  expect(parts).toMatchObject([{ rejection: { reason: 'not-procurement', path: '/intitule' } }])
})

test('Liechtenstein: a notice that changed in place, or became an award, is a notice of its own', () => {
  const entry = { id: 9, name: 'Tische', contAuthOfficialName: 'Gemeinde', formName: 'Auftragsbekanntmachung' }
  const keyOf = (change: object) => read('li-vergaben', JSON.stringify({ ...entry, ...change })).noticeKey
  const states = [
    { submitDeadline: '2026-12-18T17:00:00' },
    { submitDeadline: '2026-12-21T17:00:00' },
    { submitDeadline: '2026-12-21T17:00:00', updatedAt: '2026-12-01T08:00:00' },
    { submitDeadline: '2026-12-21T17:00:00', formName: 'Bekanntgabe vergebener Aufträge' },
  ]
  expect(new Set(states.map(keyOf)).size).toBe(4)
  expect(read('li-vergaben', JSON.stringify({ ...entry, ...states[2] }))).toMatchObject({
    noticeId: '9',
    dispatchDate: '2026-12-01T07:00:00.000Z',
  })
})

test.each([
  ['Отворени поступак', 'open'],
  ['Рестриктивни поступак', 'restricted'],
  ['Преговарачки поступак са објављивањем јавног позива', 'neg-w-call'],
  ['Преговарачки поступак без објављивања јавног позива', 'neg-wo-call'],
])('Serbia: a row of the table of procedures, %s', (ProcedureType, procedureType) => {
  const row = {
    Id: 321,
    Name: 'Столови',
    ContractingBody: 'Општина Пример, ПИБ: 100000001',
    ReferenceNumber: '7/2026',
    NoticePublishDate: '2026-11-20T10:00:00',
    SubmissionDeadline: '2026-12-18T10:00:00',
    CPVExtended: '39121200 - Столови',
    EstimatedValue: 1_500_000,
    Nuts: 'RS110 - Београд',
    TypeContract: 'Добра',
    ProcedureType,
  }
  expect(read('rs-jnportal', JSON.stringify(row))).toMatchObject({
    procedureType,
    procedureId: '321',
    title: { sr: 'Столови' },
    contractingAuthorities: [{ name: 'Општина Пример', nationalId: '100000001' }],
    internalReference: '7/2026',
    submissionDate: '2026-12-18T09:00:00.000Z',
    cpvCodes: ['39121200'],
    estimatedValue: { value: 1_500_000, currency: 'RSD' },
    contractNature: 'supplies',
    url: 'https://jnportal.ujn.gov.rs/tender-eo/321',
  })
})
