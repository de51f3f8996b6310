// A small imitation of Salesforce's REST API as its public reference describes it: sObject Collections upsert by an
// external id, update of tasks and events, and the queries that the mapping sends.
import {
  type CrmCall,
  type CrmReply,
  isObject,
  type LoopbackCrm,
  onlyMembers,
  startLoopbackCrm,
} from './loopback-crm.ts'

type Opportunity = { readonly Id: string; readonly [field: string]: unknown }

export type SalesforceImitation = LoopbackCrm & {
  readonly opportunities: Opportunity[]
  readonly opportunityOf: (tenderId: string) => Opportunity | undefined
  /** Tasks and events: id to the object to which they belong. */
  readonly activities: { readonly Task: Map<string, string>; readonly Event: Map<string, string> }
  readonly writes: number
  /** Sessions that were given out. */
  readonly sessions: readonly string[]
  /** Replies for the next requests for a session. */
  readonly sessionFaults: CrmReply[]
  /** Errors of the next records with these external ids: as often as the list is long. */
  readonly recordErrors: Map<string, string[]>
}

type Kind =
  | { readonly type: 'text'; readonly length: number }
  | { readonly type: 'number' | 'date' | 'datetime' | 'boolean' }
const text = (length: number): Kind => ({ type: 'text', length })
const fields: { readonly [name: string]: Kind } = {
  Name: text(120),
  StageName: text(255),
  CloseDate: { type: 'date' },
  Description: text(32_000),
  Tender_Id__c: text(36),
  Tender_Value__c: { type: 'number' },
  Tender_Currency__c: text(3),
  Tender_Authority__c: text(255),
  Tender_Country__c: text(2),
  Tender_Region__c: text(5),
  Tender_CPV__c: text(255),
  Tender_Procedure__c: text(255),
  Tender_Number__c: text(255),
  Tender_Url__c: text(255),
  Tender_State__c: text(20),
  Tender_Status__c: text(255),
  Tender_Archive_Reason__c: text(255),
  Tender_Merged_Into__c: text(36),
  Tender_Backfill__c: { type: 'boolean' },
  Tender_Last_Modified__c: { type: 'datetime' },
}
const data = '/services/data/v60.0'
/** Queries answer in pages; small here, so that paging is seen in tests. */
const queryPage = 2
const failed = (statusCode: string, message: string, names: readonly string[] = []) => ({
  success: false,
  errors: [{ statusCode, message, fields: names }],
})
const problem = (errorCode: string, message: string, status = 400): CrmReply => ({
  status,
  body: [{ message, errorCode }],
})

function typeFault(name: string, value: unknown): ReturnType<typeof failed> | undefined {
  const kind = fields[name]!
  if (value === null)
    return kind.type === 'boolean' || name === 'Name' || name === 'CloseDate'
      ? failed('REQUIRED_FIELD_MISSING', `Required fields are missing: [${name}]`, [name])
      : undefined
  if (kind.type === 'text') {
    if (typeof value !== 'string')
      return failed('INVALID_TYPE_ON_FIELD_IN_RECORD', `${name}: value not of required type`, [name])
    return value.length > kind.length
      ? failed('STRING_TOO_LONG', `${name}: data value too large: ${value.slice(0, 20)} (max length=${kind.length})`, [
          name,
        ])
      : undefined
  }
  const isFit = {
    number: typeof value === 'number',
    boolean: typeof value === 'boolean',
    date: typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value),
    datetime: typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  }[kind.type]
  return isFit
    ? undefined
    : failed('INVALID_TYPE_ON_FIELD_IN_RECORD', `${name}: value not of required type: ${String(value)}`, [name])
}

/** What the administrator gave to the integration. */
export const salesforceClient = { id: '3MVGloopback', secret: 'kept-in-a-file' } as const

/**
 * Starts the imitation; Opportunity has the external id Tender_Id__c. A session ends after `sessionRequests` requests:
 * there after some hours, or when an administrator ends it.
 */
export async function startSalesforce({
  sessionRequests = Number.POSITIVE_INFINITY,
}: {
  readonly sessionRequests?: number
} = {}): Promise<SalesforceImitation> {
  const sessions: string[] = []
  const sessionFaults: CrmReply[] = []
  let left = 0
  const opportunities: Opportunity[] = []
  const activities = { Task: new Map<string, string>(), Event: new Map<string, string>() }
  const recordErrors = new Map<string, string[]>()
  let writes = 0
  // External ids compare without regard to case, as they do there.
  const matching = (id: unknown) =>
    opportunities.filter(({ Tender_Id__c: own }) => String(own).toLowerCase() === String(id).toLowerCase())

  function recordsOf(body: unknown, violate: (text: string) => void): { [name: string]: unknown }[] | CrmReply {
    if (!isObject(body) || !Array.isArray(body.records) || !body.records.every(isObject)) {
      violate('no list of records')
      return problem('JSON_PARSER_ERROR', 'records expected')
    }
    onlyMembers(body, ['allOrNone', 'records'], violate)
    if (body.allOrNone !== false) violate('allOrNone is not false')
    if (body.records.length === 0 || body.records.length > 200) {
      violate(`${body.records.length} records`)
      return problem('INVALID_PARAMETER', 'The number of records is over the limit of 200')
    }
    return body.records
  }

  function upsertOne(record: { [name: string]: unknown }, batch: readonly { [name: string]: unknown }[]) {
    const { attributes: _, Tender_Id__c: id, ...values } = record
    const scripted = recordErrors.get(String(id))?.shift()
    if (scripted !== undefined) return failed(scripted, `${scripted} on demand`)
    if (batch.filter((other) => other.Tender_Id__c === id).length > 1)
      return failed('DUPLICATE_VALUE', `Duplicate external id specified: ${String(id)}`, ['Tender_Id__c'])
    const found = matching(id)
    // The single-row resource answers 300 here; in a collection it is an error of the record.
    if (found.length > 1)
      return failed(
        'DUPLICATE_EXTERNAL_ID',
        `more than one record found for external id field: [${found.map(({ Id }) => Id).join(', ')}]`,
      )
    for (const [name, value] of Object.entries(values)) {
      const fault = typeFault(name, value)
      if (fault) return fault
    }
    const [old] = found
    if (!old) {
      const missing = ['Name', 'StageName', 'CloseDate'].filter((name) => values[name] === undefined)
      if (missing.length > 0)
        return failed('REQUIRED_FIELD_MISSING', `Required fields are missing: [${missing.join(', ')}]`, missing)
    }
    writes++
    const Id = old?.Id ?? `006${String(opportunities.length).padStart(12, '0')}AAA`
    const next: Opportunity = { ...old, ...values, Tender_Id__c: id, Id }
    if (old) opportunities[opportunities.indexOf(old)] = next
    else opportunities.push(next)
    return { id: Id, success: true, errors: [], created: old === undefined }
  }

  function upsert({ body }: CrmCall, violate: (text: string) => void): CrmReply {
    const records = recordsOf(body, violate)
    if (!Array.isArray(records)) return records
    for (const record of records) {
      if (!isObject(record.attributes) || record.attributes.type !== 'Opportunity') violate('no attributes.type')
      if ('id' in record || 'Id' in record) violate('an id beside the external id')
      const unknown = Object.keys(record).find((name) => name !== 'attributes' && !(name in fields))
      if (unknown !== undefined)
        return problem('INVALID_FIELD', `No such column '${unknown}' on sobject of type Opportunity`)
    }
    return { status: 200, body: records.map((record) => upsertOne(record, records)) }
  }

  function updateActivities({ body }: CrmCall, violate: (text: string) => void): CrmReply {
    const records = recordsOf(body, violate)
    if (!Array.isArray(records)) return records
    return {
      status: 200,
      body: records.map((record) => {
        onlyMembers(record, ['attributes', 'id', 'WhatId'], violate)
        const type = isObject(record.attributes) ? record.attributes.type : undefined
        const held = type === 'Task' || type === 'Event' ? activities[type] : undefined
        if (!held?.has(String(record.id))) return failed('INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id')
        held.set(String(record.id), String(record.WhatId))
        return { id: record.id, success: true, errors: [] }
      }),
    }
  }

  function query(soql: string, start: number, violate: (text: string) => void): CrmReply {
    const byTender =
      /^SELECT Id,Tender_Id__c,Tender_Last_Modified__c FROM Opportunity WHERE Tender_Id__c IN \(((?:'[0-9a-fA-F-]{36}',?)+)\)$/.exec(
        soql,
      )
    const byOwner = /^SELECT Id FROM (Task|Event) WHERE WhatId='(\w+)'$/.exec(soql)
    if (byTender) {
      const ids = byTender[1]!.split(',').map((quoted) => quoted.slice(1, -1))
      const records = ids.flatMap(matching).map((found) => ({
        attributes: { type: 'Opportunity', url: `${data}/sobjects/Opportunity/${found.Id}` },
        Id: found.Id,
        Tender_Id__c: found.Tender_Id__c,
        Tender_Last_Modified__c:
          found.Tender_Last_Modified__c === undefined
            ? null
            : String(found.Tender_Last_Modified__c).replace('Z', '+0000'),
      }))
      return { status: 200, body: { totalSize: records.length, done: true, records } }
    }
    if (byOwner) {
      const type = byOwner[1] as 'Task' | 'Event'
      const all = [...activities[type]]
        .filter(([, owner]) => owner === byOwner[2])
        .map(([Id]) => ({ attributes: { type }, Id }))
      const isDone = all.length <= start + queryPage
      const nextRecordsUrl = `${data}/query/01g-${start + queryPage}?soql=${encodeURIComponent(soql)}`
      return {
        status: 200,
        body: {
          totalSize: all.length,
          done: isDone,
          ...(!isDone && { nextRecordsUrl }),
          records: all.slice(start, start + queryPage),
        },
      }
    }
    violate(`an unknown query: ${soql}`)
    return problem('MALFORMED_QUERY', 'unexpected token')
  }

  /** The client credentials flow, as an administrator enables it for an app. */
  function giveSession(text: string): CrmReply {
    const fault = sessionFaults.shift()
    if (fault) return fault
    const form = new URLSearchParams(text)
    if (form.get('grant_type') !== 'client_credentials')
      return { status: 400, body: { error: 'unsupported_grant_type', error_description: 'grant type not supported' } }
    if (form.get('client_id') !== salesforceClient.id || form.get('client_secret') !== salesforceClient.secret)
      return { status: 400, body: { error: 'invalid_client', error_description: 'invalid client credentials' } }
    sessions.push(`00Dloopback!${sessions.length}`)
    left = sessionRequests
    return { status: 200, body: { access_token: sessions.at(-1), token_type: 'Bearer', instance_url: crm.origin } }
  }

  const crm = await startLoopbackCrm({
    token: '',
    isValid: (given) => given === sessions.at(-1) && left-- > 0,
    answerAnybody: ({ method, path, text }) =>
      method === 'POST' && path === '/services/oauth2/token' ? giveSession(text) : undefined,
    unauthorized: [{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }],
    answer: (call, violate) => {
      const { method, path, query: parameters } = call
      if (method === 'PATCH' && path === `${data}/composite/sobjects/Opportunity/Tender_Id__c`)
        return upsert(call, violate)
      if (method === 'PATCH' && path === `${data}/composite/sobjects`) return updateActivities(call, violate)
      if (method === 'GET' && path === `${data}/query`) return query(parameters.get('q') ?? '', 0, violate)
      const next = new RegExp(`^${data}/query/01g-(\\d+)$`).exec(path)
      if (method === 'GET' && next) return query(parameters.get('soql') ?? '', Number(next[1]), violate)
      violate('no such resource')
      return problem('NOT_FOUND', 'The requested resource does not exist', 404)
    },
  })
  return Object.defineProperties(crm, {
    opportunities: { value: opportunities },
    opportunityOf: { value: (tenderId: string) => matching(tenderId)[0] },
    activities: { value: activities },
    recordErrors: { value: recordErrors },
    writes: { get: () => writes },
    sessions: { value: sessions },
    sessionFaults: { value: sessionFaults },
  }) as SalesforceImitation
}
