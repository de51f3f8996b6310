// Lots and their codes arrive with the notices to which they belong: in batches, over pages, after any kill, and never
// partially.
import { expect, it } from 'vitest'
import { daySlot, nothingKept, readSlot, type Script, textsOf } from '../../../test/testing/scripted-portal.ts'
import { odata } from '../deliver/odata.ts'
import { withHops } from './odata-hops.ts'

const delivery = withHops(
  odata({ url: 'https://portal.example/Notices', dateField: 'Day', idField: 'Id', pageSize: 2, pages: 'nextLink' }),
  [
    { name: 'lots', url: 'https://portal.example/Lots', key: 'ProcedureId', of: 'ProcedureId' },
    { name: 'links', url: 'https://portal.example/Links', key: 'LotId', of: 'Id' },
    { name: 'codes', url: 'https://portal.example/Codes', key: 'Id', of: 'CodeId' },
  ],
)
if (delivery.kind !== 'own') throw new Error('not its own')
const { fetch } = delivery

const Day = '2026-11-20T08:00:00Z'
const sets: { readonly [path: string]: readonly { readonly [name: string]: unknown }[] } = {
  '/Notices': [
    { Id: 1, ProcedureId: 10, Day },
    { Id: 2, ProcedureId: 20, Day },
    { Id: 3, ProcedureId: 'x', Day },
  ],
  '/Lots': [
    { Id: 101, ProcedureId: 10 },
    { Id: 102, ProcedureId: 10 },
    { Id: 201, ProcedureId: 20 },
  ],
  '/Links': [
    { LotId: 101, CodeId: 7 },
    { LotId: 102, CodeId: 7 },
    { LotId: 201, CodeId: 8 },
  ],
  '/Codes': [
    { Id: 7, Code: '45000000-7' },
    { Id: 8, Code: '09000000-3' },
  ],
}
/** Pages of two, as the service cuts them itself. */
const script: Script = (_, url) => {
  const skip = Number(url.searchParams.get('$skip') ?? 0)
  const [, key, ids] = /^(\w+) in \((.*)\)$/.exec(url.searchParams.get('$filter')!) ?? []
  const rows = sets[url.pathname]!.filter((row) => key === undefined || ids!.split(',').includes(String(row[key])))
  url.searchParams.set('$skip', String(skip + 2))
  return {
    body: JSON.stringify({
      value: rows.slice(skip, skip + 2),
      ...(skip + 2 < rows.length && { '@odata.nextLink': url.href }),
    }),
  }
}
const expected = [
  {
    notice: sets['/Notices']![0],
    lots: sets['/Lots']!.slice(0, 2),
    links: sets['/Links']!.slice(0, 2),
    codes: [sets['/Codes']![0]],
  },
  {
    notice: sets['/Notices']![1],
    lots: [sets['/Lots']![2]],
    links: [sets['/Links']![2]],
    codes: [sets['/Codes']![1]],
  },
  sets['/Notices']![2],
]
  .map((document) => JSON.stringify(document))
  .sort()

it('writes the rows of every hop with their entry, and requests them for a page of entries at once', async () => {
  const reading = await readSlot(fetch, script, { slot: daySlot('2026-11-20') })
  expect(reading.end).toEqual({ kind: 'complete' })
  expect(textsOf(reading).sort()).toEqual(expected)
  // Two pages of notices; three lots and three links take two pages each, the codes one; the second page has no key to
  // request.
  expect(reading.requests.length).toBe(2 + 2 + 2 + 1)
})

it('continues after a kill at any request', async () => {
  for (let killedAtRequest = 1; killedAtRequest <= 7; killedAtRequest++) {
    const kept = nothingKept()
    const slot = daySlot('2026-11-20')
    expect((await readSlot(fetch, script, { slot, kept, killedAtRequest })).end).toBe('killed')
    expect(textsOf(await readSlot(fetch, script, { slot, kept })).sort()).toEqual(expected)
  }
})

it('keeps no notice without its lots if they are not available', async () => {
  const refusing: Script = (request, url) =>
    url.pathname === '/Links' ? { body: '{"error":{}}' } : script(request, url)
  await expect(readSlot(fetch, refusing, { slot: daySlot('2026-11-20') })).rejects.toThrow()
})
