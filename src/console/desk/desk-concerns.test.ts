// What the operator's first screen says of clocks: by codes, in both languages.
import { expect, test } from 'vitest'
import { type ClockConcern, clockLine } from '../../domain/clock-concern.ts'
import { lineOf } from '../../domain/lines.ts'
import type { SourceState } from '../../domain/source-state.ts'
import { hourMs, minuteMs } from '../../domain/time.ts'
import type { DeskFacts } from '../../store/screens/desk.ts'
import { clockTexts } from './clock-texts.ts'
import { deskConcerns } from './desk-concerns.ts'

type ValuesOf<Code extends ClockConcern['code']> = Extract<ClockConcern, { readonly code: Code }>['values']
const at = Date.UTC(2026, 10, 23)
const aheadMs = 3 * hourMs + 2 * minuteMs
const samples: {
  readonly [Code in ClockConcern['code']]: readonly [values: ValuesOf<Code>, isHolding: boolean, german: RegExp]
} = {
  'node-clock': [{ differenceMs: -aheadMs }, false, /^Die Uhr dieses Rechners geht 3 h 2 min vor, /],
  'publisher-clock': [
    { differenceMs: 90_000, mostMs: 10_000 },
    true,
    /^Die Uhr dieses Rechners geht 90 s nach, .* mehr als 10 s sind, erscheint nichts/,
  ],
  'future-edition': [
    { edition: 7, publishedAt: at, aheadMs: 72 * hourMs },
    true,
    /^Ausgabe 7 .* 3 Tage in der Zukunft/,
  ],
  'future-stamps': [{ edition: 7, lastModified: at, aheadMs }, false, /^Die Zeitstempel .* von Ausgabe 7 /],
}

const facts = {
  holds: 0,
  heldSince: null,
  heldAt: null,
  holdReasons: [],
  alarms: [],
  rounds: [],
  maintenance: null,
  lastBackup: null,
  lastDrill: null,
  mailsDue: 0,
  mailsSince: null,
  mailsGivenUp: 0,
  mailError: null,
  quotes: 0,
  quotesSince: null,
  webhooksDisabled: 0,
  webhooksFailing: 0,
  failingSince: null,
  webhooks: 0,
  contracts: [],
  reviews: 0,
  doubts: 0,
  rejected: 0,
  waitingNotices: 0,
} satisfies DeskFacts
const state = {
  facts,
  newest: undefined,
  held: undefined,
  disk: { free: 1, total: 1 },
  isMailSet: true,
  lacksImprint: false,
  sources: [],
  hasSamples: false,
  now: at,
}

test.each(Object.entries(samples))('%s', (code, [values, isHolding, german]) => {
  const concern = { code, values } as ClockConcern
  for (const language of ['en', 'de'] as const) {
    const { concerns } = deskConcerns({ ...state, clocks: [concern], titles: new Map() }, language)
    expect(concerns).toMatchObject([{ isHolding, body: lineOf(clockTexts[language], concern) }])
  }
  expect(lineOf(clockTexts.de, concern)).toMatch(german)
  expect(lineOf(clockTexts.en, concern)).toBe(clockLine(concern))
})

test('portals that deliver nothing are one concern by cause; above a fifth of the active ones, customers notice it', () => {
  const sourcesOf = (counts: Partial<Record<SourceState, number>>) =>
    Object.entries(counts).flatMap(([name, count]) => Array.from({ length: count }, () => name as SourceState))
  const concernsOf = (sources: SourceState[], language: 'en' | 'de' = 'en') =>
    deskConcerns({ ...state, sources, clocks: [], titles: new Map() }, language).concerns
  expect(concernsOf(sourcesOf({ ok: 5, silent: 1, late: 1, off: 9, 'not-tried': 3 }))).toEqual([])
  const some = sourcesOf({ ok: 18, forbidden: 1, 'no-answer': 1, off: 40 })
  expect(concernsOf(some)).toMatchObject([
    {
      isHolding: false,
      heading: '2 of 20 active sources deliver nothing',
      body: 'No answer: 1 · Forbidden by robots.txt: 1',
    },
  ])
  const [many] = concernsOf(sourcesOf({ ok: 15, 'no-answer': 3, refused: 2, off: 40 }), 'de')
  expect(many).toMatchObject({ isHolding: true, body: 'Antwortet nicht: 3 · Abgewiesen: 2' })
})

test('a live stock without a backup of the last night is named, after its first day', () => {
  const headings = (lastBackup: number | null, edition: number, hasSamples = false, lastDrill = lastBackup) => {
    const newest = { edition, publishedAt: at }
    const found = deskConcerns(
      { ...state, facts: { ...facts, lastBackup, lastDrill }, newest, hasSamples, clocks: [], titles: new Map() },
      'en',
    )
    return found.concerns.map(({ heading }) => heading)
  }
  expect(headings(null, 24)).toEqual([])
  expect(headings(null, 25)).toEqual(['There is no backup'])
  expect(headings(at - 30 * hourMs, 99)).toEqual([])
  expect(headings(at - 31 * hourMs, 99)).toEqual(['The newest backup was made yesterday'])
  expect(headings(null, 99, true)).toEqual([])
  // backed up each night, and restored three nights ago, a week ago, never
  expect(headings(at - hourMs, 99, false, at - 80 * hourMs)).toEqual([])
  expect(headings(at - hourMs, 99, false, at - 170 * hourMs)).toEqual([
    'The newest backup that was restored for a trial was made 7 days ago',
  ])
  expect(headings(at - hourMs, 99, false, null)).toEqual(['No backup was ever restored for a trial'])
  expect(headings(at - hourMs, 72, false, null)).toEqual([])
})
