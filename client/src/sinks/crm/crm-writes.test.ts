import { describe, expect, it } from 'vitest'
import { archivedOf, idOf, mergedOf, recordOf } from '../../testing/sink-conformance.ts'
import type { TenderRecord } from '../../types.ts'
import type { LedgerEntry } from './crm-ledger.ts'
import { CrmWrites } from './crm-writes.ts'
import type { HttpMapping } from './http-mapping.ts'
import { targetStateOf } from './mapped-properties.ts'

/** Nothing but the stage says whether a deal is closed; users may change it, so it is written once. */
const mapping = {
  name: 'made-up CRM',
  fields: [
    { to: 'title', from: 'title' },
    { to: 'stage', value: 'new', when: 'create' },
  ],
  close: { fields: [{ to: 'stage', value: 'lost' }] },
  reopen: { fields: [{ to: 'stage', value: 'open again' }] },
  merge: {
    fields: [
      { to: 'stage', value: 'merged' },
      { to: 'into', from: 'mergedInto' },
    ],
  },
} as const satisfies Partial<HttpMapping> as unknown as HttpMapping
const writes = new CrmWrites(mapping)
const same = { title: 'The same title' }
const [open, closed, merged] = [
  recordOf(1, 2, same),
  { ...archivedOf(1, 1), ...same },
  { ...mergedOf(1, 1, 2), ...same },
]

function writeOf(record: TenderRecord, entry: LedgerEntry | undefined, sending?: TenderRecord) {
  return writes.writeOf({ record, isCreating: true }, entry, { sending, isBackfill: false, isOtherMapping: false })
}
/** What the ledger holds after this version was written. */
function entryOf(record: TenderRecord): LedgerEntry {
  const { hashes } = writeOf(record, undefined)!
  const { id, lastModified, status, mergedInto } = record
  return { id, lastModified, status, state: targetStateOf(record), hashes, ...(mergedInto && { mergedInto }) }
}

describe('what is written into a CRM when a record changes its state, though no mapped property changed', () => {
  it.each([
    { from: undefined, to: open, action: 'create', properties: { title: same.title, stage: 'new' } },
    { from: open, to: closed, action: 'close', properties: { title: same.title, stage: 'lost' } },
    { from: open, to: merged, action: 'merge', properties: { title: same.title, stage: 'merged', into: idOf(2) } },
    { from: closed, to: open, action: 'reopen', properties: { title: same.title, stage: 'open again' } },
    { from: merged, to: open, action: 'reopen', properties: { title: same.title, stage: 'open again' } },
    { from: closed, to: merged, action: 'merge', properties: { title: same.title, stage: 'merged', into: idOf(2) } },
    { from: merged, to: closed, action: 'close', properties: { title: same.title, stage: 'lost' } },
  ])('$action: $from.status to $to.status', ({ from, to, action, properties }) => {
    expect(writeOf(to, from && entryOf(from))).toMatchObject({ action, properties })
  })

  it('nothing is written when the state is the same as well', () => {
    for (const record of [open, closed, merged]) expect(writeOf(record, entryOf(record))).toBeUndefined()
  })

  it('a merged record whose survivor is another now is merged again', () => {
    expect(writeOf({ ...merged, mergedInto: idOf(3) }, entryOf(merged))).toMatchObject({
      action: 'merge',
      properties: { into: idOf(3) },
    })
  })

  it.each([closed, merged])(
    'what may have been sent as $status is reopened too: nobody knows whether it arrived',
    (sent) => {
      expect(writeOf(open, entryOf(open), sent)).toMatchObject({
        action: 'reopen',
        properties: { stage: 'open again' },
      })
      expect(writeOf(open, undefined, sent)).toMatchObject({ action: 'reopen', properties: { stage: 'open again' } })
    },
  )
})
