// What the documentation shows is true: commands of the guides, examples of the reference and figures of the fields, on
// the sample stock. RECORD_DOCS=1 writes the outputs of the commands into the guides.
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tenderRecordSchema } from '../../src/domain/tender.ts'
import { drawnEngines } from '../world.ts'
import { type ExamplesWorld, openExamplesWorld } from './examples-world.ts'

const isRecording = process.env.RECORD_DOCS === '1'
const runnable = /<!-- run -->\n```sh\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g

const plain = (markup: string): string =>
  markup
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** The codes of a page by their ids. */
const codesOf = (page: string): Map<string, string> =>
  new Map([...page.matchAll(/<code id="([\w-]+)">([\s\S]*?)<\/code>/g)].map(([, id, code]) => [id!, plain(code!)]))

describe.each(drawnEngines)('the documentation of the sample stock (%s)', (engine) => {
  let world: ExamplesWorld
  beforeAll(async () => {
    world = await openExamplesWorld(engine)
  }, 300_000)
  afterAll(async () => {
    expect(world.console.faults).toEqual([])
    await world[Symbol.asyncDispose]()
  })

  const pageText = async (path: string): Promise<string> => (await world.console.get(path)).text()

  /** All records of the edition, through the API. */
  async function records(): Promise<Record<string, unknown>[]> {
    const all: Record<string, unknown>[] = []
    for (let cursor = ''; ; ) {
      const answer = await world.api.get(`/v1/tenders?archived=true&limit=100${cursor}`)
      const page = (await answer.json()) as { data: Record<string, unknown>[]; nextCursor: string | null }
      all.push(...page.data)
      if (page.nextCursor === null) return all
      cursor = `&cursor=${page.nextCursor}`
    }
  }

  test.each([
    ['quick-start', 4],
    ['cookbook', 12],
  ])('%s shows what its commands print', { timeout: 120_000 }, async (name, atLeast) => {
    const path = new URL(`../../docs/${name}.md`, import.meta.url)
    let text = readFileSync(path, 'utf8')
    const blocks = [...text.matchAll(runnable)] as unknown as [whole: string, block: string, recorded: string][]
    expect(blocks.length).toBeGreaterThanOrEqual(atLeast)
    for (const [whole, block, recorded] of blocks) {
      const printed = await world.runShell(block)
      expect(printed, block).not.toBe('')
      if (isRecording)
        text = text.replace(whole, () => whole.replace(`\`\`\`text\n${recorded}`, () => `\`\`\`text\n${printed}`))
      else expect(printed, block).toBe(recorded)
    }
    if (isRecording) writeFileSync(path, text)
  })

  test('the examples of the reference run as the pages show them', { timeout: 60_000 }, async () => {
    const works = (await records()).filter(({ cpvCodes, lots }) =>
      [...(cpvCodes as string[]), ...(lots as { cpvCodes: string[] }[]).flatMap((lot) => lot.cpvCodes)].some((code) =>
        code.startsWith('45'),
      ),
    )
    const list = codesOf(await pageText('/docs/reference/list'))
    expect(JSON.parse(await world.runShell(list.get('example-curl')!)).data).toHaveLength(Math.min(100, works.length))
    for (const kind of ['typescript', 'python'] as const)
      expect(await world.runProgram(kind, list.get(`example-${kind}`)!)).toBe(`${works.length} tenders\n`)
    const record = codesOf(await pageText('/docs/reference/record'))
    const { id, title } = JSON.parse(await world.runShell(record.get('example-curl')!)) as { id: string; title: string }
    expect(record.get('example-curl')).toContain(id)
    for (const kind of ['typescript', 'python'] as const)
      expect(await world.runProgram(kind, record.get(`example-${kind}`)!)).toContain(title)
  })

  test('the fields are those of the schema, with the fill rates of a plain count and values that occur', async () => {
    const all = await records()
    let page = await pageText('/docs/fields')
    for (let tries = 0; page.includes('http-equiv="refresh"') && tries < 100; tries++) {
      await new Promise((done) => setTimeout(done, 200))
      page = await pageText('/docs/fields')
    }
    expect(page).toContain(`edition 1 of 2 Nov 2026, 08:00, ${all.length} records`)
    const section = page.split('<h2 id="record"')[1]!.split('<h2 ')[0]!
    const rows = [...section.matchAll(/<tr><th scope="row"><code id="(\w+)"[^>]*>[\s\S]*?<\/tr>/g)]
    expect(rows.map(([, name]) => name)).toEqual(Object.keys(tenderRecordSchema.properties))
    const percent = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 })
    for (const [row, name] of rows) {
      const values = all.map((each) => each[name!]).filter((value) => value !== undefined && value !== null)
      const filled = values.filter((value) => !(Array.isArray(value) && value.length === 0)).length
      expect([name, plain(/<span class="num">(.*?)<\/span>/.exec(row)![1]!)]).toEqual([
        name,
        percent.format(filled / all.length),
      ])
      const shown = /<code><bdi>([\s\S]*?)<\/bdi>/.exec(row)?.[1]
      if (shown !== undefined)
        expect(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))).toContain(
          plain(shown),
        )
    }
    const lots = all.flatMap((each) => each['lots'] as Record<string, unknown>[])
    const lotTitles = lots.filter(({ title }) => title !== undefined).length / lots.length
    expect(page.split('id="lot.title"')[1]!.split('</tr>')[0]).toContain(percent.format(lotTitles))
    const ofTed = all.filter((each) =>
      (each['originalSources'] as { publisher: string }[]).some(({ publisher }) => publisher === 'ted'),
    )
    const described = ofTed.filter(({ description }) => description !== undefined).length / ofTed.length
    const tedPage = await pageText('/docs/fields?source=ted')
    expect(tedPage.split('<code id="description"')[1]!.split('</tr>')[0]).toContain(percent.format(described))
  })

  test('the first page has the figures of the edition', async () => {
    const page = plain(await pageText('/'))
    expect(page).toContain(String((await records()).length))
    expect(page).toContain('08:00 UTC')
    expect(page).toMatch(/Portals read\s*8/)
  })
})
