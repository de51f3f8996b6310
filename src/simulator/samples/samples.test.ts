// The sample world read with the parsers that real notices are read with.
import { describe, expect, test } from 'vitest'
import { decide } from '../../consolidate/match/decide.ts'
import { prepare } from '../../consolidate/match/prepare.ts'
import type { Notice, ParsedPart, Rejection } from '../../domain/notice.ts'
import { dayMs, hourMs } from '../../domain/time.ts'
import { parseDocument } from '../../sources/parse-document.ts'
import { firstTasks } from './first-tasks.ts'
import { sampleDocuments } from './sample-documents.ts'
import { samplePortals, sampleWorld, visibleCopies } from './sample-world.ts'
import { writeEforms } from './write-eforms.ts'
import { writeNationalEforms } from './write-national-eforms.ts'

const epoch = Date.UTC(2026, 10, 21, 5)
const now = epoch + hourMs / 2
const documents = samplePortals.flatMap((portal) =>
  sampleDocuments(epoch, portal, now).map((each) => ({ portal, ...each, text: each.write() })),
)
const parts: { portal: string; path: string; part: ParsedPart }[] = documents.flatMap(
  ({ portal, path, isFeed, text }) =>
    (isFeed ? text.trim().split('\n') : [text]).flatMap((each) =>
      parseDocument(Buffer.from(each)).map((part) => ({ portal, path, part })),
    ),
)
const notices = parts.flatMap(({ portal, part }) => ('notice' in part ? [{ portal, notice: part.notice }] : []))
const rejections = parts.flatMap(({ path, part }) => ('rejection' in part ? [{ path, rejection: part.rejection }] : []))

describe('sample world', () => {
  test('holds at least 250 procurements and 400 documents, the same for the same seed, epoch and time', () => {
    expect(sampleWorld('a', epoch, now).length).toBeGreaterThanOrEqual(250)
    expect(documents.length).toBeGreaterThanOrEqual(400)
    const again = samplePortals.flatMap((portal) => sampleDocuments(epoch, portal, now).map((each) => each.write()))
    expect(again).toEqual(documents.map(({ text }) => text))
  })

  test('only grows: entries of a portal stay, with the same bytes', () => {
    for (const portal of samplePortals) {
      const later = new Map(sampleDocuments(epoch, portal, now + 2 * dayMs).map((each) => [each.path, each.write()]))
      for (const { path, isFeed, text } of documents.filter((each) => each.portal === portal)) {
        if (isFeed) expect(later.get(path)?.startsWith(text)).toBe(true)
        else expect(later.get(path), path).toBe(text)
      }
      expect([...later.values()].join('').length, portal).toBeGreaterThanOrEqual(
        documents
          .filter((each) => each.portal === portal)
          .map(({ text }) => text)
          .join('').length,
      )
    }
  })

  test('only the flawed documents are rejected, each for its own reason', () => {
    const reasons = Object.fromEntries(
      rejections.map(({ path, rejection }: { path: string; rejection: Rejection }) => [path, rejection.reason]),
    )
    expect(reasons).toEqual({
      'notices/cut.xml': 'malformed',
      'notices/entity.xml': 'forbidden-construct',
      'notices/maintenance.xml': 'unsupported-format',
      'notices/nameless.xml': 'missing-identity',
    })
  })

  test('every format and every kind of notice occurs, in five languages', () => {
    const seen = (read: (notice: Notice) => string | undefined) => new Set(notices.map(({ notice }) => read(notice)))
    expect([...seen((each) => each.format)].sort()).toEqual(['eforms', 'ocds', 'ted-export'])
    expect([...seen((each) => each.formType)]).toEqual(
      expect.arrayContaining(['planning', 'competition', 'result', 'cont-modif']),
    )
    expect([...seen((each) => each.language)]).toEqual(expect.arrayContaining(['de', 'en', 'fr', 'pl', 'nb']))
    expect(notices.filter(({ notice }) => notice.changeReasons?.includes('cancel')).length).toBeGreaterThan(2)
    expect(notices.filter(({ notice }) => notice.changeReasons?.includes('update-add')).length).toBeGreaterThan(5)
    expect(
      notices.filter(({ notice }) => notice.lots.some((lot) => lot.result?.outcome === 'not-awarded')).length,
    ).toBeGreaterThan(3)
  })

  test('calls have a buyer, a title, a CPV code, a deadline and a place', () => {
    for (const { notice } of notices.filter((each) => each.notice.formType === 'competition')) {
      expect(notice.contractingAuthorities[0]?.name, notice.noticeKey).toBeTruthy()
      expect(notice.title, notice.noticeKey).toBeDefined()
      expect(
        [...notice.cpvCodes, ...notice.lots.flatMap((lot) => lot.cpvCodes)].length,
        notice.noticeKey,
      ).toBeGreaterThan(0)
      expect(
        [...notice.nutsCodes, ...notice.lots.flatMap((lot) => lot.nutsCodes)].length,
        notice.noticeKey,
      ).toBeGreaterThan(0)
      const deadlines = [
        notice.submissionDate,
        notice.participationDate,
        ...notice.lots.flatMap((lot) => [lot.submissionDate, lot.participationDate]),
      ]
      expect(
        deadlines.some((each) => each !== undefined),
        notice.noticeKey,
      ).toBe(true)
    }
  })

  test('the same notice is on two portals under the same ID and version', () => {
    const portalsOf = new Map<string, Set<string>>()
    for (const { portal, notice } of notices) {
      if (notice.noticeId === undefined || notice.noticeVersion === undefined) continue
      const key = `${notice.noticeId}-${notice.noticeVersion}`
      portalsOf.set(key, (portalsOf.get(key) ?? new Set()).add(portal))
    }
    expect([...portalsOf.values()].filter((portals) => portals.size > 1).length).toBeGreaterThan(20)
  })

  test.each(['Saltmarsh', 'Mühlenteich'])('the pair of %s is left to a person', (word) => {
    const [first, second, ...others] = notices
      .filter(({ notice }) => Object.values(notice.title ?? {}).some((title) => title?.includes(word)))
      .map(({ portal, notice }) => prepare(notice.noticeKey, [{ notice, rowIds: [], sourceIds: [portal] }]))
    expect(others).toEqual([])
    expect(decide(first!, second!, { twins: 1 })).toMatchObject({ kind: 'review', rule: 'uncorroborated' })
  })

  test.each([0, 1, 27, 28, 29, 90, 400])('a newcomer finds the first tasks open after %i days', (days) => {
    const then = epoch + days * dayMs
    const found = ['doe', 'ted']
      .flatMap((portal) => visibleCopies(firstTasks(epoch, then), portal, then))
      .map((copy) => (copy.procedure.family === 'doe-national' ? writeNationalEforms(copy) : writeEforms(copy)))
      .flatMap((text) => parseDocument(Buffer.from(text)))
      .flatMap((part) => ('notice' in part ? [part.notice] : []))
    const inPlace = (nuts: string, title: RegExp) =>
      found.filter(
        (notice) =>
          title.test(Object.values(notice.title ?? {}).join()) &&
          notice.nutsCodes.some((code) => code.startsWith(nuts)),
      )
    const isOpen = (date: string | undefined) => date !== undefined && Date.parse(date) > then + 7 * dayMs
    const dates = (notice: Notice) => [notice, ...notice.lots]
    const roofs = inPlace('DED', /dach/i).filter((each) => dates(each).some((lot) => isOpen(lot.submissionDate)))
    expect(roofs.length).toBeGreaterThanOrEqual(3)
    expect(new Set(roofs.map(({ noticeId }) => noticeId)).size).toBe(roofs.length)
    const restricted = inPlace('PT20', /pier/).filter((each) => each.procedureType === 'restricted')
    expect(restricted.some((each) => dates(each).some((lot) => isOpen(lot.participationDate)))).toBe(true)
    const won = inPlace('DE111', /reinigung der Schulen/i).flatMap((notice) =>
      notice.lots.flatMap(({ result }) => result?.winners?.map(({ name }) => name) ?? []),
    )
    expect(won).toEqual(['Grünspan Gartenbau GbR', 'Tamm & Brekow GmbH'])
  })
})
