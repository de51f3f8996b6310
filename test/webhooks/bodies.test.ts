// The bodies of webhooks, held against the contract by a validator that is not ours.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import type { TenderRecord } from '../../src/domain/tender.ts'
import type { CompanyProfile } from '../../src/hits/company-profile.ts'
import { readFitModel } from '../../src/hits/fit/fit-model.ts'
import { loadSearches } from '../../src/hits/match-records.ts'
import { hitBody, testBody } from '../../src/webhooks/hit-body.ts'
import { generateSearches } from '../testing/generate/searches.ts'
import { generateTender } from '../testing/generate/stock.ts'

const at = Date.parse('2026-11-22T06:00:00.000Z')
const instant = new Date(at).toISOString()
const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema(
  JSON.parse(readFileSync(new URL('../../contract/openapi.json', import.meta.url), 'utf8')) as object,
  'contract',
)

/** What the contract says of `type` in its `webhooks`. An unknown member of `fit` is a fault: nothing documents it. */
function faultsOf(body: string): string {
  const event = JSON.parse(body) as { readonly type: string; readonly data: { readonly fit?: object } }
  const { type, data } = event
  const path = `contract#/webhooks/${type}/post/requestBody/content/application~1json/schema`
  const validate = ajv.getSchema(path)
  if (!validate) return `the contract has no message ${type}`
  const fit = ajv.getSchema('contract#/components/schemas/HitEvent/properties/data/properties/fit')!.schema as {
    readonly properties: object
  }
  const unknown = Object.keys(data.fit ?? {}).filter((name) => !(name in fit.properties))
  return validate(event) ? unknown.join(', ') : ajv.errorsText(validate.errors)
}

const records: TenderRecord[] = Array.from({ length: 300 }, (_, index) => {
  const { archiveReason: _reason, ...content } = generateTender({ seed: 8, count: 300, now: at }, index)
  return { ...content, lastModified: instant, checkedAt: instant }
})
const profileId = randomUUID()
const profile: CompanyProfile = { cpv: ['45000000'], words: ['bau'], nuts: ['DE'], pastAuthorities: ['Stadt'] }

const matches = (() => {
  const searches = generateSearches(records, { seed: 9, count: 200, style: 'mixed', threshold: 1 })
  const owned = searches.map((search, index) => ({ ...search, profileId: index % 2 === 0 ? profileId : null }))
  const wins = [JSON.stringify(records[0])]
  return loadSearches(owned, [{ profileId, profile, wins }], readFitModel()).match(
    records.map((record) => JSON.stringify(record)),
    at,
  )
})()

test('every message is what the contract says', () => {
  const found = matches.slice(0, 600)
  expect(found.length).toBeGreaterThan(500)
  expect(new Set(found.map(({ fit }) => fit.profile)).size).toBe(2)
  const byId = new Map(records.map((record) => [record.id, record]))
  const faults = found.flatMap(({ tenderId, fitScore, fit, matched }) => {
    const common = {
      at,
      hitId: randomUUID(),
      edition: 1,
      fitScore,
      tender: JSON.stringify(byId.get(tenderId)),
      fit: JSON.stringify(fit),
      matched: JSON.stringify(matched),
      search: { id: randomUUID(), name: 'Straßen', version: 1 },
    }
    return [
      hitBody({ kind: 'search.hit', ...common }),
      hitBody({ kind: 'search.hit.changed', ...common, changes: '["closed","merged"]', mergedInto: randomUUID() }),
    ].flatMap((body) => faultsOf(body) || [])
  })
  expect([...new Set(faults)]).toEqual([])
  expect(faultsOf(testBody(at, randomUUID()))).toBe('')
})

test('a record that was shortened is still what the contract says', () => {
  const [match] = matches
  const { fitScore, fit, matched } = match!
  const text = 'x'.repeat(300 * 1024)
  const record = records.find(({ lots }) => lots.length > 0)!
  const [source] = record.originalSources
  for (const tender of [
    { ...record, lots: record.lots.map((lot) => ({ ...lot, description: text })) },
    { ...record, lots: record.lots.map((lot) => ({ ...lot, title: text })) },
    { ...record, translations: { fr: { title: text } } },
    { ...record, originalSources: [{ ...source!, url: `https://example.org/${text}` }] },
    { ...record, description: text },
  ]) {
    const search = { id: randomUUID(), name: 'Straßen', version: 1 }
    const body = hitBody({
      kind: 'search.hit',
      at,
      hitId: randomUUID(),
      edition: 1,
      search,
      fitScore,
      fit: JSON.stringify(fit),
      matched: JSON.stringify(matched),
      tender: JSON.stringify(tender),
    })
    expect(body).toContain('"truncated":["lots.description"')
    expect(faultsOf(body)).toBe('')
  }
})
