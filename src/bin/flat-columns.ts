// Copies the client's list of columns, and what makes rows of them, to src/export/flat: the client is a package of its
// own, and the service is installed without it. Run by `npm run generate`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files of the client that import nothing but each other. */
export const flatFiles = ['columns', 'flat-column', 'csv-line', 'parquet-column'] as const

const root = join(import.meta.dirname, '../..')
const clientFile = (name: string) => join(root, 'client/src/sinks', `${name}.ts`)
export const copiedFile = (name: string) => join(root, 'src/export/flat', `${name}.ts`)

/** The copy as it must be. */
export const flatCopy = (name: string): string =>
  `// Generated from client/src/sinks/${name}.ts by \`npm run generate\`: change it there.\n${readFileSync(clientFile(name), 'utf8')}`

if (process.argv[1] === import.meta.filename) {
  for (const name of flatFiles) writeFileSync(copiedFile(name), flatCopy(name))
  console.log(`src/export/flat written: ${flatFiles.join(', ')}`)
}
