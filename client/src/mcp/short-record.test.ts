import { describe, expect, it } from 'vitest'
import type { TenderRecord } from '../types.ts'
import { cleanText, cutRecord, type ShortTender, shortTenders } from './short-record.ts'

const record = (change: Partial<TenderRecord> = {}): TenderRecord => ({
  id: '0f8a1c52-7d3e-8b64-9a10-5c2e7f4b9d31',
  lastModified: '2026-11-02T08:00:00.000Z',
  checkedAt: '2026-11-02T08:00:00.000Z',
  status: 'open',
  title: 'Road works',
  contractAmount: null,
  cpvCodes: [],
  nutsCodes: [],
  lots: [],
  originalSources: [],
  ...change,
})
const lotsOf = (count: number, description: string): TenderRecord['lots'] =>
  Array.from({ length: count }, (_, index) => ({
    lotId: `LOT-${index}`,
    status: 'open',
    description,
    cpvCodes: ['45000000'],
    nutsCodes: [],
  }))

const shortTender = (of: TenderRecord): ShortTender => shortTenders([of])[0]!

describe('a short record', () => {
  it('says only what is known', () => {
    expect(shortTender(record())).toEqual({
      id: '0f8a1c52-7d3e-8b64-9a10-5c2e7f4b9d31',
      status: 'open',
      title: 'Road works',
    })
  })

  it('has the first deadline, three codes and a title of 160 letters', () => {
    const short = shortTender(
      record({
        title: 'a'.repeat(300),
        submissionDate: '2026-12-04T11:00:00.000Z',
        participationDate: '2026-12-01T11:00:00.000Z',
        timeZone: 'Europe/Berlin',
        cpvCodes: ['45000000', '45100000', '45200000', '45300000'],
        contractAmount: { value: 5, currency: 'EUR', estimated: true },
      }),
    )
    expect(short).toMatchObject({
      deadline: '2026-12-01T11:00Z',
      deadlineKind: 'participation',
      timeZone: 'Europe/Berlin',
      value: { amount: 5, currency: 'EUR', estimated: true },
    })
    expect(short.cpv).toHaveLength(3)
    expect(short.title).toHaveLength(160)
    expect(short.title.endsWith('…')).toBe(true)
  })

  it('has shorter titles in a list that would be long, and the same size in every script', () => {
    const lettersOf = (title: string): number => {
      const one = record({ title, contractingAuthority: { name: title } })
      return shortTenders(Array.from({ length: 20 }, () => one))[0]!.title.length
    }
    expect([lettersOf('word '.repeat(100)), lettersOf('a'.repeat(90)), lettersOf('ა'.repeat(300))]).toEqual([
      160, 90, 110,
    ])
  })

  it('never shows half of a pair', () => {
    const { title } = shortTender(record({ title: `${'a'.repeat(158)}😀😀` }))
    expect(title.isWellFormed()).toBe(true)
  })
})

it('removes what nobody sees, and keeps lines', () => {
  expect(cleanText('a\u202eb\u200bc\u{e0041}\u0007d\ue000\ud800e\n\tf')).toBe('abcde\n\tf')
})

describe('a whole record', () => {
  it('is given as it is while it is small', () => {
    const whole = record({ description: 'Short', lots: lotsOf(2, 'small') })
    expect(cutRecord(whole, 0)).toEqual({ tender: { ...whole }, cut: [], nextLots: null })
  })

  it('continues with its lots until all were shown once', () => {
    const whole = record({ lots: lotsOf(200, 'x'.repeat(700)) })
    const seen: unknown[] = []
    let answers = 0
    for (let from: number | null = 0; from !== null; answers++) {
      const { tender, nextLots, cut } = cutRecord(whole, from)
      expect(JSON.stringify(tender).length).toBeLessThan(19_000)
      expect(cut.some((said) => said.includes('lots_from='))).toBe(nextLots !== null)
      seen.push(...(tender['lots'] as { readonly lotId: string }[]).map(({ lotId }) => lotId))
      from = nextLots
    }
    expect(answers).toBeGreaterThan(5)
    expect(seen).toEqual(whole.lots.map(({ lotId }) => lotId))
  })

  it('says that texts, lists and translations are cut', () => {
    const { cut } = cutRecord(
      record({
        description: 'x'.repeat(9000),
        cpvCodes: Array.from({ length: 40 }, () => '45000000'),
        translations: { en: { title: 'a' }, fr: { title: 'b' } },
      }),
      0,
    )
    expect(cut).toEqual([
      '1 long text is cut',
      'cpvCodes shows 20 of up to 40 items',
      'titles and descriptions in 2 other languages are left out',
    ])
  })

  it('leaves out a link that has no room, and says so: a part of it would lead nowhere', () => {
    const documentsUrl = `https://portal.example/${'p'.repeat(130)}`
    const contractingAuthority = { name: 'Town', url: documentsUrl, email: `${'m'.repeat(130)}@town.example` }
    const whole = record({ documentsUrl, contractingAuthority })
    expect(cutRecord(whole, 0)).toMatchObject({ tender: { documentsUrl, contractingAuthority }, cut: [] })
    const members = ['name', 'nationalId', 'street', 'city', 'postalCode', 'contactName', 'phone']
    const long = Object.fromEntries(members.map((member) => [member, 'n'.repeat(5000)])) as { readonly name: string }
    const crowded = { ...whole, description: 'd'.repeat(5000), jointAuthorities: Array.from({ length: 9 }, () => long) }
    const { tender, cut } = cutRecord(crowded, 0)
    expect(JSON.stringify(tender)).not.toMatch(/https:|mmm/)
    expect(tender['contractingAuthority']).toEqual({ name: 'Town' })
    expect(cut).toContain('long links and mail addresses are left out, 3 in all')
  })

  it('keeps the newest notices', () => {
    const originalSources = Array.from({ length: 30 }, (_, index) => ({
      publisher: String(index),
      format: 'eforms',
      formType: 'competition',
      noticeType: 'cn-standard',
    }))
    const shown = cutRecord(record({ originalSources }), 0).tender['originalSources'] as typeof originalSources
    expect(shown.map(({ publisher }) => publisher)).toEqual(
      Array.from({ length: 20 }, (_, index) => String(index + 10)),
    )
  })

  it('stays bounded when everything is as large as it can be', () => {
    const organization = { name: 'n'.repeat(5000), street: 's'.repeat(5000), city: 'c'.repeat(5000) }
    const lot = { ...lotsOf(1, 'd'.repeat(50_000))[0]!, winners: Array.from({ length: 300 }, () => organization) }
    const { tender } = cutRecord(
      record({
        description: 'd'.repeat(300_000),
        contractingAuthority: organization,
        jointAuthorities: Array.from({ length: 300 }, () => organization),
        lots: Array.from({ length: 300 }, () => lot),
      }),
      0,
    )
    expect(JSON.stringify(tender).length).toBeLessThan(19_000)
    expect(tender['lots']).not.toEqual([])
  })

  it('refuses a lot that is not there, and says which are', () => {
    expect(() => cutRecord(record({ lots: lotsOf(3, '') }), 3)).toThrow('call again with lots_from below 3')
  })
})
