// What notices are, against labels read by hand: ids and acts only, without a word of the notices.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Act, ActReading } from '../src/domain/acts/act.ts'
import { readAct } from '../src/domain/acts/read-act.ts'
import type { Notice } from '../src/domain/notice.ts'
import type { Instant } from '../src/domain/time.ts'
import { joinTables } from '../src/sources/doe/join-tables.ts'
import { parseDoe } from '../src/sources/doe/parse-doe.ts'
import { readNotices } from './corpus-notices.ts'

/** A row of `acts/acts.tsv`. `of`: the act that a correction or an extension belongs to. */
type Label = {
  readonly source: string
  readonly id: string
  readonly act: Act
  readonly of: Act | undefined
  readonly isSure: boolean
  /** Local time as the text names it, `2026-05-18T12:30` or a day. */
  readonly newDeadline: string | undefined
}

export type LabeledNotice = { readonly label: Label; readonly notice: Notice; readonly reading: ActReading }

export type ActFigures = {
  readonly sure: number
  readonly exact: number
  /** Labels of calls, and of their corrections and extensions. */
  readonly calls: number
  readonly lostCalls: number
  /** Number of notices that are no call and would be served as one. */
  readonly wronglyOpen: number
  /** Sure labels of notices that are served as a call. */
  readonly shownOpen: number
}

function readActLabels(corpus: string): Label[] {
  const own = join(corpus, 'acts/acts.tsv')
  const path = existsSync(own) ? own : new URL('labels/acts.tsv', import.meta.url)
  const [head, ...lines] = readFileSync(path, 'utf8').trim().split('\n')
  const names = head!.split('\t')
  return lines.map((line) => {
    const fields = line.split('\t')
    const cell = (name: string): string => fields[names.indexOf(name)] ?? ''
    return {
      source: cell('source'),
      id: cell('id'),
      act: cell('act') as Act,
      of: (cell('of') || undefined) as Act | undefined,
      isSure: cell('sure') === 'sure',
      newDeadline: cell('newDeadline') || undefined,
    }
  })
}

type Row = {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly publicationDate: string
}

const decoded = (text: string): string => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')

/** A row of a collector as the notice that it was. */
function noticeOfRow({ id, title, description, publicationDate }: Row): Notice {
  return {
    noticeKey: `doe:${id.replace(/^oeffentlichevergabe-/, '')}`,
    publisher: 'doe',
    format: 'eforms',
    profile: 'row',
    formType: 'competition',
    noticeType: 'cn-standard',
    language: 'de',
    languages: ['de'],
    title: { de: decoded(title) },
    description: { de: decoded(description) },
    publicationDate: `${publicationDate}T00:00:00.000Z` as Instant,
    contractingAuthorities: [],
    cpvCodes: [],
    nutsCodes: [],
    lots: [],
    references: [],
  }
}

/** All rows of the German service, labeled or not. */
export function readDoeRows(corpus: string): Notice[] {
  const path = join(corpus, 'cross-portal/doe-notices-2026-04-06.jsonl.gz')
  if (!existsSync(path)) return []
  const lines = gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n')
  return lines.map((line) => noticeOfRow(JSON.parse(line) as Row))
}

function readCsvDay(corpus: string): Notice[] {
  const folder = join(corpus, 'eforms-de/doe-csv-2025-12-06')
  if (!existsSync(folder)) return []
  const tables = new Map(
    readdirSync(folder).map((file) => [file.replace(/\.csv$/, ''), readFileSync(join(folder, file))]),
  )
  return joinTables(tables, folder).notices.flatMap(({ bytes }) =>
    parseDoe(bytes).flatMap((part) => ('notice' in part ? [part.notice] : [])),
  )
}

function readDtvpRows(corpus: string): Notice[] {
  const path = join(corpus, 'cross-portal/dtvp-list-rows.jsonl')
  if (!existsSync(path)) return []
  const rows = readFileSync(path, 'utf8').trim().split('\n')
  return rows.map((line) => {
    const { id, title } = JSON.parse(line) as { id: string; title: string }
    return { ...noticeOfRow({ id, title, description: '', publicationDate: '2026-05-15' }), noticeKey: id }
  })
}

/** The labeled notices that the folder holds, with what the service reads. */
export async function readLabeledActs(corpus: string): Promise<LabeledNotice[]> {
  const labels = new Map(readActLabels(corpus).map((label) => [label.id, label]))
  const found = new Map<string, Notice>()
  const add = (notice: Notice): void => {
    if (labels.has(notice.noticeKey)) found.set(notice.noticeKey, notice)
  }
  if (labels.size === 0) return []
  for (const notice of [...readDoeRows(corpus), ...readCsvDay(corpus), ...readDtvpRows(corpus)]) add(notice)
  const folders = ['ted-eforms', 'ted-legacy', 'doffin-eforms', 'eforms-de', 'ocds', 'portal-answers/ocds']
  for await (const { notices } of readNotices(corpus, folders)) for (const notice of notices) add(notice)
  return [...found.values()].map((notice) => ({
    label: labels.get(notice.noticeKey)!,
    notice,
    reading: readAct(notice),
  }))
}

/** Calls, and what is told about them: the record of such a notice alone is open. */
const isOfCall = (act: Act, of: Act | undefined): boolean =>
  act === 'call' ||
  ((act === 'correction' || act === 'deadline-extension' || act === 'suspension') && (of ?? 'call') === 'call')

export function actFigures(labeled: readonly LabeledNotice[]): ActFigures {
  const sure = labeled.filter(({ label }) => label.isSure)
  const isCall = ({ label }: LabeledNotice): boolean => isOfCall(label.act, label.of)
  const isRead = ({ reading }: LabeledNotice): boolean => isOfCall(reading.act, reading.of)
  return {
    sure: sure.length,
    exact: sure.filter(({ label, reading }) => label.act === reading.act).length,
    calls: labeled.filter(isCall).length,
    lostCalls: labeled.filter((each) => isCall(each) && !isRead(each)).length,
    wronglyOpen: sure.filter((each) => !isCall(each) && isRead(each)).length,
    shownOpen: sure.filter(isRead).length,
  }
}
