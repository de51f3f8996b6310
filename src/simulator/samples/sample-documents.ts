// What each sample portal serves at a moment: its documents in the order in which they appeared.
import { hourMs } from '../../domain/time.ts'
import type { SamplePortal } from './sample-procedure.ts'
import { type SampleCopy, sampleWorld, visibleCopies } from './sample-world.ts'
import { writeEforms } from './write-eforms.ts'
import { writeNationalEforms } from './write-national-eforms.ts'
import { writeRecordPackage, writeRelease, writeReleasePackage } from './write-ocds.ts'
import { writeTedExport } from './write-ted-export.ts'

/**
 * `path` is relative to the portal; `isFeed` marks line-delimited documents, one release a line, that grow at their
 * end.
 */
export type SampleDocument = { readonly path: string; readonly isFeed: boolean; readonly write: () => string }

/** How many releases the package portal puts in one package. */
const releasesOfPackage = 3

/** Seed of the sample world. Another one gives another world of the same kind. */
export const sampleSeed = 'tenderstock-samples-1'

/** The documents of a portal at `now`. The same path always holds the same bytes; a feed only grows at its end. */
export function sampleDocuments(epoch: number, portal: SamplePortal, now: number, seed = sampleSeed): SampleDocument[] {
  const copies = visibleCopies(sampleWorld(seed, epoch, now), portal, now)
  switch (portal) {
    case 'gb-find-a-tender':
      return packages(copies)
    case 'gb-contracts-finder':
      return records(copies)
    case 'gb-public-contracts-scotland':
      return [
        {
          path: 'releases.jsonl',
          isFeed: true,
          write: () => copies.map((copy) => `${JSON.stringify(writeRelease(copy))}\n`).join(''),
        },
      ]
    default:
      return [...copies.map(notice), ...flawed(portal, copies)]
  }
}

function notice(copy: SampleCopy): SampleDocument {
  const { family } = copy.procedure
  const write = family === 'legacy' ? writeTedExport : family === 'doe-national' ? writeNationalEforms : writeEforms
  const name =
    copy.portal === 'ted'
      ? copy.notice.publicationNumber.replace('-', '_')
      : `${copy.notice.noticeId}-${copy.notice.version}`
  return { path: `notices/${name}.xml`, isFeed: false, write: () => write(copy) }
}

// Only whole packages are shown: a package that was served once never changes.
function packages(copies: readonly SampleCopy[]): SampleDocument[] {
  return Array.from({ length: Math.floor(copies.length / releasesOfPackage) }, (_, index) => {
    const path = `packages/${String(index + 1).padStart(5, '0')}.json`
    const part = copies.slice(index * releasesOfPackage, (index + 1) * releasesOfPackage)
    return {
      path,
      isFeed: false,
      write: () => writeReleasePackage(`https://portal.example/${path}`, part.map(writeRelease)),
    }
  })
}

function records(copies: readonly SampleCopy[]): SampleDocument[] {
  return copies.map((copy) => {
    const path = `records/${copy.procedure.procedureId}-${copy.notice.noticeId.slice(0, 8)}-${copy.notice.version}.json`
    const upToNow = copies.filter((each) => each.procedure.index === copy.procedure.index && each.at <= copy.at)
    return {
      path,
      isFeed: false,
      write: () => writeRecordPackage(`https://portal.example/${path}`, upToNow.map(writeRelease)),
    }
  })
}

// Bad documents that real portals also serve: half a file, a declaration that must not be followed, a document that is
// not a notice.
function flawed(portal: SamplePortal, copies: readonly SampleCopy[]): SampleDocument[] {
  const [first, second] = copies
  if (!first || !second) return []
  if (portal === 'ted') {
    return [
      { path: 'notices/cut.xml', isFeed: false, write: () => notice(first).write().slice(0, 2500) },
      {
        path: 'notices/entity.xml',
        isFeed: false,
        write: () =>
          notice(second).write().replace('?>\n', '?>\n<!DOCTYPE x [<!ENTITY buyer SYSTEM "file:///etc/hostname">]>\n'),
      },
    ]
  }
  if (portal === 'doe') {
    return [
      {
        path: 'notices/maintenance.xml',
        isFeed: false,
        write: () => '<html><body>The portal is down for maintenance.</body></html>',
      },
      {
        path: 'notices/nameless.xml',
        isFeed: false,
        write: () =>
          notice(first)
            .write()
            .replace(/<cbc:ID schemeName="notice-id">[^<]*<\/cbc:ID>|<ns3:ID>[^<]*<\/ns3:ID>/, ''),
      },
    ]
  }
  return []
}

/** The beginning of the sample world for a service that first starts at `now`: the start of that hour. */
export function sampleEpoch(now: number): number {
  return Math.floor(now / hourMs) * hourMs
}
