// Addresses that come from outside and have to stay on this console. They are checked after they are normalized, and
// never before: `/..//example.org` begins with one slash, but becomes `//example.org`, which is another server.

const anyOrigin = 'http://console.invalid'
/** Maximum length of a path to return to. */
const maxLength = 2000

/** The text as a path of this console, normalized, with query and fragment; undefined if it is none. */
export function ownPath(text: string): string | undefined {
  if (!text.startsWith('/')) return undefined
  const { pathname, search, hash } = new URL(anyOrigin + text)
  const path = `${pathname}${search}${hash}`
  return URL.parse(path, anyOrigin)?.href === anyOrigin + path ? path : undefined
}

/** A path of this console to return to; `/` for anything else. */
export function returnPath(text: string | null | undefined): string {
  const path = !text || /[\s\\]/.test(text) ? undefined : ownPath(text)
  return path !== undefined && path.length <= maxLength ? path : '/'
}

/**
 * The address that a request asks for, on the origin of the console. Its path begins with exactly one slash, so that a
 * link or a form that repeats it stays here.
 */
export function requestedUrl(target: string, origin: string): URL {
  const url = new URL(origin + (target.startsWith('/') ? target : `/${target}`))
  if (url.pathname.startsWith('//')) url.pathname = url.pathname.replace(/^\/+/, '/')
  return url
}

/**
 * The parts of a request target in absolute form, `http://host/path` (RFC 9112, 3.2.2); undefined for any other form.
 * The host is empty if it cannot be read.
 */
export function absoluteTarget(target: string): { readonly host: string; readonly path: string } | undefined {
  if (target.startsWith('/') || target === '*') return undefined
  const url = URL.parse(target)
  return { host: url?.host ?? '', path: url ? `${url.pathname}${url.search}` : '/' }
}
