// Mistakes that other feeds and clients really make, injected into the world or around the client, one at a
// time: each must be found by an invariant. The first eleven are those of docs/sync/proof.md.
import type { Sink, StateStore, SyncState } from '../../client/src/sync/sink.ts'
import { filterHash } from '../../client/src/sync/sync-filters.ts'
import { createLocalLimiter } from '../../src/api/limits/limiter-memory.ts'
import { toInstant } from '../../src/domain/time.ts'
import type { EditionView, ListQuery, RecordKey } from '../../src/edition/read/edition-view.ts'
import { smallLimiter } from '../testing/small-limiter.ts'
import { type ApiNode, nodeCount } from './api-node.ts'
import type { Answer } from './in-process-app.ts'
import type { Planted } from './world.ts'

/** The edition view with another list. */
function withList(reader: EditionView, list: EditionView['list']): EditionView {
  return {
    get newest() {
      return reader.newest
    },
    edition: (edition) => reader.edition(edition),
    list,
    find: (id) => reader.find(id),
    meta: (position) => reader.meta(position),
    pageBody: (positions, edition, encoding) => reader.pageBody(positions, edition, encoding),
    record: (position, encoding) => reader.record(position, encoding),
  }
}

/** Changes every match of the query, and cuts the result into a page again. */
function relisted(
  reader: EditionView,
  query: ListQuery,
  change: (positions: readonly number[]) => readonly number[],
): ReturnType<EditionView['list']> {
  const { after: _after, ...whole } = query
  const all = change(reader.list({ ...whole, limit: 1_000_000 }).positions)
  const key = (position: number): RecordKey => {
    const { id, lastModified } = reader.meta(position)
    return { id, lastModified }
  }
  const { after } = query
  const rest = after
    ? all.filter((position) => {
        const { id, lastModified } = key(position)
        return lastModified > after.lastModified || (lastModified === after.lastModified && id > after.id)
      })
    : all
  const positions = rest.slice(0, query.limit)
  return { positions, next: rest.length > positions.length ? key(positions.at(-1)!) : null }
}

const isArchived = (reader: EditionView, position: number): boolean =>
  (JSON.parse(reader.record(position, 'identity').bytes.toString()) as { archiveReason?: string }).archiveReason !==
  undefined

function withStates(store: StateStore, change: (state: SyncState) => SyncState): StateStore {
  return { load: () => store.load(), save: (state) => store.save(change(state)), clear: () => store.clear() }
}

/** Changes what is stored, wherever the client's sink stores it. */
function storing(change: (state: SyncState, now: number) => SyncState): NonNullable<Planted['client']> {
  return {
    wrapSink: (sink, process) => ({
      ...sink,
      commit: (state, end) =>
        sink.commit(end === 'run' ? change(state, process.now() + process.client.clockShiftMs) : state, end),
    }),
    wrapState: (store, process) =>
      withStates(store, (state) => (state.run ? state : change(state, process.now() + process.client.clockShiftMs))),
  }
}

const withTime = (state: SyncState, updatedSince: string): SyncState => ({ ...state, updatedSince })

/** Answers of the first page that a cache stores, whichever client requests them. */
function cachingAnswer(): (answer: Answer, url: string, node: ApiNode) => Answer {
  const kept = new WeakMap<object, Map<string, Answer>>()
  return (answer, url, node) => {
    let answers = kept.get(node.backplane.log)
    if (!answers) {
      answers = new Map()
      kept.set(node.backplane.log, answers)
    }
    const known = answers.get(url)
    if (known) {
      // Whether a body is packed follows from its size, and the stored body is another one.
      const { 'content-encoding': _encoding, ...headers } = answer.headers
      return { ...known, headers: { ...headers, ...known.headers } }
    }
    if (answer.status === 200 && !url.includes('cursor=')) answers.set(url, answer)
    return answer
  }
}

/** Fetches that see other bodies, or are sent elsewhere. */
function fetching(
  change: (fetch: typeof globalThis.fetch, url: string, init: RequestInit | undefined) => Promise<Response>,
): NonNullable<Planted['client']> {
  return {
    wrapFetch: (fetch) => ((url: string, init?: RequestInit) => change(fetch, url, init)) as typeof globalThis.fetch,
  }
}

/** A sink whose first runs are staged in name only, and of which nothing is kept if a run did not end. */
const lossySink = (change: (sink: Sink) => Partial<Sink>): NonNullable<Planted['client']> => ({
  wrapSink: (sink) => ({ ...sink, ...change(sink) }),
})

/** Answers with the digest that belongs to the edition before that of the answer. */
function digestOfBefore(): NonNullable<NonNullable<Planted['node']>['answer']> {
  const digests = new Map<number, string>()
  return ({ headers, ...answer }) => {
    const edition = Number.parseInt(headers['x-stock-state'] ?? '', 10)
    const digest = headers['x-stock-digest']
    if (digest === undefined) return { headers, ...answer }
    digests.set(edition, digest)
    return { ...answer, headers: { ...headers, 'x-stock-digest': digests.get(edition - 1) ?? digest } }
  }
}

/** The eleven of docs/sync/proof.md. */
export const suite: readonly Planted[] = [
  {
    name: '> for updated_since',
    mistake: 'the API leaves out records of exactly updated_since',
    node: {
      reader: (reader) =>
        withList(reader, (query) =>
          reader.list(
            query.filter.updatedSince === undefined
              ? query
              : { ...query, filter: { ...query.filter, updatedSince: query.filter.updatedSince + 1 } },
          ),
        ),
    },
  },
  {
    name: 'order by lastModified only',
    mistake: 'equal times come in another order on every node',
    blind: ['page'],
    node: {
      reader: (reader, node) =>
        withList(reader, (query) =>
          relisted(reader, query, (positions) =>
            [...positions].sort((a, b) => {
              const [left, right] = [reader.meta(a), reader.meta(b)]
              const order = left.lastModified - right.lastModified
              return order !== 0 ? order : (left.id < right.id ? -1 : 1) * (node.index === 0 ? 1 : -1)
            }),
          ),
        ),
    },
  },
  {
    name: 'cursor without id',
    mistake: 'the next page begins behind all records of the last time',
    blind: ['page'],
    node: {
      cursors: (cursors) => ({
        ...cursors,
        seal: ({ after, edition }, filter, organizationId) =>
          cursors.seal(
            { after: { ...after, id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }, edition },
            filter,
            organizationId,
          ),
      }),
    },
  },
  {
    name: 'floating cursor',
    mistake: 'every page comes from the newest edition (G2)',
    blind: ['page', 'R1', 'R3', 'R4'],
    node: {
      cursors: (cursors, node) => ({
        ...cursors,
        open: (text, filter, organizationId) => {
          const opened = cursors.open(text, filter, organizationId)
          if (opened.state !== 'valid') return opened
          return { ...opened, position: { ...opened.position, edition: Math.max(1, node.shown) } }
        },
      }),
    },
  },
  {
    name: 'reused millisecond',
    mistake: 'the first change of an edition takes the last time of the edition before (G3)',
    publisher: { stampOf: (stamp, before, index) => (index === 0 ? before : stamp) },
  },
  {
    name: 'archived omitted in delta',
    mistake: 'updated_since does not bring archived records',
    blind: ['page'],
    node: {
      reader: (reader) =>
        withList(reader, (query) =>
          query.filter.updatedSince === undefined
            ? reader.list(query)
            : relisted(reader, query, (positions) => positions.filter((position) => !isArchived(reader, position))),
        ),
    },
  },
  {
    name: 'state = now',
    mistake: "the client stores its own clock's time",
    blind: ['C147 C149', 'T falls'],
    client: storing((state, now) => withTime(state, toInstant(now))),
  },
  {
    name: 'state saved before sink',
    mistake: 'a crash between the two leaves a state ahead of the copy',
    client: {
      wrapSink: (sink, _process, store) => ({
        ...sink,
        commit: async (state, end) => {
          if (!sink.state) await store.save(state)
          await sink.commit(state, end)
        },
      }),
    },
  },
  {
    name: 'missing guard',
    mistake: 'an older version replaces a newer one in the sink (G5)',
    client: { sink: { hasNoGuard: true } },
  },
  {
    name: 'naive CPV strip',
    mistake: '30000000 is read as "begins with 3"',
    node: {
      reader: (reader) =>
        withList(reader, (query) => {
          const { cpv } = query.filter
          if (!cpv) return reader.list(query)
          const wide = cpv.flatMap((code) =>
            /^\d0{7}$/.test(code) ? Array.from({ length: 10 }, (_, digit) => `${code[0]}${digit}000000`) : code,
          )
          return reader.list({ ...query, filter: { ...query.filter, cpv: wide } })
        }),
    },
  },
  {
    name: 'limit per token',
    mistake: "each token of an organisation has the organisation's limit",
    node: {
      limiter: (limiter, node) => ({
        ...limiter,
        take: (key, limit) => limiter.take(`${key} ${node.token}`, limit),
      }),
    },
  },
]

/** Further mistakes that are plausible. */
export const furtherSuite: readonly Planted[] = [
  {
    name: 'merge before its survivor',
    mistake: 'the engine is told that every record is held',
    client: lossySink((sink) => ({
      held: async (ids) => {
        await sink.held(ids)
        return new Map(ids.map((id) => [id, '2022-01-01T00:00:00.000Z']))
      },
    })),
  },
  {
    name: 'first run not staged',
    mistake: 'a sink says that it stages, and shows what it gets (G1)',
    client: { sink: { showsStaging: true } },
  },
  {
    name: 'filters changed with the old state',
    mistake: 'the state is taken for that of the new filters (G4)',
    blind: ['C150 C155', 'C149'],
    client: {
      wrapState: (store, process) => ({
        ...store,
        load: async () => {
          const state = await store.load()
          return state && { ...state, filterHash: await filterHash(process.client.filters) }
        },
      }),
    },
  },
  {
    name: 'Retry-After ignored',
    mistake: 'the client waits a second at most',
    client: { wrapSleep: (ms) => Math.min(ms, 1000) },
  },
  {
    name: 'restart without state',
    mistake: 'after an expired cursor the list is asked for without updated_since',
    blind: ['C150 C155'],
    client: {
      wrapFetch: (fetch) => {
        let isWithout = false
        return (async (input: string, init?: RequestInit) => {
          const target = new URL(input)
          if (isWithout && target.pathname === '/v1/tenders') target.searchParams.delete('updated_since')
          const response = await fetch(target.href, init)
          if (response.status === 400) isWithout = true
          return response
        }) as typeof globalThis.fetch
      },
    },
  },
  {
    name: 'back-dated record',
    mistake: 'a record becomes visible behind what was already served (P2)',
    blind: ['P2', 'page', 'abort'],
    publisher: {
      stampOf: (stamp, before, index, random) =>
        index === 0 && random.chance(0.5) ? before - random.integer(1, 3) : stamp,
    },
  },
  {
    name: 'half an edition',
    mistake: 'a node serves an edition before all of its records are there',
    blind: ['page'],
    node: {
      reader: (reader, node) =>
        node.index !== 0
          ? reader
          : withList(reader, (query) =>
              relisted(reader, query, (positions) =>
                positions.filter(
                  (position) =>
                    position % 2 === 1 ||
                    position < (node.backplane.log.editions.get(query.edition - 1)?.end ?? Number.POSITIVE_INFINITY),
                ),
              ),
            ),
    },
  },
  {
    name: 'body of a superseded version',
    mistake: 'a changed record is published with its new time and its old body',
    publisher: {
      body: (body, previous) => {
        if (!previous) return body
        const time = /"lastModified":"[^"]+"/
        return previous.body.replace(time, time.exec(body)![0])
      },
    },
  },
  {
    name: 'a cache answers',
    mistake: 'a first page that was answered before is answered again',
    blind: ['page', 'R1'],
    node: { answer: cachingAnswer() },
  },
  {
    name: 'answers without their edition',
    mistake: 'the client cannot tell that a record comes from a node that lags behind its run',
    blind: ['R1'],
    node: {
      answer: ({ headers, ...answer }) => {
        const { 'x-stock-state': _edition, ...others } = headers
        return { ...answer, headers: others }
      },
    },
  },
  {
    name: 'digest of the edition before',
    mistake: 'a node answers with the digest of the edition that it had before',
    node: { answer: digestOfBefore() },
  },
  {
    name: 'limit per node',
    mistake: 'every node counts for itself and takes it for the shared count',
    node: {
      limiter: (limiter, node) => {
        const local = createLocalLimiter(node.clock, smallLimiter)
        return {
          ...limiter,
          take: (key, limit) => {
            const admission = local.take(key, limit)
            node.decision = { counter: 'shared', isAllowed: admission.isAllowed, limit }
            return admission
          },
        }
      },
    },
  },
  {
    name: 'whole limit alone',
    mistake: 'without the shared count every node has the whole limit',
    node: {
      limiter: (limiter, node) => {
        const local = createLocalLimiter(node.clock, smallLimiter)
        return {
          ...limiter,
          take: (key, limit) => {
            if (!node.backplane.isLimiterStoreDown()) return limiter.take(key, limit)
            const admission = local.take(key, limit)
            node.decision = { counter: 'local', isAllowed: admission.isAllowed, limit: Math.floor(limit / nodeCount) }
            return admission
          },
        }
      },
    },
  },
  {
    name: 'refused too early',
    mistake: 'the last request of the minute is refused',
    node: { limiter: (limiter) => ({ ...limiter, take: (key, limit) => limiter.take(key, Math.max(1, limit - 1)) }) },
  },
  {
    name: 'state rounded up',
    mistake: 'the client keeps whole seconds',
    blind: ['C147 C149'],
    client: storing((state) =>
      state.updatedSince === undefined
        ? state
        : withTime(state, toInstant(Math.ceil(Date.parse(state.updatedSince) / 1000) * 1000)),
    ),
  },
  {
    name: 'a page that is forgotten',
    mistake: 'the sink says that a page is durable, and does not write it',
    client: {
      wrapSink: (sink) => {
        let isForgetting = false
        return {
          ...sink,
          upsert: async (records) => {
            isForgetting = !isForgetting
            await sink.upsert(isForgetting ? records.slice(1) : records)
          },
        }
      },
    },
  },
  {
    name: 'short page taken for the last',
    mistake: 'the client stops at a page with fewer than 100 records',
    client: fetching(async (fetch, url, init) => {
      const response = await fetch(url, init)
      if (response.status !== 200 || !url.includes('limit=100')) return response
      const text = await response.text()
      let short = text
      try {
        short = JSON.stringify({ ...(JSON.parse(text) as object), nextCursor: null })
      } catch {}
      return new Response(short, { status: 200, headers: response.headers })
    }),
  },
  {
    name: 'closed records dropped',
    mistake: 'the sink ignores what is closed',
    client: lossySink((sink) => ({ close: (records) => sink.close(records.slice(0, 0)) })),
  },
  {
    name: 'merges dropped',
    mistake: 'the sink ignores merges',
    client: lossySink((sink) => ({ merge: (merges) => sink.merge(merges.slice(0, 0)) })),
  },
]

export const plantedFaults: readonly Planted[] = [...suite, ...furtherSuite]
