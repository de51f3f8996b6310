// The committed contract as the service serves it, with its own address instead of the example's.
import { readFileSync } from 'node:fs'

/** Placeholders in contract/openapi.json for the address of the service and of its documentation. */
export const exampleBaseUrl = 'https://tenders.example.eu'
export const exampleDocsUrl = 'https://docs.example.eu'

export const contractFile = new URL('../../contract/openapi.json', import.meta.url)

let committed: string | undefined

/**
 * JSON text of contract/openapi.json for a service at `baseUrl`; empty addresses become paths, relative to the
 * document's own address (OpenAPI 3.1, Server Object). Throws when the file is missing.
 */
export function contractText({ baseUrl, docsUrl }: { readonly baseUrl: string; readonly docsUrl: string }): string {
  committed ??= readFileSync(contractFile, 'utf8')
  const quoted = (url: string) => JSON.stringify(url).slice(1, -1)
  return committed
    .replaceAll(exampleBaseUrl, () => quoted(baseUrl || '/'))
    .replaceAll(exampleDocsUrl, () => quoted(docsUrl))
}
