// Load on one address: wrk if it is installed, otherwise a loop of our own. Rotates through many paths, so that no
// answer is simply the previous one again.
import { rmSync, writeFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { findProgram, startProcess, temporaryFolder } from './processes.ts'

export type LoadResult = {
  readonly requestsPerSecond: number
  readonly p99Ms: number
  readonly errors: number
  readonly requests: number
  /** All answers: with `isOnce`, those after the list too, which wrk still asks for. CPU and bytes belong to them. */
  readonly answered: number
  readonly bytes: number
  readonly seconds: number
}

/** A request as text: its path, and what it has in addition to the common headers. */
export type LoadRequest = {
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  /** If present, the request is a POST of JSON. */
  readonly body?: string
}

export type LoadOptions = {
  readonly port: number
  readonly requests: readonly LoadRequest[]
  readonly headers: { readonly [name: string]: string }
  readonly seconds: number
  readonly connections: number
  /** Ends with the list instead of repeating it; `seconds` is the maximum time then. */
  readonly isOnce?: boolean
  /** The cores that the generator may use, as `taskset` writes them; default: the last one. */
  readonly cores?: string
}

/**
 * The generator's core, the last one, if a machine has several: the system would sometimes put the generator and the
 * server on the same core, because they wake each other.
 */
const ownCore = cpus().length > 1 && findProgram('taskset') ? String(cpus().length - 1) : undefined

const wrk = findProgram('wrk')
export const loadGenerator = wrk ? 'wrk' : 'own loop'

export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  return wrk ? runWrk(wrk, options) : runLoop(options)
}

/** The requests as bytes on the wire, so that the generator spends no time on creating them. */
function wireText({ path, headers, body }: LoadRequest, common: { readonly [name: string]: string }): string {
  const lines = Object.entries({ ...common, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  if (body !== undefined) lines.push(`Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`)
  return `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

/**
 * wrk waits for the end of its time whatever the script does: the script reports when it has sent everything, and wrk
 * is interrupted.
 */
const clockOfLua = `
local ffi = require("ffi")
ffi.cdef("typedef struct { long s; long us; } moment; int gettimeofday(moment *at, void *zone);")
local function say(what)
  local moment = ffi.new("moment")
  ffi.C.gettimeofday(moment, nil)
  io.write(string.format("%s %d.%06d\\n", what, tonumber(moment.s), tonumber(moment.us)))
  io.flush()
end`

async function runWrk(
  program: string,
  { port, requests, headers, seconds, connections, isOnce = false, cores = ownCore }: LoadOptions,
): Promise<LoadResult> {
  const folder = temporaryFolder('wrk')
  const script = join(folder, 'requests.lua')
  // one a line, because a table constant of Lua can hold only so many
  writeFileSync(join(folder, 'requests'), requests.map((each) => JSON.stringify(wireText(each, headers))).join('\n'))
  writeFileSync(
    script,
    `local requests = {}
local at = 0
${isOnce ? clockOfLua : ''}
init = function(args)
  local unescape = { n = "\\n", r = "\\r", t = "\\t" }
  for line in io.lines(${JSON.stringify(join(folder, 'requests'))}) do
    requests[#requests + 1] = line:sub(2, -2):gsub("\\\\(.)", function(c) return unescape[c] or c end)
  end
end
request = function()
  at = at + 1
  if at > #requests then
    ${isOnce ? 'if at == #requests + 1 then say("ENDED") end' : 'at = 1'}
  end
  ${isOnce ? 'if at == 1 then say("BEGUN") end' : ''}
  return requests[at] or requests[#requests]
end
done = function(summary, latency)
  io.write(string.format("RESULT %f %d %f %d %d\\n", summary.duration / 1e6, summary.requests, latency:percentile(99) / 1000,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout, summary.bytes))
end
`,
  )
  const args = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '120s',
    '-s',
    script,
    `http://127.0.0.1:${port}`,
  ]
  let result: LoadResult | undefined
  let [begunAt, endedAt] = [0, 0]
  const lines: string[] = []
  const child = startProcess(
    cores === undefined ? program : 'taskset',
    cores === undefined ? args : ['-c', cores, program, ...args],
    {
      onLine: (line) => {
        lines.push(line)
        if (line.startsWith('BEGUN')) begunAt = Number(line.split(' ')[1])
        if (line.startsWith('ENDED')) {
          endedAt = Number(line.split(' ')[1])
          child.kill('SIGINT')
        }
        const match = /^RESULT (\S+) (\d+) (\S+) (\d+) (\d+)$/.exec(line)
        if (!match) return
        const [whole, count, p99Ms, errors, bytes] = match.slice(1).map(Number) as [
          number,
          number,
          number,
          number,
          number,
        ]
        const lasted = endedAt > 0 ? endedAt - begunAt : whole
        // the last request is repeated until wrk has ended
        const answered = endedAt > 0 ? Math.min(count, requests.length) : count
        result = {
          requestsPerSecond: answered / lasted,
          p99Ms,
          errors,
          requests: answered,
          answered: count,
          bytes,
          seconds: lasted,
        }
      },
    },
  )
  await new Promise((resolve) => child.once('close', resolve))
  rmSync(folder, { recursive: true, force: true })
  if (!result) throw new Error(`wrk gave no result: ${lines.join('\n')}`)
  return result
}

async function runLoop({
  port,
  requests,
  headers,
  seconds,
  connections,
  isOnce = false,
}: LoadOptions): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const startedMs = performance.now()
  const endMs = startedMs + seconds * 1000
  const latencies: number[] = []
  let errors = 0
  let bytes = 0
  let at = 0
  const one = ({ path, headers: own, body }: LoadRequest): Promise<void> =>
    new Promise((resolve) => {
      const sentMs = performance.now()
      const type = body === undefined ? {} : { 'content-type': 'application/json' }
      const request = httpRequest(
        {
          agent,
          port,
          host: '127.0.0.1',
          path,
          method: body === undefined ? 'GET' : 'POST',
          headers: { ...headers, ...own, ...type },
        },
        (response) => {
          if ((response.statusCode ?? 500) >= 400) errors++
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length
          })
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
      request.end(body)
    })
  const next = (): LoadRequest | undefined => {
    if (isOnce && at >= requests.length) return undefined
    return requests[at++ % requests.length]
  }
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let request = next(); request && performance.now() < endMs; request = next()) await one(request)
    }),
  )
  agent.destroy()
  latencies.sort((a, b) => a - b)
  const lasted = (performance.now() - startedMs) / 1000
  return {
    requestsPerSecond: latencies.length / lasted,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
    errors,
    requests: latencies.length,
    answered: latencies.length,
    bytes,
    seconds: lasted,
  }
}
