// Files that the browser loads: style, scripts, font and icon, each under a name that changes with its content.
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { constants, gzipSync } from 'node:zlib'

const types: { readonly [ending: string]: string } = {
  css: 'text/css; charset=utf-8',
  png: 'image/png',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  woff2: 'font/woff2',
}

const alreadyPacked: ReadonlySet<string> = new Set(['png', 'webp', 'woff2'])

type Asset = {
  readonly type: string
  readonly body: Buffer
  /** The body as gzip; undefined if it is already compressed. */
  readonly packed: Buffer | undefined
}

export type Assets = {
  /** By path. */
  readonly files: ReadonlyMap<string, Asset>
  /** Returns the path of a file by its name here. Throws for an unknown name. */
  readonly addressOf: (name: string) => string
}

const font = '@fontsource-variable/public-sans/files/public-sans-latin-wght-normal.woff2'

/** Reads all files once. */
export function loadAssets(): Assets {
  const folder = join(import.meta.dirname, 'browser')
  const files = new Map<string, Asset>()
  const addresses = new Map<string, string>()
  const add = (name: string, body: Buffer) => {
    const [base = '', ending = ''] = name.split('.')
    const path = `/assets/${base}.${hash('sha256', body).slice(0, 12)}.${ending}`
    addresses.set(name, path)
    const packed = alreadyPacked.has(ending) ? undefined : gzipSync(body, { level: constants.Z_BEST_COMPRESSION })
    files.set(path, { type: types[ending]!, body, packed })
  }
  add('public-sans.woff2', readFileSync(createRequire(import.meta.url).resolve(font)))
  for (const name of readdirSync(folder))
    if (/\.(?:js|png|svg|webp|woff2)$/.test(name)) add(name, readFileSync(join(folder, name)))
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.css'))) {
    const withoutComments = readFileSync(join(folder, name), 'utf8').replace(/\/\*.*?\*\/\s*/gs, '')
    const placed = withoutComments.replace(/public-sans[\w-]*\.woff2/g, (name) => addresses.get(name)!)
    add(name, Buffer.from(placed))
  }
  return {
    files,
    addressOf: (name) => {
      const address = addresses.get(name)
      if (address === undefined) throw new Error(`there is no file ${name} in browser/`)
      return address
    },
  }
}
