// The API at a constant rate while people look for tenders: ten pages of tenders a second on a stock of made-up ones.
// The service and its readers have one core, whoever sends the requests of the API has another.
import { setTimeout as sleep } from 'node:timers/promises'
import { keyHashOf } from '../src/console/frame/directory.ts'
import { systemRandom } from '../src/platform/random.ts'
import { inTransaction, openStore, type Store } from '../src/store/database/database.ts'
import { createPerson } from '../src/store/people/people.ts'
import { startSession } from '../src/store/people/sessions.ts'
import { apiPerSecond } from './api-load.ts'
import { addPeople, askApi, changeMadeUp, latencyAt, look, publishNow, startService } from './console.ts'
import { stopAll, stopProcess, temporaryFolder } from './processes.ts'
import { median } from './speed/row.ts'

const viewsPerSecond = 10
/** A person may open 60 pages of tenders a minute; these open 30. */
const viewers = 20
const warmViews = 20
/** What they ask, in turn. */
const questions = [
  '',
  '?cpv=45000000',
  '?nuts=DE',
  '?status=any&order=newest',
  '?cpv=45000000&nuts=FR&order=value',
  '?words=construction',
]
const [serviceCore, generatorCore] = ['0', '1']

export type ViewsReport = {
  readonly records: number
  /** 99th percentile of the API in milliseconds, for each round. */
  readonly alone: readonly number[]
  readonly beside: readonly number[]
  /** Milliseconds to the whole page. */
  readonly views: readonly number[]
}

export async function benchViews(options: {
  readonly records: number
  readonly rounds: number
  readonly onProgress: (text: string) => void
}): Promise<ViewsReport> {
  const { records, rounds, onProgress } = options
  const dataFolder = temporaryFolder('views')
  const store = await openStore({ dataFolder })
  await changeMadeUp(store, records, 0)
  await publishNow(store)
  const { token } = await addPeople(store)
  const cookies = await Promise.all(Array.from({ length: viewers }, (_, index) => addViewer(store, index)))
  await store.close()
  onProgress(`${records} records`)
  try {
    const service = await startService({ dataFolder, databaseUrl: undefined }, serviceCore)
    const report = { records, alone: [] as number[], beside: [] as number[], views: [] as number[] }
    let turn = 0
    const view = async () => {
      const [cookie, question] = [cookies[turn % viewers]!, questions[turn++ % questions.length]!]
      const { status, ms } = await look(service.origin, cookie, ['/tenders', `/tenders${question}`])
      if (status !== 200) throw new Error(`a page of tenders was answered with ${status}`)
      return ms
    }
    const ask = () => askApi(service.apiPort, token, generatorCore)
    // the word index is built, and everything is compiled
    for (let warm = 0; warm < warmViews; warm++) await view()
    await ask()
    for (let round = 0; round < rounds; round++) {
      const alone = async () => void report.alone.push(await ask())
      const beside = async () => {
        const end = keepViewing(view)
        report.beside.push(await ask())
        report.views.push(...(await end()))
      }
      for (const measure of round % 2 === 0 ? [alone, beside] : [beside, alone]) await measure()
      onProgress(`${report.beside.at(-1)?.toFixed(1)} ms beside views, ${report.alone.at(-1)?.toFixed(1)} ms alone`)
    }
    await stopProcess(service.process)
    return report
  } finally {
    await stopAll()
  }
}

/** Opens pages at the rate, whether or not those before are answered. */
function keepViewing(view: () => Promise<number>): () => Promise<number[]> {
  const views: Promise<number>[] = []
  const isOver = new AbortController()
  const opening = (async () => {
    for (const begin = performance.now(); !isOver.signal.aborted; ) {
      views.push(view())
      await sleep(Math.max(0, begin + (views.length * 1000) / viewsPerSecond - performance.now()))
    }
  })()
  return async () => {
    isOver.abort()
    await opening
    return Promise.all(views)
  }
}

/** Somebody who reads the stock without an organization, so that only their own limit counts. */
async function addViewer(store: Store, index: number): Promise<string> {
  const cookie = systemRandom.bytes(32).toString('base64url')
  const now = Date.now()
  await inTransaction(store, async (trx) => {
    const wanted = { personId: systemRandom.uuid(), mail: `viewer${index}@example.org`, name: '', isOperator: true }
    const { personId } = await createPerson(trx, wanted, now)
    const session = { sessionId: keyHashOf(cookie), personId, createdAt: now, seenAt: now, signedInAt: now }
    await startSession(trx, { ...session, agent: 'bench', addressPrefix: '127.0.0.0/24' }, undefined)
  })
  return `session=${cookie}`
}

export function viewsAsMarkdown({ records, alone, beside, views }: ViewsReport): string {
  const ratio = median(beside) / median(alone)
  const ms = (value: number) => value.toFixed(1)
  return (
    `${records.toLocaleString('en')} records; API p99 at ${apiPerSecond} requests a second, medians of ${alone.length} rounds: ` +
    `${ms(median(beside))} ms beside ${viewsPerSecond} pages of tenders a second ÷ ${ms(median(alone))} ms without = ` +
    `${ratio.toFixed(2)} (target: at most 1.3). A page: p50 ${ms(latencyAt(views, 0.5))} ms, p99 ${ms(latencyAt(views, 0.99))} ms.`
  )
}
