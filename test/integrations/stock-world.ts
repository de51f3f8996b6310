// The world against which the connectors are run: a real API whose editions change at random, and the content of its
// newest edition.
import type { ArchiveReason, Status } from '../../src/domain/tender.ts'
import { hourMs } from '../../src/domain/time.ts'
import { type ApiWorld, startOfTests } from '../api-world.ts'
import { type PlainRecord, plainId } from '../memory-editions.ts'
import type { Random } from '../testing/generate/random.ts'

export type Row = { readonly id: string; readonly lastModified: string; readonly [field: string]: unknown }

const endings: readonly (readonly [Status, ArchiveReason])[] = [
  ['closed', 'expired'],
  ['cancelled', 'cancelled'],
  ['awarded', 'awarded'],
  ['merged', 'merged'],
]

/** Publishes the next edition: new records, changed ones, archived ones, reopened ones and merged ones. */
export function publishNext(world: ApiWorld, random: Random, tenders = 30): void {
  const edition = (world.editions.newest?.edition ?? 0) + 1
  const known = world.editions.newest?.records ?? 0
  const changed = new Map<string, PlainRecord>()
  const put = (number: number, change: Partial<PlainRecord> = {}) => {
    const id = plainId(number)
    changed.set(id, {
      id,
      title: `Tender ${number} in edition ${edition}: „${'ä'.repeat(random.integer(0, 9))}“, line\nbreak`,
      cpvCodes: [random.pick(['45000000', '71000000', '45210000'])],
      nutsCodes: random.chance(0.8) ? [random.pick(['DE2', 'DE212', 'AT1'])] : [],
      contractAmount: random.chance(0.5)
        ? { value: random.integer(1, 1e6) / 4, currency: 'EUR', estimated: false }
        : null,
      ...(random.chance(0.5) && {
        submissionDate: new Date(startOfTests + random.integer(1, 90) * 24 * hourMs).toISOString(),
      }),
      ...change,
    })
  }
  const last = known + random.integer(1, tenders)
  for (let number = known + 1; number <= last; number++) put(number)
  for (let times = random.integer(0, known); times > 0; times--) {
    const number = random.integer(1, known)
    const [status, archiveReason] = random.pick(endings)
    if (random.chance(0.6)) put(number)
    else if (archiveReason !== 'merged') put(number, { status, archiveReason })
    else if (number > 1) put(number, { status, archiveReason, mergedInto: plainId(random.integer(1, number - 1)) })
  }
  world.now = startOfTests + edition * hourMs
  const records = [...changed.values()]
  // Ties of up to a hundred, as the publication rule allows them.
  const stamps = records.length <= 100 && random.chance(0.3) ? 'same' : 'rising'
  world.editions.publish(world.now, random.chance(0.3) ? records.reverse() : records, stamps)
}

/** Content of a copy by id: without `checkedAt`, which moves without `lastModified` (C26). */
export function contentById(rows: Iterable<Row>): Map<string, unknown> {
  return new Map([...rows].map(({ checkedAt: _, ...row }) => [row.id, row]))
}

/** The newest edition with its archived records, read page by page. */
export async function editionContent(world: ApiWorld, filters = ''): Promise<Map<string, unknown>> {
  const rows: Row[] = []
  for (let cursor = ''; ; ) {
    const response = await world.get(`/v1/tenders?archived=true&limit=100${filters}${cursor}`)
    const page = (await response.json()) as { data: Row[]; nextCursor: string | null }
    rows.push(...page.data)
    if (page.nextCursor === null) return contentById(rows)
    cursor = `&cursor=${page.nextCursor}`
  }
}

/** A copy as a warehouse keeps it: one row per id, never replaced by an older one (G5). */
export function upsert(copy: Map<string, Row>, row: Row): void {
  const held = copy.get(row.id)
  if (!held || held.lastModified <= row.lastModified) copy.set(row.id, row)
}
