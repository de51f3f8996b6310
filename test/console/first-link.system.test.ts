// The first link as people see it: on a terminal at the start, and by `console link` everywhere else.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readPrintedEvent } from '../testing/printed-event.ts'
import { putEmptyStock } from '../world.ts'

const program = new URL('../../src/bin/tenderstock.ts', import.meta.url).pathname
const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env
const hasTerminal = spawnSync('script', ['--version']).status === 0
if (!hasTerminal) console.log('skipped: the link on a terminal (the program `script` of util-linux is not there)')

const closers: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

function launch(data: string, hasScreen: boolean) {
  const args = [program, 'start', '--data', data, '--api-port', '0', '--source', 'ted']
  const child = hasScreen
    ? spawn('script', ['-qefc', `stty cols 120; exec ${[process.execPath, ...args].join(' ')}`, '/dev/null'], {
        env: environment,
      })
    : spawn(process.execPath, args, { env: environment })
  let output = ''
  const heard: (() => void)[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
      for (const each of heard.splice(0)) each()
    })
  const exited = once(child, 'close').then(() => {
    for (const each of heard.splice(0)) each()
  })
  closers.push(async () => {
    if (child.exitCode === null) child.kill('SIGKILL')
    await exited
  })
  return {
    output: () => output,
    until: async (pattern: RegExp) => {
      for (;;) {
        const found = pattern.exec(output)
        if (found) return found
        if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${output}`)
        await new Promise<void>((resolve) => heard.push(resolve))
      }
    },
    end: async () => {
      if (hasScreen) child.stdin.write('\x03')
      else child.kill('SIGTERM')
      await exited
    },
  }
}

function run(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env: environment }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
}

const press = (link: string) =>
  fetch(link, { method: 'POST', redirect: 'manual', headers: { 'sec-fetch-site': 'same-origin' } })

async function newFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'tenderstock-first-'))
  closers.push(() => rm(path, { recursive: true, force: true }))
  return path
}

test('without a terminal only the command prints a link, which works once', { timeout: 300_000 }, async () => {
  const data = await newFolder()
  const service = launch(data, false)
  await service.until(/Ctrl\+C/)
  const printed = await run('console', 'link', '--data', data, '--json')
  const [event] = printed.out
    .trim()
    .split('\n')
    .map((line) => readPrintedEvent(line))
  expect(event).toMatchObject({ event: 'consoleLink', mail: null })
  const link = String(event!['link'])
  expect(link).toMatch(/^http:\/\/localhost:\d+\/first\/[\w-]{43}$/)
  expect((await fetch(link)).status).toBe(200)
  const answer = await press(link)
  expect(answer.status).toBe(303)
  expect(answer.headers.get('location')).toMatch(/^\/o\/[0-9a-f-]{36}$/)
  expect((await press(link)).status).toBe(404)
  expect((await run('console', 'link', 'nobody@example.org', '--data', data)).code).toBe(8)
  const back = await run('console', 'link', '--data', data)
  expect(back.out).toMatch(/http:\/\/localhost:\d+\/sign-in\/link\/[\w-]{43}\n +Signs in operator@localhost/)
  await service.end()
  expect(service.output()).not.toContain('/first/')
})

test.skipIf(!hasTerminal)('a terminal shows the first link', { timeout: 300_000 }, async () => {
  const service = launch(await putEmptyStock(await newFolder()), true)
  const [, link] = await service.until(/(http:\/\/localhost:\d+\/first\/[\w-]{43})/)
  expect((await press(link!)).status).toBe(303)
  await service.end()
})
