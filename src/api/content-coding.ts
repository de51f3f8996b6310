// Chooses between gzip and identity from Accept-Encoding (RFC 9110 12.5.3).
import type { Encoding } from '../edition/read/edition-view.ts'

function qualityOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name, value] = parameter.split('=', 2)
    if (name?.trim().toLowerCase() !== 'q') continue
    const text = value?.trim() ?? ''
    return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0
  }
  return 1
}

/** Chooses gzip if the client accepts it at least as readily as identity, otherwise identity. */
export function chooseEncoding(acceptEncoding: string): Encoding {
  let gzip: number | undefined
  let identity: number | undefined
  let other: number | undefined
  for (const element of acceptEncoding.split(',')) {
    const [coding = '', ...parameters] = element.split(';')
    const name = coding.trim().toLowerCase()
    if (name === '') continue
    const quality = qualityOf(parameters)
    if (name === 'gzip' || name === 'x-gzip') gzip = Math.max(gzip ?? 0, quality)
    else if (name === 'identity') identity = quality
    else if (name === '*') other = quality
  }
  gzip ??= other
  identity ??= other === 0 ? 0 : undefined
  // A client that refuses identity receives gzip unless it refused that as well.
  if (gzip === undefined) return identity === 0 ? 'gzip' : 'identity'
  if (gzip === 0) return 'identity'
  return gzip >= (identity ?? 0) ? 'gzip' : 'identity'
}
