// The page with all hits of a mail, over real HTTP.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { minuteMs } from '../../src/domain/time.ts'
import { addSearch, openDigestWorld } from '../digests/digest-world.ts'
import { openConsoleWorld } from './console-world.ts'

test('the hits of a mail are counted without those of a deleted search, and against the limit of pages', async () => {
  await using world = await openConsoleWorld('embedded')
  const digests = await openDigestWorld(world.store, world.now())
  await world.context.directory.refresh()
  const bridges = await addSearch(world.store, digests.organizationId, 'Bridges')
  const { cookie } = await world.person('anna@example.org', { memberOf: [[digests.organizationId, 'member']] })
  await digests.subscribe('anna@example.org')
  await digests.subscribe('anna@example.org', { search: 'Bridges' })
  for (const title of ['Road 1', 'Road 2']) await digests.addHit({ title })
  for (const title of ['Bridge 1', 'Bridge 2', 'Bridge 3']) await digests.addHit({ title }, bridges)
  await digests.endEdition()
  const read = () => world.get('/me/hits?after=0&to=9', cookie)

  expect(await (await read()).text()).toMatch(/1 to 5 of 5/)
  const { rows } = await sql<{ id: string }>`
    select search_id as id from saved_search where search_no = ${bridges}::integer`.execute(world.store.db)
  const deleted = { command: 'search delete', operands: [rows[0]!.id], options: { confirm: 'Bridges' } }
  expect(await world.command(deleted)).toMatchObject({ exitCode: 0 })
  const left = await (await read()).text()
  expect(left).toMatch(/1 to 2 of 2/)
  expect(left).not.toContain('Bridge')

  world.wait(10 * minuteMs)
  const statuses = []
  for (let count = 0; count < 61; count++) statuses.push((await read()).status)
  expect([statuses.indexOf(429), statuses.length]).toEqual([60, 61])
  expect((await world.get('/tenders', cookie)).status).toBe(429)
  expect(world.faults).toEqual([])
})
