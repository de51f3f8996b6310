// An API as a separate process, with generated tenders. A line with a number on its input publishes an edition that
// changes this many of them: in content, status and merges; it answers with `published`. It also reports each requested
// page.
import { createInterface } from 'node:readline'
import { startApi, startOfTests } from '../api-world.ts'
import { randomOf } from '../testing/generate/random.ts'
import { generateTender } from '../testing/generate/stock.ts'

const [seed = 1, count = 500] = process.argv.slice(2).map(Number)
const random = randomOf(seed, 7)
const api = await startApi()
const stock = { seed, count, now: startOfTests, size: 'small' } as const
let at = startOfTests

function publish(records: readonly ReturnType<typeof generateTender>[]): void {
  api.editions.publish(at, records)
  at += 3_600_000
}

publish(Array.from({ length: count }, (_, index) => generateTender(stock, index)))
const { list } = api.editions
api.editions.list = (query) => {
  process.stdout.write('page\n')
  return list(query)
}
process.stdout.write(`${JSON.stringify({ origin: api.origin, token: api.token })}\n`)
for await (const line of createInterface({ input: process.stdin })) {
  const indexes = new Set(Array.from({ length: Number(line) }, () => random.integer(0, count + 20)))
  publish([...indexes].map((index) => generateTender(stock, index, random.integer(1, 50))))
  process.stdout.write('published\n')
}
process.exit(0)
