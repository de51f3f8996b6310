// How many notices of the corpus ask for each code of CPV, codes below included: what the picker of codes ranks by.
// Counts only, no text. node quality/count-calls.ts CORPUS
import { writeFileSync } from 'node:fs'
import { foldedNames } from '../src/domain/code-labels.ts'
import { readNotices } from './corpus-notices.ts'

/** The digits that a code has in common with those below it. */
const digitsOf = (code: string): string => code.slice(0, Math.max(2, code.replace(/0+$/, '').length))

const counts = new Map<string, number>()
let notices = 0
for await (const { notices: read } of readNotices(process.argv[2]!))
  for (const { cpvCodes, lots } of read) {
    notices++
    const codes = new Set([...cpvCodes, ...lots.flatMap((lot) => lot.cpvCodes)])
    const digits = new Set([...codes].flatMap((code) => [2, 3, 4, 5, 6, 7, 8].map((length) => code.slice(0, length))))
    for (const each of digits) counts.set(each, (counts.get(each) ?? 0) + 1)
  }
const listed = [...foldedNames('cpv')].map(({ code }) => digitsOf(code)).filter((digits) => counts.has(digits))
const lines = [...new Set(listed)].sort().map((digits) => `${digits} ${counts.get(digits)}`)
const file = new URL('../src/domain/data/cpv-calls.txt', import.meta.url)
writeFileSync(file, `${notices}\n${lines.join('\n')}\n`)
console.log(`${notices} notices, ${lines.length} codes`)
