// Whoever waits sees that something is going on: in front of a database that does not answer, and of a service that
// took the command and does not answer.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { listenForCommands } from '../service/control/control-socket.ts'

const program = new URL('../bin/tenderstock.ts', import.meta.url).pathname

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-silent-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Starts the program without a terminal, and resolves when its standard error holds these words. */
async function untilSaid(words: RegExp, args: readonly string[], env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, ...env }, stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  await new Promise<void>((done, fail) => {
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk
      if (words.test(said)) done()
    })
    child.once('close', () => fail(new Error(`it ended and had said: ${said}`)))
  })
  return child
}

test('a start whose database is silent says that it is opening the stock', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await new Promise((done) => silent.once('listening', done))
  const { port } = silent.address() as AddressInfo
  await untilSaid(
    /^ {2}Opening the stock: \d+ s$/m,
    ['start', '--no-samples', '--data', await newFolder(), '--api-port', '0', '--console-port', '0'],
    { DATABASE_URL: `postgres://someone@127.0.0.1:${port}/stock` },
  )
})

test('a command that waits for the running service says so', async () => {
  const data = await newFolder()
  const control = await listenForCommands(data, () => new Promise(() => {}))
  onTestFinished(() => control!.close())
  await untilSaid(/^ {2}Waiting for the running service: \d+ s$/m, ['status', '--data', data], { DATABASE_URL: '' })
})
