// The committed contract as the service hands it out, with its own address in place of the example's.
import { readFileSync } from 'node:fs'

/** Stand in contract/openapi.json wherever the address of the service, or of its documentation, belongs. */
export const exampleBaseUrl = 'https://tenders.example.eu'
export const exampleDocsUrl = 'https://docs.example.eu'

export const contractFile = new URL('../../contract/openapi.json', import.meta.url)

let committed: string | undefined

/**
 * JSON text of contract/openapi.json for a service at `baseUrl`; empty addresses become paths, which are relative to
 * where the document was read (OpenAPI 3.1, Server Object). Throws when the file is missing.
 */
export function contractText({ baseUrl, docsUrl }: { readonly baseUrl: string; readonly docsUrl: string }): string {
  committed ??= readFileSync(contractFile, 'utf8')
  const quoted = (url: string) => JSON.stringify(url).slice(1, -1)
  return committed
    .replaceAll(exampleBaseUrl, () => quoted(baseUrl || '/'))
    .replaceAll(exampleDocsUrl, () => quoted(docsUrl))
}
