// Reads an Airbyte manifest and does what it describes, for the components that ours uses. A member that it does not
// know is an error, so a misspelt one cannot pass. Not Airbyte: the rules were taken from its published component
// schema.
import type { Row } from './stock-world.ts'

export type ManifestNode = { readonly [member: string]: unknown }
type Config = { readonly [name: string]: unknown }
export type StreamState = { readonly [cursorField: string]: string }

/** The members of each component: `!` marks the required ones. After the published schema, version 1.0.0. */
const members: { readonly [type: string]: string } = {
  DeclarativeSource: 'type! check! version! streams! spec description schemas api_budget',
  CheckStream: 'type! stream_names!',
  Spec: 'type! connection_specification!',
  HTTPAPIBudget: 'type! policies!',
  MovingWindowCallRatePolicy: 'type! rates! matchers!',
  DeclarativeStream: 'type! retriever! name primary_key schema_loader incremental_sync',
  SimpleRetriever: 'type! record_selector! requester! paginator ignore_stream_slicer_parameters_on_paginated_requests',
  HttpRequester: 'type! url http_method authenticator request_headers request_parameters error_handler',
  BearerAuthenticator: 'type! api_token!',
  DefaultErrorHandler: 'type! max_retries backoff_strategies response_filters',
  WaitTimeFromHeader: 'type! header! regex',
  ExponentialBackoffStrategy: 'type! factor',
  HttpResponseFilter: 'type! action failure_type error_message http_codes predicate',
  RecordSelector: 'type! extractor!',
  DpathExtractor: 'type! field_path!',
  DefaultPaginator: 'type! pagination_strategy! page_size_option page_token_option',
  RequestOption: 'type! inject_into! field_name',
  CursorPagination: 'type! cursor_value! page_size stop_condition',
  DatetimeBasedCursor:
    'type! cursor_field! datetime_format! start_datetime! cursor_datetime_formats start_time_option end_time_option step',
  MinMaxDatetime: 'type! datetime! datetime_format',
  InlineSchemaLoader: 'type! schema',
}

const isNode = (value: unknown): value is ManifestNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Faults of the manifest's structure: unknown components, unknown members, missing ones. Empty if it is valid. */
export function faultsOf(value: unknown, path = 'manifest'): string[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => faultsOf(item, `${path}[${index}]`))
  if (!isNode(value)) return []
  const faults: string[] = []
  const isComponent = typeof value.type === 'string' && /^[A-Z]/.test(value.type)
  if (isComponent) {
    const known = members[value.type as string]
    if (known === undefined) return [`${path}: ${value.type} is no component that we know`]
    const names = known.split(' ').map((name) => name.replace('!', ''))
    for (const name of Object.keys(value))
      if (!names.includes(name)) faults.push(`${path}: ${value.type} has no ${name}`)
    for (const name of known.split(' '))
      if (name.endsWith('!') && !(name.slice(0, -1) in value))
        faults.push(`${path}: ${value.type} lacks ${name.slice(0, -1)}`)
  }
  const schemas = new Set(['connection_specification', 'schemas'])
  for (const [name, member] of Object.entries(value))
    if (!schemas.has(name)) faults.push(...faultsOf(member, `${path}.${name}`))
  return faults
}

/** The manifest with each `$ref: "#/…"` replaced by what it points to. */
export function resolveReferences(root: ManifestNode): ManifestNode {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (!isNode(value)) return value
    if (typeof value.$ref === 'string') {
      let target: unknown = root
      for (const name of value.$ref.replace('#/', '').split('/')) target = isNode(target) ? target[name] : undefined
      if (target === undefined) throw new Error(`${value.$ref} points nowhere`)
      return walk(target)
    }
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member)]))
  }
  return walk(root) as ManifestNode
}

/** One `{{ … }}` expression of those that the manifest uses. */
function evaluate(expression: string, context: ManifestNode): unknown {
  const text = expression.trim()
  const negated = /^not (.+)$/.exec(text)
  if (negated) {
    const value = evaluate(negated[1]!, context)
    return value === undefined || value === null || value === '' || value === false
  }
  const contained = /^'([^']*)' in (.+)$/.exec(text)
  if (contained) return String(evaluate(contained[2]!, context)).includes(contained[1]!)
  const got = /^(\w+)\.get\('(\w+)'(?:, ('([^']*)'|\d+))?\)$/.exec(text)
  if (got) {
    const object = context[got[1]!]
    if (!isNode(object)) throw new Error(`${got[1]} is not known here`)
    return got[2]! in object ? object[got[2]!] : (got[4] ?? (got[3] === undefined ? null : Number(got[3])))
  }
  const indexed = /^(\w+)\['(\w+)'\]$/.exec(text)
  if (indexed) {
    const object = context[indexed[1]!]
    if (!isNode(object) || !(indexed[2]! in object)) throw new Error(`${text} is not known here`)
    return object[indexed[2]!]
  }
  throw new Error(`an expression that this interpreter does not know: ${text}`)
}

/** A template: undefined if it renders to nothing; the request options leave that out. */
export function render(template: unknown, context: ManifestNode): string | undefined {
  const text = String(template).replace(/\{\{(.*?)\}\}/g, (_, expression: string) => {
    const value = evaluate(expression, context)
    return value === null ? 'None' : String(value)
  })
  return text === '' || text === 'None' ? undefined : text
}

/** Instants as the manifest's format writes them; only the two placeholders for fractions are distinguished. */
function formatInstant(instant: string, format: string): string {
  const [, date, seconds, fraction] = /^(.{10})T(.{8})\.(\d{3})Z$/.exec(instant) ?? []
  if (date === undefined) throw new Error(`${instant} does not fit cursor_datetime_formats`)
  const known: Record<string, string> = {
    '%Y-%m-%dT%H:%M:%S.%_msZ': `${date}T${seconds}.${fraction}Z`,
    '%Y-%m-%dT%H:%M:%SZ': `${date}T${seconds}Z`,
  }
  const text = known[format]
  if (text === undefined) throw new Error(`a format that this interpreter does not know: ${format}`)
  return text
}

export type Answer = { readonly status: number; readonly headers: Headers; readonly body: ManifestNode }

/** What the error handler decides for an answer: a wait in seconds before the same request, or the end of the run. */
export function waitFor(
  handler: ManifestNode,
  answer: Answer,
  attempt: number,
): { waitSeconds: number } | { error: string } {
  const context = { response: answer.body, headers: Object.fromEntries(answer.headers) }
  const filter = (handler.response_filters as ManifestNode[]).find(
    ({ http_codes: codes, predicate }) =>
      (Array.isArray(codes) && codes.includes(answer.status)) ||
      (predicate !== undefined && render(predicate, context) === 'true'),
  )
  if (!filter) return { error: `no filter for ${answer.status}` }
  if (filter.action !== 'RETRY' && filter.action !== 'RATE_LIMITED')
    return { error: `${filter.failure_type}: ${render(filter.error_message, context)}` }
  if (attempt > Number(handler.max_retries)) return { error: 'attempts exhausted' }
  for (const strategy of handler.backoff_strategies as ManifestNode[]) {
    const fromHeader = strategy.type === 'WaitTimeFromHeader' ? answer.headers.get(String(strategy.header)) : null
    if (fromHeader !== null) return { waitSeconds: Number(fromHeader) }
    if (strategy.type === 'ExponentialBackoffStrategy') return { waitSeconds: Number(strategy.factor) * 2 ** attempt }
  }
  return { error: 'no backoff strategy gave a time' }
}

export type ManifestRun = { readonly rows: Row[]; readonly state: StreamState; readonly urls: string[] }

/**
 * One incremental read of the only stream. Throws if the manifest says that the run fails. `onPage` receives each page
 * before the next one is requested.
 */
export async function readManifest(
  manifest: ManifestNode,
  config: Config,
  state: StreamState,
  onPage: (page: number) => void = () => {},
): Promise<ManifestRun> {
  const [stream] = resolveReferences(manifest).streams as [ManifestNode]
  const retriever = stream.retriever as ManifestNode
  const requester = retriever.requester as ManifestNode
  const paginator = retriever.paginator as ManifestNode
  const strategy = paginator.pagination_strategy as ManifestNode
  const cursor = stream.incremental_sync as ManifestNode
  const format = String(cursor.datetime_format)
  const field = String(cursor.cursor_field)
  if (cursor.step !== undefined || cursor.end_time_option !== undefined)
    throw new Error('one slice without an end only')

  const parameters = new URLSearchParams()
  const put = (option: unknown, value: string | undefined) => {
    if (!isNode(option) || value === undefined) return
    if (option.inject_into !== 'request_parameter') throw new Error(`cannot inject into ${option.inject_into}`)
    parameters.set(String(option.field_name), value)
  }
  for (const [name, template] of Object.entries(requester.request_parameters as ManifestNode)) {
    const value = render(template, { config })
    if (value !== undefined) parameters.set(name, value)
  }
  put(paginator.page_size_option, String(strategy.page_size))
  const floor = (cursor.start_datetime as ManifestNode).datetime as string
  put(cursor.start_time_option, formatInstant(state[field] ?? floor, format))

  const headers = {
    ...Object.fromEntries(
      Object.entries(requester.request_headers as ManifestNode).map(([name, v]) => [name, String(v)]),
    ),
    authorization: `Bearer ${render((requester.authenticator as ManifestNode).api_token, { config })}`,
  }
  const rows: Row[] = []
  const urls: string[] = []
  let largest = state[field]
  for (let page = 1; ; page++) {
    const url = `${render(requester.url, { config })}?${parameters}`
    urls.push(url)
    const response = await fetch(url, { method: String(requester.http_method), headers })
    const body = (await response.json()) as ManifestNode
    if (!response.ok) {
      const decision = waitFor(
        requester.error_handler as ManifestNode,
        { status: response.status, headers: response.headers, body },
        1,
      )
      throw new Error('error' in decision ? decision.error : `would wait ${decision.waitSeconds} s`)
    }
    let found: unknown = body
    const { field_path: path } = (retriever.record_selector as { extractor: { field_path: string[] } }).extractor
    for (const name of path) found = isNode(found) ? found[name] : undefined
    for (const row of found as Row[]) {
      rows.push(row)
      const stamp = formatInstant(String(row[field]), format)
      if (largest === undefined || stamp > largest) largest = stamp
    }
    onPage(page)
    if (render(strategy.stop_condition, { response: body, config }) === 'true') break
    const token = render(strategy.cursor_value, { response: body, config })
    if (token === undefined) break
    put(paginator.page_token_option, token)
  }
  return { rows, urls, state: largest === undefined ? {} : { [field]: largest } }
}
