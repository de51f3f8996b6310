// Who publishes under which OCID prefix, and in which country: its zone is that of dates without one.
import { type JsonObject, textAt } from './json.ts'

type Publisher = {
  readonly id: string
  readonly country?: string
  /** The times that end in Z are those of the clocks in the country. */
  readonly writesLocalTimeAsUtc?: true
  /** Dates are year, day, month; only that of the release is not, which is the day of its conversion. */
  readonly writesDayBeforeMonth?: true
  /** One award is there several times, each with an ID of its own. */
  readonly repeatsAwards?: true
  /** What a tender is expected to cost is in `minValue`; `value` has a currency only. */
  readonly estimatesInMinimum?: true
  /** It writes `null` for what it never knew, so that it takes nothing back. */
  readonly writesNullForUnknown?: true
}

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
  'ocds-03ad3f': { id: 'py-dncp', country: 'PY', writesNullForUnknown: true },
  'ocds-6550wx': { id: 'do-dgcp', country: 'DO' },
  'ocds-1xraxc': { id: 'ocds-1xraxc', country: 'ES', writesLocalTimeAsUtc: true },
  'ocds-f5kvwu': { id: 'ocds-f5kvwu', country: 'IN', writesDayBeforeMonth: true },
  'ocds-70d2nz': { id: 'cl-chilecompra', country: 'CL' },
  'ocds-5wno2w': { id: 'ec-sercop', country: 'EC' },
  'ocds-9t57fa': { id: 'za-national-treasury', country: 'ZA', writesLocalTimeAsUtc: true },
  'ocds-dgv273': { id: 'pe-oece', country: 'PE' },
  'ocds-07smqs': { id: 'ocds-07smqs', country: 'MX' },
  'ocds-87sd3t': { id: 'ocds-87sd3t', country: 'MX' },
  'ocds-20h3g7': { id: 'id-opentender', country: 'ID', estimatesInMinimum: true },
  'ocds-ec9k95': { id: 'ca-quebec', country: 'CA' },
  'ocds-hu01ve': { id: 'it-anac', country: 'IT' },
  'ocds-k348cx': { id: 'al-procurement-commission', country: 'AL' },
  'ocds-lae55o': { id: 'hr-eojn-contracts', country: 'HR' },
  'ocds-lcuori': { id: 'hn-contrataciones-abiertas', country: 'HN' },
  'ocds-mv5oob': { id: 'tz-nest', country: 'TZ' },
  'ocds-xqjsxa': { id: 'gt-guatecompras', country: 'GT' },
  'ocds-gyl66f': { id: 'ng-nocopo', country: 'NG', repeatsAwards: true },
  'ocds-j74acu': { id: 'ng-anambra', country: 'NG' },
  'ocds-6olpk7': { id: 'ng-ekiti', country: 'NG' },
  'ocds-xwwr9a': { id: 'ng-osun', country: 'NG' },
  'ocds-yfs5dr': { id: 'uy-arce', country: 'UY' },
}

/** The registered prefix of an OCID (`ocds-` and six characters), lower case; undefined when it has none. */
function prefixOf(ocid: string): string | undefined {
  return /^ocds-[a-z\d]{6}/i.exec(ocid)?.[0].toLowerCase()
}

/**
 * The OCID of a release. ANAC leaves it out; there it is at the beginning of the release's ID, which continues with a
 * count (`ocds-hu01ve-7608611-01`).
 */
export function ocidOf(release: JsonObject): string | undefined {
  const ocid = textAt(release, 'ocid')
  if (ocid !== undefined && ocid.trim() !== '') return ocid
  return /^\s*(ocds-[a-z\d]{6}-.+?)-\d{1,3}\s*$/i.exec(textAt(release, 'id') ?? '')?.[1]
}

/**
 * The OCID of the whole process. MTender gives each stage its own: that of the process followed by the stage
 * (`ocds-b3wdp1-MD-1603913785143-EV-1604000000000`).
 */
export function processOf(ocid: string): string {
  return /^ocds-b3wdp1-MD-\d+(?=-)/i.exec(ocid)?.[0] ?? ocid
}

/** The short id of the publisher: a name for those we know, else the prefix itself, else `ocds`. */
export function publisherOf(ocid: string): Publisher {
  const prefix = prefixOf(ocid)
  if (prefix === undefined) return { id: 'ocds' }
  return Object.hasOwn(publishers, prefix) ? publishers[prefix]! : { id: prefix }
}
