// Editions whose content follows from their number alone, so that the output of a killed process can be known
// afterwards.
import { hourMs } from '../src/domain/time.ts'
import type { NewEdition } from '../src/edition/write/log-state.ts'
import type { NewEntry } from '../src/edition/write/pack-entries.ts'

const size = 60
/** Number of records, however many editions follow. */
const records = 200

const stampOf = (edition: number, index: number): number => edition * 1000 + index

/** Everything that a client reads of an edition. */
export function recordsOfEdition(edition: number): unknown[] {
  const current = new Map<string, unknown>()
  for (let each = Math.max(1, edition - 4); each <= edition; each++)
    for (const { body } of entriesOfEdition(each)) {
      const { id, ...record } = JSON.parse(body) as { id: string }
      current.delete(id)
      current.set(id, { id, checkedAt: new Date(edition).toISOString(), ...record })
    }
  return [...current.values()]
}

export function infoOfEdition(edition: number): NewEdition {
  const known = new Set(Array.from({ length: edition * size }, (_, index) => index % records)).size
  const lastModified = stampOf(edition, size - 1)
  return {
    edition,
    lastModified,
    publishedAt: edition * hourMs,
    records: known,
    changes: size,
    checks: { ted: edition },
  }
}

/** Each edition changes the next 60 records, in a cycle. */
export function entriesOfEdition(edition: number): NewEntry[] {
  return Array.from({ length: size }, (_, index) => {
    const number = ((edition - 1) * size + index) % records
    const lastModified = stampOf(edition, index)
    const record = {
      id: `${number.toString(16).padStart(8, '0')}-7d3e-8b64-9a10-5c2e7f4b9d31`,
      status: 'open',
      lastModified: new Date(lastModified).toISOString(),
      title: `Record ${number} of edition ${edition} `.repeat(20),
      contractAmount: null,
      cpvCodes: ['45000000'],
      nutsCodes: ['DE'],
      lots: [],
      originalSources: [],
    }
    return { lastModified, body: JSON.stringify(record), sources: '["ted"]' }
  })
}
