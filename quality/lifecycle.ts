// What became of linked tenders: the stock's answer compared with a naive one, which is read from the raw documents by
// patterns alone.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mergeTender } from '../src/consolidate/merge.ts'
import { resolve } from '../src/consolidate/resolve.ts'
import type { Notice } from '../src/domain/notice.ts'
import type { TenderContent } from '../src/domain/tender.ts'
import { readPath } from '../src/sources/files.ts'
import { parseDocument } from '../src/sources/parse-document.ts'

export type LifecycleReport = {
  readonly groups: number
  /** Groups that are not one tender (docs/consolidation.md); not compared. */
  readonly apart: number
  readonly comparisons: number
  readonly agreed: number
  /** By `<naive> / <stock>`: the groups, each once. */
  readonly disagreements: { readonly [kind: string]: readonly string[] }
}

type Kind = 'planning' | 'call' | 'change' | 'intention' | 'result' | 'execution'

/** One document as patterns read it. */
type Facts = {
  readonly kind: Kind
  readonly day: number
  /** The latest deadline, without its zone: it is wrong by a few hours at most. */
  readonly deadline: number | undefined
  readonly hasWinner: boolean
  readonly hasFailure: boolean
  readonly isUndecided: boolean
  readonly isStanding: boolean
}

type Member = { readonly facts: Facts; readonly notices: readonly Notice[] }

const dayMs = 86_400_000
const legacyKinds: readonly (readonly [RegExp, Kind])[] = [
  [/^[0P14AM]$/, 'planning'],
  [/^2$/, 'change'],
  [/^V$/, 'intention'],
  [/^[7RJ]$/, 'result'],
  [/^K$/, 'execution'],
]
const eformsKinds: readonly (readonly [RegExp, Kind])[] = [
  [/^(?:planning|consultation)$/, 'planning'],
  [/^dir-awa-pre$/, 'intention'],
  [/^result$/, 'result'],
  [/^(?:cont-modif|completion)$/, 'execution'],
]

function latest(days: readonly (string | undefined)[]): number | undefined {
  const found = days.map((day) => Date.parse(`${day}T23:59:59Z`)).filter(Number.isFinite)
  return found.length > 0 ? Math.max(...found) : undefined
}

const captures = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1]!)

function factsOf(text: string, date: string): Facts {
  const day = Date.parse(date.replace(/^(\d{4})-?(\d\d)-?(\d\d).*$/, '$1-$2-$3T00:00:00Z'))
  if (text.includes('<TED_EXPORT')) {
    const code = /<TD_DOCUMENT_TYPE CODE="(\w)"/.exec(text)?.[1] ?? ''
    const kind = legacyKinds.find(([pattern]) => pattern.test(code))?.[1] ?? 'call'
    const stated = captures(text, /<DATE_RECEIPT_TENDERS>(\d{4}-\d\d-\d\d)/g)
    // section IV.2.2 is the deadline; other dates of a corrigendum are openings
    const moved = captures(
      text,
      /<SECTION>IV\.2\.2\)?<\/SECTION>(?:(?!<\/CHANGE>).)*<NEW_VALUE>\s*<DATE>(\d{4}-\d\d-\d\d)/gs,
    )
    // the header holds what later corrigenda changed: that was not known at the time, so it counts only if the form has
    // no deadline
    const coded = stated.length > 0 ? [] : captures(text, /<DT_DATE_FOR_SUBMISSION>(\d{8})/g)
    const hasFailure = /<(?:NO_AWARDED_(?:CONTRACT|PRIZE)|PROCUREMENT_(?:UNSUCCESSFUL|DISCONTINUED))\b/.test(text)
    return {
      kind,
      day,
      deadline: latest(
        kind === 'change' ? moved : [...stated, ...coded.map((each) => each.replace(/(....)(..)(..)/, '$1-$2-$3'))],
      ),
      hasWinner: /<AWARDED_(?:CONTRACT|PRIZE)\b/.test(text) || !hasFailure,
      hasFailure,
      isUndecided: false,
      isStanding: code === 'O' || /<(?:DPS|QUALIFICATION_SYSTEM\w*)\b/.test(text),
    }
  }
  const form = /<cbc:NoticeTypeCode[^>]*listName="([\w-]+)"/.exec(text)?.[1] ?? ''
  const codes = captures(text, /<cbc:TenderResultCode[^>]*>\s*([\w-]+)/g)
  const periods = captures(
    text,
    /<cac:(?:TenderSubmissionDeadline|ParticipationRequestReception)Period>\s*<cbc:EndDate>(\d{4}-\d\d-\d\d)/g,
  )
  return {
    kind: eformsKinds.find(([pattern]) => pattern.test(form))?.[1] ?? 'call',
    day,
    deadline: latest(periods),
    // a withheld outcome (`unpublished`) of a result notice counts as an award, and so does a missing outcome
    hasWinner: codes.includes('selec-w') || !codes.some((code) => code === 'clos-nw' || code === 'open-nw'),
    hasFailure: codes.includes('clos-nw'),
    isUndecided: codes.includes('open-nw'),
    isStanding: />\s*(?:dps-nlist|dps-list|qu-sy)\s*</.test(text),
  }
}

/** The last call and the results after it, without distinguishing lots. */
export function naiveStatus(facts: readonly Facts[], now: number): string {
  const ordered = facts.map((each, index) => ({ ...each, index }))
  const call = ordered.findLast(({ kind }) => kind === 'call')
  const results = ordered.filter(({ kind }) => kind === 'result')
  const execution = ordered.findLast(({ kind }) => kind === 'execution')
  const intention = ordered.findLast(({ kind }) => kind === 'intention')
  const changed = ordered.findLast(({ kind, deadline }) => kind === 'change' && deadline !== undefined)
  const deadline = changed && call && changed.index > call.index ? changed.deadline : call?.deadline
  const end = deadline ?? (call && !call.isStanding ? call.day + 90 * dayMs : undefined)
  const isAhead = call !== undefined && (end === undefined || end > now)
  const decided = results.filter((each) => !call || each.index > call.index)
  if (isAhead && (call.isStanding || decided.length === 0)) return 'open'
  if (results.some(({ hasWinner }) => hasWinner) || (results.length === 0 && execution)) return 'awarded/awarded'
  if (isAhead && !decided.some(({ hasFailure }) => hasFailure)) return 'open'
  if (results.some(({ hasFailure }) => hasFailure) && !results.some(({ isUndecided }) => isUndecided))
    return 'cancelled/cancelled'
  if (intention && results.length === 0 && intention.day + 90 * dayMs > now && (!call || intention.index > call.index))
    return 'awardIntended'
  const announced = ordered.findLast(({ kind }) => kind === 'planning')
  if (announced && !call && results.length === 0 && !intention && announced.day + 365 * dayMs > now) return 'planned'
  return 'closed/expired'
}

/**
 * Moments to compare: a day after each notice, a day before and after each deadline, and a year after the last notice.
 */
function momentsOf(members: readonly Member[]): number[] {
  const days = members.map(({ facts }) => facts.day)
  const deadlines = members.flatMap(({ facts }) => facts.deadline ?? [])
  const around = deadlines.flatMap((deadline) => [deadline - dayMs, deadline + dayMs])
  const moments = [...days.map((day) => day + 1.5 * dayMs), ...around, Math.max(...days) + 400 * dayMs]
  // a day's grace: zones do not matter in this comparison
  const isClear = (moment: number): boolean =>
    moment > Math.min(...days) && deadlines.every((deadline) => Math.abs(deadline - moment) > 0.6 * dayMs)
  return [...new Set(moments)].filter(isClear).sort((a, b) => a - b)
}

export async function benchLifecycle(corpus: string): Promise<LifecycleReport | undefined> {
  const path = join(corpus, 'LINKED-GROUPS.tsv')
  if (!existsSync(path)) return undefined
  const rows = readFileSync(path, 'utf8').trim().split('\n').slice(1)
  const fields = rows.map((row) => row.split('\t'))
  const dateOf = new Map(fields.map((row) => [row[2]!, row[3]!]))
  const members = new Map<string, Member>()
  for (const folder of ['ted-eforms', 'ted-legacy', 'doffin-eforms']) {
    if (!existsSync(join(corpus, folder))) continue
    for await (const { address, bytes, unreadable } of readPath(join(corpus, folder))) {
      const file = address.slice(corpus.length + 1)
      const date = dateOf.get(file)
      if (unreadable || date === undefined) continue
      const notices = parseDocument(bytes).flatMap((part) => ('notice' in part ? [part.notice] : []))
      members.set(file, { facts: factsOf(Buffer.from(bytes).toString('utf8'), date), notices })
    }
  }
  let [apart, comparisons, agreed] = [0, 0, 0]
  const disagreements = new Map<string, Set<string>>()
  const groups = Map.groupBy(fields, (row) => row[0]!)
  for (const [group, own] of groups) {
    const all = own.flatMap((row) => members.get(row[2]!) ?? []).sort((a, b) => a.facts.day - b.facts.day)
    const units = all.flatMap(({ notices }) => notices)
    const components = resolve(
      units.map((notice, index) => ({ rowId: String(index).padStart(8, '0'), sourceId: notice.publisher, notice })),
    )
    if (components.length !== 1) {
      apart++
      continue
    }
    for (const now of momentsOf(all)) {
      const known = all.filter(({ facts }) => facts.day < now)
      const naive = naiveStatus(
        known.map(({ facts }) => facts),
        now,
      )
      const draft = mergeTender(
        group,
        known.flatMap(({ notices }) => notices),
        { now, isSucceeded: false },
      )
      const { status, archiveReason } = JSON.parse(draft.content) as TenderContent
      const derived = archiveReason ? `${status}/${archiveReason}` : status
      comparisons++
      if (derived === naive) agreed++
      else {
        const kind = `${naive} / ${derived}`
        disagreements.set(kind, (disagreements.get(kind) ?? new Set()).add(group))
      }
    }
  }
  const listed = [...disagreements].map(([kind, found]) => [kind, [...found].sort()] as const)
  return { groups: groups.size, apart, comparisons, agreed, disagreements: Object.fromEntries(listed.sort()) }
}

/** The result as text for people. */
export function lifecycleAsMarkdown({ groups, apart, comparisons, agreed, disagreements }: LifecycleReport): string {
  const kinds = Object.entries(disagreements).map(([kind, found]) => `- naive / stock: ${kind}: ${found.join(', ')}`)
  const share = (agreed / Math.max(1, comparisons)).toFixed(4)
  return [
    '',
    `Lifecycle of ${groups - apart} linked groups (${apart} are not one tender): ${agreed} of ${comparisons} moments as a naive reading says (${share}).`,
    ...kinds,
  ].join('\n')
}
