// A separate network for the benchmark: loopback alone, with the default congestion control of Linux. Otherwise the
// settings of the machine decide: BBR, which is made for long lines, paces every answer by timers, which on loopback
// cost more than the answer.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { findProgram } from './processes.ts'

/** ID of the process that started outside, whose network reaches the registry. */
const outerVariable = 'TENDERSTOCK_BENCH_OUTER'
const congestionControl = '/proc/sys/net/ipv4/tcp_congestion_control'

const makeReady = `ip link set lo up && echo cubic > ${congestionControl}`

/** A container's root may have the programs but not the right to use them. */
const mayMakeOne = (): boolean =>
  ['unshare', 'nsenter', 'ip'].every(findProgram) && spawnSync('unshare', ['--net', 'sh', '-c', makeReady]).status === 0

/**
 * Restarts the program in such a network and never returns, if this process may create one; otherwise returns
 * immediately.
 */
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

/** Returns a command that reaches the network outside. */
export function outside(command: string, args: readonly string[]): [string, readonly string[]] {
  const outer = process.env[outerVariable]
  return outer === undefined ? [command, args] : ['nsenter', [`--net=/proc/${outer}/ns/net`, command, ...args]]
}

/** Describes the network in which the measurement ran, for the report. */
export function networkNote(): string {
  const own = process.env[outerVariable] === undefined ? 'the network of the machine' : 'a network of its own'
  return `${own}, TCP with ${readFileSync(congestionControl, 'utf8').trim()}`
}
