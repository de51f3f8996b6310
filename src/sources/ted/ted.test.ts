// TED day by day: what counts as complete, what as missing, what as refused, and that no death of a run loses or
// doubles a notice.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import { ScriptedRun, slotOf } from '../../../test/sources/scripted-run.ts'
import {
  challenge,
  type Issue,
  memberName,
  numbersFrom,
  ScriptedTed,
  tarGz,
  tedNotice,
} from '../../../test/sources/scripted-ted.ts'
import type { Slot } from '../fetch.ts'
import { fetchControl } from './fetch-control.ts'
import { fetchDaily, fetchMonthly } from './fetch-packages.ts'
import { source } from './ted.ts'

const scratchFolder = mkdtempSync(join(tmpdir(), 'tenderstock-ted-'))
afterAll(() => rmSync(scratchFolder, { recursive: true, force: true }))

const day = '2026-03-10'
/** Brussels is an hour ahead of UTC in March. */
const slot = slotOf(day, '2026-03-09T23:00:00Z', '2026-03-10T23:00:00Z')
const at = (text: string): number => Date.parse(text)
const noon = at('2026-03-10T11:00:00Z')
const early = at('2026-03-10T06:00:00Z')
const nextDay = at('2026-03-11T08:00:00Z')

async function tedOf(issues: { readonly [day: string]: Issue }) {
  const ted = await new ScriptedTed(issues).pack()
  const run = new ScriptedRun({ script: ted.answer, scratchFolder, zone: source.zone })
  run.now = noon
  return { ted, run }
}

const numbersIn = (run: ScriptedRun): string[] =>
  run
    .parsed(source)
    .notices.map((notice) => notice.publicationNumber!)
    .sort()
const paths = (run: ScriptedRun): string[] => run.requests.map(({ url }) => new URL(url).pathname)

describe('a day of TED', () => {
  it('of 250 notices ends with as many notices as the search announces, each once', async () => {
    const numbers = numbersFrom(100, 250)
    const { run } = await tedOf({ [day]: { issue: 48, numbers } })
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'complete' })
    expect({ announced: run.announced, delivered: run.delivered }).toEqual({ announced: 250, delivered: 250 })
    expect(numbersIn(run)).toEqual([...numbers].sort())
    expect(paths(run)).toContain('/packages/daily/202600048')
  })

  it('needs only one more request when it is reread: the count, not the package', async () => {
    const { run } = await tedOf({ [day]: { issue: 48, numbers: numbersFrom(100, 30) } })
    await run.read(fetchDaily, slot)
    run.requests.length = 0
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'unchanged' })
    expect(paths(run)).toEqual(['/v3/notices/search'])
  })

  it('without an issue is empty because the calendar says so, and no other request is sent', async () => {
    const { run } = await tedOf({ '2026-03-09': { issue: 47, numbers: ['1-2026'] } })
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'empty' })
    expect(paths(run)).toEqual(['/en/release-calendar/-/download/file/CSV/2026'])
  })

  it('beyond the end of the calendar is not empty', async () => {
    const { ted, run } = await tedOf({})
    ted.fault = ({ url }) => (url.includes('/CSV/') ? { body: '1,02/01/2026\n2,05/01/2026\n' } : undefined)
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'notYet' })
    run.now = nextDay
    expect(await run.failure(fetchDaily, slot)).toMatch(/^Retryable: the release calendar does not know 2026-03-10/)
    // It is requested again within the hour, and then has more.
    ted.fault = ({ url }) => (url.includes('/CSV/') ? { body: '1,02/01/2026\n49,11/03/2026\n' } : undefined)
    run.now += 59 * 60_000
    expect(await run.failure(fetchDaily, slot)).toMatch(/^Retryable/)
    run.now += 2 * 60_000
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'empty' })
  })

  it('whose package is not out yet is requested again', async () => {
    const { run } = await tedOf({ [day]: { issue: 48, numbers: numbersFrom(1, 3), packed: null } })
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'notYet' })
    expect(run.documents.size).toBe(0)
  })

  it('whose package never comes is fetched notice by notice two days later', async () => {
    const { ted, run } = await tedOf({ [day]: { issue: 48, numbers: numbersFrom(1, 45), packed: null } })
    // Some of them were read on the day itself.
    ted.withheld.add('40-2026').add('41-2026')
    expect(await run.read(fetchControl, slot)).toMatchObject({ kind: 'short' })
    ted.withheld.clear()
    run.now = at('2026-03-13T00:00:00Z')
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'complete' })
    expect({ announced: run.announced, delivered: run.delivered }).toEqual({ announced: 45, delivered: 45 })
    expect(run.documents.size).toBe(45)
  })

  it('that the firewall refuses with an empty 202 is neither empty nor done, wherever it occurs', async () => {
    for (const place of ['/CSV/', '/packages/', '/notice/']) {
      const numbers = numbersFrom(1, 5)
      const { ted, run } = await tedOf({ [day]: { issue: 48, numbers, packed: numbers.slice(0, 3) } })
      ted.fault = ({ url }) => (url.includes(place) ? challenge : undefined)
      expect(await run.failure(fetchDaily, slot), place).toMatch(/^Refused: .*firewall/)
      ted.fault = () => undefined
      expect(await run.read(fetchDaily, slot), place).toEqual({ kind: 'complete' })
      expect(numbersIn(run), place).toEqual(numbers)
    }
  })

  it('that is answered with a page for people, or with nothing, is refused', async () => {
    for (const body of ['<!DOCTYPE html><html><body>Maintenance</body></html>', '']) {
      const { ted, run } = await tedOf({ [day]: { issue: 48, numbers: numbersFrom(1, 3) } })
      ted.fault = ({ url }) => (url.includes('/packages/') ? { body } : undefined)
      expect(await run.failure(fetchDaily, slot)).toMatch(/^Refused: .*no package/)
      expect(run.items.has(`day:${day}`)).toBe(false)
    }
  })

  it('whose package lacks notices fetches those one by one', async () => {
    const numbers = numbersFrom(1, 300)
    const { run } = await tedOf({ [day]: { issue: 48, numbers, packed: numbers.slice(0, 270) } })
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'complete' })
    expect({ announced: run.announced, delivered: run.delivered }).toEqual({ announced: 300, delivered: 300 })
    expect(paths(run).filter((path) => path.startsWith('/en/notice/'))).toHaveLength(30)
  })

  it('names what is missing, at most 20 numbers, and repairs it when it appears', async () => {
    const numbers = numbersFrom(1, 60)
    const { ted, run } = await tedOf({ [day]: { issue: 48, numbers, packed: numbers.slice(0, 30) } })
    for (const number of numbers.slice(35)) ted.withheld.add(number)
    const end = await run.read(fetchDaily, slot)
    expect(end).toEqual({
      kind: 'short',
      missing: expect.stringMatching(/^2026-03-10: 25 of 60 notices: 36-2026, .*55-2026 and 5 more$/),
    })
    expect(run.delivered).toBe(35)
    ted.withheld.clear()
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'complete' })
    expect({ announced: run.announced, delivered: run.delivered }).toEqual({ announced: 60, delivered: 60 })
  })

  it('ends with its package alone while the search is unavailable; a later check compares them', async () => {
    const numbers = numbersFrom(1, 40)
    const { ted, run } = await tedOf({ [day]: { issue: 48, numbers, packed: numbers.slice(0, 38) } })
    ted.fault = ({ url }) => (url.includes('api.ted') ? { status: 503 } : undefined)
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'complete' })
    expect(run.announced).toBeUndefined()
    ted.fault = () => undefined
    run.now = nextDay
    expect(await run.read(fetchControl, slot)).toEqual({ kind: 'complete' })
    expect({ announced: run.announced, delivered: run.delivered }).toEqual({ announced: 40, delivered: 40 })
    expect(numbersIn(run)).toHaveLength(40)
  })

  it('that is read while its package is being written is not done before the package is complete', async () => {
    const numbers = numbersFrom(1, 120)
    const { ted, run } = await tedOf({ [day]: { issue: 48, numbers, packed: numbers.slice(0, 70) } })
    run.now = early
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'notYet' })
    // Rewritten, in another order.
    ted.issues.set(day, { issue: 48, numbers, packed: [...numbers].reverse() })
    await ted.pack()
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'complete' })
    expect({ announced: run.announced, delivered: run.delivered }).toEqual({ announced: 120, delivered: 120 })
    expect(numbersIn(run)).toHaveLength(120)
    expect(paths(run).some((path) => path.startsWith('/en/notice/'))).toBe(false)
  })

  it('does not count a notice of another day in its package', async () => {
    const numbers = numbersFrom(1, 5)
    const { ted, run } = await tedOf({ [day]: { issue: 48, numbers } })
    const members = numbers.map((number, index) => ({
      name: memberName(day, 48, number),
      bytes: tedNotice(number, index === 0 ? '2026-03-09' : day),
    }))
    ted.replace('daily/202600048', await tarGz(members))
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'complete' })
    expect(paths(run).filter((path) => path.startsWith('/en/notice/'))).toEqual(['/en/notice/1-2026/xml'])
    expect(run.items.get('day:2026-03-09')).toBe('part|2026:1')
  })

  it('does not count a damaged member as the notice it is named after, and fetches that alone', async () => {
    const { ted, run } = await tedOf({ [day]: { issue: 48, numbers: numbersFrom(1, 4) } })
    ted.replace(
      'daily/202600048',
      await tarGz([
        { name: memberName(day, 48, '1-2026'), bytes: '<?xml version="1.0"?>\n<ContractNotice xmlns="' },
        { name: memberName(day, 48, '9-2026'), bytes: '<ContractNotice>\u0000</ContractNotice>' },
        ...numbersFrom(2, 3).map((number) => ({ name: memberName(day, 48, number), bytes: tedNotice(number, day) })),
      ]),
    )
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'complete' })
    expect({ announced: run.announced, delivered: run.delivered }).toEqual({ announced: 4, delivered: 4 })
    expect(numbersIn(run)).toEqual(numbersFrom(1, 4))
    expect(run.parsed(source).rejections).toHaveLength(2)
    expect(paths(run).filter((path) => path.startsWith('/en/notice/'))).toEqual(['/en/notice/1-2026/xml'])
  })

  it('counts a member by the number in its content when its name has none, and keeps what is no notice as a rejection', async () => {
    const { ted, run } = await tedOf({ [day]: { issue: 48, numbers: numbersFrom(1, 2) } })
    ted.replace(
      'daily/202600048',
      await tarGz([
        { name: 'a/notice-one', bytes: tedNotice('1-2026', day) },
        { name: 'readme.txt', bytes: 'about this package' },
        { name: memberName(day, 48, '2-2026'), bytes: tedNotice('2-2026', day) },
      ]),
    )
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'complete' })
    expect(run.delivered).toBe(2)
    expect(run.parsed(source).rejections).toEqual(['unsupported-format'])
  })
})

describe('a package that ends early', () => {
  it('keeps its documents, and the next reading stores only the rest', async () => {
    const numbers = numbersFrom(1, 400)
    const { ted, run } = await tedOf({ [day]: { issue: 48, numbers } })
    const whole = ted.packed('daily/202600048')
    ted.fault = ({ url }) =>
      url.includes('/packages/') ? { body: whole, breakAfter: Math.floor(whole.length / 2) } : undefined
    expect(await run.failure(fetchDaily, slot)).toMatch(/^Retryable: .*broke off/)
    const kept = run.documents.size
    expect(kept).toBeGreaterThan(100)
    ted.fault = () => undefined
    run.handedOver = 0
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'complete' })
    expect(run.handedOver).toBe(400 - kept)
    expect({ announced: run.announced, delivered: run.delivered }).toEqual({ announced: 400, delivered: 400 })
  })

  it('before its first notice, however often, does not count as damaged', async () => {
    const { ted, run } = await tedOf({ [day]: { issue: 48, numbers: numbersFrom(1, 400) } })
    const whole = ted.packed('daily/202600048')
    ted.fault = ({ url }) => (url.includes('/packages/') ? { body: whole, breakAfter: 100 } : undefined)
    for (let turn = 0; turn < 3; turn++) expect(await run.failure(fetchDaily, slot)).toMatch(/^Retryable: .*broke off/)
    expect(paths(run).some((path) => path.startsWith('/en/notice/'))).toBe(false)
  })

  it('at the same place every time is abandoned, and the rest fetched one by one', async () => {
    const numbers = numbersFrom(1, 400)
    const { ted, run } = await tedOf({ [day]: { issue: 48, numbers } })
    const whole = ted.packed('daily/202600048')
    ted.replace('daily/202600048', whole.subarray(0, Math.floor(whole.length * 0.9)))
    expect(await run.failure(fetchDaily, slot)).toMatch(/^Retryable: .*cut off/)
    const kept = run.documents.size
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'complete' })
    expect(paths(run).filter((path) => path.startsWith('/en/notice/'))).toHaveLength(400 - kept)
    expect(numbersIn(run)).toHaveLength(400)
  })

  it('together with an unavailable search leaves the day undone', async () => {
    const { ted, run } = await tedOf({ [day]: { issue: 48, numbers: numbersFrom(1, 400) } })
    const whole = ted.packed('daily/202600048')
    ted.replace('daily/202600048', whole.subarray(0, Math.floor(whole.length * 0.9)))
    ted.fault = ({ url }) => (url.includes('api.ted') ? { status: 503 } : undefined)
    expect(await run.failure(fetchDaily, slot)).toMatch(/^Retryable/)
    expect(await run.failure(fetchDaily, slot)).toMatch(/^Retryable: .*damaged/)
  })
})

describe('a run that dies', () => {
  it('after any step is completed by the next one: the same 330 notices, none counted twice', async () => {
    const numbers = numbersFrom(1, 330)
    const issues = { [day]: { issue: 48, numbers, packed: numbers.slice(0, 280) } }
    const ted = await new ScriptedTed(issues).pack()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 8 }), async (lives) => {
        const run = new ScriptedRun({ script: ted.answer, scratchFolder, zone: source.zone })
        run.now = noon
        for (const steps of lives) if ((await run.read(fetchDaily, slot, steps)) !== 'died') break
        const end = await run.read(fetchDaily, slot)
        expect([{ kind: 'complete' }, { kind: 'unchanged' }]).toContainEqual(end)
        expect(run.documents.size).toBe(330)
        if (end !== 'died' && end.kind === 'complete') expect(run.delivered).toBe(330)
      }),
      { numRuns: proofCount({ share: 3, full: 250 }) },
    )
  })
})

describe('the search in addition to the packages', () => {
  it('fetches the current day notice by notice; its package then adds the rest without duplicates', async () => {
    const numbers = numbersFrom(1, 50)
    const { ted, run } = await tedOf({ [day]: { issue: 48, numbers: numbers.slice(0, 20), packed: null } })
    run.now = early
    expect(await run.read(fetchControl, slot)).toEqual({ kind: 'complete' })
    expect({ announced: run.announced, delivered: run.delivered }).toEqual({ announced: 20, delivered: 20 })
    ted.issues.set(day, { issue: 48, numbers })
    await ted.pack()
    run.now = noon
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'complete' })
    expect({ announced: run.announced, delivered: run.delivered }).toEqual({ announced: 50, delivered: 50 })
    expect(run.documents.size).toBe(50)
    expect(await run.read(fetchControl, slot)).toEqual({ kind: 'complete' })
    expect(run.delivered).toBe(50)
  })

  it('decides nothing yet about a current day without rows', async () => {
    const { run } = await tedOf({ [day]: { issue: 48, numbers: [], packed: null } })
    expect(await run.read(fetchControl, slot)).toEqual({ kind: 'notYet' })
  })

  it('that counts zero for a day with an issue is not believed', async () => {
    const { ted, run } = await tedOf({ [day]: { issue: 48, numbers: numbersFrom(1, 10) } })
    const nothing = JSON.stringify({ notices: [], totalNoticeCount: 0, iterationNextToken: null, timedOut: false })
    ted.fault = ({ url }) => (url.includes('api.ted') ? { body: nothing } : undefined)
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'complete' })
    expect(run.announced).toBeUndefined()
    run.now = nextDay
    expect(await run.failure(fetchControl, slot)).toMatch(
      /^Retryable: .*counts nothing for 2026-03-10, which has an issue/,
    )
  })

  it('finds an issue that the calendar does not know', async () => {
    const { ted, run } = await tedOf({ [day]: { issue: 48, numbers: numbersFrom(1, 4) } })
    ted.fault = ({ url }) => (url.includes('/CSV/') ? { body: '1,02/01/2026\n254,31/12/2026\n' } : undefined)
    run.now = nextDay
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'empty' })
    expect(await run.read(fetchControl, slot)).toEqual({ kind: 'complete' })
    expect(numbersIn(run)).toHaveLength(4)
  })

  it('confirms a day without issue, and sends no request for a past day whose package is still to be read', async () => {
    const { run } = await tedOf({
      '2026-03-06': { issue: 46, numbers: numbersFrom(5, 4) },
      [day]: { issue: 48, numbers: numbersFrom(1, 4) },
    })
    run.now = nextDay
    const sunday = slotOf('2026-03-08', '2026-03-07T23:00:00Z', '2026-03-08T23:00:00Z')
    expect(await run.read(fetchControl, sunday)).toEqual({ kind: 'empty' })
    run.requests.length = 0
    expect(await run.read(fetchControl, slot)).toEqual({ kind: 'notYet' })
    expect(paths(run)).toEqual([])
  })
})

describe('the calendar', () => {
  it('is fetched once a week, and an old one serves while TED has no new one', async () => {
    const { ted, run } = await tedOf({
      [day]: { issue: 48, numbers: numbersFrom(1, 2) },
      '2026-03-11': { issue: 49, numbers: numbersFrom(3, 2) },
    })
    const calendars = () => paths(run).filter((path) => path.includes('/CSV/')).length
    const next = slotOf('2026-03-11', '2026-03-10T23:00:00Z', '2026-03-11T23:00:00Z')
    await run.read(fetchDaily, slot)
    run.now = at('2026-03-11T11:00:00Z')
    await run.read(fetchDaily, next)
    expect(calendars()).toBe(1)
    run.now = at('2026-03-20T11:00:00Z')
    ted.fault = ({ url }) => (url.includes('/CSV/') ? challenge : undefined)
    run.items.delete('day:2026-03-11')
    expect(await run.read(fetchDaily, next)).toEqual({ kind: 'complete' })
    expect(calendars()).toBe(2)
  })
})

const march: Slot = slotOf('2026-03', '2026-02-28T23:00:00Z', '2026-03-31T22:00:00Z')
const monthDays: { readonly [day: string]: Issue } = {
  '2026-03-02': { issue: 42, numbers: numbersFrom(1, 120) },
  '2026-03-03': { issue: 43, numbers: numbersFrom(121, 130) },
  '2026-03-04': { issue: 44, numbers: numbersFrom(251, 110) },
}
const april = at('2026-04-10T08:00:00Z')

describe('a month of TED', () => {
  it('of 360 notices in three packages is held against the search day by day', async () => {
    const { run } = await tedOf(monthDays)
    run.now = april
    expect(await run.read(fetchMonthly, march)).toEqual({ kind: 'complete' })
    expect({ announced: run.announced, delivered: run.delivered }).toEqual({ announced: 360, delivered: 360 })
    expect(numbersIn(run)).toHaveLength(360)
    expect(paths(run)).toContain('/packages/monthly/2026-3')
    expect(await run.read(fetchMonthly, march)).toEqual({ kind: 'unchanged' })
  })

  it('is also found under its padded name; a missing one is waited for, and refused long after', async () => {
    const { ted, run } = await tedOf(monthDays)
    run.now = april
    ted.fault = ({ url }) => (url.includes('/packages/') ? { status: 404 } : undefined)
    expect(await run.read(fetchMonthly, march)).toEqual({ kind: 'notYet' })
    run.now = at('2026-06-01T00:00:00Z')
    expect(await run.failure(fetchMonthly, march)).toMatch(/^Refused: there is no package of the month 2026-03/)
    ted.fault = ({ url }) =>
      url.endsWith('/2026-03')
        ? { body: ted.packed('monthly/2026-3') }
        : url.endsWith('/2026-3')
          ? { status: 404 }
          : undefined
    expect(await run.read(fetchMonthly, march)).toEqual({ kind: 'complete' })
  })

  it('skips days that were read already', async () => {
    const { run } = await tedOf(monthDays)
    run.now = april
    await run.read(fetchDaily, slotOf('2026-03-03', '2026-03-02T23:00:00Z', '2026-03-03T23:00:00Z'))
    run.handedOver = 0
    expect(await run.read(fetchMonthly, march)).toEqual({ kind: 'complete' })
    expect(run.handedOver).toBe(230)
    expect({ announced: run.announced, delivered: run.delivered }).toEqual({ announced: 360, delivered: 360 })
  })

  it('with a damaged day delivers the other days as usual, and that day notice by notice', async () => {
    const { ted, run } = await tedOf(monthDays)
    const days = ['2026-03-02', '2026-03-03', '2026-03-04'].map((each) => {
      const { issue } = monthDays[each]!
      const bytes = ted.packed(`daily/2026${String(issue).padStart(5, '0')}`)
      const name = `${each.replaceAll('-', '')}_${issue}.tar.gz`
      return { name, bytes: each === '2026-03-03' ? bytes.subarray(0, Math.floor(bytes.length * 0.6)) : bytes }
    })
    ted.replace('monthly/2026-3', await tarGz(days))
    run.now = april
    expect(await run.read(fetchMonthly, march)).toEqual({ kind: 'complete' })
    expect({ announced: run.announced, delivered: run.delivered }).toEqual({ announced: 360, delivered: 360 })
    expect(paths(run).some((path) => path.startsWith('/en/notice/'))).toBe(true)
  })

  it('ends without totals while the search is down, and names the missing day', async () => {
    const { ted, run } = await tedOf({
      ...monthDays,
      '2026-03-05': { issue: 45, numbers: numbersFrom(361, 9), packed: null },
    })
    run.now = april
    ted.fault = ({ url }) => (url.includes('api.ted') ? { status: 503 } : undefined)
    expect(await run.read(fetchMonthly, march)).toEqual({
      kind: 'short',
      missing: '2026-03-05: not in the package, and the search does not say',
    })
    expect(run.announced).toBeUndefined()
    ted.fault = () => undefined
    expect(await run.read(fetchMonthly, march)).toEqual({ kind: 'complete' })
    expect(numbersIn(run)).toHaveLength(369)
  })

  it('that is killed after any step ends with the same 360 notices, none counted twice', async () => {
    const ted = await new ScriptedTed(monthDays).pack()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 8 }), async (lives) => {
        const run = new ScriptedRun({ script: ted.answer, scratchFolder, zone: source.zone })
        run.now = april
        for (const steps of lives) if ((await run.read(fetchMonthly, march, steps)) !== 'died') break
        const end = await run.read(fetchMonthly, march)
        expect([{ kind: 'complete' }, { kind: 'unchanged' }]).toContainEqual(end)
        expect(run.documents.size).toBe(360)
        if (end !== 'died' && end.kind === 'complete') expect(run.delivered).toBe(360)
      }),
      { numRuns: proofCount({ share: 3, full: 250 }) },
    )
  })
})

describe('the card', () => {
  it('stays within 600 views of notices in six minutes and 700 requests a minute, with three connections', () => {
    expect(source.politeness.requestsPerMinute! * 6).toBeLessThanOrEqual(600)
    expect(source.politeness.requestsPerMinute).toBeLessThanOrEqual(700)
    expect(source.politeness.connections).toBe(3)
    expect(source.politeness.userAgent).toMatch(/^Mozilla\/5\.0 \(compatible; .*\{contact\}/)
  })

  it('goes back to January 2022 on every channel', () => {
    for (const { slots } of source.channels) expect(slots).toMatchObject({ since: '2022-01-01' })
  })
})

const corpus = join(import.meta.dirname, '../../../../shared/corpus')
const hasCorpus = existsSync(corpus)

describe.skipIf(!hasCorpus)('real notices in a package', () => {
  it('of both eras pass through fetch and parsers as notices, none rejected', async () => {
    const files = ['ted-eforms/notices', 'ted-legacy'].flatMap((folder) =>
      readdirSync(join(corpus, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.xml'))
        .slice(0, 100)
        .map((name) => readFileSync(join(corpus, folder, name))),
    )
    const { ted, run } = await tedOf({ [day]: { issue: 48, numbers: [] } })
    ted.replace(
      'daily/202600048',
      await tarGz(files.map((bytes, index) => ({ name: `20260310_048/${index}.xml`, bytes }))),
    )
    ted.fault = ({ url }) => (url.includes('api.ted') ? { status: 503 } : undefined)
    expect(await run.read(fetchDaily, slot)).toEqual({ kind: 'complete' })
    const { notices, rejections } = run.parsed(source)
    expect(files.length).toBe(200)
    expect({ notices: notices.length, rejections }).toEqual({ notices: 200, rejections: [] })
    // Each is counted under its day of publication.
    const days = [...run.items.keys()].filter((key) => key.startsWith('day:') && key !== `day:${day}`)
    expect(days.length).toBeGreaterThan(50)
    expect(notices.every((notice) => notice.publisher === 'ted' && notice.publicationNumber !== undefined)).toBe(true)
  })
})
