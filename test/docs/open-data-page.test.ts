// The queries of docs/open-data.md answer on the sample stock what the page says. RECORD_DOCS=1 writes the answers into the page.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { publish } from '../../src/publish/publish.ts'
import { duckRows, type Row } from '../files/independent-programs.ts'
import { runOperation, serviceContext } from '../operations-world.ts'
import { openTestStore } from '../world.ts'
import { fillSampleStock, sampleHour } from './sample-stock.ts'

const page = new URL('../../docs/open-data.md', import.meta.url)
const question = /```sql\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```\n)?/g

/** Columns side by side, as a terminal shows them. */
function tableOf(rows: readonly Row[]): string {
  const names = Object.keys(rows[0]!)
  const cells = [names, ...rows.map((row) => names.map((name) => (row[name] === null ? '' : String(row[name]))))]
  const widths = names.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  return cells.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ').trimEnd()}\n`).join('')
}

test('the ten questions are answered as the page shows', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-open-data-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await using store = await openTestStore('embedded')
  await fillSampleStock(store, folder)
  await publish(store, { now: sampleHour, minIntervalMs: 0 })
  const out = join(folder, 'export')
  const options = { format: 'parquet', out, 'ocid-prefix': 'ocds-000000' }
  await runOperation(
    serviceContext({ store, dataFolder: folder }),
    { command: 'edition export', operands: [], options },
    () => {},
  )
  let text = await readFile(page, 'utf8')
  const questions = [...text.matchAll(question)] as unknown as [whole: string, query: string, answer: string | undefined][]
  expect(questions).toHaveLength(10)
  for (const [whole, query, answer] of questions) {
    const table = tableOf(await duckRows(query.replaceAll("'export/", `'${out}/`)))
    if (process.env['RECORD_DOCS'] === '1')
      text = text.replace(whole, () => `\`\`\`sql\n${query}\`\`\`\n\n\`\`\`text\n${table}\`\`\`\n`)
    else expect(table, query).toBe(answer)
  }
  if (process.env['RECORD_DOCS'] === '1') await writeFile(page, text)
})
