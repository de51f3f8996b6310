// Where the time of an answer goes: self time by function in the reader thread under load, and what it allocates for
// each request. Run: npm run bench -- profile [--records N] [--seconds N] [--keep FOLDER] [--service CHECKOUT]
import { type LoadRequest, runLoad } from './load.ts'
import { type CallFrame, type CpuProfile, type HeapNode, openInspector } from './speed/inspector.ts'
import type { SpeedOptions } from './speed/options.ts'
import { getList, pathOfSix, pathsOf, randomPages, sixFilterQuestions, walk } from './speed/questions.ts'
import { connections } from './speed/rounds.ts'
import { startOurs } from './speed/servers.ts'
import { openStock } from './speed/stock.ts'

const shownFunctions = 12

export async function profileAsMarkdown(options: SpeedOptions): Promise<string[]> {
  await using stock = await openStock(options)
  if (!stock) return ['skipped: profile (no PostgreSQL installed)']
  const { token } = stock.clients[0]!
  const lines: string[] = []
  const first = await startOurs(stock, options.service)
  const hot = (await walk(first.port, token, '/v1/tenders?archived=true&limit=100', 48)).paths
  const cold = randomPages(stock, 1500, 31)
  const records: string[] = []
  for (const path of cold.slice(0, 30))
    for (const { id, status } of (await getList(first.port, path, token)).data)
      if (status !== 'merged') records.push(`/v1/tenders/${id}`)
  await first.stop()
  const questions: { readonly [name: string]: readonly LoadRequest[] } = {
    'page of 100, gzip, the same 48 pages': pathsOf(hot),
    'page of 100, gzip, 1,500 pages from everywhere': pathsOf(cold),
    'record by id, gzip': pathsOf(records),
    'full page by six filters, gzip, 1,000 different questions': pathsOf(
      sixFilterQuestions('broad', 1000).map(pathOfSix),
    ),
  }
  let address = ''
  const ours = await startOurs(stock, options.service, {
    nodeArguments: ['--inspect=127.0.0.1:0'],
    onLine: (line) => {
      address = /ws:\/\/\S+/.exec(line)?.[0] ?? address
    },
  })
  const inspector = await openInspector(address)
  const headers = { Authorization: `Bearer ${token}`, 'Accept-Encoding': 'gzip' }
  for (const [name, requests] of Object.entries(questions)) {
    options.onProgress(`profile: ${name}`)
    const load = () => runLoad({ port: ours.port, requests, headers, seconds: options.seconds, connections })
    // until the compiler has seen it all
    await load()
    const threads = inspector.threads()
    for (const send of threads) {
      await send('Profiler.enable')
      await send('Profiler.setSamplingInterval', { interval: 200 })
      await send('Profiler.start')
    }
    await load()
    const profiles = await Promise.all(
      threads.map(async (send) => (await send('Profiler.stop'))['profile'] as CpuProfile),
    )
    for (const send of threads)
      await send('HeapProfiler.startSampling', {
        samplingInterval: 16_384,
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true,
      })
    const { requests: answered } = await load()
    const heaps = await Promise.all(
      threads.map(async (send) => ((await send('HeapProfiler.stopSampling'))['profile'] as { head: HeapNode }).head),
    )
    const allocated = heaps.map(sizes).sort((x, y) => total(y) - total(x))[0]!
    const busy = profiles.map(selfTimes).sort((x, y) => total(y) - total(x))[0]!
    lines.push(
      '',
      `**${name}**: ${(total(allocated) / answered / 1000).toFixed(1)} KB allocated on V8's heap for a request (the bytes of buffers lie outside it).`,
      '',
      '| Self time | Function | Where |',
      '|--:|---|---|',
      ...largest(busy).map(([key, time]) => line(`${((time / total(busy)) * 100).toFixed(1)} %`, key)),
      '',
      '| Bytes of a request | Function | Where |',
      '|--:|---|---|',
      ...largest(allocated).map(([key, size]) => line(Math.round(size / answered).toLocaleString('en'), key)),
    )
  }
  inspector.close()
  await ours.stop()
  return lines.slice(1)
}

type Shares = ReadonlyMap<string, number>

const total = (shares: Shares): number => [...shares.values()].reduce((sum, each) => sum + each, 0)

const largest = (shares: Shares): [string, number][] => [...shares].sort((a, b) => b[1] - a[1]).slice(0, shownFunctions)

function line(figure: string, key: string): string {
  const [name, where] = key.split('\t') as [string, string]
  return `| ${figure} | \`${name}\` | ${where || 'native'} |`
}

function keyOf({ functionName, url }: CallFrame): string {
  const path = url.replace(/^file:\/\//, '')
  const place = path.startsWith('node:') ? path : path.replace(/^.*?\/(?=src\/|node_modules\/)/, '')
  return `${functionName || '(anonymous)'}\t${place}`
}

/** Microseconds that functions themselves took, without waiting. */
function selfTimes({ nodes, samples, timeDeltas }: CpuProfile): Shares {
  const keys = new Map(nodes.map(({ id, callFrame }) => [id, keyOf(callFrame)]))
  const times = new Map<string, number>()
  for (const [index, id] of samples.entries()) {
    const key = keys.get(id)!
    if (!/^\((?:idle|root)\)/.test(key)) times.set(key, (times.get(key) ?? 0) + timeDeltas[index]!)
  }
  return times
}

/** Bytes that functions themselves allocated. */
function sizes(head: HeapNode): Shares {
  const bytes = new Map<string, number>()
  const rest = [head]
  for (let node = rest.pop(); node; node = rest.pop()) {
    const key = keyOf(node.callFrame)
    if (node.selfSize > 0) bytes.set(key, (bytes.get(key) ?? 0) + node.selfSize)
    rest.push(...node.children)
  }
  return bytes
}
