import { execFileSync } from 'node:child_process'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const program = `
const { readdirSync, readFileSync } = require('node:fs')
const { readFile } = require('node:fs/promises')
const { getPriority } = require('node:os')
;(async () => {
  // the pool exists from here on
  await readFile('/dev/null')
  const { lowerHelperPriority } = await import(${JSON.stringify(join(import.meta.dirname, 'thread-priority.ts'))})
  const lowered = lowerHelperPriority()
  const threads = readdirSync('/proc/self/task').map((thread) => {
    const name = readFileSync('/proc/self/task/' + thread + '/comm', 'utf8').trim()
    return { name, isMain: Number(thread) === process.pid, priority: getPriority(Number(thread)) }
  })
  console.log(JSON.stringify({ lowered, threads }))
})()`

test.runIf(process.platform === 'linux')('helper threads yield, working threads keep their priority', () => {
  const own = getPriority()
  const { lowered, threads } = JSON.parse(
    execFileSync(process.execPath, ['-e', program], { encoding: 'utf8', env: {} }),
  ) as {
    lowered: number
    threads: readonly { name: string; isMain: boolean; priority: number }[]
  }
  const helpers = threads.filter(({ name }) => name === 'V8Worker' || name === 'libuv-worker')
  expect(new Set(helpers.map(({ name }) => name))).toEqual(new Set(['V8Worker', 'libuv-worker']))
  expect(lowered).toBe(helpers.length)
  for (const { priority } of helpers) expect(priority).toBe(Math.min(19, own + 10))
  for (const { priority } of threads.filter((thread) => !helpers.includes(thread))) expect(priority).toBe(own)
  expect(threads.some(({ isMain }) => isMain)).toBe(true)
})
