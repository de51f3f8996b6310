// Writes the list of sinks in docs/sync/tender-sync.md from their pages. Run by `npm run generate`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { withTable } from './source-table.ts'

const folder = new URL('../../docs/sync/sinks/', import.meta.url)
export const syncPage = new URL('../tender-sync.md', folder)

/** Returns the page of `tender-sync` with a link to each page of sinks, by its title. Throws if it has no marks. */
export function withSinkList(page: string): string {
  const links = readdirSync(folder)
    .sort()
    .map((name) => `- [${readFileSync(new URL(name, folder), 'utf8').split('\n', 1)[0]!.slice(2)}](sinks/${name})`)
  return withTable(page, links.join('\n'))
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(syncPage, withSinkList(readFileSync(syncPage, 'utf8')))
  console.log('docs/sync/tender-sync.md written')
}
