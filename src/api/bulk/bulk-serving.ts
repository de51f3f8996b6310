// What the API needs to hand out files of whole editions.
import type { BulkState } from '../../edition/bulk/bulk-state.ts'
import type { TokenGrant } from '../../store/people/organizations.ts'
import type { BulkLinks } from './bulk-links.ts'

export type BulkServing = {
  readonly folder: string
  /** What is named now; undefined while nothing is. */
  readonly state: () => BulkState | undefined
  readonly links: BulkLinks
  /** Where else this file can be loaded from now, by whoever has that address; undefined: nowhere. */
  readonly addressOf?: (name: string) => Promise<string> | undefined
  /** What the holder of a token may do now; undefined when it was revoked or has expired. */
  readonly grantOf: (tokenId: string) => TokenGrant | undefined
}

/** Requests of an organization in a minute: for manifests, and for files with the rests of files. */
export const manifestsPerMinute = 30
export const filesPerMinute = 300

/** Whether the contract includes files. */
export const mayLoadFiles = (grant: TokenGrant | undefined): grant is TokenGrant =>
  grant?.hasApiAccess === true && grant.hasBulkFiles === true
