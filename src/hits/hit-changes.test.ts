import { expect, test } from 'vitest'
import type { TenderRecord } from '../domain/tender.ts'
import { byTodaysRule, hitChanges, isExpiry, mergedState, watchedState } from './hit-changes.ts'

const euros = { value: 100, currency: 'EUR', estimated: false }
const stateOf = (members: object) => watchedState({ contractAmount: euros, ...members } as TenderRecord)
const day = (number: number) => `2026-11-${number}T10:00:00.000Z`

test.each<readonly [change: string, before: object, after: object, changes: readonly string[]]>([
  ['nothing', {}, {}, []],
  ['what is not watched', { title: 'a' }, { title: 'b' }, []],
  ['a deadline for tenders', { submissionDate: day(10) }, { submissionDate: day(11) }, ['deadline']],
  ['a deadline to participate', { participationDate: day(10) }, { participationDate: day(11) }, ['deadline']],
  [
    'a deadline to participate beside one for tenders',
    { submissionDate: day(20), participationDate: day(10) },
    { submissionDate: day(20), participationDate: day(11) },
    ['deadline'],
  ],
  [
    'a deadline for tenders after one to participate',
    { submissionDate: day(20), participationDate: day(10) },
    { submissionDate: day(21), participationDate: day(10) },
    [],
  ],
  ['what must arrive at the same time', { submissionDate: day(10) }, { participationDate: day(10) }, []],
  ['a first deadline', {}, { submissionDate: day(10) }, ['deadline']],
  ['an amount', {}, { contractAmount: { ...euros, value: 101 } }, ['value']],
  ['a currency', {}, { contractAmount: { ...euros, currency: 'DKK' } }, ['value']],
  ['a first amount', { contractAmount: null }, {}, ['value']],
  ['an estimate that is published', { contractAmount: { ...euros, estimated: true } }, {}, []],
  ['an award', {}, { archiveReason: 'awarded' }, ['closed']],
  ['an award of what had expired', { archiveReason: 'expired' }, { archiveReason: 'awarded' }, []],
  ['a tender that is open again', { archiveReason: 'cancelled' }, {}, []],
  [
    'several at once',
    { submissionDate: day(10) },
    { archiveReason: 'cancelled', submissionDate: day(11), contractAmount: null },
    ['closed', 'deadline', 'value'],
  ],
])('%s', (_change, before, after, changes) => {
  expect(hitChanges(stateOf(before), stateOf(after))).toEqual(changes)
})

test.each<readonly [name: string, asked: readonly string[] | null, before: object, after: object, changes: object]>([
  ['an open search', ['open'], { status: 'open' }, { status: 'planned' }, ['closed']],
  [
    'an open search, of a deadline too',
    ['open'],
    { status: 'open', submissionDate: day(10) },
    { status: 'awardIntended' },
    ['closed', 'deadline'],
  ],
  ['a search for announcements too', ['open', 'planned'], { status: 'open' }, { status: 'planned' }, []],
  ['a search for no status', null, { status: 'open' }, { status: 'awardIntended' }, ['closed']],
  ['a search for no status that found no call', null, { status: 'planned' }, { status: 'awardIntended' }, []],
  ['what had its end before', ['open'], { status: 'planned' }, { status: 'closed', archiveReason: 'expired' }, []],
  ['what is a call again', ['open'], { status: 'planned' }, { status: 'open' }, []],
])('a tender that is no call gives a hit its end: %s', (_name, asked, before, after, changes) => {
  const was = watchedState({ contractAmount: euros, ...before } as TenderRecord, asked)
  expect(hitChanges(was, watchedState({ contractAmount: euros, ...after } as TenderRecord, asked, was))).toEqual(
    changes,
  )
})

const state = (members: object, into?: string) => ({ ...stateOf({ status: 'open', ...members }), ...merged(into) })
const merged = (into?: string) => into !== undefined && { closedAs: 'merged', mergedInto: into }
const record = (members: object) => ({ status: 'open', contractAmount: euros, ...members }) as TenderRecord
const ended = { status: 'awarded', archiveReason: 'awarded' }

test.each<
  readonly [name: string, before: ReturnType<typeof state>, survivor: object | null, changes: readonly string[]]
>([
  ['a merge into one with a hit of its own', state({ submissionDate: day(10) }), null, ['merged']],
  ['a merge into an open one', state({}), {}, ['merged']],
  ['a merge of an ended one into an open one', state(ended), {}, ['merged']],
  ['a merge into an ended one', state({}), ended, ['closed', 'merged']],
  ['a merge of an ended one into an ended one', state(ended), ended, ['merged']],
  ['a merge into one with another deadline', state({}), { submissionDate: day(10) }, ['merged', 'deadline']],
  ['a merge into another one', state({}, 'a'), {}, ['merged']],
  ['nothing of the survivor', state({}, 'b'), {}, []],
  ['the end of the survivor', state({}, 'b'), ended, ['closed']],
  ['a survivor that is no call', state({}, 'b'), { status: 'planned' }, ['closed']],
  ['a value of the survivor', state({}, 'b'), { contractAmount: null }, ['value']],
])('a hit whose tender is merged: %s', (_name, before, survivor, changes) => {
  const after = mergedState(before, 'b', ['open'], survivor === null ? undefined : record(survivor))
  expect(hitChanges(before, after)).toEqual(changes)
  expect(after.mergedInto).toBe('b')
  expect(
    hitChanges(after, mergedState(after, 'b', ['open'], survivor === null ? undefined : record(survivor))),
  ).toEqual([])
})

test('a split from an ended one', () => {
  const before = mergedState(state({}), 'b', null, record(ended))
  expect(hitChanges(before, watchedState(record({}), null, before))).toEqual([])
  expect(hitChanges(state({}, 'b'), watchedState(record(ended), null, state({}, 'b')))).toEqual(['closed'])
})

test('a NUL, which no database accepts, is left out', () => {
  expect(stateOf({ contractAmount: { ...euros, currency: 'E\0UR' } }).value).toBe('100 EUR')
})

test('a passed deadline is all that happened only if deadline and value stayed', () => {
  const before = stateOf({ submissionDate: day(10) })
  const expired = { submissionDate: day(10), archiveReason: 'expired' }
  expect(isExpiry(before, stateOf(expired))).toBe(true)
  expect(isExpiry(before, stateOf({ ...expired, contractAmount: { ...euros, value: 101 } }))).toBe(false)
  expect(isExpiry(before, stateOf({ ...expired, submissionDate: day(11) }))).toBe(false)
  expect(isExpiry(before, stateOf({ ...expired, archiveReason: 'awarded' }))).toBe(false)
  expect(isExpiry(stateOf({}), stateOf({ archiveReason: 'expired' }))).toBe(false)
})

test('a state of the older rule, which took the deadline of submission, gets that of today', () => {
  const old = { ...stateOf({ submissionDate: day(20) }), deadlineKind: null }
  const later = {
    contractAmount: euros,
    submissionDate: day(20),
    participationDate: day(10),
  } as unknown as TenderRecord
  expect(byTodaysRule(old, later)).toEqual({ ...old, deadlineMs: Date.parse(day(10)) })
  // it has moved since, or was written by today's rule
  expect(byTodaysRule({ ...old, deadlineMs: 5 }, later)).toEqual({ ...old, deadlineMs: 5 })
  expect(byTodaysRule({ ...old, deadlineKind: 'submission' }, later)).toEqual({ ...old, deadlineKind: 'submission' })
})
