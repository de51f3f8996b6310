// What people read: the text of events, how often progress is reported, and what only a person at a terminal sees.

import { expect, test } from 'vitest'
import { countStates } from '../domain/source-state.ts'
import type { CommandEvent, EventOf } from '../service/events/command-event.ts'
import { openReporter, type Screen } from './reporter.ts'

const at = Date.UTC(2026, 10, 24, 1, 2, 3, 4)

/** Creates a reporter on screens that record what is written, with a clock that the test moves. */
function reporting({ json = false, outIsTerminal = false, errIsTerminal = false } = {}) {
  const [out, err]: [string[], string[]] = [[], []]
  const clock = { now: at }
  const screen = (lines: string[], isTerminal: boolean): Screen => ({
    write: (text) => void lines.push(text),
    isTerminal,
    hasColors: false,
  })
  const screens = { out: screen(out, outIsTerminal), err: screen(err, errIsTerminal) }
  return { ...openReporter({ json, ...screens, clock: () => clock.now }), out, err, clock }
}

function textOf(event: CommandEvent): string {
  const { emit, out, err } = reporting()
  emit(event)
  expect(err).toEqual([])
  return out.join('')
}

const backup = {
  location: '/backups/one',
  takenAt: '2026-11-24T01:02:03.004Z',
  edition: 7,
  rows: 1234,
  parts: 2,
  bytes: 2_500_000,
  documentsOutside: null,
} as const

const token: EventOf<'token'> = {
  event: 'token',
  tokenId: 'id',
  organizationId: 'o',
  name: 'crm',
  hint: 'tdr_live_…9abc',
  createdAt: at,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  createdBy: null,
  lastUsedFrom: null,
  lastUsedAgent: null,
  isExpired: false,
}

const redaction: EventOf<'redaction'> = {
  event: 'redaction',
  id: 'abc',
  kinds: { email: 1, phone: 0, name: 2 },
  reason: 'why',
  madeAt: at,
  appliedAt: at,
}

const rebuilt: EventOf<'rebuilt'> = {
  event: 'rebuilt',
  documents: 1,
  notices: 1,
  rejections: 0,
  records: 1,
  idsGone: 3,
  idsNew: 4,
  contentsChanged: 5,
  isSame: false,
}

const redacted: EventOf<'redacted'> = {
  event: 'redacted',
  id: 'abc',
  isDryRun: true,
  notices: 1,
  records: 2,
  recordIds: ['r1', 'r2'],
  members: { title: 1 },
  bodies: 3,
  mails: 4,
  others: 5,
  suspects: [],
}

const status: EventOf<'status'> = {
  event: 'status',
  documents: 9,
  outdated: 0,
  rulesToApply: [],
  notices: 12_345,
  waiting: 6,
  rejections: {},
  sources: {},
  quarantines: [],
  isFailing: false,
  failure: null,
  failureCode: null,
  failedStage: null,
  editionAgeSeconds: 119 * 60 + 59,
  lastRoundAt: null,
  failedRounds: 0,
  lastError: null,
  lastErrorCode: null,
  lastErrorAt: null,
  tenders: { open: 3 },
  portals: countStates(['ok', 'ok', 'no-answer']),
  unpublished: 1,
  nextPublication: at,
  holds: [],
  edition: { edition: 7, records: 2, publishedAt: at, checksum: null },
  alarms: [],
  doubtedTenders: { 'award-number': 0, 'named-call': 0, unlike: 0 },
  clockDifferenceMs: 0,
  clocks: [],
  busyWith: null,
  engine: 'embedded',
  data: '/data',
}

const failing = { isFailing: true, failure: 'no disk', failedRounds: 2, lastError: 'old one', lastErrorAt: at }

const setting = { event: 'setting', name: 'REDIS_URL', default: 'none', source: null } as const

const exported = {
  folder: '/out',
  edition: 7,
  records: 1234,
  merged: 4,
  files: 3,
  bytes: 1e6,
  seconds: 2,
  isContinued: true,
}

test.each<[string, CommandEvent, RegExp]>([
  [
    'a new database',
    { event: 'migrating', applying: ['0001-schema', '0002-x'], waiting: [] },
    /^ {2}✓ Tables +created\n$/,
  ],
  [
    'an upgrade',
    { event: 'migrating', applying: ['0002-x'], waiting: ['0003-x'] },
    /^ {2}✓ Upgrading +0002-x\n {2}✓ Waiting +0003-x, until/,
  ],
  [
    'an edition as OCDS, which leaves merged records out',
    { event: 'editionExported', format: 'ocds', ...exported },
    /edition 7, continued: 1,230 releases as ocds in 3 files, 1 MB, 2 s, in \/out\n$/,
  ],
  [
    'an edition as a table',
    { event: 'editionExported', format: 'csv', ...exported, isContinued: false },
    /edition 7: 1,234 records as csv in 3 files/,
  ],
  ['a backup', { event: 'backedUp', ...backup, longestHoldMs: 1, seconds: 3 }, /1,234 rows in 2 parts, 3 MB, 3 s\n$/],
  [
    'a backup with documents elsewhere',
    { event: 'backedUp', ...backup, documentsOutside: 's3://raw', longestHoldMs: null, seconds: 3 },
    /! Raw documents are in s3:\/\/raw and not in the backup/,
  ],
  [
    'a backup that was read',
    { event: 'backupVerified', ...backup, redactionsFrom: null, isTargetEmpty: true, isAuthenticated: true },
    /as written\n$/,
  ],
  [
    'a backup for a stock that is not empty',
    {
      event: 'backupVerified',
      ...backup,
      redactionsFrom: '/srv/redactions.jsonl',
      isTargetEmpty: false,
      isAuthenticated: false,
    },
    /edition 7, as of 2026-11-24 01:02:03 UTC[\s\S]*\n {2}! It is unknown [\s\S]*\n {2}! The database or data folder .* is not empty/,
  ],
  [
    'a restore',
    {
      event: 'restored',
      ...backup,
      redactionsFrom: null,
      isAuthenticated: true,
      republished: 1,
      advice: ['this', 'that'],
    },
    /\n {2}! this\n {2}! that\n$/,
  ],
  ['a token', token, /^ {2}id {2}tdr_live_…9abc {2}crm {14}valid, never used\n$/],
  ['a token that ends', { ...token, expiresAt: at }, /crm {14}valid until 2026-11-24 01:02 UTC, never used/],
  [
    'a token that ended',
    { ...token, expiresAt: at, isExpired: true, lastUsedAt: at },
    /expired 2026-11-24 01:02 UTC, last used 2026-11-24 01:02 UTC/,
  ],
  ['a token that was revoked', { ...token, revokedAt: at }, /crm {14}revoked 2026-11-24 01:02 UTC/],
  ['a token that was just made', { ...token, token: 'tdr_live_x' }, /^ {2}tdr_live_x\n {2}Shown only this once/],
  [
    'a trial of a redaction',
    redacted,
    /Would redact: 1 notice, 2 records; .* 3 webhook, 4 mail, 5 other\n[\s\S]* r2\n$/,
  ],
  [
    'the suspects of a trial',
    { ...redacted, suspects: [{ notice: 'n1', member: 'title', text: 'Jane M. Roe' }] },
    /Not removed, and perhaps the person: .* --name\.\n +Jane M\. Roe {2}title {2}n1\n$/,
  ],
  ['a redaction', { ...redacted, isDryRun: false }, /Redacted \(abc\): [\s\S]* r2\n.*next edition brings the change/],
  ['a redaction in the list', redaction, / abc {2}2026-11-24 {2}1 email, 2 names · why\n$/],
  [
    'a redaction that was cut off',
    { ...redaction, appliedAt: null },
    / why · not applied to everything: repeat the com/,
  ],
  ['maintenance', { event: 'maintenance', until: at }, /the API answers 503 until 2026-11-24 01:02 UTC/],
  ['its end', { event: 'maintenance', until: null }, /the API answers again/],
  ['a secret', { ...setting, from: 'environment', value: null, isSecret: true, isSet: true }, / environment {2}set\n$/],
  ['a setting', { ...setting, from: 'environment', value: 'x', isSecret: false, isSet: true }, / environment {2}x\n$/],
  ['a default', { ...setting, from: 'default', value: null, isSecret: false, isSet: false }, / default {6}none\n$/],
  ['what is well', { event: 'finding', check: 'disk', state: 'ok', message: 'Room.' }, /^ {2}✓ disk {11}Room\.\n$/],
  [
    'what is not',
    { event: 'finding', check: 'disk', state: 'problem', message: 'Full.' },
    /^ {2}✗ .* problem: Full\.\n$/,
  ],
  ['all findings', { event: 'findings', ok: 5, warnings: 1, problems: 2 }, /2 problems, 1 warning\n$/],
  ['a rebuild that changed nothing', { ...rebuilt, isSame: true }, /All ids and contents are unchanged\.\n$/],
  ['a rebuild', rebuilt, /Ids removed: 3, ids added: 4, contents changed: 5\.\n$/],
  ['status', status, /Edition {16}7 with 2 records, 2026-11-24 01:02 UTC \(119 minutes ago\)\n.*1 record to publish/],
  ['an older edition', { ...status, editionAgeSeconds: 3 * 3600 - 1 }, / \(2 hours ago\)\n/],
  [
    'status of a service whose editions are in a bucket',
    { ...status, exported: { edition: 6, exportedAt: at, concern: null } },
    /In the bucket {10}edition 6, 2026-11-24 01:02 UTC\n(?!.*Newer)/,
  ],
  [
    'status of a service that cannot write into its bucket',
    { ...status, exported: { edition: 0, exportedAt: null, concern: 'AccessDenied' } },
    /In the bucket {10}no edition yet\n {2}Newer editions {9}are not exported: AccessDenied\n/,
  ],
  [
    'status while rounds fail',
    { ...status, ...failing },
    /^Service\n {2}Failing {16}2 rounds in a row\n {6}no disk\n {2}Portals {16}2 on time · 1 no answer\n.*never/,
  ],
  [
    'status after a failure',
    { ...status, ...failing, isFailing: false },
    /Last error {13}2026-11-24 01:02 UTC\n {6}old one/,
  ],
  [
    'status in maintenance',
    { ...status, maintenanceUntil: at },
    /Maintenance {12}the API answers 503 until 2026-11-24/,
  ],
  ['a quiet stock', { ...status, unpublished: 0 }, /Next one {15}nothing to publish\n/],
])('the text of %s', (_name, event, text) => {
  expect(textOf(event)).toMatch(text)
})

test('a failure that continues is shown once in the status', () => {
  expect(textOf({ ...status, ...failing })).not.toContain('old one')
})

const progress = (done: number, total?: number) =>
  ({ event: 'progress', stage: 'backup', done, ...(total !== undefined && { total }) }) as const

test('a program receives progress once a second, and everything else immediately', () => {
  const { emit, out, clock } = reporting({ json: true })
  const counts = () => out.splice(0).map((line) => (JSON.parse(line) as { done?: number }).done)
  for (let done = 0; done <= 30; done++) {
    emit(progress(done))
    clock.now += 100
  }
  expect(counts()).toEqual([10, 20, 30])
  emit(progress(31))
  emit({ event: 'stopped' })
  emit({ event: 'stopped' })
  expect(counts()).toEqual([undefined, undefined])
})

test('stored text for people has progress every ten seconds, separate from the results', () => {
  const { emit, out, err, clock } = reporting()
  for (let done = 0; done <= 3; done++) {
    emit(progress(1000 * done, 3000))
    clock.now += 9_999
  }
  emit(progress(4000, 0))
  clock.now += 10_000
  emit(progress(5000))
  expect([out, err]).toEqual([[], ['  Backing up: 2,000 of 3,000\n', '  Backing up: 4,000\n', '  Backing up: 5,000\n']])
})

test('only a person at a terminal sees a new token and the link of the first person', () => {
  for (const errIsTerminal of [false, true])
    for (const json of [false, true]) {
      const kept = reporting({ json, errIsTerminal })
      expect([kept.showToken, kept.showConsoleLink]).toEqual([undefined, undefined])
    }
  expect(reporting({ json: true, outIsTerminal: true }).showToken).toBeUndefined()
  const { showToken, showConsoleLink, out } = reporting({ outIsTerminal: true })
  showToken!('tdr_live_x')
  showConsoleLink!('https://x')
  expect(out.join('')).toMatch(/Trial token {10}tdr_live_x\n[\s\S]*Open the console {5}https:\/\/x\n/)
})

test('a failure is an event for programs, and goes where errors go for people', () => {
  const failure = { code: 'no-token', message: 'There is none.' } as const
  const program = reporting({ json: true })
  expect(program.fail(failure)).toBe(8)
  expect([JSON.parse(program.out.join('')), program.err]).toMatchObject([
    { event: 'error', ...failure, exitCode: 8 },
    [],
  ])
  const person = reporting()
  expect(person.fail(failure)).toBe(8)
  person.fail({ ...failure, trace: 'at x' })
  expect([person.out, person.err]).toEqual([[], ['There is none. [no-token]\n', 'There is none. [no-token]\nat x\n']])
})

test('a wrong signature counts as refused only by a receiver that was reached', () => {
  const tested = {
    event: 'webhookTested',
    id: 'w',
    milliseconds: 3,
    answer: null,
    isSuccess: false,
    isSignatureWrong: true,
  } as const
  expect(textOf({ ...tested, status: 401, error: null })).toBe('  ✓ The receiver answered 401 after 3 ms\n')
  expect(textOf({ ...tested, status: null, error: 'dns' })).toBe(
    '  ! The receiver was not reached: its name cannot be resolved (dns) after 3 ms\n',
  )
})

test('an export that is only looked at says whether the database is empty', () => {
  const preview = { event: 'exportPreview', rows: 12, database: 'db' } as const
  expect(textOf({ ...preview, usedTable: null } as CommandEvent)).toContain('12 rows to db, which is empty')
  expect(textOf({ ...preview, usedTable: 'notice' } as CommandEvent)).toContain('its table notice has rows')
})

test('requests to copy are shown where there is a token, or a place for one, and an address', () => {
  const ready = { event: 'ready', edition: 1, records: 2, data: '/data', since: '2026-11-01T00:00:00.000Z' } as const
  const api = 'http://127.0.0.1:8080'
  const shown = (more: object) => textOf({ ...ready, ...more } as CommandEvent)
  expect(shown({ api, tokenFile: '/data/trial-token' })).toContain('Bearer $(cat /data/trial-token)')
  expect(shown({ api, tokenFile: null })).toContain('Bearer TOKEN')
  expect(shown({ api, tokenFile: null })).not.toContain('Token in')
  for (const more of [{ api }, { tokenFile: null }, { tokenFile: '/data/trial-token' }])
    expect(shown(more)).not.toContain('curl')
})

test('a source that moved has no recording to test against: the address first, then the same command', () => {
  const found = { event: 'sourceDiagnosed', source: 'no-doffin', file: 'card.ts', lost: [], lookAt: [] } as const
  const shown = (kind: 'moved' | 'list') =>
    textOf({ ...found, kind, host: 'new.example', folder: 'recorded/', test: 'TEST' } as CommandEvent)
  expect(shown('moved')).toContain('2. Remove recorded/')
  expect(shown('moved')).not.toContain('TEST')
  expect(shown('list')).toContain('3. TEST fails now')
  expect(shown('list')).not.toContain('Remove')
})
