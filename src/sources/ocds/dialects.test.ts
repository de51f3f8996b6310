// What publishers make of OCDS: each dialect as a release of its shape, made up, and what must be read out of it.
import { describe, expect, it } from 'vitest'
import type { Notice } from '../../domain/notice.ts'
import { parseDocument } from '../parse-document.ts'
import { isOcds, parseOcds } from './parse-ocds.ts'

type Json = { [key: string]: unknown }

const release = (overrides: Json = {}, tender: Json = {}): Json => ({
  ocid: 'ocds-a1b2c3-7',
  id: 'r-7',
  date: '2026-05-01T10:00:00Z',
  tag: ['tender'],
  buyer: { id: 'B-1', name: 'Ministry of Samples' },
  tender: { id: 'T-7', title: 'Desks and chairs', ...tender },
  ...overrides,
})

function notice(json: unknown): Notice {
  const [part] = parseOcds(json)
  if (!part || !('notice' in part)) throw new Error(`no notice: ${JSON.stringify(part)}`)
  return part.notice
}

const fromBytes = (text: string | Uint8Array): Notice => {
  const [part] = parseDocument(typeof text === 'string' ? Buffer.from(text) : text)
  if (!part || !('notice' in part)) throw new Error(`no notice: ${JSON.stringify(part)}`)
  return part.notice
}

describe('packages in wrappers', () => {
  const inside = { uri: 'https://portal.example/1', publishedDate: '2026-05-02', releases: [release()] }
  it.each([
    ['Albania', { result: inside }, '/result/releases/0'],
    ['Honduras', { releasePackage: inside }, '/releasePackage/releases/0'],
    ['Mexican institutes', { arrayReleasePackage: [inside] }, '/arrayReleasePackage/0/releases/0'],
    ['Mexican platform', { pagination: { total: 1 }, data: [release()] }, '/data/0'],
    ['Dominican Republic', { pages: 1, payload: { content: [release()] } }, '/payload/content/0'],
    [
      'Nuevo León',
      [{ records: [{ ocid: 'ocds-a1b2c3-7', compiledRelease: release() }] }],
      '/0/records/0/compiledRelease',
    ],
  ])('%s', (_, json, pointer) => {
    expect(isOcds(json)).toBe(true)
    const [part] = parseOcds(json)
    expect(part).toMatchObject({
      pointer,
      notice: { procedureId: 'ocds-a1b2c3-7', title: { und: 'Desks and chairs' } },
    })
  })
  it('are not found where the wrapper holds something else', () => {
    for (const json of [
      { result: [] },
      { data: { total: 1 } },
      { data: [{ id: 1 }] },
      { result: { data: { item: {} } } },
    ])
      expect(isOcds(json)).toBe(false)
  })
})

describe('identity', () => {
  it('reads the OCID that ANAC leaves out from the ID of the release', () => {
    const { ocid: _, ...rest } = release({ id: 'ocds-hu01ve-7608611-01', tag: ['award'] })
    expect(isOcds(rest)).toBe(true)
    expect(notice(rest)).toMatchObject({
      noticeKey: 'it-anac:ocds-hu01ve-7608611:ocds-hu01ve-7608611-01',
      procedureId: 'ocds-hu01ve-7608611',
    })
  })
  it('gives the stages of one process of MTender one procedure and separate keys', () => {
    const stage = (name: string) =>
      notice({
        ocid: `ocds-b3wdp1-MD-1603913785143-${name}`,
        compiledRelease: release({ ocid: `ocds-b3wdp1-MD-1603913785143-${name}` }),
      })
    const [planning, evaluation] = [stage('PN-1603913785200'), stage('EV-1604000000000')]
    expect(planning?.procedureId).toBe('ocds-b3wdp1-MD-1603913785143')
    expect(evaluation?.procedureId).toBe('ocds-b3wdp1-MD-1603913785143')
    expect(planning?.noticeKey).not.toBe(evaluation?.noticeKey)
  })
  it('leaves slashes in an OCID as they are', () => {
    expect(notice(release({ ocid: 'ocds-xwwr9a-000103-OS/HLT/02' }))).toMatchObject({
      procedureId: 'ocds-xwwr9a-000103-OS/HLT/02',
      publisher: 'ng-osun',
    })
  })
  it('names an unknown publisher by the prefix, always the same', () => {
    expect(notice(release({ ocid: 'OCDS-Zz9zz9-1' })).publisher).toBe('ocds-zz9zz9')
    expect(notice(release({ ocid: 'ocds-zz9zz9-2' })).publisher).toBe('ocds-zz9zz9')
    expect(notice(release({ ocid: 'prod-1' })).publisher).toBe('ocds')
  })
})

describe('dates', () => {
  it('counts empty texts as none', () => {
    const read = notice(release({ date: '', publishedDate: '' }, { tenderPeriod: { startDate: '', endDate: '' } }))
    expect(read).not.toHaveProperty('publicationDate')
    expect(read).not.toHaveProperty('submissionDate')
  })
  it('uses the publication of the tender if the release has no date', () => {
    expect(notice(release({ date: null }, { datePublished: '2026-04-03T00:00:00Z' })).publicationDate).toBe(
      '2026-04-03T00:00:00.000Z',
    )
  })
  it('reads times without an offset in the zone of the country that publishes', () => {
    expect(notice(release({ ocid: 'ocds-dgv273-seacev3-1', date: '2026-05-01T10:00:00' })).publicationDate).toBe(
      '2026-05-01T15:00:00.000Z',
    )
  })
  it('reads the dates of Assam as year, day, month, but not the day on which the release was made', () => {
    const made = release(
      {
        ocid: 'ocds-f5kvwu-2021_CE_1',
        date: '2024-02-10',
        awards: [{ id: '0', contractPeriod: { startDate: '2021-11-05' } }],
      },
      {
        datePublished: '2021-25-03 18:55',
        tenderPeriod: { startDate: '2021-25-03 18:55', endDate: '2021-07-04 14:00' },
      },
    )
    const read = notice(made)
    expect(read.publicationDate).toBe('2021-03-25T13:25:00.000Z')
    expect(read.submissionDate).toBe('2021-04-07T08:30:00.000Z')
    expect(notice({ ...made, tender: { title: 'Desks' } }).publicationDate?.slice(0, 10)).toBe('2024-02-09')
  })
  it('reads the times of Zaragoza, which end in Z, as those of its clocks', () => {
    const read = notice(
      release(
        { ocid: 'ocds-1xraxc-7-ContractingProcess', date: '2026-09-02T14:12:14Z' },
        { tenderPeriod: { startDate: '2026-09-02T14:12:14Z', endDate: '2026-09-14T13:00:00Z' } },
      ),
    )
    expect([read.publicationDate, read.submissionDate]).toEqual([
      '2026-09-02T12:12:14.000Z',
      '2026-09-14T11:00:00.000Z',
    ])
  })
  it('reads the times of South Africa, which end in Z, as those of its clocks', () => {
    const read = notice(
      release(
        { ocid: 'ocds-9t57fa-165050', date: '2026-08-14T00:00:00Z' },
        { tenderPeriod: { startDate: '2026-08-14T00:00:00Z', endDate: '2026-09-16T11:00:00Z' } },
      ),
    )
    expect(read.publicationDate).toBe('2026-08-13T22:00:00.000Z')
    expect(read.submissionDate).toBe('2026-09-16T09:00:00.000Z')
  })
})

describe('codes', () => {
  it('reads CPV under its other names, and UNSPSC never as CPV', () => {
    const codes = (scheme: string) =>
      notice(release({}, { items: [{ id: 1, classification: { scheme, id: '39121000-6' } }] })).cpvCodes
    for (const scheme of ['CPV', 'cpv', 'CPV-2008', 'CPV 2008', 'ДК021', 'ДК 021:2015', 'DK021']) {
      expect(codes(scheme)).toEqual(['39121000'])
    }
    for (const scheme of ['UNSPSC', 'CPVS', 'CUBSO', 'x_catalogue', '']) expect(codes(scheme)).toEqual([])
  })
  it('reads statuses in capitals and in Spanish', () => {
    const status = (text: string) => notice(release({}, { status: text }))
    expect(status('CANCELLED').isCancelled).toBe(true)
    expect(status('Cancelada').isCancelled).toBe(true)
    expect(status('UNSUCCESSFUL').isUnsuccessful).toBe(true)
    expect(status('Desierta').isUnsuccessful).toBe(true)
    expect(status('ACTIVE').isCancelled).toBeUndefined()
    expect(status('adjudicada').isUnsuccessful).toBeUndefined()
  })
  it('reads tags in capitals', () => {
    expect(notice(release({ tag: ['Award'], awards: [{ id: 1, status: 'ACTIVE' }] })).formType).toBe('result')
  })
  it('counts an award once that NOCOPO repeats under other IDs', () => {
    const award = { status: 'active', date: '2026-02-01T00:00:00Z', suppliers: [{ name: 'Desks Ltd' }] }
    const awards = [
      { ...award, id: '1', value: { amount: 70, currency: 'NGN' } },
      { ...award, id: '2', value: { amount: 70, currency: 'NGN' } },
      { ...award, id: '3', value: { amount: 5, currency: 'NGN' } },
    ]
    const awardedBy = (ocid: string) => notice(release({ ocid, tag: ['award'], awards })).awardedValue?.value
    expect(awardedBy('ocds-gyl66f-2-000001')).toBe(75)
    expect(awardedBy('ocds-a1b2c3-1')).toBe(145)
  })
  it('reads the minimum as the estimate of opentender.net, which leaves the value without an amount', () => {
    const amounts = { value: { currency: 'IDR' }, minValue: { amount: 125, currency: 'IDR' } }
    const estimateBy = (ocid: string, more: object = {}) => notice(release({ ocid }, { ...amounts, ...more }))
    expect(estimateBy('ocds-20h3g7-1').estimatedValue).toEqual({ value: 125, currency: 'IDR' })
    expect(estimateBy('ocds-20h3g7-1', { value: { amount: 130, currency: 'IDR' } }).estimatedValue?.value).toBe(130)
    expect(estimateBy('ocds-a1b2c3-1').estimatedValue).toBeUndefined()
  })
  it('reads amounts that are text', () => {
    expect(notice(release({}, { value: { amount: '1234.50', currency: 'mxn' } })).estimatedValue).toEqual({
      value: 1234.5,
      currency: 'MXN',
    })
  })
})

describe('parties', () => {
  const winners = (json: Json) =>
    notice(json)
      .lots.flatMap((lot) => lot.result?.winners ?? [])
      .map(({ name }) => name)

  it.each([
    ['capitals', ['Buyer'], ['SUPPLIER', 'Tenderer']],
    ['one text', 'buyer;payer', 'tenderer, supplier'],
    ['Spanish', ['comprador'], ['proveedor']],
  ])('are known by roles in %s', (_, buyer, supplier) => {
    const { buyer: _buyer, ...rest } = release({
      tag: ['award'],
      parties: [
        { id: '1', name: 'City of Samples', roles: buyer },
        { id: '2', name: 'Desks Ltd', roles: supplier },
      ],
      awards: [{ id: 'a', status: 'active' }],
    })
    expect(notice(rest).contractingAuthorities.map(({ name }) => name)).toEqual(['City of Samples'])
    expect(winners(rest)).toEqual(['Desks Ltd'])
  })
  it('are inline in OCDS 1.0', () => {
    const old = release({
      tag: 'award',
      buyer: {
        identifier: { scheme: 'ZM-PACRA', id: '120045', legalName: 'Council of Samples' },
        name: 'Council of Samples',
        address: { locality: 'Lusaka', countryName: 'Zambia' },
      },
      awards: [{ id: 'a', status: 'active', suppliers: [{ identifier: { id: '77' }, name: 'Chairs Ltd' }] }],
    })
    expect(notice(old).contractingAuthorities).toEqual([
      { name: 'Council of Samples', nationalId: '120045', city: 'Lusaka', country: 'ZM' },
    ])
    expect(winners(old)).toEqual(['Chairs Ltd'])
  })
  it('may be the procuring entity alone', () => {
    const { buyer: _, ...rest } = release({}, { procuringEntity: { id: '1', name: 'School of Samples' } })
    expect(notice(rest).contractingAuthorities).toEqual([{ name: 'School of Samples' }])
  })
})

describe('releases that hold little', () => {
  it('are titled by the description, the line of the budget or the items', () => {
    const bare = (overrides: Json) => notice({ ...release(), tender: { id: 'T' }, ...overrides }).title
    expect(bare({ tender: { description: 'Desks.\nAll of oak.' } })).toEqual({ und: 'Desks.' })
    expect(bare({ tag: ['planning'], planning: { budget: { description: 'Furniture of 2026' } } })).toEqual({
      und: 'Furniture of 2026',
    })
    expect(bare({ tender: { items: [{ description: 'Chair, oak' }] } })).toEqual({ und: 'Chair, oak' })
  })
  it('of planning alone are notices of planning with the amount of the budget', () => {
    const { tender: _, ...rest } = release({
      tag: ['planning'],
      planning: { budget: { description: 'Furniture', amount: { amount: 5000, currency: 'TZS' } } },
    })
    expect(notice(rest)).toMatchObject({ formType: 'planning', estimatedValue: { value: 5000, currency: 'TZS' } })
  })
  it('as links to releases are rejected, not read as empty notices', () => {
    const parts = parseOcds({
      records: [{ ocid: 'ocds-a1b2c3-7', releases: [{ url: 'https://portal.example/r/1', tag: ['tender'] }] }],
    })
    expect(parts).toMatchObject([{ rejection: { reason: 'missing-content' } }])
  })
})

it('Days in years of the Buddhist calendar are those of the Gregorian one', () => {
  const tenderPeriod = { startDate: '2569-11-01', endDate: '2569-11-20T16:30:00+07:00' }
  const contractPeriod = { startDate: '2570-01-10', endDate: '2570-12-31' }
  const lots = [{ id: '1', contractPeriod }]
  expect(notice(release({}, { tenderPeriod, lots }))).toMatchObject({
    submissionDate: '2026-11-20T09:30:00.000Z',
    lots: [{ duration: { start: '2027-01-10', end: '2027-12-31' } }],
  })
})

describe('bytes', () => {
  it('with NUL, broken lines in strings, or single letters of Windows-1252 are read', () => {
    const text = JSON.stringify(release({}, { title: 'Sillas y mesas' }))
    expect(fromBytes(text.replace('Sillas', 'Sil\0las')).title).toEqual({ und: 'Sillas y mesas' })
    expect(fromBytes(text.replace('Sillas y', 'Sillas\ny')).title).toEqual({ und: 'Sillas y mesas' })
    const [before, after] = text.split('mesas') as [string, string]
    const latin = Buffer.concat([Buffer.from(`${before}cañas `), Buffer.of(0xa3), Buffer.from(after)])
    expect(fromBytes(latin).title).toEqual({ und: 'Sillas y cañas £' })
  })
})
