// The packages of the clients that this service hands out, and the commands that use them.
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** A file of the client of Python. */
type PythonFile = {
  readonly file: string
  readonly bytes: number
  /** Of the file, in hexadecimal digits: pip checks it when it stands behind the address. */
  readonly sha256: string
  readonly content: Uint8Array
}

/** A wheel, and what it is built from. */
export type PythonPackage = PythonFile & {
  /** Versions of Python that it needs. */
  readonly python: string
  readonly source: PythonFile
}

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
  /** Missing where the release was made without Python. */
  readonly python?: PythonPackage
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
  const { python, ...said } = JSON.parse(readFileSync(index, 'utf8')) as Omit<ClientPackage, 'content'>
  const read = (file: string, checksum: string, way: 'sha512' | 'sha256'): Uint8Array => {
    const content = readFileSync(join(from, basename(file)))
    if (hash(way, content, way === 'sha512' ? 'base64' : 'hex') !== checksum)
      throw new Error(`${join(from, file)} is damaged: install this version again`)
    return content
  }
  const withContent = <Of extends { readonly file: string; readonly sha256: string }>(of: Of) => ({
    ...of,
    content: read(of.file, of.sha256, 'sha256'),
  })
  return {
    ...said,
    content: read(said.file, said.sha512, 'sha512'),
    ...(python && { python: { ...withContent(python), source: withContent(python.source) } }),
  }
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

/** The program of the tools for an assistant that starts programs. */
export const assistantCommand = (addresses: { readonly origin: string; readonly api: string }, file: string): string =>
  [
    `npx --yes --package=${clientAddress(addresses.origin, { file })} \\`,
    `  tender-sync mcp --url ${addresses.api}`,
  ].join('\n')

/** What assistants that ask by HTTP read, in the form that most of them share. */
export function assistantSettings(api: string): string {
  const tenderstock = { type: 'http', url: `${api}/mcp`, headers: { Authorization: 'Bearer …' } }
  return JSON.stringify({ mcpServers: { tenderstock } }, undefined, 2)
}

/** The same with Python. pip compares the file with the checksum behind its address. */
export function pythonCommand(
  addresses: { readonly origin: string; readonly api: string },
  { file, sha256 }: Pick<PythonPackage, 'file' | 'sha256'>,
): string {
  const address = `${clientAddress(addresses.origin, { file })}#sha256=${sha256}`
  return [
    'python3 -m venv tenders',
    `tenders/bin/pip install --no-index "${address}"`,
    `tenders/bin/python -m tender_sync run --url ${addresses.api} --sink sqlite:tenders.db`,
  ].join('\n')
}
