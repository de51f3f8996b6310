// Editions, searches, endpoints, deliveries and crashes in any order, compared with a plain loop that determines which
// hits and messages must exist, and what a receiver must have at the end.
import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { sql } from 'kysely'
import { deleteSearch } from '../../src/actions/searches.ts'
import { hourMs } from '../../src/domain/time.ts'
import { hitId, messageId } from '../../src/hits/hit-id.ts'
import { type MatchOptions, matchEditions } from '../../src/hits/match-editions.ts'
import type { Match } from '../../src/hits/match-records.ts'
import { inTransaction, type Store } from '../../src/store/database/database.ts'
import { releaseDeliveries } from '../../src/store/hits/hits.ts'
import { changeProfile, changeSearch, createProfile, createSearch, lockSearch } from '../../src/store/hits/searches.ts'
import type { Circumstances } from '../../src/store/people/organizations.ts'
import { deliverDue } from '../../src/webhooks/deliver.ts'

/** Actions on one tender. Numbers are taken modulo the number of existing things. */
const change = fc.record({
  tender: fc.nat(7),
  kind: fc.constantFrom('content', 'content', 'content', 'region', 'announce', 'archive', 'merge', 'merge', 'split'),
  region: fc.nat(1),
  base: fc.nat(100),
  deadline: fc.nat(3),
  value: fc.nat(2),
  reason: fc.constantFrom('expired', 'cancelled', 'awarded'),
  into: fc.nat(7),
})
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

const terms = {
  region: fc.nat(1),
  asksOpen: fc.boolean(),
  threshold: fc.constantFrom(1, 40, 50, 60),
  profile: fc.nat(3),
}
const organization = fc.nat(1)
const create = fc.record({ do: fc.constant('create'), organization, ...terms })
const subscribe = fc.record({
  do: fc.constant('subscribe'),
  organization,
  hearsChanges: fc.boolean(),
  search: fc.option(fc.nat(5)),
})
/** What becomes of an attempt; `lost`: the receiver has the message, and its answer does not arrive. */
const fate = fc.constantFrom('taken', 'taken', 'taken', 'refused', 'lost', 'crash')
type Fate = typeof fate extends fc.Arbitrary<infer T> ? T : never

const command = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('publish'), changes: fc.array(change, { minLength: 1, maxLength: 6 }) }),
  },
  { weight: 3, arbitrary: create },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit'), search: fc.nat(5), ...terms }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pause'), search: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('resume'), search: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete'), search: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('profile'), profile: fc.nat(2), bonus: fc.nat(40) }) },
  { weight: 2, arbitrary: subscribe },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unsubscribe'), endpoint: fc.nat(3) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('run') }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('crash'), step: fc.integer({ min: 1, max: 15 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('repeat'), edition: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release'), search: fc.nat(5) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('deliver'), fates: fc.array(fate, { minLength: 1, maxLength: 5 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('backup') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restore') }) },
)
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

/** Some searches and endpoints come first, so that the later actions have something to act on. */
export const commands: fc.Arbitrary<readonly Command[]> = fc
  .tuple(
    fc.array(command, { maxLength: 3 }),
    fc.array(create, { minLength: 1, maxLength: 3 }),
    fc.array(subscribe, { maxLength: 2 }),
    fc.array(command, { minLength: 4, maxLength: 16, size: 'max' }),
  )
  .map((parts) => parts.flat())

const cap = { hits: 4, fewHits: 1, share: 0.4 }
const organizations = ['organization-a', 'organization-b'] as const
const start = Date.UTC(2026, 0, 1)
const firstStamp = start - 1_000_000

type ModelTender = {
  readonly tender: number
  /** An announcement that is no call. */
  readonly isPlanned: boolean
  readonly region: number
  readonly base: number
  readonly deadline: number
  readonly value: number
  readonly reason: string | null
  readonly into: number | null
}
type ModelTerms = {
  readonly region: number
  readonly asksOpen: boolean
  readonly threshold: number
  readonly profile: number | null
}
type ModelSearch = ModelTerms & {
  readonly id: string
  readonly organization: string
  readonly version: number
  readonly isActive: boolean
}
type ModelHit = {
  closed: string | null
  status: string
  asksOpen: boolean
  score: number
  edition: number
  version: number
  scoreNow: number
  /** Deadline and value of what it represents. */
  deadline: number
  value: number
  into: number | null
}
type Model = {
  tenders: Map<number, ModelTender & { stamp: number }>
  searches: ModelSearch[]
  profiles: number[]
  endpoints: { id: string; organization: string; hearsChanges: boolean; search: string | null; isRemoved: boolean }[]
  hits: Map<string, ModelHit>
  /** Message id to what the message reports. */
  messages: Map<string, string>
  /** Held editions of a search: hits that the cap holds back. */
  held: Set<string>
  edition: number
  stamp: number
  /** The tender of each entry, by its stamp. */
  tenderOf: Map<number, number>
}

const uuid = (kind: string, number: number): string =>
  `${kind.padStart(8, '0')}-0000-8000-8000-${String(number).padStart(12, '0')}`
const tenderUuid = (tender: number): string => uuid('1', tender)
const key = (search: string, tender: number): string => `${search}|${tender}`
/** How well a tender fits: the same rule for the model and for the matcher that the runner receives. */
const scoreOf = (base: number, bonus: number): number => Math.min(100, base + bonus)

/** The plain loop: the effect of an edition on everything before it. */
function publishInModel(model: Model, changes: readonly Change[]): (ModelTender & { stamp: number })[] {
  const changed = new Set<number>()
  const set = (tender: ModelTender): void => {
    model.tenders.set(tender.tender, { ...tender, stamp: 0 })
    changed.add(tender.tender)
  }
  for (const { tender, kind, region, base, deadline, value, reason, into } of changes) {
    const before = model.tenders.get(tender)
    const isMerged = before !== undefined && before.into !== null
    if (before === undefined || (kind === 'content' && !isMerged))
      set({ tender, isPlanned: false, region, base, deadline, value, reason: null, into: null })
    else if (kind === 'region' && !isMerged) set({ ...before, region })
    else if (kind === 'announce' && !isMerged) set({ ...before, isPlanned: !before.isPlanned })
    else if (kind === 'archive' && !isMerged) set({ ...before, reason })
    else if (kind === 'split' && isMerged) set({ ...before, reason: null, into: null })
    else if (kind === 'merge') {
      const target = model.tenders.get(into)
      if (into === tender || target === undefined || target.into !== null) continue
      set({ ...before, reason: 'merged', into })
      // what was merged into this one continues to where it went
      for (const other of [...model.tenders.values()]) if (other.into === tender) set({ ...other, into })
    }
    // the other half of a split changes too
    if (kind === 'split' && isMerged) set(model.tenders.get(before.into!)!)
  }
  model.edition++
  const entries = [...changed]
    .sort((left, right) => left - right)
    .map((tender) => {
      const entry = { ...model.tenders.get(tender)!, stamp: ++model.stamp }
      model.tenders.set(tender, entry)
      model.tenderOf.set(entry.stamp, tender)
      return entry
    })
  followInModel(model, entries)
  for (const entry of entries) matchInModel(model, entry)
  const live = [...model.tenders.values()].filter(({ reason }) => reason === null).length
  for (const search of model.searches) {
    const own = [...model.hits].filter(
      ([name, hit]) => name.startsWith(`${search.id}|`) && hit.edition === model.edition,
    )
    if (own.length > cap.hits || (own.length > cap.fewHits && own.length > cap.share * live))
      for (const [name] of own) model.held.add(name)
  }
  return entries
}

const statusOf = ({ isPlanned, reason }: ModelTender): string => reason ?? (isPlanned ? 'planned' : 'open')

/** Why a hit is closed: its tender is archived, or announced only although it was a call or should be one. */
function closedNow(hit: ModelHit, entry: Pick<ModelTender, 'reason' | 'isPlanned'>): string | null {
  if (entry.reason !== null) return entry.reason
  const wasCall = hit.status === 'open' || hit.closed === 'planned'
  return entry.isPlanned && (hit.asksOpen || wasCall) ? 'planned' : null
}

/** Each hit hears once of an edition: of its own tender, or else of the survivor into which that was merged before. */
function followInModel(model: Model, entries: readonly (ModelTender & { stamp: number })[]): void {
  const entryOf = (tender: number | null) => entries.find((entry) => entry.tender === tender)
  for (const search of model.searches)
    for (const [name, hit] of model.hits) {
      const [searchId, tender] = name.split('|') as [string, string]
      if (searchId !== search.id) continue
      const own = entryOf(Number(tender))
      const into = own === undefined ? hit.into : own.into
      const isReplaced = into !== null && model.hits.has(key(search.id, into))
      const entry = own ?? (isReplaced ? undefined : entryOf(into))
      if (entry === undefined) continue
      const shown = into === null ? own : isReplaced ? undefined : entryOf(into)
      const before = { ...hit }
      hit.into = into
      hit.closed = (shown && closedNow(hit, shown)) ?? (into === null ? null : 'merged')
      if (shown) Object.assign(hit, { status: statusOf(shown), deadline: shown.deadline, value: shown.value })
      const changes = [
        ...(isEnd(hit.closed) && !isEnd(before.closed) ? ['closed'] : []),
        ...(into !== null && into !== before.into ? ['merged'] : []),
        ...(hit.deadline !== before.deadline ? ['deadline'] : []),
        ...(hit.value !== before.value ? ['value'] : []),
      ]
      const heard = { tender: Number(tender), stamp: entry.stamp }
      if (changes.length > 0) offerInModel(model, search, heard, `changed ${changes.join(' ')}`)
    }
}

const isEnd = (closed: string | null): boolean => closed !== null && closed !== 'merged'

function matchInModel(model: Model, entry: ModelTender & { stamp: number }): void {
  if (entry.reason !== null) return
  for (const search of model.searches) {
    const score = scoreOf(entry.base, search.profile === null ? 0 : model.profiles[search.profile]!)
    if (!search.isActive || search.region !== entry.region || score < search.threshold) continue
    if (search.asksOpen && entry.isPlanned) continue
    const own = model.hits.get(key(search.id, entry.tender))
    if (own) {
      own.scoreNow = score
      continue
    }
    const stands = [...model.hits].some(([name, hit]) => name.startsWith(`${search.id}|`) && hit.into === entry.tender)
    if (stands) continue
    const { edition } = model
    model.hits.set(key(search.id, entry.tender), {
      closed: null,
      status: statusOf(entry),
      asksOpen: search.asksOpen,
      score,
      edition,
      version: search.version,
      scoreNow: score,
      deadline: entry.deadline,
      value: entry.value,
      into: null,
    })
    offerInModel(model, search, entry, 'new')
  }
}

function offerInModel(
  model: Model,
  search: ModelSearch,
  entry: { readonly tender: number; readonly stamp: number },
  what: string,
): void {
  for (const endpoint of model.endpoints) {
    if (endpoint.organization !== search.organization || endpoint.isRemoved) continue
    if (endpoint.search !== null && endpoint.search !== search.id) continue
    if (what !== 'new' && !endpoint.hearsChanges) continue
    const identity = { stockId: 'stock', searchId: search.id, tenderId: tenderUuid(entry.tender) }
    model.messages.set(
      messageId(identity, endpoint.id, what === 'new' ? 'new' : entry.stamp),
      `${endpoint.id} ${search.id} ${entry.tender} ${what} ${entry.stamp}`,
    )
  }
}

/** The matcher that the runner receives: one region, one number. */
function trialMatcher(): MatchOptions['matcher'] {
  let searches: Parameters<MatchOptions['matcher']['load']>[0] = []
  let bonuses = new Map<string, number>()
  return {
    load: async (loaded, profiles) => {
      searches = loaded
      bonuses = new Map(
        profiles.map(({ profileId, profile }) => [profileId, (profile as { bonus?: number }).bonus ?? 0]),
      )
    },
    match: async (records) =>
      records.flatMap((text) => {
        const record = JSON.parse(text) as { id: string; archiveReason?: string; status: string } & {
          nutsCodes: string[]
          base: number
        }
        if (record.archiveReason !== undefined) return []
        return searches.flatMap(({ searchNo, filter, profileId, threshold }): Match[] => {
          const fitScore = scoreOf(record.base, profileId === null ? 0 : bonuses.get(profileId)!)
          if (filter.nuts?.[0] !== record.nutsCodes[0] || fitScore < threshold) return []
          if (filter.status?.some((status) => status === record.status) === false) return []
          return [
            {
              searchNo,
              tenderId: record.id,
              fitScore,
              fit: { test: true } as never,
              matched: ['nuts'],
              reasons: {} as never,
            },
          ]
        })
      }),
  }
}

const kept = [
  'setting',
  'edition',
  'edition_entry',
  'hit_mark',
  'company_profile',
  'company_profile_version',
  'saved_search',
  'saved_search_version',
  'hit',
  'search_edition',
  'webhook_endpoint',
  'webhook_secret',
  'delivery',
  'delivery_body',
  'removal',
] as const

type Db = Pick<Store, 'db' | 'engine'>

async function clear({ db }: Db, withOrganizations: boolean): Promise<void> {
  for (const table of [...kept].reverse())
    if (table !== 'hit_mark') await sql`delete from ${sql.table(table)}`.execute(db)
  if (!withOrganizations) return
  await sql`update hit_mark set edition = 0, last_modified = ${Number.MIN_SAFE_INTEGER}, step = 'changes',
    step_modified = ${Number.MIN_SAFE_INTEGER}, step_entries = 0, unseen = 0, until_ms = 0`.execute(db)
  await sql`insert into setting values ('stock-id', 'stock')`.execute(db)
  for (const name of organizations)
    await sql`insert into organization values (${name}, ${name}, true, 60, 0) on conflict do nothing`.execute(db)
}

async function dump({ db }: Db): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const table of kept) {
    const { rows } = await sql<{
      rows: string
    }>`select coalesce(json_agg(t), '[]')::text as rows from ${sql.table(table)} t`.execute(db)
    texts.set(table, rows[0]!.rows)
  }
  return texts
}

async function restore(store: Db, texts: ReadonlyMap<string, string>): Promise<void> {
  await clear(store, false)
  await sql`delete from hit_mark`.execute(store.db)
  for (const [table, rows] of texts)
    await sql`insert into ${sql.table(table)} overriding system value
      select * from json_populate_recordset(null::${sql.table(table)}, ${rows}::json)`.execute(store.db)
}

async function publishInStore(
  { db }: Db,
  model: Model,
  entries: readonly (ModelTender & { stamp: number })[],
): Promise<void> {
  const live = [...model.tenders.values()].filter(({ reason }) => reason === null).length
  const rows = entries.map(({ tender, isPlanned, region, base, deadline, value, reason, into, stamp }) => ({
    stamp,
    id: tenderUuid(tender),
    body: JSON.stringify({
      id: tenderUuid(tender),
      ...(reason !== null && { archiveReason: reason }),
      ...(into !== null && { mergedInto: tenderUuid(into) }),
      status: reason ?? (isPlanned ? 'planned' : 'open'),
      nutsCodes: [`DE${region}`],
      base,
      ...(deadline > 0 && { submissionDate: new Date(start + deadline * hourMs).toISOString() }),
      contractAmount: value === 0 ? null : { value, currency: 'EUR', estimated: false },
      lots: [],
      cpvCodes: [],
    }),
  }))
  await sql`
    with added as (
      insert into edition_entry (last_modified, edition, tender_id, body, sources)
      select stamp, ${model.edition}::integer, id, body, '[]' from json_to_recordset(${JSON.stringify(rows)}::json) as r (stamp bigint, id text, body text)
    ), signal as (
      update change_signal set serial = serial + 1 where topic = 'edition'
    )
    insert into edition values (${model.edition}::integer, ${model.stamp}, ${start + model.edition * hourMs}, ${model.tenders.size}::integer,
      ${entries.length}::integer, '{}', ${JSON.stringify({ live, bySource: {} })})`.execute(db)
}

/** The content of the store, in the terms of the model. */
async function assertAlike({ db }: Db, model: Model): Promise<void> {
  const { rows: hits } = await sql<{
    search: string
    tender: string
    id: string
    edition: number
    score: number
    version: number
    now: number
    reason: string | null
    into: string | null
  }>`
    select s.search_id as search, h.tender_id as tender, h.hit_id as id, h.edition, h.fit_score as score, h.search_version as version,
      h.score_now as now, h.archive_reason as reason, h.merged_into as into
    from hit h join saved_search s using (search_no)`.execute(db)
  const found = hits.map(({ search, tender, ...rest }) => [key(search, Number(tender.slice(-12))), rest] as const)
  const expected = [...model.hits].map(([name, hit]) => {
    const { score, edition, version, scoreNow, into } = hit
    const [search, tender] = name.split('|') as [string, string]
    const id = hitId({ stockId: 'stock', searchId: search, tenderId: tenderUuid(Number(tender)) })
    const intoId = into === null ? null : tenderUuid(into)
    return [name, { id, edition, score, version, now: scoreNow, reason: hit.closed, into: intoId }] as const
  })
  const sorted = <T>(entries: readonly (readonly [string, T])[]) =>
    Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
  deepStrictEqual(sorted(found), sorted(expected))
  const { rows: deliveries } = await sql<{
    id: string
    endpoint: string
    search: string
    tender: string
    kind: string
    changes: string | null
    stamp: number
    why: string | null
  }>`
    select d.message_id as id, e.endpoint_id as endpoint, s.search_id as search, h.tender_id as tender, d.kind, d.changes,
      d.last_modified as stamp, d.held_why as why
    from delivery d join webhook_endpoint e using (endpoint_no) join hit h using (hit_id) join saved_search s using (search_no)
    where e.state <> 'removed'`.execute(db)
  const stored = deliveries.map(({ id, endpoint, search, tender, changes, stamp }) => {
    const what = changes === null ? 'new' : `changed ${(JSON.parse(changes) as string[]).join(' ')}`
    return [id, `${endpoint} ${search} ${Number(tender.slice(-12))} ${what} ${stamp}`] as const
  })
  const removed = new Set(model.endpoints.filter(({ isRemoved }) => isRemoved).map(({ id }) => id))
  deepStrictEqual(sorted(stored), sorted([...model.messages].filter(([, text]) => !removed.has(text.split(' ')[0]!))))
  const heldNow = new Set(
    deliveries.filter(({ why }) => why === 'cap').map(({ search, tender }) => key(search, Number(tender.slice(-12)))),
  )
  const offered = new Set(
    stored
      .filter(([, text]) => text.includes(' new '))
      .map(([, text]) => key(text.split(' ')[1]!, Number(text.split(' ')[2]!))),
  )
  deepStrictEqual([...heldNow].sort(), [...model.held].filter((name) => offered.has(name)).sort())
}

/** The receiver of all endpoints, which outlives everything. */
type Receiver = {
  /** Message id to its bodies. */
  readonly bodies: Map<string, Set<string>>
  /** What must not arrive. */
  readonly faults: string[]
}

let ticks = 0

/** Delivers what is due by then, each attempt with the next fate. */
async function deliver(
  { db, engine }: Db,
  { model, receiver, fates }: { readonly model: Model; readonly receiver: Receiver; readonly fates: readonly Fate[] },
): Promise<void> {
  // time passes until the next attempt, and until the leases of those that crashed end
  await sql`update delivery set due_at = 0 where state = 'due'`.execute(db)
  await sql`update webhook_endpoint set taken_until = 0`.execute(db)
  let attempts = 0
  const send: Parameters<typeof deliverDue>[0]['send'] = async ({ headers, body }) => {
    const which = fates[attempts++ % fates.length]!
    const id = headers['webhook-id']!
    if (which !== 'refused') receiver.bodies.set(id, (receiver.bodies.get(id) ?? new Set()).add(body))
    const fault = faultOf(model, id, body)
    if (fault !== undefined) receiver.faults.push(`${id}: ${fault}`)
    if (which === 'crash') throw new Crash()
    if (which === 'lost') return { outcome: { kind: 'failed', failure: 'timeout' }, milliseconds: 1 }
    return { outcome: { kind: 'answered', status: which === 'refused' ? 500 : 204 }, milliseconds: 1 }
  }
  const sealer = { seal: () => Buffer.alloc(0), open: () => Buffer.alloc(32) }
  const clock = () => start
  // a body that is built again has another timestamp
  const wallClock = () => start + ++ticks
  const addresses = { allowsLoopback: false }
  await deliverDue(
    {
      store: { db, engine } as Store,
      clock,
      wallClock,
      random: () => 0.5,
      send,
      sealer,
      addresses,
      worker: 'test',
      mailDomain: 'example.org',
    },
    new AbortController().signal,
  ).catch((error: unknown) => {
    if (!(error instanceof Crash)) throw error
  })
}

/** Why a message must not arrive as it is; undefined if it may. */
function faultOf(model: Model, id: string, body: string): string | undefined {
  const text = model.messages.get(id)
  if (text === undefined) return 'is no message'
  const [endpoint, search, tender, what] = text.split(' ') as [string, string, string, string]
  if (model.endpoints.find((each) => each.id === endpoint)!.isRemoved) return 'its endpoint was removed'
  if (what === 'new' && model.held.has(key(search, Number(tender)))) return 'is held by the cap'
  const { type, data } = JSON.parse(body) as {
    readonly type: string
    readonly data: { search: { id: string }; tender: { id: string }; changes?: readonly string[] }
  }
  const shown = model.tenderOf.get(Number(text.split(' ').at(-1)))!
  const asked = [what === 'new' ? 'search.hit' : 'search.hit.changed', search, tenderUuid(shown)]
  const changes = what === 'new' ? 'new' : `changed ${data.changes?.join(' ')}`
  const isAlike = String([type, data.search.id, data.tender.id]) === String(asked) && text.includes(` ${changes} `)
  return isAlike ? undefined : `says ${body}, and should say ${text}`
}

/** The receiver has every message that is not held, and each under one body. */
function assertReceived(model: Model, receiver: Receiver): void {
  const removed = new Set(model.endpoints.filter(({ isRemoved }) => isRemoved).map(({ id }) => id))
  const missing = [...model.messages].flatMap(([id, text]) => {
    const [endpoint, search, tender, what] = text.split(' ') as [string, string, string, string]
    if (removed.has(endpoint) || (what === 'new' && model.held.has(key(search, Number(tender))))) return []
    return receiver.bodies.has(id) ? [] : [text]
  })
  const twice = [...receiver.bodies].filter(([, { size }]) => size > 1).map(([id]) => id)
  deepStrictEqual({ missing, twice, faults: receiver.faults }, { missing: [], twice: [], faults: [] })
}

/** What the plain loop knows about a search that was deleted: nothing. Endpoints that named it get nothing. */
function forgetInModel(model: Model, searchId: string): void {
  for (const name of [...model.hits.keys()]) if (name.startsWith(`${searchId}|`)) model.hits.delete(name)
  for (const name of [...model.held]) if (name.startsWith(`${searchId}|`)) model.held.delete(name)
  for (const [id, text] of model.messages) if (text.split(' ')[1] === searchId) model.messages.delete(id)
}

async function deleteInStore({ db }: Db, searchNo: number, circumstances: Circumstances): Promise<void> {
  const search = (await lockSearch(db, searchNo))!
  const acting = { actor: 'test', addressPrefix: '', ...circumstances }
  await inTransaction({ db }, (trx) => deleteSearch(trx, acting, searchNo, search.name))
}

class Crash extends Error {}

/** The store on which the commands run. */
export type HitWorld = {
  /** It may be a different one after each matching. */
  readonly store: () => Db
  /** Matches to the end, or until it has done this many steps. False if it did not reach the end. */
  readonly match: (crashAt: number | undefined) => Promise<boolean>
}

/** The limits that the runner receives: pages and pieces so small that a few records are many steps. */
export const trialOptions = (onStep: () => void): MatchOptions => ({
  matcher: trialMatcher(),
  clock: () => start,
  cap,
  entriesAtOnce: 3,
  pace: { run: (piece) => piece(1) },
  onStep,
})

/** Matches in this process; a crash is an exception between two steps, and at every other step the signal to stop. */
export function worldInProcess(store: Db): HitWorld {
  return {
    store: () => store,
    match: async (crashAt) => {
      let steps = 0
      try {
        const stopping = new AbortController()
        const onStep = () => {
          if (++steps !== crashAt) return
          if (crashAt % 2 === 0) throw new Crash()
          stopping.abort()
        }
        await matchEditions(store, { ...trialOptions(onStep), signal: stopping.signal })
        return !stopping.signal.aborted
      } catch (error) {
        if (error instanceof Crash) return false
        throw error
      }
    },
  }
}

/** Runs the commands; throws where the store and the model differ. The tables of the store are emptied first. */
export async function runHitModel({ store, match }: HitWorld, list: readonly Command[]): Promise<void> {
  await clear(store(), true)
  let drawn = 0
  const random = { uuid: () => uuid('2', ++drawn), bytes: () => Buffer.alloc(0) }
  const circumstances = { now: start, random }
  let model: Model = {
    tenders: new Map(),
    searches: [],
    profiles: [],
    endpoints: [],
    hits: new Map(),
    messages: new Map(),
    held: new Set(),
    edition: 0,
    stamp: firstStamp,
    tenderOf: new Map(),
  }
  let saved: { readonly model: Model; readonly texts: ReadonlyMap<string, string> } | undefined
  const receiver: Receiver = { bodies: new Map(), faults: [] }
  /** By the identity of a new hit, over all restores: the id under which it was offered. */
  const offeredAs = new Map<string, string>()
  const check = async (): Promise<void> => {
    await assertAlike(store(), model)
    for (const [id, text] of model.messages) {
      if (!text.includes(' new ')) continue
      const name = text.split(' ').slice(0, 3).join(' ')
      if ((offeredAs.get(name) ?? id) !== id)
        throw new Error(`${name} is offered as ${id} and as ${offeredAs.get(name)}`)
      offeredAs.set(name, id)
    }
  }
  const searchNoOf = async (id: string): Promise<number> => {
    const { rows } = await sql<{
      no: number
    }>`select search_no as no from saved_search where search_id = ${id}`.execute(store().db)
    return rows[0]!.no
  }
  const profileIds = async (): Promise<string[]> => {
    const { rows } = await sql<{
      id: string
    }>`select profile_id as id from company_profile order by profile_id`.execute(store().db)
    return rows.map(({ id }) => id)
  }
  const termsOf = async ({ region, asksOpen, threshold, profile }: ModelTerms) => ({
    filter: JSON.stringify({ nuts: [`DE${region}`], ...(asksOpen && { status: ['open'] }) }),
    filterHash: `${region} ${asksOpen}`,
    threshold,
    profileId: profile === null ? null : (await profileIds())[profile]!,
  })
  const pick = (number: number): number => number % model.searches.length
  const edit = async (index: number, change: Partial<ModelTerms & { isActive: boolean }>): Promise<void> => {
    const search = { ...model.searches[index]!, ...change }
    const stored = { ...(await termsOf(search)), isActive: search.isActive }
    await changeSearch(store(), await searchNoOf(search.id), stored, start)
    model.searches[index] = { ...search, version: search.version + 1 }
  }
  const ofProfiles = (number: number): number | null => (number < model.profiles.length ? number : null)

  for (const step of list) {
    switch (step.do) {
      case 'publish':
        await publishInStore(store(), model, publishInModel(model, step.changes))
        break
      case 'create': {
        const { organization, region, asksOpen, threshold, profile } = step
        const terms = { region, asksOpen, threshold, profile: ofProfiles(profile) }
        const owner = organizations[organization]!
        const made = await createSearch(
          store(),
          {
            organizationId: owner,
            name: `search ${drawn}`,
            createdBy: 'test',
            isActive: true,
            ...(await termsOf(terms)),
          },
          circumstances,
        )
        if (made.kind !== 'created') throw new Error(made.kind)
        model.searches.push({ ...terms, id: made.search.searchId, organization: owner, version: 1, isActive: true })
        break
      }
      case 'edit': {
        const { search, region, asksOpen, threshold, profile } = step
        if (model.searches.length > 0)
          await edit(pick(search), { region, asksOpen, threshold, profile: ofProfiles(profile) })
        break
      }
      case 'pause':
      case 'resume':
        if (model.searches.length > 0) await edit(pick(step.search), { isActive: step.do === 'resume' })
        break
      case 'delete': {
        if (model.searches.length === 0) break
        const [gone] = model.searches.splice(pick(step.search), 1)
        await deleteInStore(store(), await searchNoOf(gone!.id), circumstances)
        forgetInModel(model, gone!.id)
        break
      }
      case 'profile': {
        const { profile, bonus } = step
        const content = JSON.stringify({ bonus })
        if (profile < model.profiles.length) {
          await changeProfile(store(), (await profileIds())[profile]!, content, start)
          model.profiles[profile] = bonus
        } else {
          await createProfile(
            store(),
            { organizationId: organizations[0], name: `profile ${drawn}`, content },
            circumstances,
          )
          model.profiles.push(bonus)
        }
        break
      }
      case 'subscribe': {
        const { organization, hearsChanges, search } = step
        const id = random.uuid()
        const only = search === null ? null : (model.searches[search]?.id ?? null)
        const kinds = hearsChanges ? ['search.hit', 'search.hit.changed'] : ['search.hit']
        await sql`
          with made as (
            insert into webhook_endpoint (endpoint_id, organization_id, address, description, from_edition, kinds, searches, requests_per_second, created_at)
            select ${id}, ${organizations[organization]!}, 'https://example.org/', '', coalesce(max(edition), 0) + 1, ${JSON.stringify(kinds)},
              ${only === null ? null : JSON.stringify([only])}, 10000, 0 from edition returning endpoint_no
          )
          insert into webhook_secret (secret_id, endpoint_no, sealed, created_at) select ${id}, endpoint_no, '', 0 from made`.execute(
          store().db,
        )
        model.endpoints.push({
          id,
          organization: organizations[organization]!,
          hearsChanges,
          search: only,
          isRemoved: false,
        })
        break
      }
      case 'unsubscribe': {
        const endpoint = model.endpoints[step.endpoint]
        if (!endpoint) break
        endpoint.isRemoved = true
        await sql`update webhook_endpoint set state = 'removed' where endpoint_id = ${endpoint.id}`.execute(store().db)
        break
      }
      case 'run':
        await match(undefined)
        await check()
        break
      case 'crash':
        if (await match(step.step)) await check()
        break
      case 'repeat': {
        const { rows } = await sql<{ edition: number; w: number }>`
          select edition, last_modified as w from edition where edition < (select edition from hit_mark) order by edition`.execute(
          store().db,
        )
        const from = rows.at(-1 - step.edition)
        if (from)
          await sql`
            update hit_mark set edition = ${from.edition}, last_modified = ${from.w}, step = 'changes',
              step_modified = ${from.w}, step_entries = 0`.execute(store().db)
        break
      }
      case 'release': {
        if (model.searches.length === 0) break
        // what is released must have been matched before
        await match(undefined)
        const { id } = model.searches[pick(step.search)]!
        const searchNo = await searchNoOf(id)
        const { rows } = await sql<{
          edition: number
        }>`select edition from search_edition where search_no = ${searchNo}`.execute(store().db)
        for (const { edition } of rows) await releaseDeliveries(store().db, { edition, searchNo, now: start }, 100_000)
        for (const name of [...model.held]) if (name.startsWith(`${id}|`)) model.held.delete(name)
        break
      }
      case 'deliver':
        await deliver(store(), { model, receiver, fates: step.fates })
        break
      case 'backup':
        saved = { model: structuredClone(model), texts: await dump(store()) }
        break
      case 'restore':
        if (!saved) break
        await restore(store(), saved.texts)
        // clients have seen later stamps: new ones are above them (P5)
        model = { ...structuredClone(saved.model), stamp: model.stamp }
        // a body that was not stored before the backup is built again
        for (const bodies of receiver.bodies.values()) bodies.clear()
        break
    }
  }
  await match(undefined)
  await check()
  await deliver(store(), { model, receiver, fates: ['taken'] })
  assertReceived(model, receiver)
}
