// What the raw documents of the corpus have by patterns, the notices have too; and minimum shares of each field.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { countFill, type FilledField, fillAsMarkdown } from '../../quality/fill.ts'

const corpus = join(import.meta.dirname, '../../../shared/corpus')
const rows = existsSync(corpus) ? await countFill(corpus) : []

/** Minimum percent of the calls that have the field. */
const floors: { readonly [folder: string]: { readonly [field in FilledField]?: number } } = {
  'ted-eforms': {
    description: 100,
    deadline: 96,
    cpv: 100,
    value: 42,
    authority: 100,
    region: 70,
    documents: 90,
    submission: 79,
    duration: 68,
  },
  'ted-legacy': {
    description: 100,
    deadline: 93,
    cpv: 100,
    value: 46,
    authority: 100,
    region: 88,
    documents: 89,
    submission: 61,
    duration: 77,
  },
  'doffin-eforms': {
    description: 100,
    deadline: 81,
    cpv: 100,
    value: 35,
    authority: 100,
    region: 53,
    documents: 91,
    submission: 65,
    duration: 52,
  },
  ocds: {
    description: 94,
    deadline: 99,
    cpv: 94,
    value: 63,
    authority: 100,
    region: 58,
    documents: 80,
    submission: 57,
    duration: 59,
  },
}

/**
 * Maximum documents of all that have the field in their text, but not in the notice. They were read one by one; of the
 * values, half were.
 */
const maxLost: { readonly [field in FilledField]?: number } = {
  // an empty element
  description: 1,
  // in the header alone, or in the year 2099
  deadline: 2,
  // estimates that only an award states, amounts with VAT, ranges, amounts without currency, and equal totals of three
  // contracts that may be one
  value: 36,
  // a broken address, or a host with an umlaut
  documents: 3,
  // parties of a lot that was not awarded, a name of null, and texts that name no company
  winner: 5,
}

test.skipIf(rows.length === 0).each(Object.entries(floors))('calls of %s have their fields', (folder, minimum) => {
  const calls = rows.find((row) => row.folder === folder && row.formType === 'competition')!
  for (const [field, percent] of Object.entries(minimum) as [FilledField, number][])
    expect({ field, percent: Math.round((100 * calls.fields[field].read) / calls.documents) >= percent }).toEqual({
      field,
      percent: true,
    })
})

test.skipIf(rows.length === 0)('what a document has is read from it', () => {
  for (const field of Object.keys(rows[0]!.fields) as FilledField[]) {
    const lost = rows.flatMap((row) => row.fields[field].lost)
    expect(rows.reduce((sum, row) => sum + row.fields[field].written, 0)).toBeGreaterThan(400)
    expect({ field, lost: lost.length > (maxLost[field] ?? 0) ? lost : [] }).toEqual({ field, lost: [] })
  }
})

test.skipIf(rows.length === 0)('the table has a row for each kind of document', () => {
  expect(
    fillAsMarkdown(rows)
      .split('\n')
      .filter((line) => line.startsWith('| ted-')),
  ).toHaveLength(rows.filter(({ folder }) => folder.startsWith('ted-')).length)
})
