// The watch on fields, on real notices: how often healthy days would have been held, and whether a renamed member is
// found on its day. The corpus is a sample, so a "day" is a number of notices that follow one another.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Notice } from '../../src/domain/notice.ts'
import { dayMs } from '../../src/domain/time.ts'
import { brokenFills, type FillTally, tallyFill } from '../../src/ingest/fill-rates.ts'
import { readPath } from '../../src/sources/files.ts'
import { parseDocument } from '../../src/sources/parse-document.ts'
import { proofCount } from '../proof/proof-count.ts'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const isMissing = !existsSync(corpus)

const sources = [
  'ted-eforms',
  'ted-legacy',
  'doffin-eforms',
  'ocds/de-oeffentlichevergabe',
  'ocds/gb-contracts-finder',
  'ocds/gb-find-a-tender',
  'ocds/gb-public-contracts-scotland',
  'ocds/gb-sell2wales',
  'ocds/md-moldova',
  'ocds/pt-impic',
  'ocds/ua-prozorro',
]
const start = Date.UTC(2026, 0, 1, 12)
const at = (day: number) => start + day * dayMs
const perDay = [5, 20, 50]
const plantedDays = proofCount({ share: 4, full: 400 })

type Field = 'deadline' | 'cpv' | 'value' | 'authority' | 'region'
/** Members that carry a field, by the shape of the documents. */
const members: { readonly [shape: string]: { readonly [field in Field]: RegExp } } = {
  eforms: {
    deadline: /\bTenderSubmissionDeadlinePeriod\b/g,
    cpv: /\bItemClassificationCode\b/g,
    value: /\bRequestedTenderTotal\b/g,
    authority: /\bContractingParty\b/g,
    region: /\bRealizedLocation\b/g,
  },
  legacy: {
    deadline: /\bDATE_RECEIPT_TENDERS\b/g,
    cpv: /\bCPV_CODE\b/g,
    value: /\bVAL_(ESTIMATED_TOTAL|OBJECT|TOTAL)\b/g,
    authority: /\bOFFICIALNAME\b/g,
    region: /\bNUTS\b/g,
  },
  ocds: {
    deadline: /"tenderPeriod"/g,
    cpv: /"(classification|additionalClassifications)"/g,
    value: /"amount"/g,
    authority: /"(buyer|parties)"/g,
    region: /"(deliveryAddresses|deliveryAddress|deliveryLocation)"/g,
  },
}
const shapeOf = (source: string) => (source.startsWith('ocds') ? 'ocds' : source === 'ted-legacy' ? 'legacy' : 'eforms')

type Kept = { readonly bytes: Uint8Array; readonly notices: readonly Notice[] }

/** Without a date it counts as news on any made-up day. */
const undated = ({ publicationDate: _, ...notice }: Notice): Notice => notice

async function readSource(source: string): Promise<Kept[]> {
  const found: (Kept & { readonly date: string })[] = []
  for await (const { bytes, unreadable } of readPath(join(corpus, source))) {
    if (unreadable) continue
    const [first, ...others] = parseDocument(bytes).flatMap((part) => ('notice' in part ? [part.notice] : []))
    if (first) found.push({ bytes, notices: [first, ...others].map(undated), date: first.publicationDate ?? '' })
  }
  return found.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
}

const tallyOf = (documents: readonly Kept[], day: number): FillTally[] =>
  tallyFill(
    documents.flatMap(({ notices }) => notices),
    at(day),
  )

function renamed({ bytes }: Kept, source: string, field: Field): Kept {
  const text = Buffer.from(bytes).toString()
  const changed = Buffer.from(text.replace(members[shapeOf(source)]![field], (name) => name.replace(/\w+/, '$&X')))
  const notices = parseDocument(changed).flatMap((part) => ('notice' in part ? [undated(part.notice)] : []))
  return { bytes: changed, notices }
}

const filledOf = (tallies: readonly FillTally[], field: Field) => tallies.reduce((sum, tally) => sum + tally[field], 0)

type Sums = { days: number; held: number; planted: number; found: number; foundInAWeek: number; rejected: number }

function measure(source: string, documents: readonly Kept[], size: number): Sums & { readonly fields: string } {
  const days = Array.from({ length: Math.floor(documents.length / size) }, (_, day) =>
    documents.slice(day * size, (day + 1) * size),
  )
  const tallies: FillTally[] = []
  const sums: Sums = { days: 0, held: 0, planted: 0, found: 0, foundInAWeek: 0, rejected: 0 }
  const fields: string[] = []
  let acceptedUntil: number | null = null
  for (const [day, some] of days.entries()) {
    if (day >= 6) {
      sums.days += 1
      const broken = brokenFills([...tallies, ...tallyOf(some, day)], { now: at(day), expected: {}, acceptedUntil })
      if (broken.length > 0) {
        sums.held += 1
        fields.push(...broken.map(({ field }) => field))
      }
      if (broken.length === 0 && sums.planted < plantedDays) plant(day, some)
      if (broken.length > 0) acceptedUntil = at(day)
    }
    tallies.push(...tallyOf(some, day))
  }
  function plant(day: number, some: readonly Kept[]) {
    for (const field of ['deadline', 'cpv', 'value', 'authority', 'region'] as const) {
      const changed = some.map((document) => renamed(document, source, field))
      const before = filledOf(tallyOf(some, day), field)
      // the rename has to take the field from the notices; some documents say it twice, under two names
      if (before < size / 2 || filledOf(tallyOf(changed, day), field) > before / 10) continue
      const lost = changed.filter(({ notices: left }) => left.length === 0).length
      if (lost > size / 10) {
        sums.rejected += 1
        continue
      }
      sums.planted += 1
      const broken: FillTally[] = []
      for (let after = 0; after < 7 && day + after < days.length; after++) {
        const next = days[day + after]!.map((document) => renamed(document, source, field))
        broken.push(...tallyOf(next, day + after))
        const found = brokenFills([...tallies, ...broken], { now: at(day + after), expected: {}, acceptedUntil })
        if (found.length === 0) continue
        if (after === 0) sums.found += 1
        sums.foundInAWeek += 1
        break
      }
    }
  }
  return { ...sums, fields: [...new Set(fields)].join(' ') }
}

describe.skipIf(isMissing)('the watch on fields, on real notices', () => {
  const totals = new Map(
    perDay.map((size) => [size, { days: 0, held: 0, planted: 0, found: 0, foundInAWeek: 0, rejected: 0 }]),
  )
  test.each(sources)('%s', { timeout: 900_000 }, async (source) => {
    const documents = await readSource(source)
    for (const size of perDay) {
      const { fields, ...sums } = measure(source, documents, size)
      const total = totals.get(size)!
      for (const name of Object.keys(sums) as (keyof Sums)[]) total[name] += sums[name]
      console.log(`${source} by ${size}:`, JSON.stringify(sums), fields)
    }
    expect(documents.length).toBeGreaterThan(0)
  })

  test('healthy days are hardly ever held, and a rename is found on its day where there are enough notices', () => {
    console.log(JSON.stringify([...totals]))
    for (const [size, { days, held }] of totals) expect(held / days, `held by ${size}`).toBeLessThan(0.005)
    const foundShare = (size: number) => totals.get(size)!.found / totals.get(size)!.planted
    expect(foundShare(50)).toBeGreaterThan(0.95)
    expect(foundShare(20)).toBeGreaterThan(0.7)
  })
})
