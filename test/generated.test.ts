// What `npm run generate` writes from the code is committed as it writes it. The tests in `test/docs` compare the pages
// and the schema of events.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  generateMappingSchema,
  generateShapes,
  generateTypes,
  readContract,
  withColumns,
} from '../client/generate-types.ts'
import { singerSchema, withSchema } from '../integrations/generate-schemas.ts'
import { generatePythonContract } from '../python/generate-contract.ts'
import { bulkManifestText } from '../src/api/bulk/bulk-manifest.ts'
import { generateContract } from '../src/api/contract.ts'
import { withSinkList } from '../src/bin/sink-list.ts'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const contract = read('contract/openapi.json')

test('contract/openapi.json is what the routes, parameters, problems and the record say', async () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  expect((await generateContract(version)) === contract, 'it is stale; run: npm run generate').toBe(true)
})

test('contract/bulk-manifest.schema.json is what the manifest is', () => {
  expect(read('contract/bulk-manifest.schema.json') === bulkManifestText, 'it is stale; run: npm run generate').toBe(
    true,
  )
})

test('client/src/sinks/crm/http-mapping-schema.ts is what mappings/http-mapping.schema.json says', () => {
  const committed = read('client/src/sinks/crm/http-mapping-schema.ts')
  expect(generateMappingSchema() === committed, 'it is stale; run: npm run generate').toBe(true)
})

test.each([
  ['docs/sync/tender-sync.md', () => withSinkList(read('docs/sync/tender-sync.md'))],
  ['client/src/types.ts', () => generateTypes(readContract())],
  ['client/src/record-shapes.ts', () => generateShapes(readContract())],
  ['python/src/tender_sync/contract.py', () => generatePythonContract(readContract())],
  ['client/src/sinks/record/columns.ts', () => withColumns(read('client/src/sinks/record/columns.ts'), readContract())],
  ['integrations/airbyte/manifest.yaml', () => withSchema(read('integrations/airbyte/manifest.yaml'), contract)],
  ['integrations/singer/tenders.schema.json', () => singerSchema(contract)],
])('%s is what the contract and the pages of sinks say', (path, made) => {
  expect(made() === read(path), 'it is stale; run: npm run generate').toBe(true)
})

test('the client of Python has the version of the other one', () => {
  const { version } = JSON.parse(read('client/package.json')) as { version: string }
  expect(read('python/pyproject.toml')).toContain(`version = "${version}"`)
  expect(read('python/src/tender_sync/client.py')).toContain(`VERSION = "${version}"`)
})
