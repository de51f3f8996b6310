// The package of the client that this service hands out, and the commands that use it.
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** As `client/pack.ts` writes it into `index.json`. */
export type ClientPackage = {
  readonly version: string
  /** Name of the file: it contains the version, because npm caches by address. */
  readonly file: string
  readonly bytes: number
  /** Of the file, in base64, as in a package-lock. */
  readonly sha512: string
  /** Versions of Node.js that it needs. */
  readonly node: string
  readonly content: Uint8Array
}

/** Folder in the repository and in the packed program; made by the release, empty in a clone. */
const folder = join(import.meta.dirname, '../../../client/package')

/**
 * The package of this program; undefined in a clone where `node client/pack.ts` has not made it. Throws if the file
 * is not the one of which the release wrote the checksum.
 */
export function readClientPackage(from = folder): ClientPackage | undefined {
  const index = join(from, 'index.json')
  if (!existsSync(index)) return undefined
  const said = JSON.parse(readFileSync(index, 'utf8')) as Omit<ClientPackage, 'content'>
  const content = readFileSync(join(from, basename(said.file)))
  if (hash('sha512', content, 'base64') !== said.sha512)
    throw new Error(`${join(from, said.file)} is damaged: install this version again`)
  return { ...said, content }
}

/** Where the service hands it out. */
export const clientAddress = (origin: string, { file }: Pick<ClientPackage, 'file'>): string =>
  `${origin}/client/${file}`

/** Whether nobody between reader and service can change what npm runs. */
export function isSafeToRun(origin: string): boolean {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/** The first copy, from an empty folder; the token is in the environment. */
export function copyCommand(addresses: { readonly origin: string; readonly api: string }, file: string): string {
  return [
    `npx --yes --package=${clientAddress(addresses.origin, { file })} \\`,
    `  tender-sync run --url ${addresses.api} --sink sqlite:tenders.db`,
  ].join('\n')
}
