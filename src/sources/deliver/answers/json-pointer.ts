// JSON pointers (RFC 6901), with `*` for every member.
import type { Json } from '../../fetch.ts'

/** The reference tokens of a pointer. Throws when it does not begin with `/`: an error of the card. */
export function pointerTokens(pointer: string): string[] {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) throw new Error(`no JSON pointer: ${pointer}`)
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export const pointerToken = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** The value at a pointer; with `*` that of the first member that has one. Undefined if nothing is there. */
export function valueAt(json: Json | undefined, pointer: string): Json | undefined {
  return follow(json, pointerTokens(pointer))
}

function follow(json: Json | undefined, tokens: readonly string[]): Json | undefined {
  const [token, ...rest] = tokens
  if (token === undefined || json === undefined) return json
  if (json === null || typeof json !== 'object') return undefined
  if (token === '*') {
    for (const member of Object.values(json) as Json[]) {
      const found = follow(member, rest)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (Array.isArray(json))
    return /^\d+$/.test(token) ? follow((json as readonly Json[])[Number(token)], rest) : undefined
  return Object.hasOwn(json, token) ? follow((json as { readonly [name: string]: Json })[token], rest) : undefined
}
