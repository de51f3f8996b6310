import { expect, test } from 'vitest'
import type { TenderRecord } from '../domain/tender.ts'
import { hitChanges, watchedState } from './hit-changes.ts'

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
  ['a merge', {}, { archiveReason: 'merged', mergedInto: 'a' }, ['merged']],
  [
    'a merge into another one',
    { archiveReason: 'merged', mergedInto: 'a' },
    { archiveReason: 'merged', mergedInto: 'b' },
    ['merged'],
  ],
  ['a split into a closed one', { archiveReason: 'merged', mergedInto: 'a' }, { archiveReason: 'expired' }, ['closed']],
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

test('a NUL, which no database accepts, is left out', () => {
  expect(stateOf({ contractAmount: { ...euros, currency: 'E\0UR' } }).value).toBe('100 EUR')
})
