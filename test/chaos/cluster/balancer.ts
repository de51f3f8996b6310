// HAProxy with the sample of docs/proxies, without TLS and with as many nodes as there are.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../free-port.ts'
import { endOf, programOf, takesConnections } from '../../proxies/proxy-process.ts'
import type { LivingProcesses } from '../living-processes.ts'

const sample = join(import.meta.dirname, '../../../docs/proxies/haproxy.cfg')

export type Balancer = { readonly origin: string; readonly close: () => Promise<void> }

export async function startBalancer(options: {
  readonly folder: string
  readonly nodes: readonly number[]
  readonly living: LivingProcesses
}): Promise<Balancer> {
  const { folder, nodes, living } = options
  const port = await freePort()
  const plain = readFileSync(sample, 'utf8')
    .replace(/^ *ssl-default-bind-options.*\n/m, '')
    .replace(/^( *)bind :443 .*$/m, `$1bind 127.0.0.1:${port}`)
    .replace(/^ *server node.*\n/gm, '')
  const config = join(folder, 'haproxy.cfg')
  writeFileSync(config, plain + nodes.map((node, index) => `  server node${index + 1} 127.0.0.1:${node}\n`).join(''))
  const child: ChildProcess = spawn(programOf('haproxy')!, ['-db', '-f', config], { stdio: 'ignore' })
  living.add(child.pid)
  while (!(await takesConnections(port))) {
    if (child.exitCode !== null) throw new Error(`HAProxy ended with ${child.exitCode}`)
    await delay(50)
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      child.kill('SIGKILL')
      await endOf(child)
      living.remove(child.pid)
    },
  }
}
