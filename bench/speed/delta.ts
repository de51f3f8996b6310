// The hourly delta for many clients: each sends its own token, follows its own cursors, and reads all pages once.
import { createSecretKey } from 'node:crypto'
import { join } from 'node:path'
import { createCursorSealer } from '../../src/api/cursors/cursor.ts'
import { toInstant } from '../../src/domain/time.ts'
import { randomOf } from '../../test/testing/generate/random.ts'
import { type LoadRequest, runLoad } from '../load.ts'
import type { SpeedContext } from './answering.ts'
import { saveAnswers, walk } from './questions.ts'
import { over, warmSeconds } from './rounds.ts'
import { atLeast, mediansOf, type SpeedRow } from './row.ts'
import { type Server, startNginx } from './servers.ts'

const deltaChanges = 10_000
/** Number of clients that read at the same time, with one connection each. */
const clientsAtOnce = 32
const longestSeconds = 600
const maxRounds = 3

export async function deltaRows({ options, stock, ours, notes }: SpeedContext): Promise<SpeedRow[]> {
  const { cluster, database, scratch } = stock
  const clients = stock.clients.slice(0, options.clients)
  const newest = cluster.psql(
    database,
    'select edition, last_modified, changes from edition order by edition desc limit 1',
  )
  const [edition, lastModified, changes] = newest.trim().split('|').map(Number) as [number, number, number]
  const updatedSince = lastModified - Math.min(deltaChanges, changes) + 1
  const first = `/v1/tenders?updated_since=${toInstant(updatedSince)}&limit=100`
  const { paths, answers } = await walk(ours.port, clients[0]!.token, first, deltaChanges / 100 + 1)
  const delta = answers.reduce((sum, { data }) => sum + data.length, 0)
  const [keyId, key] = cluster
    .psql(database, 'select key_id, key from cursor_key order by key_id desc limit 1')
    .trim()
    .split('|') as [string, string]
  const random = randomOf(9)
  const { seal } = createCursorSealer({
    ring: { keys: () => [{ keyId: Number(keyId), key: createSecretKey(key, 'hex') }], refresh: async () => {} },
    clock: Date.now,
    randomBytes: (count) => Uint8Array.from({ length: count }, () => random.integer(0, 255)),
  })
  // the cursors that each client would receive, sealed beforehand: the generator need not read the answers
  const requests: LoadRequest[] = []
  const files: LoadRequest[] = []
  for (let from = 0; from < clients.length; from += clientsAtOnce) {
    for (const [page] of paths.entries()) {
      for (const { organizationId, token } of clients.slice(from, from + clientsAtOnce)) {
        const last = page === 0 ? undefined : answers[page - 1]!.data.at(-1)!
        const cursor =
          last &&
          seal(
            { after: { lastModified: Date.parse(last.lastModified), id: last.id }, edition },
            { updatedSince, archived: true },
            organizationId,
          )
        const headers = { Authorization: `Bearer ${token}` }
        requests.push({ path: cursor === undefined ? first : `${first}&cursor=${cursor}`, headers })
        files.push({ path: `/${page}`, headers })
      }
    }
  }
  const folder = join(scratch, 'delta')
  await saveAnswers(ours.port, clients[0]!.token, paths, folder)
  const nginx = await startNginx(folder)
  if (!nginx) notes.push('skipped: nginx (not installed)')
  const work =
    `a delta of ${delta.toLocaleString('en')} changes for ${clients.length.toLocaleString('en')} clients, ` +
    `gzip, ${requests.length.toLocaleString('en')} requests`
  const sides: { readonly server: Server; readonly requests: LoadRequest[] }[] = [{ server: ours, requests }]
  if (nginx) sides.push({ server: nginx, requests: files })
  const rounds = sides.map((): { [measure: string]: number }[] => [])
  for (const { server, requests: asked } of sides)
    await runLoad({
      port: server.port,
      requests: asked,
      headers: { 'Accept-Encoding': 'gzip' },
      seconds: warmSeconds,
      connections: clientsAtOnce,
    })
  for (let round = 0; round < Math.min(options.rounds, maxRounds); round++)
    for (const [index, { server, requests: asked }] of sides.entries()) {
      const before = server.cpuSeconds()
      const result = await runLoad({
        port: server.port,
        requests: asked,
        headers: { 'Accept-Encoding': 'gzip' },
        seconds: longestSeconds,
        connections: clientsAtOnce,
        isOnce: true,
      })
      if (result.errors > 0) throw new Error(`${work}: ${result.errors} errors from ${server.side}`)
      // the last answers of each connection may be cut off
      if (result.requests < requests.length - 2 * clientsAtOnce)
        throw new Error(`${work}: ${result.requests} of ${requests.length} requests answered by ${server.side}`)
      const figures = {
        'wall s': result.seconds,
        'CPU s': server.cpuSeconds() - before,
        'requests/s': result.requestsPerSecond,
        'MB/s': result.bytes / 1e6 / result.seconds,
        'p99 ms': result.p99Ms,
      }
      rounds[index]!.push(figures)
      options.onProgress(
        `${work}: ${server.side} ${figures['wall s'].toFixed(1)} s, CPU ${figures['CPU s'].toFixed(1)} s`,
      )
    }
  await nginx?.stop()
  const figures = sides.map(({ server }, index) => ({ side: server.side, figures: mediansOf(rounds[index]!) }))
  const verdicts = nginx
    ? [
        atLeast('speed, ours ÷ nginx', over(figures, 'wall s', 'nginx', 'ours'), 0.7),
        atLeast('work per CPU second, ours ÷ nginx', over(figures, 'CPU s', 'nginx', 'ours'), 0.7),
      ]
    : []
  return [{ name: 'delta', work, records: options.records, sides: figures, verdicts, notes: [] }]
}
