// The pages of a console that can be found by following links: one address for each route.
import { routesOf } from '../../src/console/routes.ts'

/** Every route of a console without settings, only to be listed, not to be answered. */
export const consoleRoutes = routesOf({ config: {}, brand: { files: [] } } as never)

/** Routes as patterns of paths, the longest first. */
export const pagePatterns = consoleRoutes
  .filter(({ method }) => method === 'GET')
  .map(({ path }) => ({
    path,
    pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace(/\*/g, '.*')}/?$`),
  }))
  .sort((left, right) => right.path.replace(/:\w+|\*/g, '').length - left.path.replace(/:\w+|\*/g, '').length)

/** Pages of the documentation that are made in a special way; guides are all alike. */
const ownDocs = /^\/docs(?:$|\/(?:search|fields|errors|errors\/:\w+|reference\/\w+)$)/
/** Guides are in English in both languages, within the same frame. */
export const isGuide = (route: string): boolean => route.startsWith('/docs') && !ownDocs.test(route)
/** Addresses that are no page, or that end the session. */
const isPage = (path: string): boolean =>
  !/\.(?:atom|csv|ics|txt|xml|json|svg)$|^\/(?:language|assets|sign-in\/oidc)/.test(path)

export type CrawledConsole = {
  /** Path by route. */
  readonly found: ReadonlyMap<string, string>
  /** Status and address of links that lead nowhere. */
  readonly dead: readonly string[]
}

/** Follows the links of `origin` from `home` on. `allGuides`: each guide counts as a separate page. */
export async function crawlConsole(
  origin: string,
  { cookie, home, allGuides }: { readonly cookie: string; readonly home: string; readonly allGuides: boolean },
): Promise<CrawledConsole> {
  /** The route of which an address is an example. */
  const routeOf = (path: string): string | undefined => {
    const route = pagePatterns.find(({ pattern }) => pattern.test(path))?.path
    return route !== undefined && isGuide(route) && !allGuides ? '/docs/guide' : route
  }
  const found = new Map<string, string>()
  const dead: string[] = []
  const visited = new Set<string>()
  const waiting = [home, '/operator', '/docs', '/explorer?cpv=45000000&ask=1', '/me', '/codes/cpv', '/codes/nuts']
  while (waiting.length > 0) {
    const path = waiting.shift()!
    const plain = path.replace(/[?#].*/s, '')
    if (visited.has(plain)) continue
    visited.add(plain)
    const route = routeOf(plain)
    if (route !== undefined && found.has(route)) continue
    const answer = await fetch(origin + path, { headers: { cookie }, redirect: 'manual' })
    if (answer.status >= 400) dead.push(`${answer.status} ${path}`)
    const type = answer.headers.get('content-type') ?? ''
    if (answer.status !== 200 || !type.startsWith('text/html')) continue
    found.set(route ?? plain, path)
    for (const [, href] of (await answer.text()).matchAll(/<a [^>]*href="(\/[^"]*)"/g)) {
      const target = href!.replaceAll('&amp;', '&')
      if (isPage(target.replace(/[?#].*/s, ''))) waiting.push(target)
    }
  }
  return { found, dead }
}
