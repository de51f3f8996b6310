// What organizations used by month, at both ends of months and of what is kept.
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openDigestWorld } from '../../../test/digests/digest-world.ts'
import { drawnEngines, openTestStore } from '../../../test/world.ts'
import { csvOf } from '../../domain/plain-text.ts'
import { hourMs } from '../../domain/time.ts'
import { systemRandom } from '../../platform/random.ts'
import { inTransaction } from '../database/database.ts'
import { pruneDeliveries } from '../hits/deliveries.ts'
import { deleteSearch } from '../hits/removals.ts'
import { addApiUse, allTokens, listApiUse } from '../people/api-use.ts'
import { createOrganization } from '../people/organizations.ts'
import { listMonthUse, monthUseColumns } from './month-use.ts'

describe.each(drawnEngines)('use by month (%s)', (engine) => {
  test('has each request, hit and delivery in the month in which it was, in UTC, and no month before the organization', async () => {
    await using store = await openTestStore(engine)
    const { db } = store
    const at = (text: string) => Date.parse(`2026-${text}:00Z`)
    const world = await openDigestWorld(store)
    const { organizationId } = world
    await sql`update organization set created_at = ${at('10-15T12:00')}`.execute(db)
    const created = { now: at('11-30T23:59'), random: systemRandom }
    await createOrganization(db, { name: '=Bell, "Inc"' }, created)

    for (const [hour, answered, refused, read] of [
      // a node of the version before counts no records
      ['10-31T23:00', 3, 1, {}],
      ['11-01T00:00', 5, 0, { records: 500, bytes: 3_000_000_000 }],
      ['11-01T00:00', 0, 0, {}],
      ['11-01T00:00', 0, 0, { records: 1, bytes: 1 }],
      ['11-30T10:00', 7, 2, { records: 7, bytes: 70 }],
    ] as const)
      await addApiUse(db, at(hour), [
        { organizationId, tokenId: allTokens, answered, refused, ...read },
        { organizationId, tokenId: 'one', answered, refused, ...read },
      ])
    for (const madeAt of [
      at('11-01T00:00') - 1,
      at('11-01T00:00'),
      at('11-30T10:00'),
      at('01-01T00:00') - 400 * 24 * hourMs,
    ])
      await sql`update hit set made_at = ${madeAt} where hit_id = ${await world.addHit()}`.execute(db)
    const { rows } = await sql<{ no: number }>`
      insert into webhook_endpoint (endpoint_id, organization_id, address, description, from_edition, kinds, searches,
        requests_per_second, created_at)
      values ('e', ${organizationId}, 'https://x.example', '', 1, '[]', null, 1, 0) returning endpoint_no as no`.execute(
      db,
    )
    for (const [id, state, hit, endedAt] of [
      ['before', 'delivered', 'h', at('11-01T00:00') - 1],
      ['first', 'delivered', 'h', at('11-01T00:00')],
      ['second', 'delivered', 'h', at('11-30T10:00')],
      ['lost', 'given-up', 'h', at('11-30T10:00')],
      ['a test', 'delivered', null, at('11-30T10:00')],
    ] as const)
      await sql`
        insert into delivery (message_id, endpoint_no, kind, hit_id, state, due_at, created_at, ended_at)
        values (${id}, ${rows[0]!.no}::integer, 'hit.created', ${hit}, ${state}, 0, 0, ${endedAt})`.execute(db)

    const months = await listMonthUse(db, at('11-30T23:59'))
    const acme = { organizationId, organization: 'Acme' }
    expect(months).toEqual([
      {
        ...months[0]!,
        organization: '=Bell, "Inc"',
        month: '2026-11',
        answered: 0,
        refused: 0,
        records: null,
        bytes: null,
        searches: 0,
        hits: 0,
        deliveries: 0,
      },
      // some of its deliveries may be gone
      {
        ...acme,
        month: '2026-10',
        answered: 3,
        refused: 1,
        records: null,
        bytes: null,
        searches: 1,
        hits: 1,
        deliveries: null,
      },
      {
        ...acme,
        month: '2026-11',
        answered: 12,
        refused: 2,
        records: 508,
        bytes: 3_000_000_071,
        searches: 1,
        hits: 2,
        deliveries: 2,
      },
    ])
    expect(Object.keys(months[0]!)).toEqual(monthUseColumns)
    expect(csvOf(monthUseColumns, months).split('\r\n')).toEqual([
      'organizationId,organization,month,answered,refused,records,bytes,searches,hits,deliveries',
      `${months[0]!.organizationId},"'=Bell, ""Inc""",2026-11,0,0,,,0,0,0`,
      `${organizationId},Acme,2026-10,3,1,,,1,1,`,
      `${organizationId},Acme,2026-11,12,2,508,3000000071,1,2,2`,
      '',
    ])

    // deleted deliveries stay counted, in whatever number of rounds, by time and with their search
    const deliveries = async (now: string) => {
      const own = (await listMonthUse(db, at(now))).filter(({ organization }) => organization === 'Acme')
      return own.map((each) => `${each.month} ${each.deliveries}`)
    }
    expect(await pruneDeliveries(db, at('11-30T23:58'), 9)).toBe(false)
    expect(await pruneDeliveries(db, at('12-01T00:01'), 1)).toBe(true)
    expect(await deliveries('12-01T00:01')).toEqual(['2026-10 null', '2026-11 2', '2026-12 0'])
    await sql`update delivery set hit_id = (select min(hit_id) from hit) where message_id = 'second'`.execute(db)
    const search = { searchNo: world.searchNo, searchId: 's', organizationId }
    await inTransaction(store, (trx) => deleteSearch(trx, search, at('12-01T00:02')))
    expect(await deliveries('12-01T00:02')).toEqual(['2026-10 null', '2026-11 2', '2026-12 0'])
    for (const more of [true, true, true, false]) expect(await pruneDeliveries(db, at('12-31T00:01'), 1)).toBe(more)
    expect((await sql`select from delivery`.execute(db)).rows).toEqual([])
    expect(await deliveries('12-31T00:01')).toEqual(['2026-10 null', '2026-11 2', '2026-12 0'])
    expect(await pruneDeliveries(db, at('12-31T00:02'), 1)).toBe(false)
    // an hour without a request is none of use
    expect(await listApiUse(db, organizationId, 0)).toHaveLength(3)
  })
})
