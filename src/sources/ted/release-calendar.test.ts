// The release calendar in its possible layouts, and how a day that it does not contain is treated.
import { describe, expect, it } from 'vitest'
import { Refused } from '../../platform/http.ts'
import { issueOn, readReleaseCalendar } from './release-calendar.ts'

const layouts: { readonly [name: string]: string } = {
  'issue, then day/month/year': 'OJ S,Publication date\n1,02/01/2026\n2,5/1/2026\n,06/01/2026\n3,07/01/2026\n',
  'ISO dates first, semicolons, a mark, CRLF':
    '\ufeffDate;Weekday;OJ S\r\n2026-01-02;5;1\r\n2026-01-05;1;2\r\n2026-01-07;3;003\r\n',
  'names of the issues, quoted, with the week':
    '"Week","Issue","Date"\n"1","OJ S 1/2026","02.01.2026"\n"2","2026/S 002","05.01.2026"\n"2","S 3","07.01.2026"\n',
  'issues as the packages are named, no header':
    '202600001\t2026-01-02T00:00:00\n202600002\t2026-01-05T00:00:00\n202600003\t2026-01-07T00:00:00\n',
  'latest first, with days of other years': '1,02/01/2027\n3,07/01/2026\n2,05/01/2026\n1,02/01/2026\n254,31/12/2025\n',
}

describe('the release calendar', () => {
  for (const [name, text] of Object.entries(layouts)) {
    it(`is read with any columns: ${name}`, () => {
      const { issues } = readReleaseCalendar(text, 2026)
      expect([...issues]).toEqual([
        ['2026-01-02', 1],
        ['2026-01-05', 2],
        ['2026-01-07', 3],
      ])
    })
  }

  it('is refused if it is something else: a page, no numbers, no dates of the year, numbers that decrease', () => {
    for (const text of [
      '<!doctype html><html><body>1 02/01/2026</body></html>',
      'date\n02/01/2026\n05/01/2026\n',
      '1,02/01/2025\n2,05/01/2025\n',
      '2,02/01/2026\n1,05/01/2026\n',
      '',
    ])
      expect(() => readReleaseCalendar(text, 2026)).toThrow(Refused)
  })

  it('knows days without an issue only inside its range', () => {
    const calendar = readReleaseCalendar('1,02/01/2026\n2,05/01/2026\n3,07/01/2026\n', 2026)
    expect(issueOn(calendar, '2026-01-05')).toBe(2)
    expect(issueOn(calendar, '2026-01-04')).toBe('none')
    expect(issueOn(calendar, '2026-01-01')).toBe('none')
    expect(issueOn(calendar, '2026-01-08')).toBe('unknown')
    expect(issueOn(calendar, '2027-01-04')).toBe('unknown')
    const whole = readReleaseCalendar('1,02/01/2026\n254,30/12/2026\n', 2026)
    expect(issueOn(whole, '2026-12-31')).toBe('none')
  })
})
