// Reads the sets of corpus/cross-portal as notices: records of portals that are not notices themselves.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { MatchRecord } from '../src/consolidate/match/match-record.ts'
import { prepare } from '../src/consolidate/match/prepare.ts'
import { toCpvCode } from '../src/domain/cpv.ts'
import type { FormType, Notice } from '../src/domain/notice.ts'
import { toNutsCode } from '../src/domain/nuts.ts'
import { type Instant, parseSourceDateTime } from '../src/domain/time.ts'

/** What a portal shows of a tender; the generator changes it and makes notices of it. */
export type Listing = {
  readonly source: string
  readonly id: string
  readonly title: string
  readonly buyer: string
  readonly city?: string
  readonly description?: string
  readonly cpv: readonly string[]
  readonly nuts: readonly string[]
  readonly formType: FormType
  readonly published?: Instant
  readonly deadline?: Instant
  readonly language: string
  readonly reference?: string
  /** Absent: Germany. */
  readonly country?: string
  /** Title and description as the authority wrote them in its other languages. */
  readonly translations?: { readonly [language: string]: { readonly title: string; readonly description?: string } }
}

const zone = 'Europe/Berlin'

function instantOf(text: string | null | undefined, missing: 'start-of-day' | 'end-of-day'): Instant | undefined {
  if (!text) return undefined
  const german = /^(\d{2})\.(\d{2})\.(\d{4})$/.exec(text)
  return parseSourceDateTime(german ? `${german[3]}-${german[2]}-${german[1]}` : text, zone, missing)
}

function lines(path: string): unknown[] {
  if (!existsSync(path)) return []
  const bytes = readFileSync(path)
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as unknown)
}

const codes = (values: readonly (string | undefined)[]): string[] => values.filter((value) => value !== undefined)

type DoeRow = {
  readonly id: string
  readonly title: string
  readonly issuer: string
  readonly region: string
  readonly publicationDate: string
  readonly keywords: readonly string[]
  readonly description: string
}

/** German competition notices of the national service; without deadlines. */
export function readDoeListings(folder: string): Listing[] {
  const found = new Map<string, Listing>()
  for (const row of lines(join(folder, 'doe-notices-2026-04-06.jsonl.gz')) as DoeRow[]) {
    const published = instantOf(row.publicationDate, 'start-of-day')
    const nuts = toNutsCode(row.region)
    found.set(row.id, {
      source: 'doe',
      id: row.id,
      title: row.title,
      buyer: row.issuer,
      description: row.description,
      cpv: codes(row.keywords.filter((word) => /^\d{8}$/.test(word)).map(toCpvCode)),
      nuts: nuts ? [nuts] : [],
      formType: 'competition',
      language: 'de',
      ...(published ? { published } : {}),
    })
  }
  return [...found.values()]
}

type DtvpRow = {
  readonly id: string
  readonly title: string
  readonly authority: string
  readonly deadline: string
}

/** List rows of one portal: title, buyer, deadline by day. */
export function readListRows(folder: string): Listing[] {
  return (lines(join(folder, 'dtvp-list-rows.jsonl')) as DtvpRow[]).map((row) => {
    const deadline = instantOf(row.deadline, 'end-of-day')
    return {
      source: 'dtvp',
      id: row.id,
      title: row.title,
      buyer: row.authority,
      cpv: [],
      nuts: [],
      formType: 'competition',
      language: 'de',
      ...(deadline ? { deadline } : {}),
    }
  })
}

type PortalRow = {
  readonly source: string
  readonly source_id: string
  readonly title: string
  readonly description: string
  readonly buyer: string
  readonly buyer_city: string
  readonly nuts: string
  readonly cpv: readonly string[]
  readonly procedure: string
  readonly kind: string
  readonly published: string | null
  readonly deadline: string | null
  readonly vergabenummer: string
}

function formTypeOf({ kind, procedure }: PortalRow): FormType {
  if (kind.startsWith('can-modif')) return 'cont-modif'
  if (kind.startsWith('can-') || kind === 'award' || /vergebener auftrag/i.test(procedure)) return 'result'
  if (kind === 'veat') return 'dir-awa-pre'
  if (kind === 'prior_information' || kind === 'pin-rtl' || kind === 'pin-only') return 'planning'
  return /beabsichtigte ausschreibung/i.test(procedure) ? 'planning' : 'competition'
}

/** The same tenders on several portals; rows that the collector read into wrong columns are left out. */
export function readPortalListings(folder: string): Listing[] {
  return (lines(join(folder, 'portal-records.jsonl')) as PortalRow[])
    .filter((row) => !/^\d{2}\.\d{2}\.\d{4}$/.test(row.buyer) && row.buyer !== '')
    .map((row) => {
      const published = instantOf(row.published, 'start-of-day')
      const deadline = instantOf(row.deadline, 'end-of-day')
      const nuts = toNutsCode(row.nuts)
      return {
        source: row.source,
        id: row.source_id,
        title: row.title,
        buyer: row.buyer,
        description: row.description,
        cpv: codes(row.cpv.map(toCpvCode)),
        nuts: nuts ? [nuts] : [],
        formType: formTypeOf(row),
        language: 'de',
        ...(row.buyer_city ? { city: row.buyer_city } : {}),
        ...(row.vergabenummer ? { reference: row.vergabenummer } : {}),
        ...(published ? { published } : {}),
        ...(deadline ? { deadline } : {}),
      }
    })
}

export type Label = { readonly a: string; readonly b: string; readonly label: string }

/** Hand labels over portal records; names as nameOf gives them. */
export function readLabels(folder: string): Label[] {
  const own = join(folder, 'labelled-pairs.tsv')
  const path = existsSync(own) ? own : new URL('labels/pairs.tsv', import.meta.url)
  const [head, ...rows] = readFileSync(path, 'utf8').trim().split('\n')
  const columns = head!.split('\t')
  return rows.map((row) => {
    const fields = row.split('\t')
    const field = (name: string): string => fields[columns.indexOf(name)] ?? ''
    return {
      a: `${field('source_a')}:${field('id_a')}`,
      b: `${field('source_b')}:${field('id_b')}`,
      label: field('label'),
    }
  })
}

export const nameOf = ({ source, id }: Listing): string => `${source}:${id}`

export function noticeOf(listing: Listing): Notice {
  const { language, title, description } = listing
  return {
    noticeKey: nameOf(listing),
    publisher: listing.source,
    format: 'portal',
    profile: 'bench',
    formType: listing.formType,
    noticeType: listing.formType,
    language,
    languages: [language],
    title: { [language]: title },
    ...(description ? { description: { [language]: description } } : {}),
    ...(listing.published ? { publicationDate: listing.published } : {}),
    ...(listing.deadline ? { submissionDate: listing.deadline } : {}),
    ...(listing.reference ? { internalReference: listing.reference } : {}),
    contractingAuthorities: [
      { name: listing.buyer, country: listing.country ?? 'DE', ...(listing.city ? { city: listing.city } : {}) },
    ],
    cpvCodes: listing.cpv,
    nutsCodes: listing.nuts,
    lots: [],
    references: [],
  }
}

export function recordOf(listing: Listing): MatchRecord {
  const notice = noticeOf(listing)
  return prepare(notice.noticeKey, [{ notice, rowIds: [], sourceIds: [listing.source] }])
}
