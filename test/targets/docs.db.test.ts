// The pages about sinks: their SQL runs, their links lead somewhere, and the reference names every member of a mapping.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { mappingSchema } from '../../client/src/sinks/crm/http-mapping-schema.ts'
import type { Schema } from '../../client/src/sinks/faults/schema-faults.ts'
import { openPostgresSink } from '../../client/src/sinks/postgres-sink.ts'
import { generateTender } from '../testing/generate/stock.ts'

const folder = join(import.meta.dirname, '../../docs/sync/sinks')
const page = (name: string): string => readFileSync(join(folder, name), 'utf8')
const connectionString = process.env.TEST_DATABASE_URL
if (!connectionString) console.log('skipped: the SQL of the docs (no TEST_DATABASE_URL)')

test.each(['postgres.md', 'crm.md'])('%s has no dead link into the project', (name) => {
  for (const [, target] of page(name).matchAll(/\]\(([^)#:]+?)(?:#[^)]*)?\)/g))
    expect(existsSync(join(folder, target!)), target).toBe(true)
})

test('the mapping reference names every member that a mapping may have', () => {
  const text = page('crm.md')
  const walk = (schema: Schema): string[] => [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [name, ...walk(inner)]),
    ...(schema.items ? walk(schema.items) : []),
    ...Object.values(schema.$defs ?? {}).flatMap(walk),
  ]
  const names = [...new Set(walk(mappingSchema))].filter((name) => name !== '$schema')
  expect(names.length).toBeGreaterThan(40)
  expect(names.filter((name) => !new RegExp(`\`"?${name}"?\``).test(text))).toEqual([])
})

test('the properties in the documentation are those that the mappings fill', () => {
  const text = page('crm.md')
  for (const name of ['hubspot-deals', 'salesforce']) {
    const mapping = JSON.parse(readFileSync(new URL(`../../client/mappings/${name}.json`, import.meta.url), 'utf8'))
    const own = (mapping.fields as { to: string }[]).map(({ to }) => to).filter((to) => /^tenderstock_|__c$/.test(to))
    expect(own.length).toBeGreaterThan(10)
    expect(own.filter((to) => !text.includes(`\`${to}\``))).toEqual([])
  }
})

describe.skipIf(!connectionString)('the SQL of postgres.md', () => {
  test('answers every question on a filled copy', async () => {
    const schema = `docs_${process.pid}`
    const sink = openPostgresSink({ connectionString: connectionString!, schema })
    const now = Date.now()
    const records = Array.from({ length: 300 }, (_, index) => {
      const tender = generateTender({ seed: 3, count: 300, now, size: 'small' }, index)
      const [first, ...others] = tender.lots
      const isAwarded = tender.status === 'awarded' && first !== undefined
      return {
        ...tender,
        lastModified: new Date(now + index).toISOString(),
        checkedAt: new Date(now).toISOString(),
        ...(isAwarded && {
          lots: [
            {
              ...first,
              status: 'awarded',
              winners: [{ name: 'Winner & Co' }],
              awardedAmount: { value: 5, currency: 'EUR' },
            },
            ...others,
          ],
        }),
      }
    })
    await sink.begin({ kind: 'first', filterHash: 'f', resumed: false, keepArchived: true })
    await sink.upsert(records)
    await sink.commit({ schema: 1, filterHash: 'f' }, 'run')
    await sink.end()
    const client = new pg.Client({ connectionString })
    await client.connect()
    try {
      const queries = [...page('postgres.md').matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql]) => sql!)
      expect(queries.length).toBeGreaterThanOrEqual(5)
      for (const sql of queries) {
        const { rows } = await client.query(sql.replaceAll('tenderstock.', `${schema}.`))
        expect(rows.length, sql).toBeGreaterThan(0)
      }
    } finally {
      await client.query(`drop schema ${schema} cascade`)
      await client.end()
    }
  })
})
