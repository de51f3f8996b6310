// Reads the files of a list with our parser, one at a time as the service does. With --warm it reads them twice and
// prints the CPU seconds of the second reading.
// Run: node bench/parse-documents.ts LIST [--warm]
import { readFileSync } from 'node:fs'
import { parseDocument } from '../src/sources/parse-document.ts'

const files = readFileSync(process.argv[2]!, 'utf8').split('\n')
const counts = { notices: 0, rejections: 0 }
function readAll(): void {
  for (const file of files)
    for (const part of parseDocument(readFileSync(file))) counts['notice' in part ? 'notices' : 'rejections']++
}
readAll()
const before = process.cpuUsage()
if (process.argv.includes('--warm')) readAll()
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify({ ...counts, warmSeconds: (user + system) / 1e6 }))
