// Hand-written scenarios of the lifecycle (docs/consolidation.md): what the notices say, what time it is, and the
// resulting status.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { proofCount } from '../../test/proof/proof-count.ts'
import { at, lot, notice, noticeWorld, uuid } from '../../test/testing/generate/notices.ts'
import type { LotResult, Notice, NoticeLot, NoticeReference } from '../domain/notice.ts'
import { type Lifecycle, lifecycleOf } from './lifecycle.ts'
import { uniteCopies } from './notice-units.ts'
import { timelineOf } from './timeline.ts'

type Given = Partial<Notice>
let counter = 0
const made = (day: string, given: Given): Notice => {
  const number = ++counter
  return notice({
    noticeKey: `ted:${number}-2026`,
    publicationNumber: `${number}-2026`,
    dispatchDate: at(day),
    publicationDate: at(day),
    noticeId: uuid(number),
    noticeVersion: '01',
    ...given,
  })
}
const open = (lotId: string, deadline?: string, given: Partial<NoticeLot> = {}) =>
  lot(lotId, { ...(deadline ? { submissionDate: at(deadline) } : {}), ...given })
const call = (day: string, deadline: string | undefined, given: Given = {}) =>
  made(day, { lots: [open('LOT-0001', deadline)], ...given })
const changeOf = (original: Notice): NoticeReference[] => [
  { kind: 'changes', noticeId: original.noticeId!, noticeVersion: '01' },
]
const change = (original: Notice, day: string, deadline: string | undefined, given: Given = {}) =>
  call(day, deadline, { references: changeOf(original), changeReasons: ['update-add'], ...given })
const outcome = (lotId: string, result: LotResult['outcome'], reason?: string) =>
  lot(lotId, { result: { outcome: result, ...(reason ? { reason } : {}) } })
const award = (day: string, lots: NoticeLot[] = [outcome('LOT-0001', 'awarded')], given: Given = {}) =>
  made(day, { formType: 'result', noticeType: 'can-standard', lots, ...given })
const corrigendum = (original: Notice, day: string, given: Given) =>
  made(day, {
    format: 'ted-export',
    formType: 'change',
    noticeType: 'corr',
    references: [{ kind: 'changes', publicationNumber: original.publicationNumber! }],
    ...given,
  })
const release = (day: string, given: Given = {}) => made(day, { format: 'ocds', publisher: 'ocds-b5fd17', ...given })

type Expected = {
  status: Lifecycle['status']
  reason?: Lifecycle['archiveReason']
  lots?: string
  next?: string | null
  suspended?: boolean
  unknown?: boolean
}
type Scenario = [name: string, notices: () => Notice[], now: string, expected: Expected]

const expired = { status: 'closed', reason: 'expired' } as const
const awarded = { status: 'awarded', reason: 'awarded' } as const
const cancelled = { status: 'cancelled', reason: 'cancelled' } as const

const mtChain = (): Notice[] => {
  const first = call('2025-12-15', '2026-01-21T09:30')
  const second = change(first, '2026-01-14', '2026-01-27T09:30')
  const third = change(second, '2026-01-22', '2026-02-05T09:30')
  return [first, second, third]
}

const scenarios: Scenario[] = [
  [
    'a call before its deadline',
    () => [call('2026-01-01', '2026-02-01')],
    '2026-01-15',
    { status: 'open', lots: 'open', next: '2026-02-01' },
  ],
  [
    'a call one minute before its deadline',
    () => [call('2026-01-01', '2026-02-01T10:00')],
    '2026-02-01T09:59',
    { status: 'open' },
  ],
  [
    'a call at the moment of its deadline',
    () => [call('2026-01-01', '2026-02-01T10:00')],
    '2026-02-01T10:00',
    { ...expired, lots: 'pending', next: null },
  ],
  ['a call years after', () => [call('2022-01-01', '2022-02-01')], '2026-01-01', expired],
  [
    'lots with different deadlines, the first passed',
    () => [made('2026-01-01', { lots: [open('1', '2026-02-01'), open('2', '2026-03-01')] })],
    '2026-02-15',
    { status: 'open', lots: 'pending open', next: '2026-03-01' },
  ],
  [
    'lots with different deadlines, none passed: the clock comes back for the first',
    () => [made('2026-01-01', { lots: [open('1', '2026-02-01'), open('2', '2026-03-01')] })],
    '2026-01-15',
    { status: 'open', next: '2026-02-01' },
  ],
  [
    'a deadline on the procedure only',
    () => [made('2026-01-01', { submissionDate: at('2026-02-01'), lots: [lot('1'), lot('2')] })],
    '2026-02-02',
    { ...expired, lots: 'pending pending' },
  ],
  [
    'a lot without a deadline shares that of the others',
    () => [made('2026-01-01', { lots: [open('1', '2026-02-01'), open('2')] })],
    '2026-01-20',
    { status: 'open', lots: 'open open', next: '2026-02-01' },
  ],
  [
    'no lots at all',
    () => [made('2026-01-01', { submissionDate: at('2026-02-01') })],
    '2026-01-20',
    { status: 'open', lots: '', next: '2026-02-01' },
  ],
  [
    'requests to participate (BT-1311)',
    () => [made('2026-01-01', { lots: [lot('1', { participationDate: at('2026-02-01') })] })],
    '2026-02-02',
    expired,
  ],
  [
    'expressions of interest (BT-630)',
    () => [made('2026-01-01', { lots: [lot('1', { interestDate: at('2026-02-01') })] })],
    '2026-01-31',
    { status: 'open', next: '2026-02-01' },
  ],
  [
    'no deadline: open for 90 days',
    () => [call('2026-01-01', undefined)],
    '2026-03-31',
    { status: 'open', unknown: true, next: '2026-04-01' },
  ],
  [
    'no deadline: expired after 90 days',
    () => [call('2026-01-01', undefined)],
    '2026-04-01',
    { ...expired, unknown: true },
  ],
  [
    'the Maltese chain after the first deadline',
    () => mtChain(),
    '2026-01-22',
    { status: 'open', next: '2026-02-05T09:30' },
  ],
  ['the Maltese chain after the last deadline', () => mtChain(), '2026-02-06', expired],
  [
    'the Maltese chain with its award',
    () => [...mtChain(), award('2026-06-01')],
    '2026-06-02',
    { ...awarded, lots: 'awarded', next: null },
  ],
  [
    'an extension published after expiry opens again',
    () => {
      const first = call('2026-01-01', '2026-02-01')
      return [first, change(first, '2026-02-03', '2026-03-01')]
    },
    '2026-02-10',
    { status: 'open', next: '2026-03-01' },
  ],
  [
    'a deadline moved forward closes earlier',
    () => {
      const first = call('2026-01-01', '2026-03-01')
      return [first, change(first, '2026-01-10', '2026-02-01')]
    },
    '2026-02-10',
    expired,
  ],
  [
    'the same id with a higher version replaces',
    () => [
      call('2026-01-01', '2026-02-01', { noticeId: uuid(500) }),
      call('2026-01-20', '2026-03-01', { noticeId: uuid(500), noticeVersion: '02' }),
    ],
    '2026-02-10',
    { status: 'open', next: '2026-03-01' },
  ],
  [
    'a corrigendum moves the deadline only (F14)',
    () => {
      const first = call('2026-01-01', '2026-02-01', { format: 'ted-export' })
      return [first, corrigendum(first, '2026-01-20', { submissionDate: at('2026-03-01') })]
    },
    '2026-02-10',
    { status: 'open', lots: 'open', next: '2026-03-01' },
  ],
  [
    'a corrigendum without a deadline leaves it',
    () => {
      const first = call('2026-01-01', '2026-02-01', { format: 'ted-export' })
      return [first, corrigendum(first, '2026-01-20', {})]
    },
    '2026-02-10',
    expired,
  ],
  [
    'a change that leaves out a lot does not withdraw it',
    () => {
      const first = made('2026-01-01', { lots: [open('1', '2026-02-01'), open('2', '2026-02-01')] })
      return [
        first,
        made('2026-01-10', {
          lots: [open('1', '2026-03-01')],
          references: changeOf(first),
          changeReasons: ['cor-buy'],
        }),
      ]
    },
    '2026-01-20',
    { status: 'open', lots: 'open open' },
  ],
  [
    'all lots awarded',
    () => [call('2026-01-01', '2026-02-01'), award('2026-03-01')],
    '2026-03-02',
    { ...awarded, lots: 'awarded' },
  ],
  [
    'awarded before the deadline',
    () => [call('2026-01-01', '2026-05-01'), award('2026-03-01')],
    '2026-03-02',
    { ...awarded, lots: 'awarded', next: null },
  ],
  [
    'an award years later still wins over expiry',
    () => [call('2022-01-01', '2022-02-01'), award('2024-03-01')],
    '2026-01-01',
    awarded,
  ],
  [
    'one lot awarded after the deadline, one pending',
    () => [
      made('2026-01-01', { lots: [open('1', '2026-02-01'), open('2', '2026-02-01')] }),
      award('2026-03-01', [outcome('1', 'awarded')]),
    ],
    '2026-03-02',
    { ...awarded, lots: 'awarded pending' },
  ],
  [
    'one lot awarded while another is open',
    () => [
      made('2026-01-01', { lots: [open('1', '2026-02-01'), open('2', '2026-05-01')] }),
      award('2026-03-01', [outcome('1', 'awarded')]),
    ],
    '2026-03-02',
    { status: 'open', lots: 'awarded open', next: '2026-05-01' },
  ],
  [
    'one lot awarded, one failed',
    () => [
      made('2026-01-01', { lots: [open('1', '2026-02-01'), open('2', '2026-02-01')] }),
      award('2026-03-01', [outcome('1', 'awarded'), outcome('2', 'not-awarded', 'no-rece')]),
    ],
    '2026-03-02',
    { ...awarded, lots: 'awarded cancelled' },
  ],
  [
    'all lots failed',
    () => [
      made('2026-01-01', { lots: [open('1', '2026-02-01'), open('2', '2026-02-01')] }),
      award('2026-03-01', [outcome('1', 'not-awarded', 'all-rej'), outcome('2', 'not-awarded', 'no-rece')]),
    ],
    '2026-03-02',
    { ...cancelled, lots: 'cancelled cancelled' },
  ],
  [
    'the procedure is cancelled before its deadline by a result without winner',
    () => [call('2026-01-01', '2026-05-01'), award('2026-02-01', [outcome('LOT-0001', 'not-awarded', 'chan-need')])],
    '2026-02-02',
    { ...cancelled, next: null },
  ],
  [
    'a failed lot before the deadline leaves the others open',
    () => [
      made('2026-01-01', { lots: [open('1', '2026-05-01'), open('2', '2026-05-01')] }),
      award('2026-02-01', [outcome('1', 'not-awarded')]),
    ],
    '2026-02-02',
    { status: 'open', lots: 'cancelled open' },
  ],
  [
    'failed and pending lots after the deadline',
    () => [
      made('2026-01-01', { lots: [open('1', '2026-02-01'), open('2', '2026-02-01')] }),
      award('2026-03-01', [outcome('1', 'not-awarded')]),
    ],
    '2026-03-02',
    { ...expired, lots: 'cancelled pending' },
  ],
  [
    'an undecided result (open-nw) before the deadline',
    () => [call('2026-01-01', '2026-05-01'), award('2026-02-01', [outcome('LOT-0001', 'pending')])],
    '2026-02-02',
    { status: 'open', lots: 'open' },
  ],
  [
    'an undecided result after the deadline',
    () => [call('2026-01-01', '2026-02-01'), award('2026-03-01', [outcome('LOT-0001', 'pending')])],
    '2026-03-02',
    { ...expired, lots: 'pending' },
  ],
  [
    'an undecided lot never takes back a decision',
    () => [
      call('2026-01-01', '2026-02-01'),
      award('2026-03-01'),
      award('2026-04-01', [outcome('LOT-0001', 'pending')]),
    ],
    '2026-04-02',
    awarded,
  ],
  [
    'awards in tranches',
    () => [
      made('2026-01-01', { lots: [open('1', '2026-02-01'), open('2', '2026-02-01')] }),
      award('2026-03-01', [outcome('1', 'awarded')]),
      award('2026-04-01', [outcome('2', 'awarded')]),
    ],
    '2026-04-02',
    { ...awarded, lots: 'awarded awarded' },
  ],
  [
    'a round without a winner after a concluded contract: the contract stands',
    () => [
      call('2026-01-01', '2026-02-01'),
      award('2026-03-05', [lot('LOT-0001', { result: { outcome: 'awarded', contractDate: '2026-03-01' } })]),
      award('2026-04-01', [outcome('LOT-0001', 'not-awarded', 'no-rece')]),
    ],
    '2026-04-02',
    { ...awarded, lots: 'awarded' },
  ],
  [
    'an award without a contract that is taken back',
    () => [
      call('2026-01-01', '2026-02-01'),
      award('2026-03-05'),
      award('2026-04-01', [outcome('LOT-0001', 'not-awarded', 'ins-fund')]),
    ],
    '2026-04-02',
    { ...cancelled, lots: 'cancelled' },
  ],
  [
    'a concluded contract that a review body undid',
    () => [
      call('2026-01-01', '2026-02-01'),
      award('2026-03-05', [lot('LOT-0001', { result: { outcome: 'awarded', contractDate: '2026-03-01' } })]),
      award('2026-04-01', [outcome('LOT-0001', 'not-awarded', 'rev-body')]),
    ],
    '2026-04-02',
    { ...cancelled, lots: 'cancelled' },
  ],
  [
    'one lot cancelled before the deadline, the other open: open, not cancelled',
    () => [
      call('2026-01-01', '2026-03-01', { lots: [open('1', '2026-03-01'), open('2', '2026-03-01')] }),
      award('2026-02-01', [outcome('1', 'not-awarded', 'chan-need')]),
    ],
    '2026-02-02',
    { status: 'open', lots: 'cancelled open', next: '2026-03-01' },
  ],
  [
    'a failed lot that is awarded later',
    () => [
      call('2026-01-01', '2026-02-01'),
      award('2026-03-01', [outcome('LOT-0001', 'not-awarded')]),
      award('2026-04-01'),
    ],
    '2026-04-02',
    awarded,
  ],
  [
    'opened again after failure by a new call of the procedure',
    () => [
      call('2026-01-01', '2026-02-01'),
      award('2026-03-01', [outcome('LOT-0001', 'not-awarded')]),
      call('2026-04-01', '2026-05-01'),
    ],
    '2026-04-02',
    { status: 'open', lots: 'open', next: '2026-05-01' },
  ],
  [
    'a late change with an old deadline does not take back an award',
    () => {
      const first = call('2026-01-01', '2026-02-01')
      return [first, award('2026-03-01'), change(first, '2026-03-05', '2026-02-01')]
    },
    '2026-03-06',
    awarded,
  ],
  [
    'a result notice without any lot',
    () => [call('2026-01-01', '2026-02-01'), award('2026-03-01', [])],
    '2026-03-02',
    { ...awarded, lots: 'awarded' },
  ],
  [
    'a result notice that says the procedure was unsuccessful',
    () => [call('2026-01-01', '2026-02-01'), award('2026-03-01', [], { isUnsuccessful: true })],
    '2026-03-02',
    { ...cancelled, lots: 'cancelled' },
  ],
  [
    'a result alone',
    () => [award('2026-03-01', [outcome('1', 'awarded'), outcome('2', 'not-awarded')])],
    '2026-03-02',
    { ...awarded, lots: 'awarded cancelled' },
  ],
  ['a failed result alone', () => [award('2026-03-01', [outcome('1', 'not-awarded')])], '2026-03-02', cancelled],
  [
    'an undecided result alone',
    () => [award('2026-03-01', [outcome('1', 'pending')])],
    '2026-03-02',
    { ...expired, lots: 'pending' },
  ],
  [
    'a result whose lots are numbered otherwise, one each',
    () => [call('2026-01-01', '2026-02-01'), award('2026-03-01', [outcome('1', 'awarded')])],
    '2026-03-02',
    { ...awarded, lots: 'awarded' },
  ],
  [
    'a result of an undivided call that names lots',
    () => [
      made('2026-01-01', { submissionDate: at('2026-02-01') }),
      award('2026-03-01', [outcome('1', 'not-awarded')]),
    ],
    '2026-03-02',
    { ...cancelled, lots: 'cancelled' },
  ],
  [
    'a cancelled notice (BT-140 cancel) whose original we have',
    () => {
      const first = call('2026-01-01', '2026-05-01')
      return [first, change(first, '2026-01-10', '2026-05-01', { changeReasons: ['cancel'] })]
    },
    '2026-01-11',
    { ...cancelled, lots: 'cancelled', next: null },
  ],
  [
    'a cancelled notice voids the chain of changes before it',
    () => {
      const first = call('2026-01-01', '2026-05-01')
      const second = change(first, '2026-01-05', '2026-06-01')
      return [first, second, change(second, '2026-01-10', '2026-06-01', { changeReasons: ['cancel'] })]
    },
    '2026-01-11',
    cancelled,
  ],
  [
    'a cancelled notice alone',
    () => [change(call('2026-01-01', '2026-05-01'), '2026-01-10', '2026-05-01', { changeReasons: ['cancel'] })],
    '2026-01-11',
    cancelled,
  ],
  [
    'a cancel that names no notice voids the last one of its kind',
    () => [call('2026-01-01', '2026-05-01'), call('2026-01-10', '2026-05-01', { changeReasons: ['cancel'] })],
    '2026-01-11',
    cancelled,
  ],
  [
    'a new call after a cancelled one',
    () => {
      const first = call('2026-01-01', '2026-05-01')
      return [
        first,
        change(first, '2026-01-10', '2026-05-01', { changeReasons: ['cancel'] }),
        call('2026-01-20', '2026-06-01'),
      ]
    },
    '2026-01-21',
    { status: 'open', next: '2026-06-01' },
  ],
  [
    'a cancel that names an id without a version does not void a later version',
    () => {
      const first = call('2026-01-01', '2026-05-01')
      return [
        first,
        made('2026-01-10', {
          noticeId: first.noticeId!,
          noticeVersion: '02',
          references: [{ kind: 'changes', noticeId: first.noticeId! }],
          changeReasons: ['cancel'],
        }),
        call('2026-01-20', '2026-06-01', { noticeId: first.noticeId!, noticeVersion: '03' }),
      ]
    },
    '2026-01-21',
    { status: 'open', next: '2026-06-01' },
  ],
  [
    'a voided award gives the call back',
    () => {
      const given = award('2026-03-01')
      return [
        call('2026-01-01', '2026-05-01'),
        given,
        award('2026-03-05', undefined, { references: changeOf(given), changeReasons: ['cancel'] }),
      ]
    },
    '2026-03-06',
    { status: 'open', lots: 'open' },
  ],
  [
    'an intention to cancel cancels nothing',
    () => {
      const first = call('2026-01-01', '2026-05-01')
      return [first, change(first, '2026-01-10', '2026-05-01', { changeReasons: ['cancel-intent'] })]
    },
    '2026-01-11',
    { status: 'open' },
  ],
  [
    'suspended by a review body',
    () => {
      const first = call('2026-01-01', '2026-05-01')
      return [first, change(first, '2026-01-10', '2026-05-01', { changeReasons: ['susp-review'] })]
    },
    '2026-01-11',
    { status: 'open', suspended: true },
  ],
  [
    'no longer suspended after the next change',
    () => {
      const first = call('2026-01-01', '2026-05-01')
      const second = change(first, '2026-01-10', '2026-05-01', { changeReasons: ['susp-review'] })
      return [first, second, change(second, '2026-01-20', '2026-06-01')]
    },
    '2026-01-21',
    { status: 'open', suspended: false },
  ],
  [
    'suspended when its deadline passes',
    () => {
      const first = call('2026-01-01', '2026-05-01')
      return [first, change(first, '2026-01-10', '2026-05-01', { changeReasons: ['susp-review'] })]
    },
    '2026-05-02',
    { ...expired, suspended: false },
  ],
  [
    'announced only',
    () => [made('2026-01-01', { formType: 'planning', lots: [lot('PAR-0001')] })],
    '2026-06-01',
    { status: 'planned', lots: 'planned', next: '2027-01-01' },
  ],
  ['announced a year ago', () => [made('2026-01-01', { formType: 'planning' })], '2027-01-01', expired],
  [
    'an announcement with its call',
    () => [made('2026-01-01', { formType: 'planning' }), call('2026-02-01', '2026-03-01')],
    '2026-02-02',
    { status: 'open', next: '2026-03-01' },
  ],
  [
    'a market consultation',
    () => [made('2026-01-01', { formType: 'consultation', noticeType: 'pmc' })],
    '2026-02-01',
    { status: 'planned', next: '2027-01-01' },
  ],
  [
    'a changed award of the form type of SDK 1.8',
    () => {
      const given = award('2026-03-01')
      return [
        call('2026-01-01', '2026-02-01'),
        given,
        made('2026-03-05', {
          formType: 'change',
          noticeType: 'corr',
          noticeSubtype: '29',
          references: changeOf(given),
          changeReasons: ['cor-buy'],
          lots: [outcome('LOT-0001', 'not-awarded')],
        }),
      ]
    },
    '2026-03-06',
    { ...cancelled, lots: 'cancelled' },
  ],
  [
    'a changed national award of the form type of SDK 1.8, without lots',
    () => [
      made('2026-03-05', { formType: 'change', noticeType: 'corr', noticeSubtype: 'E4', changeReasons: ['cor-buy'] }),
    ],
    '2026-03-06',
    awarded,
  ],
  [
    'an award announced beforehand (VEAT)',
    () => [made('2026-01-01', { formType: 'dir-awa-pre', noticeType: 'veat', lots: [outcome('1', 'awarded')] })],
    '2026-01-10',
    { status: 'awardIntended', lots: 'pending', unknown: true, next: '2026-04-01' },
  ],
  [
    'an announced award that never came',
    () => [made('2026-01-01', { formType: 'dir-awa-pre', noticeType: 'veat' })],
    '2026-04-01',
    expired,
  ],
  [
    'the corrigendum of an announced award opens nothing',
    () => {
      const veat = made('2026-01-01', { format: 'ted-export', formType: 'dir-awa-pre', noticeType: 'veat' })
      return [veat, corrigendum(veat, '2026-01-05', { submissionDate: at('2026-03-01') })]
    },
    '2026-01-10',
    { status: 'awardIntended', unknown: true, next: '2026-04-01' },
  ],
  [
    'the corrigendum of the corrigendum of an announced award opens nothing months later',
    () => {
      const veat = made('2026-01-01', { format: 'ted-export', formType: 'dir-awa-pre', noticeType: 'veat' })
      const first = corrigendum(veat, '2026-01-05', {})
      return [veat, first, corrigendum(first, '2026-07-01', {})]
    },
    '2026-07-02',
    expired,
  ],
  [
    'the corrigendum of a direct award that is not there opens nothing',
    () => [corrigendum(call('2025-12-01', undefined), '2026-01-05', { procedureType: 'neg-wo-call' })],
    '2026-01-10',
    expired,
  ],
  [
    'the corrigendum of a call that is not there, beside the announced award of that call',
    () => {
      const gone = call('2025-12-01', undefined)
      const veat = made('2026-01-01', { formType: 'dir-awa-pre', noticeType: 'veat' })
      return [veat, corrigendum(gone, '2026-01-05', {})]
    },
    '2026-01-10',
    { status: 'awardIntended', unknown: true },
  ],
  [
    'the corrigendum of a modified contract opens nothing',
    () => {
      const modified = made('2026-01-01', { formType: 'cont-modif', noticeType: 'can-modif' })
      return [modified, corrigendum(modified, '2026-01-05', {})]
    },
    '2026-01-10',
    awarded,
  ],
  [
    'the corrigendum of a failed result awards nothing',
    () => {
      const failed = award('2026-01-01', [outcome('1', 'not-awarded')])
      return [failed, corrigendum(failed, '2026-01-05', {})]
    },
    '2026-01-10',
    cancelled,
  ],
  [
    'the corrigendum of an announcement leaves it planned',
    () => {
      const planned = made('2026-01-01', { formType: 'planning' })
      return [planned, corrigendum(planned, '2026-02-05', {})]
    },
    '2026-03-01',
    { status: 'planned', next: '2027-02-05' },
  ],
  [
    'an announced award with its award',
    () => [made('2026-01-01', { formType: 'dir-awa-pre', noticeType: 'veat' }), award('2026-02-01')],
    '2026-02-02',
    awarded,
  ],
  [
    'a failed call, then an announced award',
    () => [call('2026-01-01', '2026-02-01'), made('2026-02-10', { formType: 'dir-awa-pre', noticeType: 'veat' })],
    '2026-02-11',
    { status: 'awardIntended', lots: 'pending' },
  ],
  [
    'a modified contract alone',
    () => [made('2026-01-01', { formType: 'cont-modif', noticeType: 'can-modif' })],
    '2026-02-01',
    awarded,
  ],
  [
    'a completed contract after its call',
    () => [call('2025-01-01', '2025-02-01'), made('2026-01-01', { formType: 'completion', noticeType: 'compl' })],
    '2026-02-01',
    { ...awarded, lots: 'awarded' },
  ],
  [
    'a dynamic purchasing system stays open after an award',
    () => [call('2026-01-01', '2028-01-01', { isDynamicPurchasingSystem: true }), award('2026-03-01')],
    '2026-03-02',
    { status: 'open', lots: 'open', next: '2028-01-01' },
  ],
  [
    'a dynamic purchasing system at its end',
    () => [call('2026-01-01', '2028-01-01', { isDynamicPurchasingSystem: true }), award('2026-03-01')],
    '2028-01-01',
    { ...awarded, lots: 'awarded' },
  ],
  [
    'a dynamic purchasing system ended by an award notice (BT-119)',
    () => [
      call('2026-01-01', '2028-01-01', { isDynamicPurchasingSystem: true }),
      award('2026-03-01', undefined, { isDynamicPurchasingSystemTerminated: true }),
    ],
    '2026-03-02',
    awarded,
  ],
  [
    'a dynamic purchasing system without any end',
    () => [call('2026-01-01', undefined, { isDynamicPurchasingSystem: true })],
    '2036-01-01',
    { status: 'open', next: null, unknown: false },
  ],
  [
    'a qualification system without any end',
    () => [call('2020-01-01', undefined, { noticeType: 'qu-sy' })],
    '2026-01-01',
    { status: 'open', next: null, unknown: false },
  ],
  [
    'a qualification system, known by its subtype',
    () => [call('2020-01-01', undefined, { noticeSubtype: '15' })],
    '2026-01-01',
    { status: 'open', next: null, unknown: false },
  ],
  [
    'a qualification system at the end of its validity',
    () => [call('2020-01-01', undefined, { noticeType: 'qu-sy', validityEnd: at('2025-01-01') })],
    '2026-01-01',
    expired,
  ],
  [
    'a qualification system before the end of its validity',
    () => [call('2020-01-01', undefined, { noticeType: 'qu-sy', validityEnd: at('2027-01-01') })],
    '2026-01-01',
    { status: 'open', next: '2027-01-01' },
  ],
  [
    'an undecided lot that only a release of awards names, while the call that names none is open',
    () => [
      release('2026-01-01', { lots: [], submissionDate: at('2026-05-01') }),
      release('2026-01-10', { formType: 'result', lots: [outcome('1', 'pending')] }),
    ],
    '2026-01-11',
    { status: 'open', lots: 'open', next: '2026-05-01' },
  ],
  [
    'an OCDS release that says cancelled',
    () => [release('2026-01-01', { lots: [open('1', '2026-05-01')], isCancelled: true })],
    '2026-01-02',
    { ...cancelled, lots: 'cancelled' },
  ],
  [
    'cancelled in a later OCDS release',
    () => [release('2026-01-01', { lots: [open('1', '2026-05-01')] }), release('2026-01-10', { isCancelled: true })],
    '2026-01-11',
    { ...cancelled, lots: 'cancelled' },
  ],
  [
    'a lot withdrawn in OCDS',
    () => [release('2026-01-01', { lots: [open('1', '2026-05-01', { cancelled: true }), open('2', '2026-05-01')] })],
    '2026-01-02',
    { status: 'open', lots: 'cancelled open' },
  ],
  [
    'an OCDS release without the deadline keeps the one of the journal',
    () => [call('2026-01-01', '2026-05-01'), release('2026-01-03', { lots: [lot('LOT-0001')] })],
    '2026-01-04',
    { status: 'open', next: '2026-05-01' },
  ],
  [
    'an official chain of changes beats a newer release of another portal',
    () => {
      const first = call('2026-01-01', '2026-02-01')
      return [
        first,
        change(first, '2026-01-10', '2026-03-01'),
        release('2026-01-12', { lots: [open('LOT-0001', '2026-02-01')] }),
      ]
    },
    '2026-02-10',
    { status: 'open', next: '2026-03-01' },
  ],
  [
    'the same notice on two portals with different days counts once',
    () => {
      const first = call('2026-01-01', '2026-02-01')
      return [first, { ...first, noticeKey: 'doe:1', publisher: 'doe', publicationDate: at('2025-12-30') }]
    },
    '2026-01-15',
    { status: 'open', next: '2026-02-01' },
  ],
]

function derive(notices: readonly Notice[], now: number): Lifecycle {
  const units = uniteCopies(
    notices.map((each, index) => ({ rowId: `row-${index}`, sourceId: 'made-up', notice: each })),
  )
  return lifecycleOf(timelineOf(units.map((unit) => unit.notice)), now)
}

describe('the lifecycle of', () => {
  test.each(scenarios)('%s', (_, notices, now, expected) => {
    const given = notices()
    for (const order of [given, [...given].reverse()]) {
      const found = derive(order, Date.parse(at(now)))
      expect({ status: found.status, reason: found.archiveReason }).toEqual({
        status: expected.status,
        reason: expected.reason,
      })
      if (expected.lots !== undefined) expect(found.lots.map(({ status }) => status).join(' ')).toBe(expected.lots)
      if (expected.next !== undefined)
        expect(found.nextTransitionMs).toBe(expected.next === null ? undefined : Date.parse(at(expected.next)))
      if (expected.suspended !== undefined) expect(found.isSuspended).toBe(expected.suspended)
      if (expected.unknown !== undefined) expect(found.isDeadlineUnknown).toBe(expected.unknown)
    }
  })

  test('at least 60 situations is tested', () => {
    expect(scenarios.length).toBeGreaterThanOrEqual(60)
  })

  test('an announcement that other procedures followed is completed', () => {
    const timeline = timelineOf([made('2026-01-01', { formType: 'planning' })])
    expect(lifecycleOf(timeline, Date.parse(at('2026-02-01')), true)).toMatchObject({
      status: 'closed',
      archiveReason: 'expired',
    })
  })

  test('any notices changes by the clock exactly at the announced transitions, and archives exactly with a reason', () => {
    const start = Date.UTC(2025, 10, 1)
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 0, max: 600 }),
        fc.float({ min: 0, max: 1, noNaN: true }),
        (seed, day, part) => {
          const notices = noticeWorld(seed, 1)
          if (notices.length === 0) return
          const now = start + day * 86_400_000
          const found = derive(notices, now)
          expect(found.archiveReason !== undefined).toBe(!['planned', 'open', 'awardIntended'].includes(found.status))
          const { nextTransitionMs: next, ...state } = found
          if (next !== undefined) expect(next).toBeGreaterThan(now)
          const until = next ?? now + 5000 * 86_400_000
          const between = Math.floor(now + part * (until - 1 - now))
          const { nextTransitionMs: _, ...later } = derive(notices, between)
          expect(later).toEqual(state)
          if (next !== undefined) {
            const { nextTransitionMs: __, ...after } = derive(notices, next)
            expect(after).not.toEqual(state)
          }
        },
      ),
      { numRuns: proofCount({ share: 200, full: 4000 }) },
    )
  })
})
