// How each portal with its own format writes an announcement, by the id of its source; all others publish eForms,
// TED_EXPORT or OCDS. A writer is found by being there: `<country>/write-<name>.ts` exports `write` for the source
// `<country>-<name>`, or `writers` for several sources.
import { readdirSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { PortalSample } from '../samples/portal-sample.ts'

/** The text of JSON, one element or a document of XML, or header and row of CSV, as the portal's answers hold it. */
export type SampleWriter = (notice: PortalSample) => string
export type SampleWriters = { readonly [sourceId: string]: SampleWriter }

/** Of this module, and of the writers: .js in the packed package. */
const ending = extname(import.meta.filename)

export const ownWriters: SampleWriters = Object.assign(
  {},
  ...(await Promise.all(
    readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.includes('write-') && path.endsWith(ending))
      .map(writersIn),
  )),
)

async function writersIn(path: string): Promise<SampleWriters> {
  const found: { readonly write?: SampleWriter; readonly writers?: SampleWriters } = await import(
    pathToFileURL(join(import.meta.dirname, path)).href
  )
  const id = path.slice(0, -ending.length).replace(`${sep}write-`, '-')
  return found.write ? { [id]: found.write } : (found.writers ?? {})
}
