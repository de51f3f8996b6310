// The texts of a record that the score reads, the title with twice the weight.
import type { TenderRecord } from '../../domain/tender.ts'

/** Maximum number of characters read of one text: what follows is about the procedure, and an authority repeats it. */
const longestText = 1200
/** Minimum letters of the name of an authority that is left out of texts. */
const shortestName = 8
/** Maximum number of lots that are read. */
const maxLots = 20

export type WeighedText = { readonly text: string; readonly weight: number }

export function* textsForFit(record: TenderRecord): Generator<WeighedText> {
  yield { text: record.title.slice(0, longestText), weight: 2 }
  if (record.description !== undefined) {
    const text = withoutAuthority(record.description.slice(0, longestText), record.contractingAuthority?.name)
    yield { text, weight: 1 }
  }

  const titles = new Set([record.title])
  for (const lot of record.lots.slice(0, maxLots)) {
    if (lot.title !== undefined && !titles.has(lot.title)) yield { text: lot.title.slice(0, longestText), weight: 1 }
    if (lot.title !== undefined) titles.add(lot.title)
    if (lot.description !== undefined && lot.description !== record.description)
      yield { text: lot.description.slice(0, longestText), weight: 1 }
  }
}

/** A text without the name of its authority, up to a department: a road agency buys cars, too. */
function withoutAuthority(text: string, name: string | undefined): string {
  const [agency = ''] = name?.split(/[,;(]| - /) ?? []
  return agency.length < shortestName ? text : text.replaceAll(agency, ' ')
}

/** Yields the titles of the record and of its lots, each once. */
export function* titlesForFit(record: TenderRecord): Generator<WeighedText> {
  const titles = new Set([record.title, ...record.lots.slice(0, maxLots).map(({ title }) => title ?? '')])
  for (const title of titles) yield { text: title.slice(0, longestText), weight: 1 }
}

/** Yields the name of the contracting authority: a company that works for one school board may work for another. */
export function* authorityForFit({ contractingAuthority: authority }: TenderRecord): Generator<WeighedText> {
  if (authority) yield { text: authority.name.slice(0, longestText), weight: 1 }
}
