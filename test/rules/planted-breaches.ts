// Thirty rules that were drawn at random, and an edit for each that breaks it: the test that is named here must fail.
// Drawn from the rules that tests hold: the first thirty by SHA-256 of `2026-11-22|` and the number.
import type { PlantedEdit } from '../planted-edit.ts'

/** `from` occurs once in the file. */
export type Breach = Omit<PlantedEdit, 'name'> & {
  readonly rule: string
  /** A file that cites the rule in the name of a test, or the one that runs it. */
  readonly test: string
}

const conformance = 'test/conformance/conformance.system.test.ts'
const breach = (rule: string, test: string, file: string, from: string, to: string): Breach => ({
  rule,
  test,
  file,
  from,
  to,
})

export const plantedBreaches: readonly Breach[] = [
  breach(
    'D30',
    'src/api/cursors/cursor.test.ts',
    'src/api/cursors/cursor.ts',
    'if (ageMs > cursorLifeMs) return',
    'if (ageMs > cursorLifeMs && printsOf(filter).compare(content, 40, 40 + printsLength) === 0) return',
  ),
  breach(
    'C112',
    'src/api/server.system.test.ts',
    'src/api/tender-answers.ts',
    "if (lookup.state === 'wrong') return this.#refuseToken(course)",
    "if (lookup.state === 'wrong') return this.#refuse(course, { slug: 'no-api-access', detail: 'No.' })",
  ),
  breach(
    'C114',
    'src/api/server.system.test.ts',
    'src/api/tender-answers.ts',
    "return this.#refuse(course, { slug: 'no-api-access', detail",
    "return this.#refuse(course, { slug: 'unauthorized', detail",
  ),
  breach(
    'P2',
    'src/publish/publish.system.test.ts',
    'src/publish/publish.ts',
    'const stamp = lastModified - changes + 1 + added',
    'const stamp = lastModified - changes + 1 - (edition - 1) * 3 * hourMs + added',
  ),
  breach(
    'C13',
    conformance,
    'src/consolidate/merge.ts',
    'status: lifecycle.status,\n    archiveReason',
    "status: (lifecycle.archiveReason === undefined ? lifecycle.status : '') as 'open',\n    archiveReason",
  ),
  breach(
    'C100',
    conformance,
    'src/api/parameters/parameters.ts',
    '{ updatedSince: updatedSince.ceilMs }',
    '{ updatedSince: updatedSince.ceilMs + 3_600_000 }',
  ),
  breach(
    'C116',
    'src/store/people/organizations.db.test.ts',
    'src/store/people/organizations.ts',
    'const slot = [1, 2].find',
    'const slot = [1, 2, 3].find',
  ),
  breach(
    'P3',
    'src/publish/publish.system.test.ts',
    'src/publish/examine.ts',
    'if (claimed !== records)',
    'if (claimed < 0)',
  ),
  breach(
    'C85',
    'src/edition/write/edition-log.system.test.ts',
    'src/edition/format/record-columns.ts',
    "eurValue: amount !== null && amount.currency === 'EUR'",
    "eurValue: amount === null ? 0 : amount.currency === 'EUR'",
  ),
  breach(
    'C151',
    'client/src/sync/sync.test.ts',
    'client/src/sinks/memory-sink.ts',
    'for (const record of records) put(record, true)',
    'for (const record of records) if (!held(record.id)) put(record, true)',
  ),
  breach(
    'C76',
    'src/edition/write/edition-log.system.test.ts',
    'src/edition/read/log-view.ts',
    'table.lowerBound(filter.updatedSince, end)',
    'table.lowerBound(filter.updatedSince - 1, end)',
  ),
  breach('C16', conformance, 'src/store/editions/editions.ts', `'YYYY-MM-DD"T"HH24`, `'YYYY-MM-DD" "HH24`),
  breach(
    'C30',
    conformance,
    'src/consolidate/merge.ts',
    "archiveReason: 'merged', mergedInto }",
    "archiveReason: 'merged', mergedInto: mergedInto.replace(/.{4}$/, '0000') }",
  ),
  breach(
    'C22',
    conformance,
    'src/consolidate/merge.ts',
    'currency: amount.currency, estimated: false }',
    'currency: amount.currency, estimated: true }',
  ),
  breach(
    'D43',
    'src/api/server.system.test.ts',
    'src/api/etag.ts',
    'const bucket = Math.floor(now / bucketMs)',
    'const bucket = 0',
  ),
  breach(
    'D7',
    'src/api/server.system.test.ts',
    'src/api/paths.ts',
    'return found !== undefined && found.length <= 100 ? found : undefined',
    'return undefined',
  ),
  breach(
    'C3',
    'test/published-editions.system.test.ts',
    'src/edition/read/scan-rows.ts',
    'if (replacedBy !== 0 && replacedBy <= edition) continue',
    'if (replacedBy !== 0 && replacedBy < edition) continue',
  ),
  breach(
    'C35',
    'src/edition/write/edition-log.system.test.ts',
    'src/edition/read/query.ts',
    'archived: archived || updatedSince !== undefined,',
    'archived,',
  ),
  breach(
    'C73',
    'src/edition/write/edition-log.system.test.ts',
    'src/edition/format/record-columns.ts',
    'publication: timeOf(record.publicationDate)',
    'publication: timeOf((record as { lastModified?: string }).lastModified)',
  ),
  breach(
    'C120',
    'src/api/server.system.test.ts',
    'src/api/problems/problems.ts',
    "return plain.includes('tdr_') ?",
    "return plain.includes('no token') ?",
  ),
  breach(
    'G4',
    'client/src/sync/sync.test.ts',
    'client/src/sync/sync.ts',
    'if (!stored || stored.filterHash === hash) return stored',
    'if (!stored || stored.filterHash !== undefined) return stored',
  ),
  breach(
    'C115',
    'src/store/people/organizations.db.test.ts',
    'src/store/people/organizations.ts',
    'const slot = [1, 2].find',
    'const slot = [1].find',
  ),
  breach(
    'C129',
    'src/api/server.system.test.ts',
    'src/api/tender-answers.ts',
    'limiter.take(grant.organizationId, grant.requestsPerMinute)',
    'limiter.take(grant.organizationId, 60)',
  ),
  breach(
    'D22',
    'src/api/parameters/timestamps.test.ts',
    'src/api/parameters/timestamps.ts',
    "fraction.slice(3) === '000000' ? floorMs : floorMs + 1",
    "fraction.slice(3) === '000000' ? floorMs : floorMs",
  ),
  breach(
    'C159',
    'client/src/sync/sync.test.ts',
    'client/src/sinks/memory-sink.ts',
    'ms === 0 && hashedForm(record) !== hashedForm(held)',
    'ms === 0',
  ),
  breach(
    'C161',
    'client/src/retry.test.ts',
    'client/src/tender-client.ts',
    '(isLoopback || allowHttp)))',
    "(isLoopback || allowHttp || hostname !== '')))",
  ),
  breach(
    'C93',
    'src/api/parameters/parameters.test.ts',
    'src/api/parameters/parameters.ts',
    'values.has(updatedSinceParameter.name) ? true : readScalar(archivedParameter, values, faults)',
    'readScalar(archivedParameter, values, faults)',
  ),
  breach(
    'D49',
    'src/api/server.system.test.ts',
    'src/api/tender-answers.ts',
    'cache-control: private, no-cache\\r\\nvary',
    'cache-control: private, no-cache\\r\\nserver-timing: list;dur=1\\r\\nvary',
  ),
  breach(
    'C17',
    conformance,
    'src/edition/format/pieces.ts',
    "const bytes = Buffer.from(instant, 'latin1')",
    "const bytes = Buffer.from(instant.replace('T', ' '), 'latin1')",
  ),
  breach(
    'C2',
    conformance,
    'src/store/people/organizations.ts',
    'if (tokenIds.length === 0) return\n',
    `if (tokenIds.length === 0) return
  const [open] = await db.selectFrom('tender').selectAll().where('content', 'like', '%"status":"open"%').limit(1).execute()
  if (open)
    await db
      .updateTable('tender')
      .set({ content: open.content.replace('"status":"open"', '"status":"closed"') })
      .where('tender_id', '=', open.tender_id)
      .execute()
`,
  ),
]
