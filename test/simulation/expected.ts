// The answers that the API must give, stated a second time over plain arrays. It shares no code with src/ on purpose.
import type { TenderContent } from '../../src/domain/tender.ts'
import { isVisible, type Stock, type Version } from './stock.ts'

export type ListParameters = URLSearchParams

const items = (parameters: ListParameters, name: string): string[] =>
  parameters.getAll(name).flatMap((value) => value.split(','))

function hasCpv({ cpvCodes, lots }: TenderContent, code: string): boolean {
  let stem = code
  while (stem.length > 2 && stem.endsWith('0')) stem = stem.slice(0, -1)
  return (
    cpvCodes.some((own) => own.startsWith(stem)) || lots.some((lot) => lot.cpvCodes.some((own) => own.startsWith(stem)))
  )
}

/** The content filters alone: neither `updated_since` nor `archived`. */
export function isAskedFor(content: TenderContent, parameters: ListParameters): boolean {
  const one = (name: string): string | null => parameters.get(name)
  const cpv = items(parameters, 'cpv')
  if (cpv.length > 0 && !cpv.some((code) => hasCpv(content, code))) return false
  const nuts = items(parameters, 'nuts')
  if (nuts.length > 0 && !nuts.some((code) => content.nutsCodes.some((own) => own.startsWith(code)))) return false
  const procedure = items(parameters, 'procedure')
  if (procedure.length > 0 && !procedure.includes(content.procedureType ?? '')) return false
  const published = one('published_since')
  if (published !== null && !(Date.parse(content.publicationDate ?? '') >= Date.parse(published))) return false
  const deadline = one('deadline_after')
  if (deadline !== null && !(Date.parse(content.submissionDate ?? '') > Date.parse(deadline))) return false
  const [min, max] = [one('value_min'), one('value_max')]
  if (min === null && max === null) return true
  const amount = content.contractAmount
  if (amount === null || amount.currency !== 'EUR') return false
  return (min === null || amount.value >= Number(min)) && (max === null || amount.value <= Number(max))
}

const compare = (a: Version, b: Version): number =>
  a.lastModified - b.lastModified || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** The position of a run: the last record delivered. */
export type After = { readonly lastModified: number; readonly id: string }

export type ListState = {
  readonly edition: number
  /** The newest edition of the node that answers. */
  readonly shown: number
  /** R5: the pinned edition is gone; the newest one restricted to what is no later than the pinned one. */
  readonly isGone: boolean
  readonly after: After | undefined
}

/** The records of one page, and whether more follow. */
export function expectedPage(
  stock: Stock,
  parameters: ListParameters,
  { edition, shown, isGone, after }: ListState,
  pageCap: number,
): { readonly versions: readonly Version[]; readonly hasMore: boolean } {
  const since = parameters.get('updated_since')
  const sinceMs = since === null ? Number.NEGATIVE_INFINITY : Date.parse(since)
  const bound = stock.edition(edition)!.info.lastModified
  const takesArchived = since !== null || parameters.get('archived') === 'true'
  const found = stock.versions
    .filter(
      (version) =>
        isVisible(version, isGone ? shown : edition) &&
        version.lastModified <= bound &&
        version.lastModified >= sinceMs &&
        (takesArchived || !version.isArchived) &&
        (after === undefined ||
          version.lastModified > after.lastModified ||
          (version.lastModified === after.lastModified && version.id > after.id)) &&
        isAskedFor(version.content, parameters),
    )
    .sort(compare)
  return { versions: found.slice(0, pageCap), hasMore: found.length > pageCap }
}
