// How commands reach portals: the public network under the operator's name, a simulator on this machine, or the
// service's own samples.
import { createPoliteHosts, type PoliteHosts } from '../../ingest/polite.ts'
import { type Clock, systemSleep } from '../../platform/clock.ts'
import type { Config } from '../../platform/config.ts'
import { OperatorError, refused } from '../../platform/errors.ts'
import { type HttpClient, openHttp } from '../../platform/http.ts'
import type { Random } from '../../platform/random.ts'
import type { Source } from '../../sources/source.ts'

/** What commands need to use the sample portals instead of the real ones. */
export type SamplePortals = {
  readonly hosts: PoliteHosts
  /** The source as it is read here; undefined if its portal is not simulated. */
  readonly sourceOf: (sourceId: string) => Source | undefined
}

export type PortalAccessOptions = {
  readonly config: Config
  readonly clock: Clock
  readonly random: Random
  readonly version: string
  /** Address of a running `tenderstock simulate`; absent: the portals themselves. */
  readonly simulator?: string
  /** Those of the service that the command runs in; used in place of the portals themselves. */
  readonly samplePortals?: () => SamplePortals | undefined
}

export type PortalAccess = {
  readonly hosts: PoliteHosts
  /** The portals are simulated: they accept any key, and nothing that they deliver is live. */
  readonly isSimulated: boolean
  /** The card for these portals; undefined for a source that is not among them. */
  readonly cardOf: (source: Source) => Source | undefined
  readonly close: () => Promise<void>
}

/** Throws OperatorError if no contact for portals is set, or the simulator's address is not on this machine. */
export function openPortalAccess(options: PortalAccessOptions): PortalAccess {
  const { config, clock, random, version, simulator } = options
  const samples = simulator === undefined ? options.samplePortals?.() : undefined
  if (samples)
    return { hosts: samples.hosts, isSimulated: true, cardOf: ({ id }) => samples.sourceOf(id), close: async () => {} }
  const { http, contact } = openPortalHttp(config, simulator)
  const draw = () => random.bytes(4).readUInt32BE() / 2 ** 32
  return {
    hosts: createPoliteHosts({ http, clock, sleep: systemSleep, random: draw, contact, version }),
    isSimulated: simulator !== undefined,
    cardOf: (source) => source,
    close: http.close,
  }
}

/**
 * An HTTP client for the portals, or for a simulator's, which never learns who the operator is. Throws like
 * `openPortalAccess`.
 */
export function openPortalHttp(
  config: Config,
  simulator: string | undefined,
): { readonly http: HttpClient; readonly contact: string } {
  if (simulator === undefined) return { contact: contactOf(config), http: openHttp({ network: 'public' }) }
  const base = simulatorBase(simulator)
  const route = (url: URL) => new URL(`${base}/${url.host}${url.pathname}${url.search}`)
  return { contact: 'https://simulator.invalid/', http: openHttp({ network: 'loopback', route }) }
}

/** Whom portals may contact about our requests. */
export function contactOf({ contact }: Config): string {
  if (contact !== undefined) return contact
  throw refused({ code: 'no-contact', values: {} })
}

/** Throws OperatorError if this is not an address on this machine. */
export function simulatorBase(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' || !['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname))
    throw new OperatorError(
      'invalid-option',
      '--simulator expects the address that `tenderstock simulate` prints: http://127.0.0.1:PORT.',
    )
  return url.origin
}
