// The client's package, for npm, and what it is, for programs.
import { type ClientPackage, clientAddress } from '../frame/client-package.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { type PageRoute, publicPage } from '../frame/page.ts'

/** Its address carries its version, so it never changes. */
const forever = { 'cache-control': 'public, max-age=31536000, immutable' }

export function clientFiles(
  { origin }: Pick<ConsoleContext, 'origin'>,
  client: ClientPackage | undefined,
): PageRoute[] {
  if (!client) return []
  const { content, ...said } = client
  return [
    publicPage('GET', `/client/${client.file}`, () => ({
      kind: 'content',
      type: 'application/gzip',
      body: content,
      headers: forever,
    })),
    publicPage('GET', '/client/index.json', () => ({
      kind: 'content',
      type: 'application/json; charset=utf-8',
      body: JSON.stringify({ ...said, address: clientAddress(origin, client) }),
    })),
  ]
}
