// The export of collected notices as OCDS: in every release the winners, the buyer and the numbers are those of the
// record.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { readCorpusRecords } from '../../quality/corpus-records.ts'
import type { TenderRecord } from '../../src/domain/tender.ts'
import { ocdsRelease } from '../../src/export/ocds-release.ts'
import { openOcdsSchema } from '../export/ocds-schema.ts'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const validate = openOcdsSchema()

type Party = { readonly id: string; readonly name: string; readonly identifier?: { readonly scheme?: string } }
type Award = {
  readonly status: string
  readonly date?: string
  readonly relatedLots?: string[]
  readonly suppliers?: Party[]
}
type Release = {
  readonly buyer?: Party
  readonly parties?: readonly Party[]
  readonly awards?: readonly Award[]
  readonly contracts?: readonly { readonly status?: string; readonly dateSigned?: string }[]
  readonly bids?: { readonly statistics: readonly { readonly value: number; readonly relatedLot: string }[] }
  readonly tender: { readonly tenderPeriod?: { readonly startDate?: string }; readonly legalBasis?: object }
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/\s+/g, ' ').trim()
const namesOf = (list: readonly { readonly name: string }[] = []): string[] =>
  [...new Set(list.map(({ name }) => plain(name)))].sort()

describe.skipIf(!existsSync(corpus))('the corpus as OCDS', () => {
  let pairs: { readonly record: TenderRecord; readonly release: Release }[] = []
  beforeAll(async () => {
    pairs = (await readCorpusRecords(corpus)).flatMap((record) => {
      const made = ocdsRelease(record, 'ocds-a1b2c3')
      return made === undefined ? [] : [{ record, release: JSON.parse(JSON.stringify(made)) as Release }]
    })
  }, 60_000)

  test('every lot has the winners of the record, and every buyer its name', () => {
    const wrong: unknown[] = []
    let winners = 0
    for (const { record, release } of pairs) {
      for (const lot of record.lots) {
        const awards = (release.awards ?? []).filter(({ relatedLots }) => relatedLots?.includes(lot.lotId))
        const [ours, theirs] = [namesOf(lot.winners), namesOf(awards.flatMap(({ suppliers = [] }) => suppliers))]
        winners += ours.length
        if (ours.join('\n') !== theirs.join('\n')) wrong.push([record.id, lot.lotId, ours, theirs])
      }
      if (plain(record.contractingAuthority?.name ?? '') !== plain(release.buyer?.name ?? '')) wrong.push(record.id)
    }
    expect(wrong).toEqual([])
    expect(winners).toBeGreaterThan(5500)
  })

  test('no two names stand under one id', () => {
    for (const { release } of pairs) {
      const ids = (release.parties ?? []).map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
    }
  })

  test('analysts find bids, dates, statuses, schemes, the start and the legal basis', () => {
    const lots = pairs.flatMap(({ record }) => record.lots)
    const statistics = pairs.flatMap(({ release }) => release.bids?.statistics ?? [])
    expect(statistics).toHaveLength(lots.filter(({ receivedTenders }) => receivedTenders !== undefined).length)
    expect(statistics.length).toBeGreaterThan(2300)
    const awards = pairs.flatMap(({ release }) => release.awards ?? [])
    expect(awards.filter(({ status }) => status === undefined)).toEqual([])
    expect(awards.filter(({ date }) => date !== undefined).length / awards.length).toBeGreaterThan(0.9)
    const contracts = pairs.flatMap(({ release }) => release.contracts ?? [])
    expect(contracts.filter(({ status, dateSigned }) => status === undefined || dateSigned === undefined)).toEqual([])
    const identifiers = pairs.flatMap(({ release }) =>
      (release.parties ?? []).flatMap(({ identifier }) => identifier ?? []),
    )
    expect(identifiers.length).toBeGreaterThan(4000)
    expect(identifiers.filter(({ scheme }) => scheme === undefined)).toEqual([])
    expect(pairs.filter(({ release }) => release.tender.tenderPeriod?.startDate !== undefined).length).toBeGreaterThan(
      1500,
    )
    expect(pairs.filter(({ release }) => release.tender.legalBasis !== undefined)).toHaveLength(
      pairs.filter(({ record }) => record.legalBasis !== undefined).length,
    )
  })

  test.skipIf(!validate)('every release is valid under the schema of the standard', () => {
    expect(pairs.map(({ release }) => validate!(release)).filter((fault) => fault !== '')).toEqual([])
  })
})
