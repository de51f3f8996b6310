// Rows of Catalonia's publications as they were once published are read, those without anything in them refused.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseCatalunya } from './parse-catalunya.ts'

const file = join(
  import.meta.dirname,
  '../../../../../shared/corpus/other-portals/spain-regional-samples/catalunya_sample.json',
)
const isThere = existsSync(file)

describe.skipIf(!isThere)('the sample of Catalonia in the corpus', () => {
  const rows = isThere ? (JSON.parse(readFileSync(file, 'utf8')) as unknown[]) : []
  const read = (row: unknown) => parseCatalunya(new TextEncoder().encode(JSON.stringify(row)))

  it('makes a notice for each of the 2 meaningful rows, and one rejection', () => {
    const parts = rows.flatMap(read)
    expect(parts).toHaveLength(3)
    expect(parts.filter((part) => 'rejection' in part)).toEqual([
      { pointer: '', rejection: expect.objectContaining({ reason: 'missing-identity' }) },
    ])
  })

  it('reads winner, awarded value, CPV, place and procedure of an award', () => {
    const [part] = read(rows[0])
    if (!part || !('notice' in part)) throw new Error('no notice')
    const { notice } = part
    expect(notice).toMatchObject({
      formType: 'result',
      language: 'ca',
      contractNature: 'services',
      procedureType: 'open',
      cpvCodes: ['90910000'],
      nutsCodes: ['ES511'],
      estimatedValue: { value: 50_000, currency: 'EUR' },
      awardedValue: { value: 45_000, currency: 'EUR' },
      publicationDate: '2023-04-19T22:00:00.000Z',
    })
    expect(notice.contractingAuthorities[0]?.nationalId).toBe('Q0801175A')
    expect(notice.lots[0]?.result).toMatchObject({ outcome: 'awarded', receivedTenders: 4, contractDate: '2023-04-15' })
    expect(notice.lots[0]?.result?.winners?.[0]?.nationalId).toBe('B08123456')
  })
})
