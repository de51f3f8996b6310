// Pure tests start nothing: a process, a thread or a socket is refused, whichever module asks for it.
import { createRequire, syncBuiltinESMExports } from 'node:module'
import type { Server, Socket } from 'node:net'

const load = createRequire(import.meta.url)
const refuse = (what: string) => (): never => {
  throw new Error(`A pure test started ${what}: name it x.system.test.ts, or x.db.test.ts (docs/contributing.md).`)
}
const { Server: server, Socket: socket } = load('node:net') as { Server: typeof Server; Socket: typeof Socket }
server.prototype.listen = refuse('a server')
socket.prototype.connect = refuse('a connection')
const processes = load('node:child_process') as { [name: string]: unknown }
for (const name of ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'])
  processes[name] = refuse('a process')
const threads = load('node:worker_threads') as { Worker: unknown }
threads.Worker = class {
  constructor() {
    refuse('a thread')()
  }
}
syncBuiltinESMExports()
