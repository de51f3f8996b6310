// A small imitation of HubSpot's CRM API v3 for deals (batch upsert and batch read by a unique property, multi-status
// answers) and of the v4 associations, as its public reference describes them. Deals hold texts, as they do there.
import {
  type CrmCall,
  type CrmReply,
  isObject,
  type LoopbackCrm,
  onlyMembers,
  startLoopbackCrm,
} from './loopback-crm.ts'

type Deal = { readonly id: string; readonly properties: { [name: string]: string } }

export type HubspotImitation = LoopbackCrm & {
  readonly deals: Map<string, Deal>
  readonly dealOf: (tenderId: string) => Deal | undefined
  /** Notes and tasks by the deal's own id. */
  readonly associated: { readonly [kind: string]: Map<string, Set<string>> }
  /** Number of records written so far, creations and updates. */
  readonly writes: number
  /** True: one bad value refuses the whole batch with 400, as accounts without multi-status answers see it. */
  isAllOrNothing: boolean
  /** Values that the account does not accept: property to value. */
  readonly badValues: Map<string, string>
}

type Kind = 'text' | 'number' | 'datetime' | 'stage' | 'bool'
const properties: { readonly [name: string]: Kind } = {
  dealname: 'text',
  pipeline: 'text',
  dealstage: 'stage',
  closedate: 'datetime',
  description: 'text',
  tenderstock_id: 'text',
  tenderstock_value: 'number',
  tenderstock_currency: 'text',
  tenderstock_authority: 'text',
  tenderstock_country: 'text',
  tenderstock_region: 'text',
  tenderstock_cpv: 'text',
  tenderstock_procedure: 'text',
  tenderstock_number: 'text',
  tenderstock_url: 'text',
  tenderstock_state: 'text',
  tenderstock_status: 'text',
  tenderstock_archive_reason: 'text',
  tenderstock_merged_into: 'text',
  tenderstock_backfill: 'bool',
  tenderstock_last_modified: 'datetime',
}
const stages = ['appointmentscheduled', 'qualifiedtobuy', 'closedwon', 'closedlost']
const fits: { readonly [kind in Kind]: (value: string) => boolean } = {
  text: (value) => value.length <= 65_536,
  number: (value) => value === '' || Number.isFinite(Number(value)),
  datetime: (value) => value === '' || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) || /^\d+$/.test(value),
  stage: (value) => stages.includes(value),
  bool: (value) => ['true', 'false', ''].includes(value),
}
const time = '2026-03-02T09:00:00.000Z'
const problem = (category: string, message: string): CrmReply => ({
  status: 400,
  body: { status: 'error', message, correlationId: '4711', category },
})

/** Starts the imitation; the property tenderstock_id exists and is unique. */
export async function startHubspot(token = 'pat-loopback'): Promise<HubspotImitation> {
  const deals = new Map<string, Deal>()
  const byTender = new Map<string, Deal>()
  const associated: { [kind: string]: Map<string, Set<string>> } = { notes: new Map(), tasks: new Map() }
  const badValues = new Map<string, string>()
  let writes = 0
  let isAllOrNothing = false

  function faultOf(values: { readonly [name: string]: string }): string | undefined {
    for (const [name, value] of Object.entries(values)) {
      if (badValues.get(name) === value || !fits[properties[name]!](value))
        return `Property values were not valid: [{"isValid":false,"message":"${value.slice(0, 40)} was not valid","name":"${name}"}]`
    }
    return undefined
  }

  function inputsOf(body: unknown, violate: (text: string) => void): { [name: string]: unknown }[] | CrmReply {
    if (!isObject(body) || !Array.isArray(body.inputs) || !body.inputs.every(isObject)) {
      violate('no list of inputs')
      return problem('VALIDATION_ERROR', 'Invalid input JSON')
    }
    if (body.inputs.length === 0 || body.inputs.length > 100) {
      violate(`${body.inputs.length} inputs`)
      return problem('VALIDATION_ERROR', 'The maximum batch size is 100')
    }
    return body.inputs
  }

  function upsert({ body }: CrmCall, violate: (text: string) => void): CrmReply {
    const inputs = inputsOf(body, violate)
    if (!Array.isArray(inputs)) return inputs
    onlyMembers(body as { [name: string]: unknown }, ['inputs'], violate)
    for (const input of inputs) {
      onlyMembers(input, ['id', 'idProperty', 'properties', 'objectWriteTraceId'], violate)
      if (input.idProperty !== 'tenderstock_id' || typeof input.id !== 'string') {
        violate('an input without its id')
        return problem('VALIDATION_ERROR', 'idProperty must be a unique property')
      }
      if (!isObject(input.properties) || !Object.values(input.properties).every((value) => typeof value === 'string')) {
        violate('a property that is not a text')
        return problem('VALIDATION_ERROR', 'Invalid input JSON: properties')
      }
      const unknown = Object.keys(input.properties).find((name) => !(name in properties))
      if (unknown !== undefined) return problem('VALIDATION_ERROR', `Property "${unknown}" does not exist`)
    }
    const ids = inputs.map(({ id }) => id as string)
    if (new Set(ids).size < ids.length) {
      violate('the same id twice in a batch')
      return problem('VALIDATION_ERROR', 'Duplicate IDs found in batch input')
    }
    const results: unknown[] = []
    const errors: unknown[] = []
    const faulty = inputs.map((input) => faultOf(input.properties as { [name: string]: string }))
    if (isAllOrNothing && faulty.some((fault) => fault !== undefined))
      return problem('VALIDATION_ERROR', faulty.find((fault) => fault !== undefined)!)
    for (const [index, input] of inputs.entries()) {
      const id = input.id as string
      const trace = input.objectWriteTraceId
      const message = faulty[index]
      if (message !== undefined) {
        errors.push({
          status: 'error',
          category: 'VALIDATION_ERROR',
          message,
          context: { objectWriteTraceId: [trace ?? ''] },
          errors: [],
          links: {},
        })
        continue
      }
      const old = byTender.get(id)
      const deal: Deal = {
        id: old?.id ?? String(9_000_000_000 + deals.size),
        properties: { ...old?.properties, ...(input.properties as Deal['properties']), tenderstock_id: id },
      }
      deals.set(deal.id, deal)
      byTender.set(id, deal)
      writes++
      results.push({
        id: deal.id,
        properties: { ...(input.properties as Deal['properties']), hs_object_id: deal.id, hs_lastmodifieddate: time },
        createdAt: time,
        updatedAt: time,
        archived: false,
        new: old === undefined,
        ...(trace !== undefined && { objectWriteTraceId: trace }),
      })
    }
    const answer = { status: 'COMPLETE', results, startedAt: time, completedAt: time }
    return errors.length === 0
      ? { status: 200, body: answer }
      : { status: 207, body: { ...answer, numErrors: errors.length, errors } }
  }

  function read({ body }: CrmCall, violate: (text: string) => void): CrmReply {
    const inputs = inputsOf(body, violate)
    if (!Array.isArray(inputs)) return inputs
    const { idProperty, properties: names } = body as { idProperty?: unknown; properties?: unknown }
    onlyMembers(
      body as { [name: string]: unknown },
      ['inputs', 'idProperty', 'properties', 'propertiesWithHistory'],
      violate,
    )
    if (idProperty !== 'tenderstock_id' || !Array.isArray(names)) violate('idProperty or properties')
    const found = inputs.map(({ id }) => byTender.get(String(id)))
    const missing = inputs.filter((_, index) => !found[index]).map(({ id }) => id)
    const results = found
      .filter((deal) => deal !== undefined)
      .map(({ id, properties: values }) => ({
        id,
        properties: Object.fromEntries((names as string[]).map((name) => [name, values[name] ?? null])),
        createdAt: time,
        updatedAt: time,
        archived: false,
      }))
    const answer = { status: 'COMPLETE', results, startedAt: time, completedAt: time }
    if (missing.length === 0) return { status: 200, body: answer }
    const error = {
      status: 'error',
      category: 'OBJECT_NOT_FOUND',
      message: 'Could not get some DEAL objects, they may be deleted or not exist. Check that ids are valid.',
      context: { ids: missing },
    }
    return { status: 207, body: { ...answer, numErrors: 1, errors: [error] } }
  }

  function associations(kind: string, deal: string, query: URLSearchParams, violate: (text: string) => void): CrmReply {
    if (!deals.has(deal)) violate(`associations of the unknown deal ${deal}`)
    const all = [...(associated[kind]!.get(deal) ?? [])]
    const after = Number(query.get('after') ?? 0)
    // Pages of two, so that paging is seen in tests.
    const page = all.slice(after, after + 2)
    const hasNext = all.length > after + 2
    const link = `${crm.origin}/crm/v4/objects/deals/${deal}/associations/${kind}?limit=500&after=${after + 2}`
    return {
      status: 200,
      body: {
        results: page.map((id) => ({
          toObjectId: Number(id),
          associationTypes: [{ category: 'HUBSPOT_DEFINED', typeId: 213, label: null }],
        })),
        ...(hasNext && { paging: { next: { after: String(after + 2), link } } }),
      },
    }
  }

  function associate(kind: string, { body }: CrmCall, violate: (text: string) => void): CrmReply {
    const inputs = inputsOf(body, violate)
    if (!Array.isArray(inputs)) return inputs
    const results: unknown[] = []
    for (const { from, to } of inputs) {
      const deal = isObject(from) ? from.id : undefined
      const item = isObject(to) ? to.id : undefined
      if (typeof deal !== 'string' || typeof item !== 'string' || !deals.has(deal)) {
        violate('an association without its ends')
        return problem('VALIDATION_ERROR', 'from or to is not valid')
      }
      const held = associated[kind]!.get(deal) ?? new Set()
      associated[kind]!.set(deal, held.add(item))
      results.push({ from, to, associationSpec: { associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 213 } })
    }
    return { status: 200, body: { status: 'COMPLETE', results, startedAt: time, completedAt: time } }
  }

  const crm = await startLoopbackCrm({
    token,
    unauthorized: {
      status: 'error',
      message: 'Authentication credentials not found.',
      correlationId: '4711',
      category: 'INVALID_AUTHENTICATION',
    },
    answer: (call, violate) => {
      const { method, path, query } = call
      if (method === 'POST' && path === '/crm/v3/objects/deals/batch/upsert') return upsert(call, violate)
      if (method === 'POST' && path === '/crm/v3/objects/deals/batch/read') return read(call, violate)
      const list = /^\/crm\/v4\/objects\/deals\/(\d+)\/associations\/(notes|tasks)$/.exec(path)
      if (method === 'GET' && list) return associations(list[2]!, list[1]!, query, violate)
      const write = /^\/crm\/v4\/associations\/deals\/(notes|tasks)\/batch\/associate\/default$/.exec(path)
      if (method === 'POST' && write) return associate(write[1]!, call, violate)
      violate('no such resource')
      return { status: 404, body: { status: 'error', message: 'resource not found' } }
    },
  })
  return Object.defineProperties(crm, {
    deals: { value: deals },
    dealOf: { value: (tenderId: string) => byTender.get(tenderId) },
    associated: { value: associated },
    badValues: { value: badValues },
    writes: { get: () => writes },
    isAllOrNothing: {
      get: () => isAllOrNothing,
      set: (value: boolean) => {
        isAllOrNothing = value
      },
    },
  }) as HubspotImitation
}
