// Writes contract/openapi.json from the routes, and the schema of the manifest of files. Run it after every change of a
// route, a parameter, a problem or the record.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { bulkManifestText } from '../api/bulk/bulk-manifest.ts'
import { generateContract } from '../api/contract.ts'
import { contractFile } from '../api/contract-text.ts'

/** The schema of the manifest of files. */
const bulkManifestFile = new URL('bulk-manifest.schema.json', contractFile)

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}
mkdirSync(new URL('.', contractFile), { recursive: true })
writeFileSync(contractFile, await generateContract(version))
writeFileSync(bulkManifestFile, bulkManifestText)
console.log('contract/openapi.json and bulk-manifest.schema.json written')
