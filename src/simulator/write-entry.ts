// The document of one entry, as its portal writes it: by the portal's own writer, else eForms, TED_EXPORT or OCDS.
import type { Delivery, Entries } from '../sources/delivery.ts'
import type { Source } from '../sources/source.ts'
import { portalSampleOf } from './samples/portal-sample.ts'
import type { SampleCopy } from './samples/sample-world.ts'
import { writeEforms } from './samples/write-eforms.ts'
import { writeNationalEforms } from './samples/write-national-eforms.ts'
import { writeRecord, writeRelease } from './samples/write-ocds.ts'
import { writeTedExport } from './samples/write-ted-export.ts'
import type { SimulatedSource } from './simulated-source.ts'

/** The format that a card reads if its portal has no writer. */
export type CommonFormat = 'eforms' | 'release' | 'record'

/** `earlier`: the announcements of the same procedure up to this one, which a record repeats. */
export function writeEntry(source: SimulatedSource, copy: SampleCopy, earlier: readonly SampleCopy[]): string {
  if (source.writeSample) return source.writeSample(portalSampleOf(copy))
  if (copy.procedure.family === 'legacy') return writeTedExport(copy)
  if (copy.procedure.family === 'doe-national') return writeNationalEforms(copy)
  switch (commonFormatOf(source)) {
    case 'eforms':
      return writeEforms(copy)
    case 'record':
      return JSON.stringify(writeRecord(earlier.map(writeRelease)))
    case 'release':
      return JSON.stringify(writeRelease(copy))
  }
}

/** Derived from the position of the card's documents: OCDS in JSON, eForms in XML. */
export function commonFormatOf(source: Source): CommonFormat {
  const channel = source.channels.find(({ role }) => role === undefined || role === 'current') ?? source.channels[0]
  const entries = documentsOf(channel.delivery)
  // no data shows it
  if (!entries)
    return source.id === 'ted' || source.id === 'doe' ? 'eforms' : source.id === 'us-portland' ? 'record' : 'release'
  const innermost = innermostOf(entries)
  if (innermost.format === 'json') return /\/records(?:\/\*)?$/.test(innermost.at) ? 'record' : 'release'
  if (innermost.format === 'json-lines') return 'release'
  if (innermost.format === 'xml') return 'eforms'
  // one document each: the shape shows it, as elements have no slash
  return source.expects.shape.some((each) => /^\/.*(?:ocid|releases|records)/.test(each)) ? 'release' : 'eforms'
}

/** The entries that hold the documents of a delivery: those of the details if it has any, else the list itself. */
export function documentsOf(delivery: Delivery): Entries | undefined {
  switch (delivery.kind) {
    case 'own':
      return delivery.like && documentsOf(delivery.like)
    case 'index':
      return delivery.files ?? delivery.entries
    default:
      return delivery.detail ? (delivery.detail.entries ?? { format: 'document' }) : delivery.entries
  }
}

function innermostOf(entries: Entries): Entries {
  return entries.format === 'archive' ? innermostOf(entries.inside ?? { format: 'document' }) : entries
}
