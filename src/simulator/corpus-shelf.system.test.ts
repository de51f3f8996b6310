// Real notices through the portals' protocols: the answers hold the stored notices byte for byte.
import { existsSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import { afterAll, describe, expect, test } from 'vitest'
import { loadSources } from '../sources/registry.ts'
import { type CorpusShelf, corpusShelf } from './corpus-shelf.ts'
import { type Simulator, startSimulator } from './start-simulator.ts'

const folder = new URL('../../../shared/corpus', import.meta.url).pathname
const isThere = existsSync(folder)
const now = Date.UTC(2026, 10, 21)
let simulator: Simulator | undefined
afterAll(() => simulator?.close())

describe.skipIf(!isThere)('the corpus on a shelf', () => {
  let shelf: CorpusShelf
  const open = async () => {
    if (simulator) return simulator
    shelf = await corpusShelf(folder)
    const sources = await loadSources()
    simulator = await startSimulator({
      sources: shelf.sourceIds.flatMap((id) => sources.get(id) ?? []),
      shelf,
      clock: () => now,
      seed: 'corpus',
    })
    return simulator
  }
  const agent = { headers: { 'user-agent': 'Mozilla/5.0 (compatible; test/1; +https://portal.example)' } }
  const get = async (url: string) => fetch((await open()).route(new URL(url)), agent)

  test('holds TED, the federal portal, Doffin, simap, CODICE and OCDS of four publishers at least', async () => {
    const counts = Object.fromEntries(
      (await open().then(() => shelf)).sourceIds.map((id) => [id, simulator!.published(id).length]),
    )
    expect(counts['ted']).toBeGreaterThan(3700)
    expect(counts).toMatchObject({ 'no-doffin': 74, doe: 14, 'ch-simap': 2 })
    for (const id of [
      'gb-find-a-tender',
      'gb-contracts-finder',
      'gb-public-contracts-scotland',
      'gb-sell2wales',
      'es-placsp-643',
    ])
      expect(counts[id], id).toBeGreaterThan(5)
  })

  test('a day’s package of TED holds the notices of that day as they were', async () => {
    await open()
    const calendar = await (await get('https://ted.europa.eu/en/release-calendar/-/download/file/CSV/2024')).text()
    const [issue] = calendar
      .split('\r\n')
      .find((line) => line.endsWith('20/02/2024'))!
      .split('/')
    const reply = await get(`https://ted.europa.eu/packages/daily/2024${issue!.padStart(5, '0')}`)
    const tar = gunzipSync(Buffer.from(await reply.arrayBuffer()))
    const wanted = simulator!
      .published('ted')
      .filter(({ publishedAt }) => new Date(publishedAt).toISOString().startsWith('2024-02-20'))
    expect(wanted.length).toBeGreaterThan(0)
    for (const { bytes } of wanted) expect(tar.includes(bytes)).toBe(true)
  })

  test('the tables of the federal portal’s day are those that it published', async () => {
    const reply = await get('https://oeffentlichevergabe.de/api/notice-exports?pubDay=2025-12-06&format=csv.zip')
    const tables = unzipSync(new Uint8Array(await reply.arrayBuffer()))
    expect(Object.keys(tables)).toHaveLength(19)
    expect(Buffer.from(tables['notice.csv']!).toString().trim().split('\n').length).toBe(525)
  })

  test('reports a folder without collected notices', async () => {
    await expect(corpusShelf('/nowhere')).rejects.toThrow('holds no collected notices')
  })
})
