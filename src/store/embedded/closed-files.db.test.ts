// The engine sets the rights of its files itself, and knows no umask.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { openEntries } from '#flat/files/own-files'
import { collected } from '../../../test/testing/collected.ts'
import { openStore } from '../database/database.ts'

test('no file of the engine is open to others, whether it is copied, created or written later', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'tenderstock-closed-'))
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }))
  const store = await openStore({ dataFolder })
  // new relations, their maps and forks, segments of the log, and the files of a checkpoint
  await sql`create table grown as select n, repeat('x', 1000) as text from generate_series(1, 30000) as n`.execute(
    store.db,
  )
  await sql`create index on grown (n)`.execute(store.db)
  await sql`vacuum analyze grown`.execute(store.db)
  await sql`checkpoint`.execute(store.db)
  const found = await collected(openEntries(join(dataFolder, 'database'), { entersClosed: true }))
  await store.close()
  expect(found).toEqual([])
})
