// Which sources share a host: they take turns on it. Pure.
import type { Delivery, Template } from '../sources/delivery.ts'
import type { Source } from '../sources/source.ts'

/** Host of a template; undefined where the address is only known from an answer. */
const hostOf = ({ url }: Template): string | undefined =>
  /^https?:\/\/([^/?#{}]+)(?=[/?#]|$)/i.exec(url)?.[1]?.toLowerCase()

/** Hosts that the templates of a delivery name. */
function hostsOf(delivery: Delivery): string[] {
  if (delivery.kind === 'own') return delivery.like ? hostsOf(delivery.like) : []
  return templatesIn(delivery).flatMap((template) => hostOf(template) ?? [])
}

/** Yields every template in a delivery, at any depth. */
function templatesIn(value: unknown): Template[] {
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return []
  if (Array.isArray(value)) return value.flatMap(templatesIn)
  const members = Object.values(value)
  const own = 'url' in value && typeof value.url === 'string' && /^https?:/i.test(value.url) ? [value as Template] : []
  return [...own, ...members.flatMap(templatesIn)]
}

/**
 * Returns the name of each source's group by source ID. Sources that name a common host, directly or through others,
 * are one group; a source that names none is its own. Pass all sources: every worker must arrive at the same names.
 */
export function hostGroups(sources: Iterable<Source>): ReadonlyMap<string, string> {
  const parents = new Map<string, string>()
  const rootOf = (name: string): string => {
    const parent = parents.get(name) ?? name
    return parent === name ? name : rootOf(parent)
  }
  const all = [...sources]
  const join = (a: string, b: string) => {
    const [first, second] = [rootOf(a), rootOf(b)].sort() as [string, string]
    parents.set(second, first)
  }
  const firstHosts = new Map<string, string>()
  for (const source of all) {
    const hosts = [...new Set(source.channels.flatMap((channel) => hostsOf(channel.delivery)))]
    firstHosts.set(source.id, hosts[0] ?? `source ${source.id}`)
    for (const host of hosts.slice(1)) join(hosts[0]!, host)
  }
  return new Map(all.map(({ id }) => [id, rootOf(firstHosts.get(id)!)]))
}
