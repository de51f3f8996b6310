// The committed contract as the service hands it out, with its own address in place of the example's.
import { readFileSync } from 'node:fs'

/** Stands in contract/openapi.json wherever the address of the service belongs. */
export const exampleOrigin = 'https://tenders.example.eu'

export const contractFile = new URL('../../contract/openapi.json', import.meta.url)

let committed: string | undefined

/** JSON text of contract/openapi.json for a service that is reached at `origin`. Throws when the file is missing. */
export function contractText(origin: string): string {
  committed ??= readFileSync(contractFile, 'utf8')
  return committed.replaceAll(exampleOrigin, origin)
}
