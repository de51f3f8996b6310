import { describe, expect, test } from 'vitest'
import type { TenderRecord } from '../../domain/tender.ts'
import { calendarEntries } from './calendar-entries.ts'
import { type CalendarEntry, calendarFile } from './calendar-file.ts'

const entry: CalendarEntry = {
  uid: '1-submission@example.org',
  at: Date.UTC(2026, 11, 1, 10),
  changedAt: Date.UTC(2026, 10, 23, 8, 0, 1, 500),
  summary: 'Roofs; walls, floors\\ and more',
  description: 'one\r\ntwo\nthree\u0007',
  url: 'https://example.org/tenders/1',
  isCancelled: false,
}
const name = 'Deadlines'

/** Content lines, as RFC 5545 unfolds them. */
const linesOf = (file: string): string[] => file.replaceAll('\r\n ', '').split('\r\n')

describe('a calendar file', () => {
  test('has what RFC 5545 requires, and times in UTC', () => {
    expect(linesOf(calendarFile([entry], { name }))).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//Tenderstock//Deadlines//EN',
      'CALSCALE:GREGORIAN',
      'METHOD:PUBLISH',
      'NAME:Deadlines',
      'X-WR-CALNAME:Deadlines',
      'BEGIN:VEVENT',
      'UID:1-submission@example.org',
      'DTSTAMP:20261123T080001Z',
      'LAST-MODIFIED:20261123T080001Z',
      'DTSTART:20261201T100000Z',
      'SUMMARY:Roofs\\; walls\\, floors\\\\ and more',
      'DESCRIPTION:one\\ntwo\\nthree',
      'URL:https://example.org/tenders/1',
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
      'END:VCALENDAR',
      '',
    ])
    expect(calendarFile([{ ...entry, isCancelled: true }], { name })).toContain('\r\nSTATUS:CANCELLED\r\n')
    expect(calendarFile([], { name, isFeed: true })).toContain('REFRESH-INTERVAL;VALUE=DURATION:PT1H\r\n')
  })

  test.each([
    ['Latin', 'a'],
    ['two octets', 'ü'],
    ['four octets', '🏗'],
    ['mixed', 'aü🏗€'],
  ])('folds lines at 75 octets without cutting a character: %s', (_name, piece) => {
    for (let length = 0; length < 300; length += 7) {
      const summary = piece.repeat(length)
      const file = calendarFile([{ ...entry, summary }], { name })
      for (const line of file.split('\r\n')) {
        expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
        expect(line).not.toContain('\ufffd')
      }
      expect(file).not.toMatch(/(?<!\r)\n|\r(?!\n)/)
      expect(linesOf(file)).toContain(`SUMMARY:${summary}`)
    }
  })
})

describe('the deadlines of a tender', () => {
  const record = {
    id: '00000001-7d3e-8b64-9a10-5c2e7f4b9d31',
    title: 'Hafenmauer',
    status: 'open',
    lastModified: '2026-11-23T08:00:00.000Z',
    contractingAuthority: { name: 'Porto dos Açores' },
    timeZone: 'Atlantic/Azores',
    participationDate: '2026-12-01T18:00:00.000Z',
    submissionDate: '2027-01-15T18:00:00.000Z',
  } as TenderRecord
  const how = { id: record.id, link: `https://example.org/tenders/${record.id}`, language: 'de' } as const

  test('are entries with kind, zone, authority and link, each under an id of its own that a new date keeps', () => {
    const entries = calendarEntries(record, how)
    expect(entries.map(({ summary, at }) => [summary, new Date(at).toISOString()])).toEqual([
      ['Frist für Teilnahmeanträge: Hafenmauer', record.participationDate],
      ['Angebotsfrist: Hafenmauer', record.submissionDate],
    ])
    expect(entries[0]!.description).toMatch(
      /^1\. Dez\. 2026, 17:00 GMT-1, für die Teilnahme \(Atlantic\/Azores\)\nPorto dos Açores\nhttps:/,
    )
    const moved = calendarEntries({ ...record, participationDate: '2026-12-08T18:00:00.000Z' }, how)
    expect(moved.map(({ uid }) => uid)).toEqual(entries.map(({ uid }) => uid))
    expect(new Set(entries.map(({ uid }) => uid)).size).toBe(2)
  })

  test('are in UTC, and say so, where the zone is not known; what is no moment is none', () => {
    const { timeZone: _, participationDate: __, ...rest } = record
    const [only, ...others] = calendarEntries(rest as TenderRecord, { ...how, language: 'en' })
    expect(others).toEqual([])
    expect(only!.description).toMatch(/^15 Jan 2027, 18:00 UTC, for bids \(the authority's time zone is unknown\)/)
    expect(calendarEntries({ ...rest, submissionDate: 'soon' } as TenderRecord, how)).toEqual([])
  })
})
