import { describe, expect, it } from 'vitest'
import { idOf, recordOf } from '../../testing/sink-conformance.ts'
import { lookUp } from './crm-objects.ts'
import type { CrmRequests } from './crm-requests.ts'
import type { HttpMapping } from './http-mapping.ts'

const lookup = {
  method: 'POST',
  path: '/lookup',
  body: { ids: '{items}' },
  item: '{externalId}',
  batchSize: 2,
  results: 'found',
  externalId: 'tender',
  crmId: 'own',
  lastModified: 'properties.modified',
} as const satisfies HttpMapping['lookup']

/** The CRM has these objects; `sent` are the bodies of the requests. */
function crmOf(objects: readonly { readonly [name: string]: unknown }[]) {
  const sent: unknown[] = []
  const requests: CrmRequests = {
    count: 0,
    send: async ({ body }) => {
      sent.push(body)
      const { ids } = body as { readonly ids: readonly string[] }
      return { result: 'ok', body: { found: objects.filter(({ tender }) => ids.includes(String(tender))) } }
    },
  }
  return { sent, find: (over: object, ids: readonly string[]) => lookUp(mappingOf(over), requests, ids) }
}
const mappingOf = (over: object) => ({ name: 'made-up CRM', lookup: { ...lookup, ...over } }) as unknown as HttpMapping

describe('the lookup of records that the ledger does not know', () => {
  it("brings the CRM's own id and the time of the version that it holds", async () => {
    const time = recordOf(1, 3).lastModified
    const { sent, find } = crmOf([
      { tender: idOf(1), own: 71, properties: { modified: time } },
      { tender: idOf(3), own: 'x', properties: { modified: time.replace('Z', '+00:00') } },
    ])
    expect(await find({}, [idOf(1), idOf(2), idOf(3)])).toEqual(
      new Map([
        [idOf(1), { id: idOf(1), crmId: '71', lastModified: time }],
        [idOf(3), { id: idOf(3), crmId: 'x', lastModified: time }],
      ]),
    )
    expect(sent).toEqual([{ ids: [idOf(1), idOf(2)] }, { ids: [idOf(3)] }])
  })

  it('takes a version without a readable time for one that is older than any', async () => {
    const { find } = crmOf([{ tender: idOf(1), own: 1, properties: { modified: 'never' } }])
    const oldest = new Date(0).toISOString()
    expect((await find({}, [idOf(1)])).get(idOf(1))?.lastModified).toBe(oldest)
    expect((await find({ lastModified: undefined }, [idOf(1)])).get(idOf(1))?.lastModified).toBe(oldest)
  })
})
