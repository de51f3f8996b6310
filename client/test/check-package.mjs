// Prints what publint and attw find in a packed package, as JSON. Usage: node check-package.mjs ARCHIVE ENTRY…
import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

const [archive, ...entrypoints] = process.argv.slice(2)
const bytes = new Uint8Array(readFileSync(archive))
const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true })
// attw looks at what a pattern matches only if it is named
const { types, problems = [] } = await checkPackage(createPackageFromTarballData(bytes), { entrypoints })
const found = {
  publint: messages.map((message) => formatMessage(message, pkg)),
  attw: problems.map(({ kind, entrypoint, resolutionKind }) => [kind, entrypoint, resolutionKind].join(' ')),
  hasTypes: types !== false,
}
process.stdout.write(JSON.stringify(found))
