// A network of the benchmark's own: loopback alone, with the congestion control that Linux has by itself. What a
// machine is set to decides otherwise: BBR, made for long lines, paces every answer by timers, which on loopback cost
// more than the answer.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { findProgram } from './processes.ts'

/** Of the process that began outside, whose network reaches the registry. */
const outerVariable = 'TENDERSTOCK_BENCH_OUTER'
const congestionControl = '/proc/sys/net/ipv4/tcp_congestion_control'

const makeReady = `ip link set lo up && echo cubic > ${congestionControl}`

/** A container's root may have the programs and not the right. */
const mayMakeOne = (): boolean =>
  ['unshare', 'nsenter', 'ip'].every(findProgram) && spawnSync('unshare', ['--net', 'sh', '-c', makeReady]).status === 0

/** Begins again in such a network and never returns, if this process may make one; else returns at once. */
export async function enterOwnNetwork(): Promise<void> {
  if (process.env[outerVariable] !== undefined) return
  if (!mayMakeOne()) return
  const child = spawn(
    'unshare',
    [
      '--net',
      'sh',
      '-c',
      `${makeReady}; exec "$@"`,
      'sh',
      process.execPath,
      ...process.execArgv,
      ...process.argv.slice(1),
    ],
    { stdio: 'inherit', env: { ...process.env, [outerVariable]: `${process.pid}` } },
  )
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  process.exit(code ?? 1)
}

/** A command that reaches the network outside. */
export function outside(command: string, args: readonly string[]): [string, readonly string[]] {
  const outer = process.env[outerVariable]
  return outer === undefined ? [command, args] : ['nsenter', [`--net=/proc/${outer}/ns/net`, command, ...args]]
}

/** What was measured through, for the report. */
export function networkNote(): string {
  const own = process.env[outerVariable] === undefined ? 'the network of the machine' : 'a network of its own'
  return `${own}, TCP with ${readFileSync(congestionControl, 'utf8').trim()}`
}
