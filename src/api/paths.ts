// Paths of the interface, exactly as written (D7), and hints for paths that are nearly right.

export const listPath = '/v1/tenders'
export const manifestPath = '/bulk/editions/latest'
const fixedPaths = [listPath, manifestPath, '/openapi.json', '/access', '/healthz', '/readyz']

/** Whether the path is one that answers GET; the tender id may be anything here. */
export function isKnownPath(path: string): boolean {
  if (fixedPaths.includes(path)) return true
  if (/^\/bulk\/files\/[^/]+$/.test(path)) return true
  if (!path.startsWith(`${listPath}/`)) return false
  const id = path.slice(listPath.length + 1)
  return id !== '' && !id.includes('/')
}

/** The path that was probably meant: wrong case, doubled or trailing slashes, or a missing `/v1`. */
export function suggestPath(path: string): string | undefined {
  const tidy = `/${path
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '')
    .join('/')}`
  const candidates = [tidy, `/v1${tidy}`, tidy.replace(/^\/v1\/tender(?=$|\/)/, listPath)]
  const found = candidates.find((candidate) => candidate !== path && isKnownPath(candidate))
  return found !== undefined && found.length <= 100 ? found : undefined
}
