// What a release package says besides its releases. A file of its own, because a package of a whole edition is one JSON
// text that few programs can read; docs/open-data.md shows how to put both together.

import { toInstant } from '../domain/time.ts'
import { compact, type Json } from './ocds-values.ts'

/** Who publishes the export, and the license under which: an address, or undefined if it is the sources'. */
export type Publisher = { readonly name: string; readonly license: string | undefined }

/** What the releases use beyond OCDS 1.1: the addresses of the extensions' own descriptions. */
const extensions: readonly string[] = [
  'ocds_lots_extension/v1.1.5',
  'ocds_bid_extension/v1.1.5',
  'ocds_location_extension/v1.1.5',
  'ocds_legalBasis_extension/1.1',
  'ocds_techniques_extension/master',
].map((name) => `https://raw.githubusercontent.com/open-contracting-extensions/${name}/extension.json`)

/** `licenses`: of the sources; a package can only name one. */
export function ocdsPackage(
  { edition, publishedAt }: { readonly edition: number; readonly publishedAt: number },
  stock: string,
  { name, license }: Publisher,
  licenses: readonly (string | null)[],
): Json {
  const [only, ...others] = [...new Set(licenses)]
  return compact({
    uri: `urn:tenderstock:${stock}:${edition}`,
    version: '1.1',
    extensions,
    publishedDate: toInstant(publishedAt),
    publisher: { name },
    license: license ?? (others.length === 0 ? (only ?? undefined) : undefined),
  })
}
