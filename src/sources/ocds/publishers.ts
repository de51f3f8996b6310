// Who publishes under which OCID prefix, and in which country: its zone is that of dates without one.
type Publisher = { readonly id: string; readonly country?: string }

const publishers: { readonly [prefix: string]: Publisher } = {
  'ocds-mnwr74': { id: 'doe', country: 'DE' },
  'ocds-h6vhtk': { id: 'gb-find-a-tender', country: 'GB' },
  'ocds-b5fd17': { id: 'gb-contracts-finder', country: 'GB' },
  'ocds-r6ebe6': { id: 'gb-public-contracts-scotland', country: 'GB' },
  'ocds-kuma6s': { id: 'gb-sell2wales', country: 'GB' },
  'ocds-px0z7d': { id: 'pt-impic', country: 'PT' },
  'ocds-ngfbwp': { id: 'md-public-procurement-agency', country: 'MD' },
  'ocds-b3wdp1': { id: 'md-mtender', country: 'MD' },
  'ocds-be6bcu': { id: 'ua-prozorro', country: 'UA' },
}

/** The registered prefix of an OCID (`ocds-` and six characters), lower case; undefined when it has none. */
export function prefixOf(ocid: string): string | undefined {
  return /^ocds-[a-z\d]{6}/i.exec(ocid)?.[0].toLowerCase()
}

/** The short id of the publisher: a name for those we know, else the prefix itself, else `ocds`. */
export function publisherOf(ocid: string): Publisher {
  const prefix = prefixOf(ocid)
  if (prefix === undefined) return { id: 'ocds' }
  return Object.hasOwn(publishers, prefix) ? publishers[prefix]! : { id: prefix }
}
