import { describe, expect, test } from 'vitest'
import { homeOf, type PublishedEntry, readPublishedEntry } from './read-published-entry.ts'

const home = homeOf({ publisher: 'de-example', profile: 'example', language: 'de' })

function read(entry: Partial<PublishedEntry>) {
  const found = readPublishedEntry(home, {
    id: 7,
    formType: 'competition',
    noticeType: undefined,
    title: 'Erneuerung der Fahrbahn',
    ...entry,
  })
  if ('reason' in found) throw new Error(found.detail)
  return found
}
const keyOf = (entry: Partial<PublishedEntry>) => read(entry).noticeKey

describe('the key of an entry', () => {
  test('without a version tells an extension apart to the minute', () => {
    const keys = ['2026-12-01T10:00', '2026-12-01T10:01', '2026-12-01T12:00', '2026-12-02T10:00'].map((deadline) =>
      keyOf({ deadline }),
    )
    expect(keys).toEqual([
      'de-example:7@2026-12-01T09:00',
      'de-example:7@2026-12-01T09:01',
      'de-example:7@2026-12-01T11:00',
      'de-example:7@2026-12-02T09:00',
    ])
  })

  test('is the id where there is no deadline, and has the version where there is one', () => {
    expect(keyOf({})).toBe('de-example:7')
    expect(keyOf({ deadline: 'unknown' })).toBe('de-example:7')
    expect(keyOf({ version: 2, deadline: '2026-12-01T10:00' })).toBe('de-example:7-2')
  })
})

describe('what an entry does not say', () => {
  test('is in no notice', () => {
    const notice = read({})
    expect(notice).toMatchObject({ noticeType: 'competition', contractingAuthorities: [], lots: [], references: [] })
    for (const member of ['isCancelled', 'isUnsuccessful', 'isClosed', 'procedureTypeNational', 'url'])
      expect(notice, member).not.toHaveProperty(member)
    expect(read({ isCancelled: false, isUnsuccessful: false, isClosed: false })).toEqual(notice)
    expect(read({ title: {}, buyer: { name: 'Stadt Quellmar' } })).not.toHaveProperty('title')
  })

  test('of its outcome follows from its winners: an award if there are any', () => {
    const winners = [{ name: 'Bau GmbH' }]
    expect(read({ winners }).lots).toMatchObject([{ lotId: '1', result: { outcome: 'awarded' } }])
    expect(read({ winners: [] }).lots).toEqual([])
    expect(read({ winners, outcome: 'not-awarded' }).lots[0]!.result).toEqual({ outcome: 'not-awarded' })
    expect(read({ duration: { value: 2, unit: 'YEAR' } }).lots).toMatchObject([
      { duration: { value: 2, unit: 'YEAR' } },
    ])
  })

  test('of another announcement refers to none', () => {
    expect(read({ changes: 'AB-1' }).references).toEqual([{ kind: 'changes', noticeId: 'ab-1' }])
    expect(read({ changes: '' }).references).toEqual([])
  })
})
