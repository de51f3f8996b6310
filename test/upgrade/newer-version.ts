// The program of the next version: a copy of this one with a migration and a backfill of its own.
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The migrations of the newer version: a column, and long work after the start. */
const migration = `  '9998-planted': [
    'alter table published_tender add column planted integer',
    'create table planted (planted_id integer primary key)',
  ],
}
`
const backfill = `[{
  name: 'planted',
  statement: 'update published_tender set planted = 1 where tender_id in (select tender_id from published_tender where planted is null limit $1)',
}]`

/** Makes it in this folder, which must not exist, and returns the folder. */
export function makeNewerVersion(folder: string): string {
  for (const name of readdirSync(root)) {
    if (name.startsWith('.') || name === 'src') continue
    cpSync(join(root, 'package.json'), join(folder, 'package.json'))
    if (name !== 'package.json') symlinkSync(join(root, name), join(folder, name))
  }
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true })
  const path = join(folder, 'src/store/migrations.ts')
  const text = readFileSync(path, 'utf8')
  const patched = text
    .replace(/\}\n$/, migration)
    .replace('backfills: readonly Backfill[] = []', `backfills: readonly Backfill[] = ${backfill}`)
  if (!patched.includes('9998-planted') || !patched.includes('set planted = 1'))
    throw new Error('the migrations have another form than this helper expects')
  writeFileSync(path, patched)
  return folder
}
