// Load on one address: wrk where it is installed, else a loop of our own. Rotates through many paths, so that no answer
// is simply the last one again.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram, startProcess } from './processes.ts'

export type LoadResult = { readonly requestsPerSecond: number; readonly p99Ms: number; readonly errors: number }

export type LoadOptions = {
  readonly port: number
  readonly paths: readonly string[]
  readonly headers: { readonly [name: string]: string }
  readonly seconds: number
  readonly connections: number
}

const wrk = findProgram('wrk')
export const loadGenerator = wrk ? 'wrk' : 'own loop'

export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  return wrk ? runWrk(wrk, options) : runLoop(options)
}

async function runWrk(
  program: string,
  { port, paths, headers, seconds, connections }: LoadOptions,
): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'tenderstock-bench-wrk-'))
  const script = join(folder, 'paths.lua')
  const quoted = (text: string): string => JSON.stringify(text)
  writeFileSync(
    script,
    `local paths = {${paths.map(quoted).join(',')}}
local at = 0
request = function()
  at = at % #paths + 1
  return wrk.format("GET", paths[at])
end
done = function(summary, latency)
  io.write(string.format("RESULT %f %f %d\\n", summary.requests / (summary.duration / 1e6), latency:percentile(99) / 1000,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
`,
  )
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '120s', '-s', script]
  for (const [name, value] of Object.entries(headers)) args.push('-H', `${name}: ${value}`)
  let result: LoadResult | undefined
  const lines: string[] = []
  const child = startProcess(program, [...args, `http://127.0.0.1:${port}`], {
    onLine: (line) => {
      lines.push(line)
      const match = /^RESULT (\S+) (\S+) (\d+)$/.exec(line)
      if (match) result = { requestsPerSecond: Number(match[1]), p99Ms: Number(match[2]), errors: Number(match[3]) }
    },
  })
  await new Promise((resolve) => child.once('close', resolve))
  rmSync(folder, { recursive: true, force: true })
  if (!result) throw new Error(`wrk gave no result: ${lines.join('\n')}`)
  return result
}

async function runLoop({ port, paths, headers, seconds, connections }: LoadOptions): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const startedMs = performance.now()
  const endMs = startedMs + seconds * 1000
  const latencies: number[] = []
  let errors = 0
  let at = 0
  const one = (): Promise<void> =>
    new Promise((resolve) => {
      const sentMs = performance.now()
      const request = httpRequest(
        { agent, port, host: '127.0.0.1', path: paths[at++ % paths.length], headers },
        (response) => {
          if (response.statusCode !== 200) errors++
          response.resume()
          response.once('end', () => {
            latencies.push(performance.now() - sentMs)
            resolve()
          })
        },
      )
      request.once('error', () => {
        errors++
        resolve()
      })
      request.end()
    })
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < endMs) await one()
    }),
  )
  agent.destroy()
  latencies.sort((a, b) => a - b)
  return {
    requestsPerSecond: latencies.length / ((performance.now() - startedMs) / 1000),
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
    errors,
  }
}
