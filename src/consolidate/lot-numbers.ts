// Lots that notices of one tender number in other ways: "LOT-002" of a result is "LOT-0002" of its call.
import { wordsOf } from '../domain/name-words.ts'
import type { Notice, NoticeLot } from '../domain/notice.ts'

/** The last number of an id, without padding. */
function numberOf(lotId: string): string | undefined {
  return /(\d+)\D*$/.exec(lotId)?.[1]?.replace(/^0+(?=\d)/, '')
}

const titlesOf = (lot: NoticeLot): string[] =>
  Object.values(lot.title ?? {})
    .map((title) => wordsOf(title).join(' '))
    .filter((title) => title !== '')

/** By each key that one lot alone has: its id. */
function idsBy(lots: readonly NoticeLot[], keysOf: (lot: NoticeLot) => readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, Set<string>>()
  for (const lot of lots) for (const key of keysOf(lot)) found.set(key, (found.get(key) ?? new Set()).add(lot.lotId))
  return new Map([...found].flatMap(([key, ids]) => (ids.size === 1 ? [[key, [...ids][0]!] as const] : [])))
}

const numbersOf = ({ lotId }: NoticeLot): string[] => {
  const number = numberOf(lotId)
  return number === undefined ? [] : [number]
}

/** Ids of the lots of a result as its call writes them: by the title where that names another lot, else by number. */
function namesInCall(lots: readonly NoticeLot[], listed: readonly NoticeLot[]): ReadonlyMap<string, string> {
  const known = new Set(listed.map(({ lotId }) => lotId))
  const [byNumber, byTitle] = [idsBy(listed, numbersOf), idsBy(listed, titlesOf)]
  const [ownNumbers, ownTitles] = [idsBy(lots, numbersOf), idsBy(lots, titlesOf)]
  const names = new Map<string, string>()
  // the only result, without a title, may be that of the whole
  const isWhole = lots.length === 1 && titlesOf(lots[0]!).length === 0 && known.size > 1
  const taken = new Set(lots.flatMap(({ lotId }) => (known.has(lotId) ? [lotId] : [])))
  for (const lot of lots) {
    if (known.has(lot.lotId)) continue
    const title = titlesOf(lot).find((text) => byTitle.has(text) && ownTitles.get(text) === lot.lotId)
    const number = numbersOf(lot).find((text) => byNumber.has(text) && ownNumbers.get(text) === lot.lotId)
    const name = title === undefined ? number && byNumber.get(number) : byTitle.get(title)
    if (isWhole || name === undefined || taken.has(name)) continue
    taken.add(name)
    names.set(lot.lotId, name)
  }
  return names
}

/** The notices of one tender, with the lots of results under the ids of the calls. */
export function withLotsOfCalls(notices: readonly Notice[]): readonly Notice[] {
  const listed = notices.flatMap(({ formType, lots }) =>
    formType === 'competition' || formType === 'change' ? lots : [],
  )
  if (listed.length === 0) return notices
  return notices.map((notice) => {
    if (notice.formType === 'competition' || !notice.lots.some(({ result }) => result)) return notice
    const names = namesInCall(notice.lots, listed)
    if (names.size === 0) return notice
    return { ...notice, lots: notice.lots.map((lot) => ({ ...lot, lotId: names.get(lot.lotId) ?? lot.lotId })) }
  })
}
