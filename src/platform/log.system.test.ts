import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bufferedStream, openLog } from './log.ts'

const linesOf = (text: string): string[] => text.trim().split('\n').filter(Boolean)
const messagesOf = (text: string): unknown[] => linesOf(text).map((line) => (JSON.parse(line) as { msg: string }).msg)

test('lines wait for others, but no warning and no error does, nor the lines before it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'))
  const path = join(folder, 'lines')
  const fd = openSync(path, 'w')
  try {
    const log = openLog('info', bufferedStream(fd))
    const read = (): unknown[] => messagesOf(readFileSync(path, 'utf8'))
    log.info('one')
    expect(read()).toEqual([])
    log.warn('two')
    expect(read()).toEqual(['one', 'two'])
    log.info({ token: 'secret' }, 'three')
    log.debug('never')
    log.error('four')
    expect(read()).toEqual(['one', 'two', 'three', 'four'])
    expect(readFileSync(path, 'utf8')).not.toContain('secret')
    for (let line = 0; line < 1000; line++) log.info('many')
    expect(read().length).toBeGreaterThan(800)
  } finally {
    closeSync(fd)
    rmSync(folder, { recursive: true, force: true })
  }
})

test.each([
  ['that ends by itself', ''],
  ['that is ended', 'process.exit(0)'],
  ['that fails', 'setImmediate(() => { throw new Error("broken") })'],
])('a process %s leaves no line behind', (_, end) => {
  const module = JSON.stringify(new URL('./log.ts', import.meta.url).href)
  const program = `const { openLog } = await import(${module})
    const log = openLog('info')
    log.info('first')
    log.info('last')
    ${end}`
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  const json = linesOf(stderr).filter((line) => line.startsWith('{'))
  expect(messagesOf(json.join('\n'))).toEqual(['first', 'last'])
})

test('lines that cannot be written wait, in their order, and are lost when they are too many', () => {
  let isFull = true
  let written = ''
  const log = openLog(
    'info',
    bufferedStream(9, (_, bytes) => {
      if (isFull) throw Object.assign(new Error('no room'), { code: 'EAGAIN' })
      const part = Buffer.from(bytes.subarray(0, 50))
      written += part.toString()
      return part.length
    }),
  )
  log.warn('one')
  log.error('two')
  isFull = false
  log.warn('three')
  expect(messagesOf(written)).toEqual(['one', 'two', 'three'])
  isFull = true
  written = ''
  const long = 'x'.repeat(1000)
  for (let line = 0; line < 2000; line++) log.warn(long)
  isFull = false
  log.warn('last')
  const kept = messagesOf(written)
  expect(kept.at(-1)).toBe('last')
  expect(kept.length).toBeLessThan(1100)
})

test('a process whose log nobody reads any more continues, and ends', async () => {
  const module = JSON.stringify(new URL('./log.ts', import.meta.url).href)
  const program = `const { openLog } = await import(${module})
    const { writeSync } = await import('node:fs')
    const log = openLog('info')
    const timer = setInterval(() => {
      try {
        writeSync(2, 'is anybody there?')
      } catch {
        clearInterval(timer)
        log.warn('nobody reads this')
        process.stdout.write('alive')
      }
    }, 5)`
  const folder = mkdtempSync(join(tmpdir(), 'log-'))
  const path = join(folder, 'out')
  // standard error is piped to a program that ends immediately
  const line = '{ "$NODE" --input-type=module -e "$PROGRAM" 2>&1 1>&3 | true; } 3> "$OUT"'
  const child = spawn('sh', ['-c', line], {
    env: { ...process.env, NODE: process.execPath, PROGRAM: program, OUT: path },
    stdio: 'ignore',
    detached: true,
  })
  const end = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), 20_000)
  await once(child, 'exit')
  clearTimeout(end)
  expect(readFileSync(path, 'utf8')).toBe('alive')
  rmSync(folder, { recursive: true, force: true })
})
