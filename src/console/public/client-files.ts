// The packages of the clients, for npm and pip, and what they are, for programs.
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
  const { content, python, ...said } = client
  const file = (name: string, body: Uint8Array, type: string): PageRoute =>
    publicPage('GET', `/client/${name}`, () => ({ kind: 'content', type, body, headers: forever }))
  const described = <Of extends { readonly file: string; readonly content: unknown }>({ content: _, ...of }: Of) => ({
    ...of,
    address: clientAddress(origin, of),
  })
  return [
    file(client.file, content, 'application/gzip'),
    ...(python
      ? [
          file(python.file, python.content, 'application/zip'),
          file(python.source.file, python.source.content, 'application/gzip'),
        ]
      : []),
    publicPage('GET', '/client/index.json', () => ({
      kind: 'content',
      type: 'application/json; charset=utf-8',
      body: JSON.stringify({
        ...said,
        address: clientAddress(origin, client),
        ...(python && { python: { ...described(python), source: described(python.source) } }),
      }),
    })),
  ]
}
