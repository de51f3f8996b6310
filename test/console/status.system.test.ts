// The status and the changelog for everybody: from the editions, holds, alarms and incidents of the database; and their
// feeds.
import { execFileSync } from 'node:child_process'
import { afterEach, describe, expect, test } from 'vitest'
import { editIncident, incidentVersion } from '../../src/actions/incidents.ts'
import { dayMs, hourMs, minuteMs } from '../../src/domain/time.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { loadSources } from '../../src/sources/registry.ts'
import { inTransaction } from '../../src/store/database/database.ts'
import { createIncident, endIncident, findIncident, listIncidents } from '../../src/store/screens/incidents.ts'
import { drawnEngines } from '../world.ts'
import { type ConsoleWorld, openConsoleWorld, startOfConsole } from './console-world.ts'

const incidentId = '0f8a1c52-7d3e-4b64-9a10-5c2e7f4b9d31'
const opened: ConsoleWorld[] = []
afterEach(async () => {
  for (const world of opened.splice(0)) {
    expect(world.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  }
})

/** What Python reads from a feed: the titles of its entries, with their times. */
function readAtom(feed: string): { readonly title: string; readonly updated: string; readonly content: string }[] {
  const program = `
import json, sys
import xml.etree.ElementTree as tree
ns = {'a': 'http://www.w3.org/2005/Atom'}
feed = tree.fromstring(sys.stdin.buffer.read())
assert feed.tag == '{http://www.w3.org/2005/Atom}feed'
for name in ('id', 'title', 'updated', 'author', 'link'): assert feed.find('a:' + name, ns) is not None, name
ids = [e.find('a:id', ns).text for e in feed.findall('a:entry', ns)]
assert len(ids) == len(set(ids))
print(json.dumps([{name: e.find('a:' + name, ns).text for name in ('title', 'updated', 'content')} for e in feed.findall('a:entry', ns)]))`
  return JSON.parse(execFileSync('python3', ['-c', program], { input: feed, encoding: 'utf8' }))
}

describe.each(drawnEngines)('the status (%s)', (engine) => {
  async function open() {
    const world = await openConsoleWorld(engine)
    opened.push(world)
    const text = async (path: string, language = 'en') =>
      (await world.get(path, undefined, { 'accept-language': language })).text()
    return { ...world, text }
  }

  /** Editions at these moments. */
  async function addEditions({ store }: ConsoleWorld, times: readonly number[]): Promise<void> {
    for (const [index, at] of times.entries())
      await store.db
        .insertInto('edition')
        .values({
          edition: index + 1,
          last_modified: at,
          published_at: at,
          records: 10,
          changes: 1,
          checks: '{}',
          counts: '{}',
          checksum: null,
        })
        .execute()
  }

  test('shows each state: no edition yet, on time, late, held, an incident', async () => {
    const world = await open()
    const { store, text, wait } = world
    expect(await text('/status')).toContain('No edition has been published yet')
    await addEditions(world, [startOfConsole - hourMs])
    expect(await text('/status'), 'kept for a minute').toContain('No edition has been published yet')
    wait(2 * minuteMs)
    expect(await text('/status')).toContain('Everything is running')
    expect(await text('/status', 'de')).toContain('Alles läuft')
    wait(2 * hourMs)
    expect(await text('/status')).toContain('The next edition is late')
    await store.db
      .insertInto('edition_hold')
      .values({ held_at: startOfConsole + hourMs, reasons: '["The source ted would be named by 3 records"]' })
      .execute()
    wait(2 * minuteMs)
    const held = await text('/status')
    expect(held).toContain('An edition is held back')
    expect(held, 'reasons are for operators').not.toContain('named by 3 records')
    await inTransaction(store, (trx) =>
      createIncident(trx, {
        incidentId,
        title: 'Answers are <slow>',
        detail: 'First paragraph.\n\nSecond & last.\u0007',
        startedAt: startOfConsole,
        createdBy: 'op@example.org',
      }),
    )
    wait(2 * minuteMs)
    const page = await text('/status')
    expect(page).toContain('There is an incident')
    expect(page).toContain('Answers are &lt;slow&gt;')
    expect(page).toContain('Ongoing')
    expect(page).not.toContain('op@example.org')
    expect(readAtom(await text('/status.atom'))).toEqual([
      {
        title: 'Answers are <slow>',
        updated: new Date(startOfConsole).toISOString(),
        content: 'First paragraph.\n\nSecond & last.',
      },
    ])
    const acting = { actor: 'op@example.org', addressPrefix: '', random: systemRandom, mailDomain: 'example.org' }
    const before = (await findIncident(store.db, incidentId))!
    const edit = { incidentId, seen: incidentVersion(before), input: { ...before, title: 'Slow answers' } }
    const edited = await inTransaction(store, (trx) =>
      editIncident(trx, { ...acting, now: startOfConsole + minuteMs }, edit),
    )
    expect(edited.kind).toBe('edited')
    wait(2 * minuteMs)
    expect(readAtom(await text('/status.atom'))[0]).toMatchObject({
      title: 'Slow answers',
      updated: new Date(startOfConsole + minuteMs).toISOString(),
    })
    expect(await inTransaction(store, (trx) => endIncident(trx, incidentId, startOfConsole + hourMs))).toBe(true)
    expect(await inTransaction(store, (trx) => endIncident(trx, incidentId, startOfConsole + 2 * hourMs))).toBe(false)
    expect(await findIncident(store.db, incidentId)).toMatchObject({
      title: 'Slow answers',
      detail: expect.stringContaining('First'),
      startedAt: startOfConsole,
      endedAt: startOfConsole + hourMs,
    })
    wait(2 * minuteMs)
    expect(await text('/status')).toContain('Over')
    expect(readAtom(await text('/status.atom'))[0]).toMatchObject({
      title: 'Slow answers',
      updated: new Date(startOfConsole + hourMs).toISOString(),
    })
    wait(100 * dayMs)
    expect(await listIncidents(store.db, world.now() - 90 * dayMs, 10)).toEqual([])
    expect(await text('/status')).toContain('No incident in the last 90 days')
  })

  test('shows 90 days, each on time, late, held or before the service, as bars and as a table', async () => {
    const world = await open()
    const today = startOfConsole - (startOfConsole % dayMs)
    const hourly = (day: number, hours: number) => Array.from({ length: hours }, (_, hour) => day + hour * hourMs)
    // hourly three days ago, half of the day two days ago, then again from midnight on
    await addEditions(world, [
      ...hourly(today - 3 * dayMs, 24),
      ...hourly(today - 2 * dayMs, 12),
      ...hourly(today - dayMs, 24),
      ...hourly(today, 9),
    ])
    await world.store.db
      .insertInto('edition_hold')
      .values({ held_at: today - dayMs + 5 * minuteMs, reasons: '["x"]' })
      .execute()
    const page = await world.text('/status')
    const bars = [...page.matchAll(/<rect class="(\w+)"[^>]*><title>([^<]*)<\/title>/g)].map(([, name, title]) => [
      name,
      title,
    ])
    expect(bars).toHaveLength(90)
    expect(bars.filter(([name]) => name === 'b')).toHaveLength(86)
    expect(bars.slice(-4)).toEqual([
      ['a', '20 Nov 2026: On time, 24 editions'],
      ['x2', '21 Nov 2026: Late, 12 editions'],
      ['x2', '22 Nov 2026: Held back, 24 editions'],
      ['a', '23 Nov 2026: On time, 9 editions'],
    ])
    expect(page).toContain('2 days on time, 1 days late, 1 days with an edition held back')
    expect(page).toMatch(/21 Nov 2026<\/th><td data-l="State">Late<\/td><td[^>]*>12<\/td><td[^>]*>780 min/)
    expect(page).not.toMatch(/\sstyle=/)
    expect(await world.text('/status', 'de')).toContain('22. Nov. 2026: Zurückgehalten, 24 Ausgaben')
  })

  test('names portals with a disruption in words for the public', async () => {
    // the service has read the cards when its console opens
    await loadSources()
    const world = await open()
    const { db } = world.store
    for (const source of ['ted', 'doe', 'fr-boamp'])
      await db
        .insertInto('source_check')
        .values({ source_id: source, checked_at: startOfConsole - hourMs })
        .execute()
    const alarm = { raised_at: startOfConsole - hourMs, cleared_at: null, detail: 'secret detail', share: 1 }
    await db
      .insertInto('source_alarm')
      .values([
        { ...alarm, source_id: 'doe', kind: 'failing' },
        { ...alarm, source_id: 'fr-boamp', kind: 'drift' },
        { ...alarm, source_id: 'ted', kind: 'silent', cleared_at: startOfConsole - minuteMs },
      ])
      .execute()
    const page = await world.text('/status')
    expect(page).toContain('2 work')
    expect(page).toContain('Datenservice Öffentlicher Einkauf')
    expect(page).toContain('does not answer')
    expect(page).not.toContain('secret detail')
    expect(page).not.toContain('BOAMP')
    expect(await world.text('/status', 'de')).toContain('antwortet nicht')
  })

  test('the changelog is a page and a feed with an entry for each version', async () => {
    const { text } = await open()
    expect(await text('/changelog', 'de')).toMatch(/<h1>Änderungen<\/h1>[\s\S]*lang="en"/)
    const entries = readAtom(await text('/changelog.atom'))
    expect(entries.map(({ title }) => title)).toContain('0.1.0 (not released)')
    expect(entries[0]!.content).toContain('<h3')
  })
})
