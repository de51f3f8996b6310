// Writes docs/error-codes.md from the table of codes. Run by `npm run generate`.
import { writeFileSync } from 'node:fs'
import { type ErrorCode, errorCodes, exitCodeOf, meaningOf } from '../platform/error-codes.ts'

export const errorCodesPage = new URL('../../docs/error-codes.md', import.meta.url)

/** Returns the page of all codes: those of one meaning share a line. */
export function errorCodesText(): string {
  const sections = [...Map.groupBy(errorCodes, exitCodeOf)].map(
    ([exitCode, codes]) => `## Exit code ${exitCode}

${[...Map.groupBy(codes, meaningOf)].map(([meaning, same]) => `- ${same.map(named).join(', ')}: ${meaning}`).join('\n')}
`,
  )
  return `# Error codes

A command that fails prints a sentence, and after it one of these codes in brackets; with \`--json\` it is the member
\`code\` of the \`error\` event. A code keeps its meaning and its [exit code](operations.md#exit-codes); new ones are added.
Made by \`npm run generate\` from the table in the code.

${sections.join('\n')}`
}

const named = (code: ErrorCode): string => `\`${code}\``

if (process.argv[1] === import.meta.filename) {
  writeFileSync(errorCodesPage, errorCodesText())
  console.log('docs/error-codes.md written')
}
