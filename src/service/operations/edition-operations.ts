// Exporting the newest edition as open data.
import { exportEdition, type SourceTerms } from '../../export/export.ts'
import type { ExportFormat } from '../../export/export-parts.ts'
import { OperatorError } from '../../platform/errors.ts'
import { requiredAttribution } from '../../sources/attribution.ts'
import { loadSources, type Sources } from '../../sources/registry.ts'
import type { Source } from '../../sources/source.ts'
import type { Operation, Operations } from '../control/operation-context.ts'

/** `edition export`: not in the queue of operations that write much, because it only reads the stock. */
export const exportEditionNow: Operation = async ({ store, version, signal }, { options }, emit) => {
  const startedAt = performance.now()
  const folder = String(options['out'])
  const format = options['format'] as ExportFormat
  const summary = await exportEdition(store, {
    folder,
    // that of the command, which may run in another process
    ...(typeof options['umask'] === 'number' && { umask: options['umask'] }),
    format,
    ocidPrefix: String(options['ocid-prefix']),
    publisher: { name: String(options['publisher']), license: licenseOf(options['license']) },
    version,
    terms: termsOfSources(await loadSources()),
    onProgress: ({ records, total }) => emit({ event: 'progress', stage: 'openData', done: records, total }),
    ...(signal && { signal }),
  })
  const seconds = Math.ceil((performance.now() - startedAt) / 1000)
  emit({ event: 'editionExported', folder, format, ...summary, seconds })
  return 0
}

function licenseOf(option: unknown): string | undefined {
  if (option === undefined) return undefined
  if (!/^https?:/.test(String(option)) || !URL.canParse(String(option)))
    throw new OperatorError(
      'invalid-option',
      `--license must be the address of a license (https://…), not "${String(option)}".`,
    )
  return String(option)
}

/** Cards of publishers under whose name notices are kept that were ingested from files. */
const cardsOfPublishers: { readonly [publisher: string]: string } = { doffin: 'no-doffin', 'pt-impic': 'pt-base' }

/** What each source requires of anyone who redistributes its notices. */
export const termsOfSources = (sources: Sources): ReadonlyMap<string, SourceTerms> =>
  new Map([
    ...[...sources].map(([id, source]) => [id, termsOf(source)] as const),
    ...Object.entries(cardsOfPublishers).map(([id, card]) => [id, { ...termsOf(sources.get(card)!), id }] as const),
  ])

function termsOf(source: Source): SourceTerms {
  const { id, title, publisher, country, homepage, license } = source
  const attribution = requiredAttribution(source)
  return {
    id,
    title,
    publisher,
    country,
    homepage,
    license: license.name,
    licenseUrl: license.url ?? null,
    attribution: attribution === undefined ? 'ask the publisher' : attribution,
  }
}

export const operations = {
  'edition export': exportEditionNow,
} satisfies Operations
