// Writes contract/openapi.json from the routes. Run it after every change of a route, a parameter, a problem or the
// record.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { generateContract } from '../api/contract.ts'
import { contractFile } from '../api/contract-text.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}
mkdirSync(new URL('.', contractFile), { recursive: true })
writeFileSync(contractFile, await generateContract(version))
console.log('contract/openapi.json written')
