// A real proxy with the unchanged sample of docs/proxies: only ports and the files of the certificate are replaced.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../free-port.ts'

const samples = join(import.meta.dirname, '../../docs/proxies')

export const proxyNames = ['nginx', 'haproxy', 'caddy'] as const
export type ProxyName = (typeof proxyNames)[number]

/** The host that the samples and the certificate name. */
export const proxyHost = 'tenders.example.org'

/** Path of the program; undefined if this machine has none. */
export function programOf(name: ProxyName | 'openssl' | 'curl' | 'redis-server' | 'valkey-server'): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

export type Certificate = { readonly certificate: string; readonly key: string; readonly both: string }

/** A certificate that the host issued itself. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const certificate = join(folder, 'certificate.pem')
  const key = join(folder, 'key.pem')
  const both = join(folder, 'both.pem')
  const subject = ['-subj', `/CN=${proxyHost}`, '-addext', `subjectAltName=DNS:${proxyHost}`, '-days', '2']
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  })
  await writeFile(both, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'))
  return { certificate, key, both }
}

export type ProxyProcess = {
  readonly name: ProxyName
  readonly port: number
  /** TCP ports on which the process and its children listen. */
  readonly listening: () => readonly number[]
  readonly stop: () => Promise<void>
}

/** Starts a proxy in front of two nodes and waits until it accepts connections. */
export async function startProxy(
  name: ProxyName,
  place: { readonly folder: string; readonly certificate: Certificate; readonly nodes: readonly [number, number] },
): Promise<ProxyProcess> {
  const folder = join(place.folder, name)
  await mkdir(folder, { mode: 0o755 })
  const port = await freePort()
  const { certificate, nodes } = place
  const file = join(samples, { nginx: 'nginx.conf', haproxy: 'haproxy.cfg', caddy: 'Caddyfile' }[name])
  const text = readFileSync(file, 'utf8')
    .replace(/^(\s*listen )443 /m, `$1${port} `)
    .replace(/^(\s*bind ):443 /m, `$1:${port} `)
    .replace('.org:443 {', `.org:${port} {`)
    .replace(/127\.0\.0\.1:9001/g, `127.0.0.1:${nodes[0]}`)
    .replace(/127\.0\.0\.1:9002/g, `127.0.0.1:${nodes[1]}`)
    .replaceAll(`/etc/ssl/${proxyHost}.pem`, name === 'haproxy' ? certificate.both : certificate.certificate)
    .replaceAll(`/etc/ssl/${proxyHost}.key`, certificate.key)
  const config = join(folder, 'config')
  await writeFile(config, text)
  const child = spawn(programOf(name)!, await argumentsOf(name, folder, config), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  })
  let complaint = ''
  child.stderr.on('data', (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-4000)
  })
  while (!(await takesConnections(port))) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${complaint}`)
    await delay(50)
  }
  return {
    name,
    port,
    listening: () => listeningPorts(child.pid!),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const closed = once(child, 'close')
      child.kill('SIGTERM')
      const impatience = setTimeout(() => child.kill('SIGKILL'), 5000)
      await closed
      clearTimeout(impatience)
    },
  }
}

async function argumentsOf(name: ProxyName, folder: string, config: string): Promise<string[]> {
  if (name === 'haproxy') return ['-db', '-f', config]
  if (name === 'caddy') return ['run', '--config', config, '--adapter', 'caddyfile']
  // The system's main configuration, which includes the sample.
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (each) => `${each}_temp_path ${folder}/${each};`,
  )
  const main = `daemon off; pid ${folder}/pid; error_log stderr; worker_processes 1; events {} http { access_log off; ${paths.join(' ')} include ${config}; }\n`
  await writeFile(join(folder, 'main'), main)
  return ['-p', folder, '-c', join(folder, 'main'), '-e', 'stderr']
}

export function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/** From /proc: sockets that listen (state 0A) and that the process or one of its children holds. */
function listeningPorts(pid: number): readonly number[] {
  const children = readdirSync('/proc').filter(
    (each) =>
      /^\d+$/.test(each) &&
      existsSync(`/proc/${each}/stat`) &&
      readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(pid),
  )
  const inodes = new Set(
    [String(pid), ...children].flatMap((each) =>
      readdirSync(`/proc/${each}/fd`).map((fd) => {
        try {
          return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${each}/fd/${fd}`))?.[1]
        } catch {
          return undefined
        }
      }),
    ),
  )
  return ['tcp', 'tcp6']
    .flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === '0A' && inodes.has(fields[9]))
    .map((fields) => Number.parseInt(fields[1]!.split(':')[1]!, 16))
}

/** Resolves when the child has ended. */
export const endOf = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
}
