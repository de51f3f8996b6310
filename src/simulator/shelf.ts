// What each portal has published so far, entry by entry: tests compare a stock with it.
import { hourMs } from '../domain/time.ts'
import type { ArchiveMember } from './archive-writers.ts'
import { releaseOf } from './journal-calendar.ts'
import { portalRegion } from './samples/portal-region.ts'
import { type PortalSample, portalSampleOf } from './samples/portal-sample.ts'
import type { SampleProcedure } from './samples/sample-procedure.ts'
import { type SampleCopy, samplePortals, sampleWorld, visibleCopies, type WorldPlan } from './samples/sample-world.ts'
import { regions } from './samples/vocabulary.ts'
import type { SimulatedSource } from './simulated-source.ts'
import { writeEntry } from './write-entry.ts'

/** One version of one announcement on one portal. */
export type ShelfEntry = {
  /** `<announcement>-<version>`; unique on its portal and the same forever. */
  readonly id: string
  /** ID of the announcement, shared by its versions. */
  readonly noticeId: string
  readonly version: number
  /** ID of the procedure, shared by its announcements. */
  readonly procedureId: string
  /** A whole number that is unique on the portal and grows with time. */
  readonly number: number
  /** Official journal number (`123456-2026`) where there is one. */
  readonly publicationNumber?: string
  /** Epoch milliseconds. */
  readonly publishedAt: number
  /** What the document says, for portals that write it in several shapes. */
  readonly sample?: PortalSample
  /** The document: what the card's parser reads. Written once, the same forever. */
  readonly text: () => string
}

/** Portals whose documents follow `source`'s card. Entries arrive oldest first; existing ones stay. */
export type Shelf = {
  readonly entries: (source: SimulatedSource, until: number) => readonly ShelfEntry[]
  /** The tables of a day (`YYYY-MM-DD`) as they were published, for a portal that writes its entries as tables too. */
  readonly tables?: (sourceId: string, day: string) => readonly ArchiveMember[] | undefined
}

const firstJournalYear = 2022

export type SampleShelfOptions = {
  readonly seed: string
  /** Epoch milliseconds at which the made-up world begins: then it has its base, from then on it grows. */
  readonly epoch: number
  /** Portals outside the common world: procurements at the beginning, and hours between two further ones. */
  readonly base?: number
  readonly arrivalHours?: number
}

/** Made-up procurements: the common world for its portals, a separate small world for every other one. */
export function sampleShelf(options: SampleShelfOptions): Shelf {
  const held = new Map<string, Held>()
  const common: SampleProcedure[] = []
  const worlds = new Map<string, { readonly hour: number; readonly entries: readonly ShelfEntry[] }>()
  return {
    entries: (source, until) => {
      const hour = Math.ceil(until / hourMs) * hourMs
      let world = worlds.get(source.id)
      if (world?.hour !== hour) {
        let known = held.get(source.id)
        if (!known) {
          const isCommon = samplePortals.some((portal) => portal === source.id)
          known = { entries: new Map(), made: isCommon ? common : [], earlier: earlierYears(source.id, options) }
          held.set(source.id, known)
        }
        world = { hour, entries: entriesAt(source, hour, options, known) }
        worlds.set(source.id, world)
      }
      return world.entries.filter(({ publishedAt }) => publishedAt <= until)
    },
  }
}

/** The part of a portal's world that was made so far. */
type Held = {
  readonly entries: Map<string, ShelfEntry>
  readonly made: SampleProcedure[]
  readonly earlier: readonly SampleCopy[]
}

function entriesAt(
  source: SimulatedSource,
  until: number,
  options: SampleShelfOptions,
  { entries: known, made, earlier }: Held,
): ShelfEntry[] {
  const copies = samplePortals.some((portal) => portal === source.id)
    ? [...earlier, ...visibleCopies(sampleWorld(options.seed, options.epoch, until, undefined, made), source.id, until)]
    : visibleCopies(
        sampleWorld(`${options.seed}|${source.id}`, options.epoch, until, ownWorld(source, options), made),
        source.id,
        until,
      )
  const found: ShelfEntry[] = []
  for (const copy of copies) {
    const id = `${copy.notice.noticeId}-${copy.notice.version}`
    let entry = known.get(id)
    if (!entry) {
      entry = entryOf(source, copy, id, copies)
      known.set(id, entry)
    }
    if (entry.publishedAt <= until) found.push(entry)
  }
  return found.sort((a, b) => a.publishedAt - b.publishedAt || (a.id < b.id ? -1 : 1))
}

/**
 * The journal existed before the made-up world began: it has something of every year since 2022, so that no year is
 * empty.
 */
function earlierYears(sourceId: string, { seed, epoch }: SampleShelfOptions): SampleCopy[] {
  if (sourceId !== 'ted') return []
  const found: SampleCopy[] = []
  for (let year = firstJournalYear; year < new Date(epoch).getUTCFullYear(); year++) {
    const end = Date.UTC(year, 11, 20)
    const world = sampleWorld(`${seed}|${year}`, end, end, {
      base: 3,
      firstIndex: 90_000,
      arrivalMs: Number.MAX_SAFE_INTEGER,
      families: [{ family: 'own', share: 1, regions: [regions.at, regions.fr] }],
      portal: sourceId,
    })
    found.push(...visibleCopies(world, sourceId, end))
  }
  return found
}

function ownWorld(source: SimulatedSource, options: SampleShelfOptions): WorldPlan {
  return {
    base: options.base ?? 16,
    arrivalMs: (options.arrivalHours ?? 8) * hourMs,
    families: [{ family: 'own', share: 1, regions: [portalRegion(source.country, source.zone)] }],
    portal: source.id,
  }
}

function entryOf(source: SimulatedSource, copy: SampleCopy, id: string, all: readonly SampleCopy[]): ShelfEntry {
  // the journal appears once a day; elsewhere no two entries have the same instant unless they came together
  const publishedAt =
    source.id === 'ted' ? releaseOf(copy.at) : copy.at + (copy.procedure.index % 50) * 61_000 + (hashOf(id) % 1000)
  const own: SampleCopy = { ...copy, at: publishedAt }
  const earlier = all.filter((each) => each.procedure.index === copy.procedure.index && each.at <= copy.at)
  let text: string | undefined
  return {
    id,
    noticeId: copy.notice.noticeId,
    version: Number(copy.notice.version),
    procedureId: copy.procedure.procedureId,
    number: Number(copy.notice.publicationNumber.split('-')[0]),
    publicationNumber: copy.notice.publicationNumber,
    publishedAt,
    sample: portalSampleOf(own),
    text: () => {
      text ??= writeEntry(source, own, earlier)
      return text
    },
  }
}

function hashOf(text: string): number {
  let hash = 0
  for (const sign of text) hash = (hash * 31 + sign.charCodeAt(0)) >>> 0
  return hash
}
