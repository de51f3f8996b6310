import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bufferedStream, openLog } from './log.ts'

const linesOf = (text: string): string[] => text.trim().split('\n').filter(Boolean)
const messagesOf = (text: string): unknown[] => linesOf(text).map((line) => (JSON.parse(line) as { msg: string }).msg)

test('lines wait for others, but no warning and no error does, nor what came before it', () => {
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
