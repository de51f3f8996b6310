// Where releases and records are in OCDS packages, for the cards of the portals that publish them.
import type { Entries } from '../delivery.ts'

/** Each release of a package is a document. */
export const releases: Entries = { format: 'json', at: '/releases' }

/** For portals that leave `releases` out of an empty package. */
export const releasesIfAny: Entries = { format: 'json', at: '/releases', isOptional: true }

/** Each record of a package is a document. */
export const records: Entries = { format: 'json', at: '/records' }

/** Zip of release packages. */
export const zippedReleases: Entries = {
  format: 'archive',
  members: /(?<!__MACOSX\/.*)\.json$/i,
  inside: releasesIfAny,
}

/** Zip of record packages. */
export const zippedRecords: Entries = { format: 'archive', members: /\.json$/i, inside: records }
