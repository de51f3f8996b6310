// A source of editions that gave up the last ones of a log and continues with another epoch; as a program, a node that
// cuts its log back because of it.
import { pathToFileURL } from 'node:url'
import { catchUp, openEditionLog } from '../src/edition/write/edition-log.ts'
import type { EditionSource } from '../src/edition/write/edition-source.ts'
import type { NewEdition } from '../src/edition/write/log-state.ts'
import type { EditionRow } from '../src/store/editions/editions.ts'
import { entriesOfEdition, infoOfEdition, recordsOfEdition } from './edition-of-number.ts'

/** The last edition that the log and the source have in common, the last one that only the log has, and the next. */
export const common = 300
export const lost = 304
export const next = 2001
/** The next edition changes what this one would. */
const like = 305

export const nextInfo: NewEdition = { ...infoOfEdition(like), edition: next }
export const nextEntries = entriesOfEdition(like)

export function recordsOfNext(): unknown[] {
  const checkedAt = new Date(like).toISOString()
  const changed = nextEntries.map(({ body }) => {
    const { id, ...record } = JSON.parse(body) as { id: string }
    return { id, checkedAt, ...record }
  })
  const ids = new Set(changed.map(({ id }) => id))
  const kept = (recordsOfEdition(common) as { id: string }[]).filter(({ id }) => !ids.has(id))
  return [...kept.map((record) => ({ ...record, checkedAt })), ...changed]
}

/** `digestOf`: of the common and the next edition. */
export function olderSource(digestOf: { readonly [edition: number]: string }): EditionSource {
  const infos = [...Array.from({ length: common }, (_, index) => infoOfEdition(index + 1)), nextInfo]
  const rows: EditionRow[] = infos.map((info) => ({ ...info, checksum: digestOf[info.edition] ?? null }))
  const epochs = [{ edition: common, first: next, at: infoOfEdition(lost).lastModified, lost: null }]
  return {
    kind: 'database',
    onOneState: (work) =>
      work({
        head: async () => ({ target: rows.at(-1), stockId: '', serial: 1, isStandby: false, epochs }),
        editionsAfter: async (edition, limit) => rows.filter((row) => row.edition > edition).slice(0, limit),
        entries: async function* (after, last) {
          for (const { edition } of rows) {
            const entries = edition === next ? nextEntries : entriesOfEdition(edition)
            for (const entry of entries)
              if (entry.lastModified > after && entry.lastModified <= last.lastModified) yield { ...entry, edition }
          }
        },
      }),
  }
}

export const openOlder = (folder: string) =>
  openEditionLog(folder, { clock: () => 0, toleratedEntries: 1e9, onWarning: () => undefined })

if (import.meta.url === pathToFileURL(process.argv[1]!).href) {
  const log = await openOlder(process.argv[2]!)
  await log.idle()
  process.stdout.write('begins\n')
  const begunAt = performance.now()
  await catchUp(log, olderSource(JSON.parse(process.argv[3]!) as { [edition: number]: string }))
  process.stdout.write(`${performance.now() - begunAt}\n`)
  await log.close()
}
