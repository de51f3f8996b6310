// How each portal with its own format writes an announcement, by the id of its source; all others publish eForms,
// TED_EXPORT or OCDS. A writer is found by being there: `<country>/write-<name>.ts` exports `write` for the source
// `<country>-<name>`, or `writers` for several sources.
import { readdirSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { PortalFormat, PortalSample } from '../samples/portal-sample.ts'

/** The text of JSON, one element or a document of XML, or header and row of CSV, as the portal's answers hold it. */
export type SampleWriter = (notice: PortalSample) => string
export type SampleWriters = { readonly [sourceId: string]: SampleWriter }

/** Of this module, and of the writers: .js in the packed package. */
const ending = extname(import.meta.filename)

type WriterModule = { readonly write?: SampleWriter; readonly writers?: SampleWriters; readonly format?: PortalFormat }

const modules = await Promise.all(
  readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.includes('write-') && path.endsWith(ending))
    .map(async (path) => {
      const found: WriterModule = await import(pathToFileURL(join(import.meta.dirname, path)).href)
      const id = path.slice(0, -ending.length).replace(`${sep}write-`, '-')
      return { writers: found.write ? { [id]: found.write } : (found.writers ?? {}), format: found.format ?? {} }
    }),
)

export const ownWriters: SampleWriters = Object.assign({}, ...modules.map(({ writers }) => writers))

/** What the announcements of each lack: the export `format` beside the writer; nothing if there is none. */
export const ownFormats: { readonly [sourceId: string]: PortalFormat } = Object.fromEntries(
  modules.flatMap(({ writers, format }) => Object.keys(writers).map((id) => [id, format] as const)),
)
