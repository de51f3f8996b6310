import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { TenderClient } from '../tender-client.ts'
import { bulkPages } from './bulk-pages.ts'

test('the list is used where every link of four manifests is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bulk-pages-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const counts = { manifests: 0, files: 0 }
  const file = { url: '../files/x?link=secret', sha256: 'a'.repeat(64), bytes: 1, rows: 1, format: 'ndjson' }
  const pages = bulkPages({
    client: {
      json: async () => {
        counts.manifests++
        return { schema: 1, edition: 1, lastModified: '', records: 1, files: [{ ...file, table: 'tenders' }] }
      },
    } as unknown as TenderClient,
    baseUrl: 'https://api.test.example',
    folder,
    sleep: async () => {},
    fetch: async () => {
      counts.files++
      return new Response('', { status: 403 })
    },
  })
  expect(await pages.open(undefined)).toBe(false)
  expect([counts, pages.refusal()]).toEqual([{ manifests: 4, files: 4 }, 'the link is answered 403'])
  expect(await pages.page(undefined, false)).toBeUndefined()
})
