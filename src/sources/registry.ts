// All sources: TED, the federal portal, and every card below portals/, found by being there.
import { readdir } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { source as doe } from './doe/doe.ts'
import type { Source } from './source.ts'
import { source as ted } from './ted/ted.ts'

export type Sources = ReadonlyMap<string, Source>

/** Of this module, and of the cards: .js in the packed package. */
const ending = extname(import.meta.filename)

/** Files beside the cards that parse a format. */
const beside = /(?:^|\/)(?:parse|read|codes)-[^/]*$|\.test\.ts$/

/** Number of countries of these sources; the Union (EU) and international bodies (ZZ) do not count. */
export function countCountries(sources: Iterable<Source>): number {
  const codes = new Set([...sources].map(({ country }) => country))
  codes.delete('EU')
  codes.delete('ZZ')
  return codes.size
}

let loading: Promise<Sources> | undefined

/**
 * Every source by its id, in the order of the ids. `portals/<country>/<name>.ts` has the id `<country>-<name>` and
 * exports `source`; a file that does not, or an id that does not fit its place, is a programming error and throws.
 */
export function loadSources(): Promise<Sources> {
  loading ??= load()
  return loading
}

async function load(): Promise<Sources> {
  const folder = join(import.meta.dirname, 'portals')
  const entries = await readdir(folder, { recursive: true })
  const cards = entries
    .map((entry) => entry.split(sep).join('/'))
    .filter((path) => path.endsWith(ending) && !beside.test(path))
  const found = await Promise.all(
    cards.map(async (path) => {
      const source = await sourceIn(join(folder, path))
      const expected = path.slice(0, -ending.length).replaceAll('/', '-')
      if (source.id !== expected)
        throw new Error(`portals/${path} holds the source ${source.id} instead of ${expected}`)
      return source
    }),
  )
  return new Map(
    [...found, ted, doe].map((source) => [source.id, source] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

async function sourceIn(path: string): Promise<Source> {
  const { source } = (await import(pathToFileURL(path).href)) as { readonly source?: Source }
  if (!source) throw new Error(`${path} does not export a source`)
  return source
}
