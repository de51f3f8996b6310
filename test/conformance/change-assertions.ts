// Assertions on what happens between states: changes, merges, archiving, deltas, pinned runs.
import { expect } from 'vitest'
import { fixtureFiles, secondFixtures, thirdFixtures } from './fixtures.ts'
import { assertion } from './ledger.ts'
import { isOrdered, type WireRecord, type World } from './world.ts'

const dayMs = 86_400_000

const largest = (records: Iterable<WireRecord>): string =>
  [...records]
    .map(({ lastModified }) => lastModified)
    .sort()
    .at(-1)!
const withoutCheck = ({ checkedAt: _, ...record }: WireRecord): unknown => record

/** Everything here leads from the first state to the second, and reads both. */
export function changeAssertions(world: World): void {
  let runBegun: { records: WireRecord[]; cursor: string }
  const query = 'archived=true&limit=50'

  assertion(
    'C6',
    'a run is one state: its pages stay with the edition they began on, a new run shows the newest',
    async () => {
      world.first = await world.state()
      const page = await world.page(query)
      runBegun = { records: [...page.data], cursor: page.nextCursor! }
      await world.started.ingest(fixtureFiles(secondFixtures(world.times)))
      expect(await world.state()).toEqual(world.first)
      const published = await world.started.publish()
      expect(published.code, published.text).toBe(0)
      let cursor: string | null = runBegun.cursor
      while (cursor !== null) {
        const next: { data: readonly WireRecord[]; nextCursor: string | null } = await world.page(
          `${query}&cursor=${cursor}`,
        )
        runBegun.records.push(...next.data)
        cursor = next.nextCursor
      }
      expect(runBegun.records.map(withoutCheck)).toEqual([...world.first.values()].map(withoutCheck))
      world.second = await world.state()
      expect([...world.second.keys()].sort()).not.toEqual([...world.first.keys()].sort())
      expect(isOrdered([...world.second.values()])).toBe(true)
    },
  )
  const was = (name: string): WireRecord => world.first.get(world.idOf.get(name)!)!
  const is = (name: string): WireRecord => world.second.get(world.idOf.get(name)!)!
  const changedNames = [
    'changed',
    'region-moves',
    'old-corrected',
    'awarded-later',
    'cancelled-later',
    'failed-later',
    'twin',
  ]

  assertion('C12', 'an id stays with its tender in every state and none disappears', () => {
    for (const id of world.first.keys()) expect(world.second.has(id)).toBe(true)
    expect(is('changed').title).toBe('Fixture changed, corrected')
  })
  assertion('C23', 'lastModified of an id never falls', () => {
    for (const [id, record] of world.first) expect(world.second.get(id)!.lastModified >= record.lastModified).toBe(true)
  })
  assertion('C24', 'a change in content raises lastModified above everything published before', () => {
    for (const name of changedNames) expect(is(name).lastModified > largest(world.first.values()), name).toBe(true)
  })
  assertion('C25', 'without a change in content lastModified stays', () => {
    for (const [id, record] of world.first) {
      const now = world.second.get(id)!
      const { lastModified: _, checkedAt: __, ...before } = record
      const { lastModified: ___, checkedAt: ____, ...after } = now
      expect(now.lastModified === record.lastModified, record.title).toBe(
        JSON.stringify(before) === JSON.stringify(after),
      )
    }
  })
  assertion('C26', 'a new checkedAt alone leaves lastModified, and is no delta', async () => {
    const moved = [...world.first.values()].filter(
      (record) =>
        world.second.get(record.id)!.checkedAt > record.checkedAt &&
        world.second.get(record.id)!.lastModified === record.lastModified,
    )
    expect(moved.length).toBeGreaterThan(0)
    const delta = await world.list(
      `updated_since=${new Date(Date.parse(largest(world.first.values())) + 1).toISOString()}`,
    )
    expect(delta.some(({ id }) => moved.some((record) => record.id === id))).toBe(false)
  })
  assertion('C27', 'lastModified is the time of publication by the service: a correction of 2022 has today', () => {
    expect(is('old-corrected').publicationDate).toBe('2022-03-05T00:00:00.000Z')
    expect(is('old-corrected').lastModified > largest(world.first.values())).toBe(true)
    expect(Date.parse(is('old-corrected').lastModified)).toBeGreaterThan(Date.now() - dayMs)
  })
  assertion('C29', 'mergedInto is present exactly when the reason is merged', () => {
    for (const { archiveReason, mergedInto } of world.second.values())
      expect(mergedInto !== undefined).toBe(archiveReason === 'merged')
  })
  assertion('C30', 'mergedInto names an existing record', async () => {
    const merged = [...world.second.values()].filter(({ mergedInto }) => mergedInto !== undefined)
    expect(merged.length).toBeGreaterThan(0)
    for (const { mergedInto, id } of merged) {
      expect(mergedInto).not.toBe(id)
      const survivor = await world.request(`/v1/tenders/${mergedInto}`)
      expect([survivor.status, (survivor.json() as WireRecord).mergedInto]).toEqual([200, undefined])
    }
  })
  assertion('C33', 'a duplicate found later: the newer record is archived as merged, the older remains', () => {
    expect(was('twin').archiveReason).toBeUndefined()
    expect(is('twin')).toMatchObject({ status: 'merged', archiveReason: 'merged', mergedInto: world.idOf.get('kept') })
    expect(is('kept').archiveReason).toBeUndefined()
    expect(is('kept').originalSources.length).toBeGreaterThan(was('kept').originalSources.length)
  })
  const delta = () => world.list(`updated_since=${largest(world.first.values())}`)
  assertion('C34', 'the merged record comes with updated_since, without archived=true', async () => {
    expect((await delta()).find(({ id }) => id === world.idOf.get('twin'))).toMatchObject({
      mergedInto: world.idOf.get('kept'),
    })
  })
  assertion('C35', 'so do awarded and cancelled ones', async () => {
    const found = new Map((await delta()).map((record) => [record.id, record.archiveReason]))
    expect(
      ['awarded-later', 'cancelled-later', 'failed-later'].map((name) => found.get(world.idOf.get(name)!)),
    ).toEqual(['awarded', 'cancelled', 'cancelled'])
  })
  assertion('C100', 'a delta holds new matches', async () => {
    expect((await delta()).some(({ title }) => title === 'Fixture new-in-second')).toBe(true)
    expect((await world.list(`updated_since=${largest(world.first.values())}&nuts=FR1`)).map(({ id }) => id)).toContain(
      world.idOf.get('region-moves'),
    )
  })
  assertion('C101', 'changed records are delivered under the same id', async () => {
    expect((await delta()).find(({ id }) => id === world.idOf.get('changed'))?.title).toBe('Fixture changed, corrected')
  })
  assertion('C102', 'archived records are delivered with status and archiveReason', async () => {
    for (const record of await delta())
      if (record.archiveReason !== undefined) expect(typeof record.status).toBe('string')
    expect((await delta()).find(({ id }) => id === world.idOf.get('awarded-later'))).toMatchObject({
      status: 'awarded',
      archiveReason: 'awarded',
    })
  })
  assertion('C103', 'records with exactly the earlier largest time arrive again', async () => {
    const last = [...world.first.values()].find(({ lastModified }) => lastModified === largest(world.first.values()))!
    const again = (await delta())[0]!
    expect([again.id, again.lastModified]).toEqual([last.id, last.lastModified])
    expect(new Set((await delta()).map(({ id }) => id))).toEqual(
      new Set([
        last.id,
        ...[...world.second.values()].filter((record) => record.lastModified > last.lastModified).map(({ id }) => id),
      ]),
    )
  })
  assertion('C104', 'two delta runs without a publication between: only the last record again', async () => {
    const since = largest(world.second.values())
    for (let run = 0; run < 2; run++)
      expect((await world.list(`updated_since=${since}`)).map(({ lastModified }) => lastModified)).toEqual([since])
  })
  assertion('C105', 'a record that left the filter is absent from filtered results', async () => {
    const since = largest(world.first.values())
    expect((await world.list('nuts=DE212&cpv=92000000')).map(({ id }) => id)).not.toContain(
      world.idOf.get('region-moves'),
    )
    expect((await world.list(`nuts=DE212&updated_since=${since}`)).map(({ id }) => id)).not.toContain(
      world.idOf.get('region-moves'),
    )
  })
  assertion('C106', '… and present in unfiltered ones', async () => {
    expect((await delta()).find(({ id }) => id === world.idOf.get('region-moves'))?.nutsCodes).toEqual(['FR1'])
  })
  assertion('C109', 'a merged record is itself returned, with a canonical link', async () => {
    const answer = await world.request(`/v1/tenders/${world.idOf.get('twin')}`)
    expect((answer.json() as WireRecord).mergedInto).toBe(world.idOf.get('kept'))
    expect(answer.headers.link).toBe(`</v1/tenders/${world.idOf.get('kept')}>; rel="canonical"`)
  })
  assertion('C2', 'requests change nothing: the stock and its counts are the same after a mix of them', async () => {
    const status = async () => {
      const { documents, notices, rejections, tenders, edition, unpublished } = (
        await world.started.run('status')
      ).events.at(-1)!
      return { documents, notices, rejections, tenders, edition, unpublished }
    }
    const [before, counts] = [await world.state(), await status()]
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'GET'])
      for (const path of [
        '/v1/tenders',
        `/v1/tenders/${world.idOf.get('kept')}`,
        "/v1/tenders?cpv=');drop table tender;--",
        '/v1/tenders?limit=-1',
        '/v1/tokens',
      ])
        await world.request(path.replaceAll("'", '%27').replaceAll(' ', '%20'), {
          method,
          ...(method === 'POST' && { body: '{"id":"x"}', headers: { 'content-type': 'application/json' } }),
        })
    // A service writes everything pending when it stops, and no cache answers afterwards.
    await world.started.restart()
    world.base = world.started.api()
    expect(await world.state()).toEqual(before)
    expect(await status()).toEqual(counts)
  })

  assertion('D42', 'expired by the clock, and open again when a notice moves the deadline', async () => {
    expect(is('expires').status).toBe('open')
    await world.started.advance(4 * dayMs)
    expect((await world.started.publish()).code).toBe(0)
    const expired = await world.record('expires')
    expect(expired).toMatchObject({ status: 'closed', archiveReason: 'expired' })
    expect(expired.lastModified > largest(world.second.values())).toBe(true)
    expect((await world.list(`updated_since=${largest(world.second.values())}`)).map(({ id }) => id)).toContain(
      expired.id,
    )
    await world.started.ingest(fixtureFiles(thirdFixtures(world.times)))
    expect((await world.started.publish()).code).toBe(0)
    const reopened = await world.record('expires')
    expect([reopened.status, reopened.archiveReason, reopened.submissionDate]).toEqual([
      'open',
      undefined,
      world.times.deadline,
    ])
    expect(reopened.lastModified > expired.lastModified).toBe(true)
  })
}

/** Cursors over time and restarts. */
export function cursorAssertions(world: World): void {
  const begin = async () => (await world.page('archived=true&limit=5')).nextCursor!
  const follow = (cursor: string, token = world.token) =>
    world.request(`/v1/tenders?archived=true&limit=5&cursor=${cursor}`, { token })

  assertion('C54', 'a cursor works after a restart and with either token of the organisation', async () => {
    const cursor = await begin()
    const before = (await follow(cursor)).json() as { data: unknown }
    const created = await world.started.run('token', 'create', 'Conformance Ltd')
    const other = /tdr_(?:live|test)_[0-9A-Za-z]{36}/.exec(created.text)?.[0]
    expect(other, created.text).toBeDefined()
    expect(((await follow(cursor, other)).json() as { data: unknown }).data).toEqual(before.data)
    await world.started.restart()
    world.base = world.started.api()
    expect(((await follow(cursor)).json() as { data: unknown }).data).toEqual(before.data)
    expect(((await follow(cursor, other)).json() as { data: unknown }).data).toEqual(before.data)
    const foreign = await world.started.run('organization', 'create', 'Foreign Ltd', '--requests-per-minute', '1000')
    expect(foreign.code, foreign.text).toBe(0)
    const token = /tdr_(?:live|test)_[0-9A-Za-z]{36}/.exec(
      (await world.started.run('token', 'create', 'Foreign Ltd')).text,
    )![0]
    await world.expectProblem(await follow(cursor, token), 400, 'cursor-invalid')
  })
  assertion('C141', 'a cursor of before a new start of the program still works', async () => {
    const cursor = await begin()
    await world.started.restart()
    world.base = world.started.api()
    expect((await follow(cursor)).status).toBe(200)
  })
  assertion('C51', 'a cursor works for 24 hours', async () => {
    const cursor = await begin()
    await world.started.advance(dayMs - 30_000)
    expect((await follow(cursor)).status).toBe(200)
  })
  assertion('C52', '… and after that the answer says that it is older than 24 hours', async () => {
    const cursor = await begin()
    await world.started.advance(dayMs + 1)
    const problem = await world.expectProblem(await follow(cursor), 400, 'cursor-expired')
    expect(problem.detail).toMatch(/older than 24 hours/)
    expect(problem.instance).toBe('/v1/tenders')
  })
}
