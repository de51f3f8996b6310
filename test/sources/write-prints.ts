// Writes source-prints.json. Run by `npm run generate`.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { isNewlyRaised, makePrints, type Prints, printsFile, readPrints, withNewSources } from './source-prints.ts'

/** Those of the newest commit; undefined outside a clone. */
function committedPrints(): Prints | undefined {
  try {
    return JSON.parse(
      execFileSync('git', ['show', 'HEAD:./source-prints.json'], {
        cwd: import.meta.dirname,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    )
  } catch {
    return undefined
  }
}

const made = await makePrints()
const { sources } = isNewlyRaised(committedPrints(), made) ? made : withNewSources(readPrints(), made)
const lines = Object.entries(sources).map(([id, { parsed, written }]) => {
  const members = [`"parsed": "${parsed}"`, ...(written === undefined ? [] : [`"written": "${written}"`])]
  return `    "${id}": { ${members.join(', ')} }`
})
writeFileSync(
  printsFile,
  `{\n  "parserVersion": ${made.parserVersion},\n  "sources": {\n${lines.join(',\n')}\n  }\n}\n`,
)
console.log('test/sources/source-prints.json written')
