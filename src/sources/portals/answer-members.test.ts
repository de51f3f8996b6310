// Members that portals' answers have and the announcements of the simulator lack.
import { expect, it } from 'vitest'
import type { Notice, ParsedPart } from '../../domain/notice.ts'
import { kerndatenParser } from './at/parse-kerndaten.ts'
import { parsePncp } from './br/parse-pncp.ts'
import { parseSimap } from './ch/parse-simap.ts'
import { parseSecop2 } from './co/parse-secop2.ts'
import { parseVvz } from './cz/parse-vvz.ts'
import { parseCatalunya } from './es/parse-catalunya.ts'
import { placspParser } from './es/parse-placsp.ts'
import { parseKimdis } from './gr/parse-kimdis.ts'
import { parseBzp } from './pl/parse-bzp.ts'
import { parseSeap } from './ro/parse-seap.ts'

function read(parse: (bytes: Uint8Array) => ParsedPart[], entry: unknown): Notice {
  const [part] = parse(Buffer.from(JSON.stringify(entry)))
  if (!part || 'rejection' in part) throw new Error(JSON.stringify(part))
  return part.notice
}

const row = {
  codi_expedient: 'X-17/26',
  codi_organ: '900001',
  nom_organ: 'Ajuntament de Vallmitjana',
  objecte_contracte: 'Neteja de les escoles',
  fase_publicacio: 'Expedient en avaluació',
  data_publicacio_anunci: '2026-03-02T09:00:00.000',
  data_publicacio_avaluacio: '2026-04-20T10:00:00.000',
  lloc_execucio: 'Vallmitjana',
  codi_nuts: 'ES511',
  durada_contracte: '1 any i 6 mesos',
  valor_estimat_contracte: '40000',
  valor_estimat_expedient: '90000',
}

it('Catalonia: an evaluation is closed, with its place, duration and later day', () => {
  expect(read(parseCatalunya, row)).toMatchObject({
    formType: 'competition',
    isClosed: true,
    dispatchDate: '2026-04-20T08:00:00.000Z',
    place: { country: 'ES', nutsCode: 'ES511', city: 'Vallmitjana' },
    estimatedValue: { value: 40_000 },
    lots: [{ lotId: '1', duration: { value: 18, unit: 'MONTH' } }],
  })
  const open = read(parseCatalunya, { ...row, fase_publicacio: 'Anunci de licitació' })
  expect([open.isClosed, open.dispatchDate]).toEqual([undefined, undefined])
})

it('Catalonia: a row of a lot has the value of the lot, its file that of all lots', () => {
  const lot = { ...row, numero_lot: '3', descripcio_lot: 'Escola de dalt', fase_publicacio: 'Adjudicació' }
  expect(read(parseCatalunya, { ...lot, denominacio_adjudicatari: 'Neteja SL' })).toMatchObject({
    estimatedValue: { value: 90_000 },
    lots: [
      {
        lotId: '3',
        title: { ca: 'Escola de dalt' },
        estimatedValue: { value: 40_000 },
        duration: { value: 18 },
        result: { outcome: 'awarded', winners: [{ name: 'Neteja SL' }] },
      },
    ],
  })
})

const proceso = {
  entidad: 'Alcaldía de Valdeluz',
  id_del_proceso: 'CO1.REQ.77',
  nombre_del_procedimiento: 'Vías rurales',
  estadoresumen: 'Adjudicado',
  fecha_de_publicacion_fase_3: '2026-03-02T00:00:00.000',
  fecha_adjudicacion: '2026-05-02T00:00:00.000',
  nombre_del_proveedor: 'Caminos SAS',
  nit_del_proveedor_adjudicado: 'No Definido',
  ciudad_proveedor: 'Valdeluz',
  duracion: '5',
  unidad_de_duracion: 'Mes(es)',
}

it('SECOP II: the state under its other name, duration and winner; what is not defined is missing', () => {
  const notice = read(parseSecop2, proceso)
  expect(notice).toMatchObject({
    formType: 'result',
    publicationDate: '2026-03-02T05:00:00.000Z',
    lots: [{ duration: { value: 5, unit: 'MONTH' } }],
  })
  expect(notice.lots[0]?.result?.winners).toEqual([{ name: 'Caminos SAS', city: 'Valdeluz', country: 'CO' }])
  const unnamed = { ...proceso, nombre_del_proveedor: 'No Definido' }
  expect(read(parseSecop2, unnamed).lots[0]?.result?.winners).toBeUndefined()
})

it('SEAP: of the deadlines of lots the latest counts', () => {
  const entry = {
    noticeNo: 'CN1000001',
    contractTitle: 'Drumuri',
    minTenderReceiptDeadline: '2026-05-09T15:00:00+03:00',
    maxTenderReceiptDeadline: '2026-05-12T15:00:00+03:00',
  }
  expect(read(parseSeap, entry).submissionDate).toBe('2026-05-12T12:00:00.000Z')
})

it.each([
  ['In desfasurare', undefined, undefined],
  ['Suspendata', undefined, ['susp-review']],
  ['In evaluare', true, undefined],
  ['Atribuita', true, undefined],
])('SEAP: a call in state %s', (text, isClosed, changeReasons) => {
  const notice = read(parseSeap, { noticeNo: 'CN1000001', contractTitle: 'Drumuri', sysProcedureState: { text } })
  expect([notice.isClosed, notice.changeReasons]).toEqual([isClosed, changeReasons])
})

it('SEAP: the award of a simplified procedure has a page of its own', () => {
  const entry = { caNoticeId: 77, noticeNo: 'SCNA1000001', contractTitle: 'Drumuri', ronContractValue: 5_000 }
  expect(read(parseSeap, entry).url).toBe('https://e-licitatie.ro/pub/notices/ca-notices/view-rfq/77')
})

it('what an authority sells is no procurement', () => {
  const rejected = (parts: ParsedPart[]) => parts.map((part) => 'rejection' in part && part.rejection.reason)
  const auction = { numeroControlePNCP: '12345678000100-1-000042/2026', objetoCompra: 'Veículos' }
  for (const modalidadeId of [1, 13])
    expect(rejected(parsePncp(Buffer.from(JSON.stringify({ ...auction, modalidadeId }))))).toEqual(['not-procurement'])
  const sale = { ...proceso, modalidad_de_contratacion: 'Enajenación de bienes con sobre cerrado' }
  expect(rejected(parseSecop2(Buffer.from(JSON.stringify(sale))))).toEqual(['not-procurement'])
})

it('a long title is cut where those of all formats are; an empty member hides no other', () => {
  const long = 'a '.repeat(900).trim()
  expect(read(parsePncp, { numeroControlePNCP: '1', objetoCompra: long }).title).toEqual({ pt: long })
  expect(read(parseCatalunya, { ...row, objecte_contracte: long }).title).toEqual({ ca: long })
  const blank = { ...proceso, fecha_de_publicacion_del: '', estado_del_procedimiento: ' ' }
  expect(read(parseSecop2, blank)).toMatchObject({ formType: 'result', publicationDate: '2026-03-02T05:00:00.000Z' })
})

it('PNCP: the page follows from the number where its parts are missing', () => {
  const entry = { numeroControlePNCP: '12345678000100-1-000042/2026', objetoCompra: 'Ponte' }
  expect(read(parsePncp, entry).url).toBe('https://pncp.gov.br/app/editais/12345678000100/2026/42')
})

const publication = {
  id: '11111111-2222-4333-8444-555555555555',
  type: 'tender',
  base: { projectId: '66666666-2222-4333-8444-555555555555', creationLanguage: 'de' },
  'project-info': {
    title: { de: 'Brücke' },
    procOfficeAddress: { name: { de: 'Gemeinde Talwil' }, countryId: 'CH', cantonId: 'BE' },
  },
  procurement: { contractDays: 730, orderAddress: { countryId: 'CH', cantonId: 'VS', city: { de: 'Talwil' } } },
}

it('simap: the canton is the region, of the buyer and of the place; the contract has days', () => {
  expect(read(parseSimap, publication)).toMatchObject({
    contractingAuthorities: [{ nutsCode: 'CH021' }],
    nutsCodes: ['CH012'],
    place: { country: 'CH', nutsCode: 'CH012', city: 'Talwil' },
    lots: [{ duration: { value: 730, unit: 'DAY' } }],
  })
  const abroad = { ...publication, procurement: { orderAddress: { countryId: 'FR', cantonId: null } } }
  expect(read(parseSimap, abroad)).toMatchObject({ nutsCodes: [], place: { country: 'FR' } })
})

it('simap: the price of an award for several lots is that of none of them', () => {
  const award = {
    ...publication,
    type: 'award',
    lots: [{ lotNumber: 1 }, { lotNumber: 2 }],
    decision: { vendors: [{ vendorName: 'Bau AG', price: { currency: 'chf', price: 5_000 } }] },
  }
  const notice = read(parseSimap, award)
  expect(notice.awardedValue).toEqual({ value: 5_000, currency: 'CHF' })
  expect(notice.lots.map(({ result }) => result)).toEqual(
    Array.from({ length: 2 }, () => ({ outcome: 'awarded', winners: [{ name: 'Bau AG' }] })),
  )
})

/** An entry of the Spanish syndication with a project of its own and a status. */
function folderOf(status: string, project: string, process = ''): Notice {
  const xml = `<entry><id>https://portal.example/77</id><updated>2026-03-02T10:00:00+01:00</updated>
    <ContractFolderStatus><ContractFolderStatusCode>${status}</ContractFolderStatusCode>
      <ProcurementProject><Name>Caminos de Valdeluz</Name>${project}</ProcurementProject>
      <TenderingProcess>${process}</TenderingProcess></ContractFolderStatus></entry>`
  const [part] = placspParser('es-placsp-643')(Buffer.from(xml))
  if (!part || 'rejection' in part) throw new Error(JSON.stringify(part))
  return part.notice
}

it('PLACSP: place and duration of the contract, concessions, further procedures and frameworks', () => {
  const location = `<RealizedLocation><CountrySubentityCode>ES425</CountrySubentityCode><Address>
    <CityName>Valdeluz</CityName><PostalZone>45999</PostalZone>
    <Country><IdentificationCode>ES</IdentificationCode></Country></Address></RealizedLocation>`
  const period = '<PlannedPeriod><DurationMeasure unitCode="MON">18</DurationMeasure></PlannedPeriod>'
  const process = '<ProcedureCode>13</ProcedureCode><ContractingSystemCode>1</ContractingSystemCode>'
  expect(folderOf('PUB', `<TypeCode>32</TypeCode>${location}${period}`, process)).toMatchObject({
    place: { country: 'ES', nutsCode: 'ES425', postalCode: '45999', city: 'Valdeluz' },
    contractNature: 'works',
    procedureType: 'neg-w-call',
    isFramework: true,
    lots: [{ lotId: '1', duration: { value: 18, unit: 'MONTH' } }],
  })
  const dated = '<PlannedPeriod><StartDate>2026-06-01</StartDate><EndDate>2027-05-31</EndDate></PlannedPeriod>'
  expect(folderOf('PUB', dated).lots[0]?.duration).toEqual({ start: '2026-06-01', end: '2027-05-31' })
})

it.each([
  ['PUB', undefined],
  ['EV', true],
  ['ADJ', true],
])('PLACSP: a folder in state %s without a result', (status, isClosed) => {
  const period = '<PlannedPeriod><DurationMeasure unitCode="ANN">2</DurationMeasure></PlannedPeriod>'
  const notice = folderOf(status, period)
  expect([notice.formType, notice.isClosed]).toEqual(['competition', isClosed])
})

it('KIMDIS: duration, town and day of signature', () => {
  const entry = {
    referenceNumber: '26SYMV000000001',
    title: 'Γέφυρα',
    organization: { value: 'Δήμος Πέρα' },
    contractSignedDate: '2026-03-02T00:00:00',
    contractDuration: 12,
    contractDurationUnitOfMeasure: { key: '3', value: 'Μήνες' },
    nutsCity: 'Πέρα',
    nutsPostalCode: '99999',
  }
  expect(read(parseKimdis, entry)).toMatchObject({
    place: { country: 'GR', city: 'Πέρα', postalCode: '99999' },
    lots: [{ duration: { value: 12, unit: 'MONTH' }, result: { contractDate: '2026-03-02' } }],
  })
})

it.each([
  ['12 miesięcy', { value: 12, unit: 'MONTH' }],
  ['45 dni', { value: 45, unit: 'DAY' }],
  ['do 2026-11-30', { end: '2026-11-30' }],
])('BZP: the address of the buyer, and a contract of %s', (period, duration) => {
  const line = (number: string, label: string, text: string) => `<h3>${number}.) ${label}: <span>${text}</span></h3>`
  const lines = [
    line('1.5.1', 'Ulica', 'Mostowa 7'),
    line('1.5.6', 'Lokalizacja NUTS 3', 'PL213 - Miasto'),
    line('1.5.7', 'Numer telefonu', '12 345'),
    line('4.2.10', 'Okres realizacji', period),
  ]
  const entry = (count: number) => ({
    objectId: '77',
    noticeType: 'ContractNotice',
    orderObject: 'Most',
    organizationName: 'Gmina Mostki',
    htmlBody: [...lines, ...Array.from({ length: count }, () => lines[3])].join('\n'),
  })
  expect(read(parseBzp, entry(0))).toMatchObject({
    contractingAuthorities: [{ street: 'Mostowa 7', nutsCode: 'PL213', phone: '12 345' }],
    lots: [{ duration }],
  })
  expect(read(parseBzp, entry(1)).lots).toEqual([])
})

it('VVZ: nature, place, duration and received tenders of a lot', () => {
  const lot = {
    'BT-137-Lot': 'LOT-0001',
    'BT-23-Lot': 'works',
    'ND-Place': { 'BT-5071-Lot': 'CZ020', 'BT-5131-Lot': 'Mostov', 'BT-5121-Lot': '99999', 'BT-5141-Lot': 'CZE' },
    'ND-Duration': { 'BT-36-Lot': { _value: 18, _unitCode: 'MONTH' }, 'BT-536-Lot': '2026-06-01+02:00' },
  }
  const statistic = (type: string, count: number) => ({ 'BT-760-LotResult': type, 'BT-759-LotResult': count })
  const result = {
    'BT-13713-LotResult': 'LOT-0001',
    'BT-142-LotResult': 'selec-w',
    'ND-ReceivedSubmissions': [statistic('t-sme', 2), statistic('tenders', 4)],
  }
  const root = {
    'BT-03-notice': 'result',
    'BT-21-Procedure': 'Most',
    'ND-NoticeResult': { 'ND-LotResult': [result] },
    'ND-Lot': [lot],
  }
  expect(read(parseVvz, { publicId: 'F2026-7', data: { 'ND-Root': root } }).lots).toMatchObject([
    {
      contractNature: 'works',
      place: { country: 'CZ', nutsCode: 'CZ020', postalCode: '99999', city: 'Mostov' },
      duration: { value: 18, unit: 'MONTH', start: '2026-06-01' },
      result: { outcome: 'awarded', receivedTenders: 4 },
    },
  ])
})

it('Kerndaten: how long the contract lasts', () => {
  const form = (described: string) =>
    `<KD_8_1_Z2><CONTRACTING_BODY><ADDRESS_CONTRACTING_BODY><OFFICIALNAME>Gemeinde Talwil</OFFICIALNAME>
    </ADDRESS_CONTRACTING_BODY></CONTRACTING_BODY><OBJECT_CONTRACT><TITLE><P>Brücke</P></TITLE>
    <OBJECT_DESCR>${described}</OBJECT_DESCR></OBJECT_CONTRACT></KD_8_1_Z2>`
  const lotsOf = (described: string) =>
    kerndatenParser('at-kdq-bbg')(Buffer.from(form(described))).map((part) => 'notice' in part && part.notice.lots)
  expect(lotsOf('<DURATION TYPE="MONTH">24</DURATION>')).toMatchObject([[{ duration: { value: 24, unit: 'MONTH' } }]])
  expect(lotsOf('<DATE_START>2026-06-01</DATE_START>')).toMatchObject([[{ duration: { start: '2026-06-01' } }]])
  expect(lotsOf('')).toEqual([[]])
})

it('SECOP II: a deadline without a time, written as midnight, is the end of its day', () => {
  const call = { ...proceso, estadoresumen: 'Publicado', fecha_de_recepcion_de: '2026-04-02T00:00:00.000' }
  expect(read(parseSecop2, call).submissionDate).toBe('2026-04-03T04:59:59.000Z')
})

it.each([
  ['CN', 'c-notice/v2/view'],
  ['SCN', 'simplified-notice/v2/view'],
  ['PC', 'pc-notice/v2/view'],
  ['RFQ', 'rfq-invitation/v2/view'],
  ['XY', undefined],
])('Romania: the page of a notice %s', (prefix, page) => {
  const { url } = read(parseSeap, { noticeNo: `${prefix}1000001`, contractTitle: 'Drumuri', cNoticeId: 77 })
  expect(url).toBe(page && `https://e-licitatie.ro/pub/notices/${page}/77`)
})
