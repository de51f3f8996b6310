// The addresses of the API and of its pages that clients see, and warnings to an operator who did not set them.
import type { Config } from '../../platform/config.ts'
import { isLoopbackAddress } from '../../platform/network-rule.ts'

/**
 * Addresses without a slash at the end; empty if unknown, so that answers refer to the address that the client used.
 */
export type PublicAddresses = { readonly baseUrl: string; readonly docsUrl: string; readonly trustedHops: number }

type Deployment = {
  readonly config: Pick<Config, 'baseUrl' | 'docsUrl' | 'trustedHops' | 'databaseUrl'>
  /** The host that the API listens on, as the operator wrote it. */
  readonly host: string
}

/** True for a trial on one machine: all clients are on it, and use the address on which the API listens. */
const isTrial = ({ config, host }: Deployment): boolean =>
  config.databaseUrl === undefined && (host === 'localhost' || isLoopbackAddress(host))

/** `listening` is the address on which the API listens; other machines never see it. */
export function publicAddresses(deployment: Deployment, listening: string): PublicAddresses {
  const { config } = deployment
  const baseUrl = config.baseUrl ?? (isTrial(deployment) ? listening : '')
  return { baseUrl, docsUrl: config.docsUrl ?? baseUrl, trustedHops: config.trustedHops ?? 0 }
}

/** Sentences about settings that a service behind a proxy needs; none for a trial. */
export function addressWarnings(deployment: Deployment): string[] {
  if (isTrial(deployment)) return []
  const warnings: string[] = []
  if (deployment.config.baseUrl === undefined)
    warnings.push(
      'TENDERSTOCK_BASE_URL is not set: problems and the contract name no host. Set it to the URL at which ' +
        'clients reach the API, such as https://tenders.example.org.',
    )
  if (deployment.config.trustedHops === undefined)
    warnings.push(
      'TENDERSTOCK_TRUSTED_HOPS is not set: all clients behind a proxy count as one address, so a flood of ' +
        'invalid tokens from one client turns the 401 of the others into 429. Set it to the number of proxies ' +
        'in front; 0 for none.',
    )
  return warnings
}
