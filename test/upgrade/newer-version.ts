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
const backfill = `{
  name: 'planted',
  change: async (trx, limit) => {
    const { numAffectedRows } = await sql\`update published_tender set planted = 1 where tender_id in
      (select tender_id from published_tender where planted is null limit \${limit})\`.execute(trx)
    return Number(numAffectedRows)
  },
}`

/** Makes it in this folder, which must not exist, and returns the folder. */
export function makeNewerVersion(folder: string): string {
  for (const name of readdirSync(root)) {
    if (name.startsWith('.') || name === 'src') continue
    cpSync(join(root, 'package.json'), join(folder, 'package.json'))
    if (name !== 'package.json') symlinkSync(join(root, name), join(folder, name))
  }
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true })
  patch(join(folder, 'src/store/schema/migrations.ts'), /\}\n$/, () => migration)
  patch(
    join(folder, 'src/store/upkeep/backfill.ts'),
    /(const backfills: .* = \[)(.*)\]/,
    (_all, start, others) => `${start}${others}, ${backfill}]`,
  )
  return folder
}

function patch(path: string, shape: RegExp, replacement: (...parts: string[]) => string): void {
  const text = readFileSync(path, 'utf8')
  if (!shape.test(text)) throw new Error(`${path} has another form than this helper expects`)
  writeFileSync(path, text.replace(shape, replacement))
}
