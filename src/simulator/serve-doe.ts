// The federal portal's exports: one zip for a day or a month in Berlin, strictly of the past.
import { dayMs, hourMs, wallToEpochMs } from '../domain/time.ts'
import { writeZip } from './archive-writers.ts'
import type { Visible } from './card-answer.ts'
import { momentOf, readFields, type WrittenDate } from './date-pattern.ts'
import { type Asked, jsonAnswer, type PortalAnswer, type PortalServer } from './portal-answer.ts'
import type { Shelf } from './shelf.ts'
import { exportTables } from './write-doe-tables.ts'

const zone = 'Europe/Berlin'
const hosts = new Set(['oeffentlichevergabe.de', 'www.oeffentlichevergabe.de'])
const firstMonth = Date.UTC(2022, 11, 1)
const formats = ['eforms.zip', 'csv.zip', 'ocds.zip']

export function serveDoe(visible: Visible, tables?: Shelf['tables']): PortalServer {
  return {
    sourceId: 'doe',
    hosts,
    shown: (now) => {
      const today = startOfDay(now)
      return visible(now).filter(
        ({ publishedAt }) => publishedAt < today && publishedAt >= wallToEpochMs(firstMonth, zone),
      )
    },
    answer: (asked) => {
      const { url } = asked.request
      if (url.pathname !== '/api/notice-exports') return undefined
      if (asked.request.method !== 'GET') return refuse('only GET')
      return noticeExport(asked, visible, tables)
    },
  }
}

const refuse = (detail: string, status = 400): PortalAnswer =>
  jsonAnswer(status, { status, title: 'Bad Request', detail })

function noticeExport(asked: Asked, visible: Visible, tables: Shelf['tables']): PortalAnswer {
  const { searchParams } = asked.request.url
  const unknown = [...searchParams.keys()].find((name) => !['pubDay', 'pubMonth', 'format'].includes(name))
  if (unknown !== undefined) return refuse(`unknown parameter ${unknown}`)
  const day = searchParams.get('pubDay')
  const month = searchParams.get('pubMonth')
  if ((day === null) === (month === null)) return refuse('exactly one of pubDay and pubMonth is needed')
  const accepted = /application\/vnd\.bekanntmachungsservice\.(\w+)\.zip\+zip/.exec(
    asked.request.headers['accept'] ?? '',
  )?.[1]
  const format = searchParams.get('format') ?? (accepted === undefined ? undefined : `${accepted}.zip`)
  if (format === undefined) return refuse('no format', 406)
  if (!formats.includes(format)) return refuse(`format ${format} is not known`)
  const span = day !== null ? written(day, 'yyyy-MM-dd') : written(month!, 'yyyy-MM')
  if (!span) return refuse('not a date of the calendar')
  const today = startOfDay(asked.now)
  if (span.from >= today) return refuse(`${day === null ? 'pubMonth' : 'pubDay'} must lie in the past`)
  if (span.from < wallToEpochMs(firstMonth, zone)) return refuse('there is nothing before 2022-12')
  // the simulator's OCDS would contain no more than its eForms: it is not offered
  if (format === 'ocds.zip') return refuse('ocds.zip is not offered here', 406)
  const entries = visible(asked.now).filter(
    ({ publishedAt }) => publishedAt >= span.from && publishedAt < Math.min(span.next, today),
  )
  const members =
    format === 'csv.zip'
      ? [...((day !== null && tables?.('doe', day)) || exportTables(entries))]
      : entries.map((entry) => ({
          name: `${entry.noticeId}-${String(entry.version).padStart(2, '0')}.xml`,
          bytes: Buffer.from(entry.text()),
        }))
  if (asked.happens('broken-member'))
    members.push({ name: 'broken-01.xml', bytes: Buffer.from('<ContractNotice><cbc:ID') })
  if (asked.happens('nul-bytes'))
    members.push({ name: 'nul-01.xml', bytes: Buffer.from('<ContractNotice>\u0000</ContractNotice>') })
  const last = entries.at(-1)
  if (last && asked.happens('duplicates'))
    members.push({
      name: `copy/${last.noticeId}-${String(last.version).padStart(2, '0')}.xml`,
      bytes: Buffer.from(last.text()),
    })
  return {
    status: 200,
    type: 'application/zip',
    body: writeZip(members),
    headers: { 'content-disposition': `attachment; filename="notices-${day ?? month}.${format}"` },
    // the number of entries so far; another file may have the same tag
    etag: `"version-${entries.length}"`,
  }
}

function written(text: string, pattern: string): WrittenDate | undefined {
  const fields = readFields(text, pattern)
  return fields && momentOf(fields, zone)
}

/** Midnight in Berlin at the beginning of that day. */
function startOfDay(now: number): number {
  const local = Math.floor((now + 2 * hourMs) / dayMs) * dayMs
  const candidates = [local + dayMs, local, local - dayMs].map((day) => wallToEpochMs(day, zone))
  return candidates.find((start) => start <= now)!
}
