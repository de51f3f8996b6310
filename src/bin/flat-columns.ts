// Copies the client's list of columns, and what makes rows of them, to src/export/flat: the client is a package of its own, and the
// service is installed without it. Run by `npm run generate`.
import { readFileSync, writeFileSync } from 'node:fs'

/** Files of the client that import nothing but each other. */
export const flatFiles = ['columns', 'flat-column', 'csv-line', 'parquet-column'] as const

const clientFile = (name: string) => new URL(`../../client/src/sinks/${name}.ts`, import.meta.url)
export const copiedFile = (name: string) => new URL(`../export/flat/${name}.ts`, import.meta.url)

/** The copy as it must be. */
export const flatCopy = (name: string): string =>
  `// Generated from client/src/sinks/${name}.ts by \`npm run generate\`: change it there.\n${readFileSync(clientFile(name), 'utf8')}`

if (process.argv[1] === import.meta.filename) {
  for (const name of flatFiles) writeFileSync(copiedFile(name), flatCopy(name))
  console.log(`src/export/flat written: ${flatFiles.join(', ')}`)
}
