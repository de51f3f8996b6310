// Entries carry the day of their file; an HTML page instead of a file means that there is no file, but a challenge does
// not.
import { expect, it } from 'vitest'
import { readSlot, textsOf } from '../../../test/testing/scripted-portal.ts'
import { withDay } from './dated-day-file.ts'

const delivery = withDay({
  kind: 'single',
  request: { url: 'https://portal.example/{from:dd-MM-yyyy}.json' },
  entries: { format: 'json', at: '' },
})
if (delivery.kind !== 'own') throw new Error('not its own')
const { fetch } = delivery

/** A day in the zone, as slots have it. */
const day = (from: string, to: string) => ({ key: from.slice(0, 10), from, to })
const riga = { zone: 'Europe/Riga' }
const past = { slot: day('2019-11-19T22:00:00.000Z', '2019-11-20T22:00:00.000Z'), ...riga }
const future = { slot: day('2998-11-19T22:00:00.000Z', '2998-11-20T22:00:00.000Z'), ...riga }
const page = () => ({ body: '<!doctype html><title>Nothing here</title>', headers: { 'content-type': 'text/html' } })

it('writes the day of the file to every entry and leaves the bytes of the entry alone', async () => {
  const reading = await readSlot(fetch, () => ({ body: '[{"a": 1},{"b":"x"}]' }), past)
  expect(textsOf(reading).sort()).toEqual([
    '{"day":"2019-11-20","notice":{"a": 1}}',
    '{"day":"2019-11-20","notice":{"b":"x"}}',
  ])
  expect(reading.end).toEqual({ kind: 'complete' })
  expect(reading.requests[0]!.url).toBe('https://portal.example/20-11-2019.json')
})

it('treats a page in place of a file as a missing file: permanently if the day is long over, else for now', async () => {
  expect((await readSlot(fetch, page, past)).end).toEqual({ kind: 'empty' })
  expect((await readSlot(fetch, () => ({ status: 404 }), past)).end).toEqual({ kind: 'empty' })
  expect((await readSlot(fetch, page, future)).end).toEqual({ kind: 'notYet' })
})
