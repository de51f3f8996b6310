// Addresses of procurement documents that name one award: portals write them into the text where the field is missing.
import { addressOf, awardsNamed, documentsProject } from '../link-keys.ts'
import { addressCharacters, maxDocuments } from './thresholds.ts'

/** `host/id` of each address that names more than a host and a page, sorted. */
export function documentsOf(urls: readonly (string | undefined)[], description: string): string[] {
  const text = description.slice(0, addressCharacters)
  const inText = text.match(/https?:\/\/[^\s<>"';,()]{4,300}/g) ?? []
  const named = awardsNamed(text).map(([host, number]) => `https://${host}/${number}`)
  const found = [...urls, ...inText, ...named].map(documentsIdOf).filter((id) => id !== undefined)
  return [...new Set(found)].sort().slice(0, maxDocuments)
}

function documentsIdOf(url: string | undefined): string | undefined {
  const read = addressOf(url)
  const project = documentsProject(read)
  if (project || read === null) return project
  const { hostname, pathname } = read
  // A segment with five digits in a row is the number of one award.
  const id = pathname.split('/').find((segment) => /\d{5}/.test(segment))
  return id === undefined ? undefined : `${hostname.toLowerCase().replace(/^www\d*\./, '')}/${id.slice(0, 80)}`
}

const hostOf = (id: string): string => id.slice(0, id.indexOf('/'))

/**
 * `same`: both name one award's documents; `other`: each names documents that the other does not, on one host. An
 * address that all awards of a buyer share does not hide that they differ.
 */
export function documentsRelation(a: readonly string[], b: readonly string[]): 'same' | 'other' | 'unknown' {
  const hosts = new Set(a.map(hostOf).filter((host) => b.some((id) => hostOf(id) === host)))
  if (hosts.size === 0) return 'unknown'
  const alone = (ids: readonly string[], others: readonly string[]): boolean =>
    ids.some((id) => hosts.has(hostOf(id)) && !others.includes(id))
  return alone(a, b) && alone(b, a) ? 'other' : 'same'
}
