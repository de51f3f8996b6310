// The rows in which one API process answers under full load, compared with nginx and the peers.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadRequest } from '../load.ts'
import { runCommand } from '../processes.ts'
import type { SpeedOptions } from './options.ts'
import {
  getList,
  noMatchQuestions,
  parametersOf,
  pathOfSix,
  pathsOf,
  randomPages,
  saveAnswers,
  sixFilterQuestions,
  walk,
} from './questions.ts'
import { over, runRounds, type Side } from './rounds.ts'
import { atLeast, atMost, type SpeedRow } from './row.ts'
import {
  type Ours,
  type Server,
  startBareSocket,
  startFastifyPlain,
  startFastifyPostgres,
  startNginx,
  startPostgraphile,
} from './servers.ts'
import type { Stock } from './stock.ts'

export type SpeedContext = {
  readonly options: SpeedOptions
  readonly stock: Stock
  readonly ours: Ours
  readonly notes: string[]
}

const hotPages = 48
/** Number of different pages of 100: 0.2 GB compressed, more than a reader keeps. */
const coldPages = 1500
const hotRecords = 500
const coldRecords = 8000
const questionVariants = 1000
/**
 * Number of different queries: too many for a reader to keep their pages, even in a small stock with pages of 25 KB.
 */
const sixFilterVariants = 50_000

const tokenOf = ({ stock }: SpeedContext): string => stock.clients[0]!.token
const bearer = (token: string, encoding: string) => ({
  Authorization: `Bearer ${token}`,
  'Accept-Encoding': encoding,
})

const row = (
  { options }: SpeedContext,
  name: SpeedRow['name'],
  work: string,
  rest: Pick<SpeedRow, 'sides' | 'verdicts'> & { readonly notes?: readonly string[] },
): SpeedRow => ({ name, work, records: options.records, notes: [], ...rest })

/**
 * List pages of 100 compared with nginx and a bare socket with the same bytes: the same pages repeatedly, and pages
 * from all positions.
 */
export async function pageRows(context: SpeedContext): Promise<SpeedRow[]> {
  const { options, stock, ours } = context
  const token = tokenOf(context)
  const sets = {
    'the same 48 pages': (await walk(ours.port, token, '/v1/tenders?archived=true&limit=100', hotPages)).paths,
    [`${coldPages.toLocaleString('en')} pages from everywhere`]: randomPages(stock, coldPages, 1),
  }
  const folder = join(stock.scratch, 'pages')
  const names: { [set: string]: string[] } = {}
  for (const [index, [set, paths]] of Object.entries(sets).entries())
    names[set] = await saveAnswers(ours.port, token, paths, join(folder, String(index)))
  const nginx = await startNginx(folder)
  if (!nginx) context.notes.push('skipped: nginx (not installed)')
  const bare = await startBareSocket(folder)
  const rows: SpeedRow[] = []
  for (const [encoding, goal] of [
    ['gzip', 0.9],
    ['identity', 0.8],
  ] as const) {
    const name = `page-${encoding}` as const
    if (!options.rows.has(name)) continue
    for (const [index, [set, paths]] of Object.entries(sets).entries()) {
      const work = `list page of 100, ${encoding}, ${set}`
      const headers = bearer(token, encoding)
      const sides: Side[] = [{ server: ours, requests: pathsOf(paths), headers }]
      const files = names[set]!.map((file) => `/${index}/${file}`)
      if (nginx) sides.push({ server: nginx, requests: pathsOf(files), headers })
      sides.push({ server: bare, requests: pathsOf(files), headers })
      const figures = await runRounds(work, sides, options)
      const verdicts = nginx
        ? [
            atLeast('requests/s, ours ÷ nginx', over(figures, 'requests/s', 'ours', 'nginx'), goal),
            atLeast('work per CPU second, ours ÷ nginx', over(figures, 'CPU µs', 'nginx', 'ours'), goal),
          ]
        : []
      rows.push(row(context, name, work, { sides: figures, verdicts }))
    }
  }
  await bare.stop()
  await nginx?.stop()
  return rows
}

/** Records by id against a plain Fastify route with the same buffers, and nginx with the same files. */
export async function recordRows(context: SpeedContext): Promise<SpeedRow[]> {
  const { options, stock, ours } = context
  const token = tokenOf(context)
  const ids = new Set<string>()
  const wanted = Math.min(coldRecords, options.records / 2)
  // merged records answer with a redirect
  for (const path of randomPages(stock, 4 * Math.ceil(wanted / 100) + 20, 2)) {
    for (const { id, status } of (await getList(ours.port, path, token)).data) if (status !== 'merged') ids.add(id)
    if (ids.size >= wanted) break
  }
  const all = [...ids].slice(0, wanted)
  const folder = join(stock.scratch, 'records')
  const paths = all.map((id) => `/v1/tenders/${id}`)
  await saveAnswers(ours.port, token, paths, folder, (_, index) => all[index]!)
  const fastify = await startFastifyPlain(folder)
  const nginx = await startNginx(folder)
  const rows: SpeedRow[] = []
  for (const encoding of ['gzip', 'identity'] as const)
    for (const count of [hotRecords, all.length]) {
      const work = `record by id, ${encoding}, ${count.toLocaleString('en')} records in turn`
      const headers = bearer(token, encoding)
      const requests = pathsOf(paths.slice(0, count))
      const sides: Side[] = [
        { server: ours, requests, headers },
        { server: fastify, requests, headers },
      ]
      if (nginx) sides.push({ server: nginx, requests: pathsOf(all.slice(0, count).map((id) => `/${id}`)), headers })
      const figures = await runRounds(work, sides, options)
      rows.push(
        row(context, 'record', work, {
          sides: figures,
          verdicts: [
            atLeast('requests/s, ours ÷ plain Fastify', over(figures, 'requests/s', 'ours', 'plain Fastify'), 0.8),
            atLeast('work per CPU second, ours ÷ plain Fastify', over(figures, 'CPU µs', 'plain Fastify', 'ours'), 0.8),
          ],
        }),
      )
    }
  await fastify.stop()
  await nginx?.stop()
  return rows
}

/** Peers that answer from PostgreSQL. */
export async function peerRows(context: SpeedContext): Promise<SpeedRow[]> {
  const { options, stock, ours } = context
  if (stock.peerDatabase === undefined) {
    context.notes.push(`skipped: the peers on PostgreSQL (no table of theirs at this size; ask for it with --peers)`)
    return []
  }
  const token = tokenOf(context)
  const fastify = await startFastifyPostgres(stock, token)
  const graphile = await startPostgraphile(stock, options.onProgress, (reason) =>
    context.notes.push(`skipped: PostGraphile: ${reason}`),
  )
  const first = '/v1/tenders?archived=true&limit=100'
  const mine = await walk(ours.port, token, first, hotPages)
  const theirs = await walk(fastify.port, token, first, hotPages)
  const six = sixFilterQuestions('narrow', questionVariants)
  const wide = sixFilterQuestions('broad', questionVariants)
  const [sixPaths, widePaths] = [pathsOf(six.map(pathOfSix)), pathsOf(wide.map(pathOfSix))]
  await assertSame(context, fastify, mine.paths.at(-1)!, theirs.paths.at(-1)!)
  for (const { path } of [...sixPaths.slice(0, 4), ...widePaths.slice(0, 4)])
    await assertSame(context, fastify, path, path)
  const record = pathsOf(
    mine.answers
      .flatMap(({ data }) => data)
      .filter(({ status }) => status !== 'merged')
      .slice(0, hotRecords)
      .map(({ id }) => `/v1/tenders/${id}`),
  )
  const graphilePages = mine.answers.map(({ data }) => graphileQuestion(pageOfGraphile, { stamp: stampOf(data[0]!) }))
  const graphileSix = six.map((filters) => graphileQuestion(sixOfGraphile, graphileFilters(filters)))
  if (graphile) await assertSameGraphile(graphile, graphilePages[1]!, mine.answers[1]!.data)
  const questions: {
    readonly work: string
    readonly encoding: string
    readonly goal: number
    readonly requests: LoadRequest[]
    readonly theirs: LoadRequest[]
    readonly graphile?: LoadRequest[]
  }[] = [
    {
      work: 'list page of 100, gzip',
      encoding: 'gzip',
      goal: 20,
      requests: pathsOf(mine.paths),
      theirs: pathsOf(theirs.paths),
    },
    {
      work: 'list page of 100, identity',
      encoding: 'identity',
      goal: 20,
      requests: pathsOf(mine.paths),
      theirs: pathsOf(theirs.paths),
      graphile: graphilePages,
    },
    { work: 'record by id, gzip', encoding: 'gzip', goal: 20, requests: record, theirs: record },
    {
      work: 'page by six filters, gzip, 1,000 different questions',
      encoding: 'gzip',
      goal: 200,
      requests: sixPaths,
      theirs: sixPaths,
    },
    {
      work: 'page by six filters, identity, 1,000 different questions',
      encoding: 'identity',
      goal: 200,
      requests: sixPaths,
      theirs: sixPaths,
      graphile: graphileSix,
    },
    {
      work: 'page by six wide filters, gzip, 1,000 different questions',
      encoding: 'gzip',
      goal: 200,
      requests: widePaths,
      theirs: widePaths,
    },
  ]
  const rows: SpeedRow[] = []
  for (const { work, encoding, goal, requests, theirs: peerRequests, graphile: graphileRequests } of questions) {
    const headers = bearer(token, encoding)
    const sides: Side[] = [
      { server: ours, requests, headers },
      { server: fastify, requests: peerRequests, headers },
    ]
    if (graphile && graphileRequests) sides.push({ server: graphile, requests: graphileRequests, headers: {} })
    const figures = await runRounds(`${work}, peers`, sides, options)
    // the record is not part of this goal: it is shown for comparison
    const verdicts =
      work === 'record by id, gzip'
        ? []
        : figures
            .slice(1)
            .flatMap(({ side }) => [
              atLeast(`requests/s, ours ÷ ${side}`, over(figures, 'requests/s', 'ours', side), goal),
              atLeast(`work per CPU second, ours ÷ ${side}`, over(figures, 'CPU µs', side, 'ours'), goal),
            ])
    rows.push(row(context, 'peers', work, { sides: figures, verdicts }))
  }
  await fastify.stop()
  await graphile?.stop()
  return rows
}

const stampOf = ({ lastModified }: { readonly lastModified: string }): string => String(Date.parse(lastModified))

const pageOfGraphile =
  'query($stamp: BigInt!) { tendersAfter(stamp: $stamp, first: 100) { nodes { body } pageInfo { hasNextPage endCursor } } }'
const sixOfGraphile =
  'query($cpv: [String!]!, $nuts: [String!]!, $publishedSince: BigInt!, $deadlineAfter: BigInt!, $valueMin: ' +
  'Float!, $procedures: [String!]!) { tendersBy(cpv: $cpv, nuts: $nuts, publishedSince: $publishedSince, ' +
  'deadlineAfter: $deadlineAfter, valueMin: $valueMin, procedures: $procedures, first: 100) { nodes { body } ' +
  'pageInfo { hasNextPage endCursor } } }'

const graphileQuestion = (query: string, variables: { readonly [name: string]: unknown }): LoadRequest => ({
  path: '/graphql',
  body: JSON.stringify({ query, variables }),
})

const stem = (code: string): string => code.slice(0, 2) + code.slice(2).replace(/0+$/, '')

function graphileFilters(filters: ReturnType<typeof sixFilterQuestions>[number]): { readonly [name: string]: unknown } {
  return {
    cpv: filters.cpv.split(',').map(stem),
    nuts: filters.nuts.split(','),
    publishedSince: String(filters.publishedSince),
    deadlineAfter: String(filters.deadlineAfter),
    valueMin: filters.valueMin,
    procedures: filters.procedure.split(','),
  }
}

/** A benchmark of two programs that answer differently measures nothing. */
async function assertSame(context: SpeedContext, peer: Server, path: string, peerPath: string): Promise<void> {
  const token = tokenOf(context)
  const [mine, theirs] = [await getList(context.ours.port, path, token), await getList(peer.port, peerPath, token)]
  if (JSON.stringify(mine.data) !== JSON.stringify(theirs.data))
    throw new Error(`ours and ${peer.side} answer differently: ${path}`)
}

async function assertSameGraphile(
  { port }: Server,
  { path, body }: LoadRequest,
  data: readonly { readonly id: string }[],
): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: body!,
  })
  const text = await answer.text()
  const nodes = (JSON.parse(text) as { data?: { tendersAfter?: { nodes: { body: string }[] } } }).data?.tendersAfter
    ?.nodes
  const ids = nodes?.map((node) => (JSON.parse(node.body) as { id: string }).id)
  if (JSON.stringify(ids) !== JSON.stringify(data.map(({ id }) => id)))
    throw new Error(`ours and PostGraphile answer differently: ${text.slice(0, 300)}`)
}

/** Pages by six filters at this size against a small stock. */
export async function sixFilterRows(
  context: SpeedContext,
  small: { readonly stock: Stock; readonly ours: Ours },
): Promise<SpeedRow[]> {
  const { options, ours } = context
  const sizes = [
    { server: ours, token: tokenOf(context), name: 'ours' },
    {
      server: small.ours,
      token: small.stock.clients[0]!.token,
      name: `ours, ${small.stock.records.toLocaleString('en')}`,
    },
  ]
  const rows: SpeedRow[] = []
  for (const kind of ['broad', 'narrow'] as const) {
    const paths = sixFilterQuestions(kind, sixFilterVariants).map(pathOfSix)
    const sides: Side[] = []
    const found: { [name: string]: number } = {}
    for (const { server, token, name } of sizes) {
      const headers = bearer(token, 'gzip')
      sides.push({ server, requests: pathsOf(paths), headers, name })
      let records = 0
      for (const path of paths.slice(0, 100)) records += (await getList(server.port, path, token)).data.length
      found[name] = records / 100
    }
    const work =
      kind === 'broad'
        ? 'page by six filters that fill it at any size, 50,000 different questions'
        : 'page by six filters that few records match, 50,000 different questions'
    const figures = (await runRounds(work, sides, options)).map(({ side, figures: measured }) => ({
      side,
      figures: {
        ...measured,
        'records found': found[side]!,
        'CPU µs for 100 found': (measured['CPU µs']! * 100) / Math.max(found[side]!, 1e-9),
      },
    }))
    rows.push(
      row(context, 'six-filters', work, {
        sides: figures,
        verdicts: [
          atMost(
            `CPU for 100 records found, this size ÷ ${small.stock.records.toLocaleString('en')}`,
            over(figures, 'CPU µs for 100 found', 'ours', sizes[1]!.name),
            1.5,
          ),
        ],
      }),
    )
  }
  return rows
}

/** Filters that match nothing against a loop over all records. */
export async function noMatchRows(context: SpeedContext): Promise<SpeedRow[]> {
  const { options, ours } = context
  const headers = bearer(tokenOf(context), 'gzip')
  const scan = JSON.parse(
    runCommand(process.execPath, [join(import.meta.dirname, 'full-scan.ts'), String(options.records)]),
  ) as { readonly [columns: string]: number }
  const rows: SpeedRow[] = []
  for (const { name, paths } of noMatchQuestions) {
    const asked = paths(questionVariants)
    if ((await getList(ours.port, asked[0]!, tokenOf(context))).data.length > 0) throw new Error(`${name}: a match`)
    const work = `nothing matches: ${name}`
    const figures = (await runRounds(work, [{ server: ours, requests: pathsOf(asked), headers }], options, 2)).map(
      ({ side, figures: measured }) => ({
        side,
        figures: { 'CPU ms': measured['CPU µs']! / 1000, 'requests/s': measured['requests/s']! },
      }),
    )
    const columns = name.startsWith('six') ? '6' : name.includes('each') ? '2' : '1'
    rows.push(
      row(context, 'no-match', work, {
        sides: [
          ...figures,
          {
            side: `a loop over ${columns === '1' ? 'one column' : `${columns} columns`}`,
            figures: { 'CPU ms': scan[columns]! },
          },
        ],
        verdicts: [atMost('CPU of a request', figures[0]!.figures['CPU ms']!, 3, 'ms')],
      }),
    )
  }
  return rows
}

/** The same pages requested by more and more organizations. */
export async function organizationRows(context: SpeedContext): Promise<SpeedRow[]> {
  const { options, stock, ours } = context
  const pages = (await Promise.resolve(randomPages(stock, hotPages, 3))).map((path) => path)
  const rows: SpeedRow[] = []
  for (const count of [1, 10, 100, 1000, 10_000]) {
    if (count > stock.clients.length) continue
    const requests = Array.from({ length: Math.max(count, hotPages) }, (_, index) => ({
      path: pages[index % pages.length]!,
      headers: { Authorization: `Bearer ${stock.clients[index % count]!.token}` },
    }))
    const work = `the same ${hotPages} pages, gzip, asked by ${count.toLocaleString('en')} organizations`
    const figures = await runRounds(work, [{ server: ours, requests, headers: { 'Accept-Encoding': 'gzip' } }], options)
    rows.push(
      row(context, 'organizations', work, {
        sides: figures.map(({ side, figures: measured }) => ({ side, figures: { ...measured, organizations: count } })),
        verdicts: [],
      }),
    )
  }
  return rows
}

/** Pages from all positions with no filter, one, and so on up to six. */
export async function filterRows(context: SpeedContext): Promise<SpeedRow[]> {
  const { options, ours } = context
  const headers = bearer(tokenOf(context), 'gzip')
  const questions = sixFilterQuestions('broad', questionVariants, 2)
  const places = randomPages(context.stock, questionVariants, 4)
  const rows: SpeedRow[] = []
  for (let count = 0; count <= 6; count++) {
    const paths = places.map((path, index) =>
      count === 0 ? path : `${path}&${parametersOf(questions[index]!, count)}`,
    )
    let found = 0
    for (const path of paths.slice(0, 40)) found += (await getList(ours.port, path, tokenOf(context))).data.length
    const work = `page of 100, gzip, from everywhere, by ${count} ${count === 1 ? 'filter' : 'filters'}`
    const figures = await runRounds(work, [{ server: ours, requests: pathsOf(paths), headers }], options)
    rows.push(
      row(context, 'filters', work, {
        sides: figures.map(({ side, figures: measured }) => ({
          side,
          figures: { ...measured, filters: count, 'records found': found / 40 },
        })),
        verdicts: [],
      }),
    )
  }
  return rows
}

/** The edition log of a stock. */
export const logFolder = ({ data }: Pick<Stock, 'data'>): string => {
  const folder = join(data, 'editions')
  if (!existsSync(folder)) throw new Error(`${folder} is missing`)
  return folder
}
