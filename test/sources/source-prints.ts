// A print of each source: of what the parser reads from the documents that the simulator makes up for it, and of what
// its writer writes. `source-prints.json` keeps them (write-prints.ts).
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { canonicalForm } from '../../src/domain/stock-digest.ts'
import { toInstant } from '../../src/domain/time.ts'
import { ownWriters } from '../../src/simulator/portals/own-writers.ts'
import type { PortalSample } from '../../src/simulator/samples/portal-sample.ts'
import { sampleShelf } from '../../src/simulator/shelf.ts'
import { simulated } from '../../src/simulator/simulated-source.ts'
import { parserOf } from '../../src/sources/parse-document.ts'
import { parserVersion } from '../../src/sources/parser-version.ts'
import { loadSources } from '../../src/sources/registry.ts'

export type Prints = {
  readonly parserVersion: number
  /** `written` of all that a writer makes of the samples below, with the constants that no parser reads. */
  readonly sources: { readonly [id: string]: { readonly parsed: string; readonly written?: string } }
}

const kinds = ['planning', 'call', 'change', 'cancellation', 'award'] as const
const natures = ['works', 'supplies', 'services'] as const
const procedureTypes = ['open', 'restricted', 'neg-w-call'] as const

/** What every announcement has. Midnight UTC is near, so that days differ by zone. */
const bare: PortalSample = {
  kind: 'call',
  id: '0a1b2c3d-1111-4222-8333-444455556601',
  version: 1,
  procedureId: '0a1b2c3d-9999-4888-8777-666655554444',
  number: 123_456,
  reference: 'REF-7/2026',
  publishedAt: toInstant(Date.UTC(2026, 0, 12, 23, 30)),
  title: 'Roads',
  description: 'Roads are built',
  language: 'en',
  buyer: {
    name: 'Town of Neverwhere',
    nationalId: 'XX-12.345.678',
    town: 'Neverwhere',
    postalCode: '12345',
    country: 'XX',
    nuts: 'DE212',
    email: 'tenders@neverwhere.example',
    url: 'https://neverwhere.example/',
  },
  cpv: '45233120',
  nature: 'works',
  procedureType: 'open',
  lots: [
    { id: 'LOT-0001', title: 'North', cpv: '45233121', amount: 1_500.25 },
    { id: 'LOT-0002', title: 'South', cpv: '45233122', amount: 3_000.25 },
  ],
  winners: [],
  url: 'https://portal.example/notices/7',
}
const full: PortalSample = {
  ...bare,
  deadline: toInstant(Date.UTC(2026, 6, 2, 2, 15)),
  value: { amount: 4_500.5, currency: 'EUR' },
}
const odd = {
  title: 'Roads, "old" & new; <all>',
  description: 'One\nTwo',
  language: 'fr',
  lots: [],
  version: 258,
  number: 42,
  procedureId: 'f0a1b2c3-9999-4888-8777-666655554444',
  publishedAt: toInstant(Date.UTC(2026, 11, 8, 12)),
  buyer: { ...bare.buyer, name: 'Town.of.Neverwhere', nationalId: 'none' },
}
const winners = ['Builders Ltd', 'Diggers & Sons', 'Painters'].map((name, index) => ({
  lotId: `LOT-000${index + 2}`,
  name,
  amount: 2_999.75 + index,
}))

/** All rows of all tables; then what may be absent, odd texts, and a a version beyond one byte. */
const samples: readonly PortalSample[] = kinds.flatMap((kind) => {
  const sample = { ...full, kind, version: kind === 'change' || kind === 'cancellation' ? 2 : 1 }
  const whole = kind === 'award' ? { ...sample, winners } : sample
  return [
    ...natures.flatMap((nature) => procedureTypes.map((procedureType) => ({ ...whole, nature, procedureType }))),
    { ...bare, kind },
    { ...whole, ...odd },
  ]
})

export const printsFile = new URL('source-prints.json', import.meta.url)
const day = Date.UTC(2026, 5, 1)
const printOf = (lines: readonly string[]): string =>
  createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)

export const readPrints = (): Prints => JSON.parse(readFileSync(printsFile, 'utf8'))

/** The prints of today's sources. */
export async function makePrints(): Promise<Prints> {
  const shelf = sampleShelf({ seed: 'parser fingerprint', epoch: day, base: 6 })
  const prints = [...(await loadSources()).values()].map((source) => {
    const parse = parserOf(source)
    const parsed = shelf
      .entries(simulated(source), day)
      .map(({ id, text }) => `${id} ${canonicalForm(JSON.parse(JSON.stringify(parse(Buffer.from(text())))))}`)
    const write = ownWriters[source.id]
    return [source.id, { parsed: printOf(parsed), ...(write && { written: printOf(samples.map(write)) }) }] as const
  })
  return { parserVersion, sources: Object.fromEntries(prints) }
}

/** Whether the newest commit has a lower version: until the raise is committed, every print may change again. */
export const isNewlyRaised = (committed: Prints | undefined, made: Prints): boolean =>
  committed !== undefined && committed.parserVersion < made.parserVersion

/** Adds new sources and drops those that are gone. A print stays as it is until its line or the version changes. */
export function withNewSources(kept: Prints, made: Prints): Prints {
  if (kept.parserVersion !== made.parserVersion) return made
  const sources = Object.entries(made.sources).map(([id, print]) => [id, kept.sources[id] ?? print] as const)
  return { parserVersion, sources: Object.fromEntries(sources) }
}
