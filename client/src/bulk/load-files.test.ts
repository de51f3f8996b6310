import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ClientEvent } from '../client-event.ts'
import { type LoadOptions, loadFiles, pathOf } from './load-files.ts'

const content = Buffer.from('the bytes of a file')
const file = {
  url: '../files/x?link=secret',
  sha256: createHash('sha256').update(content).digest('hex'),
  bytes: content.length,
  rows: 1,
  format: 'ndjson',
  table: 'tenders',
}
const minuteMs = 60_000

/** Answers in this order; `undefined` breaks the connection. */
function openWorld(answers: (Response | undefined)[]) {
  const folder = mkdtempSync(join(tmpdir(), 'load-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [slept, events, asked]: [number[], ClientEvent[], (string | null)[]] = [[], [], []]
  const options: LoadOptions = {
    folder,
    fetch: async (_url, init) => {
      asked.push(new Headers(init?.headers).get('range'))
      const answer = answers.shift()
      if (!answer) throw new TypeError('the connection broke')
      return answer
    },
    sleep: async (ms) => void slept.push(ms),
    on: (event) => void events.push(event),
  }
  const load = (change: Partial<LoadOptions> = {}) =>
    loadFiles([file], 'https://api.test.example/bulk/editions/latest', { ...options, ...change })
  return { folder, slept, events, asked, load }
}

const whole = () => new Response(content)
const refusal = (status: number, after?: string) =>
  new Response('', { status, ...(after !== undefined && { headers: { 'retry-after': after } }) })

test('C152, C153: waits as for every other request, however long that is', async () => {
  const { folder, slept, events, load } = openWorld([
    refusal(503, '900'),
    undefined,
    refusal(502),
    refusal(429),
    whole(),
  ])
  await load()
  expect(slept).toEqual([15 * minuteMs, minuteMs, 2 * minuteMs, minuteMs])
  expect(readFileSync(pathOf(folder, file))).toEqual(content)
  expect(events.filter(({ type }) => type === 'wait')).toHaveLength(4)
  expect(JSON.stringify(events)).not.toContain('secret')
})

test('gives up after the whole table of failures, or at once where waiting does not help', async () => {
  const broken = openWorld([])
  await expect(broken.load()).rejects.toThrow('A file cannot be loaded: the connection broke')
  expect(broken.slept).toEqual([1, 2, 4, 8, 16].map((minutes) => minutes * minuteMs))
  const refused = openWorld([refusal(400)])
  await expect(refused.load()).rejects.toThrow('A file cannot be loaded: HTTP 400')
  expect(refused.slept).toEqual([])
})

test('what made progress goes on at once, from its last byte', async () => {
  const rest = new Response(content.subarray(5), { status: 206 })
  const { folder, slept, asked, load } = openWorld([rest])
  writeFileSync(`${pathOf(folder, file)}.part`, content.subarray(0, 5))
  await load()
  expect([slept, asked]).toEqual([[], ['bytes=5-']])
  expect(readdirSync(folder)).toEqual([`${file.sha256}.gz`])
})

test('a signal that came before the transfer ends it', async () => {
  const { asked, load } = openWorld([whole()])
  await expect(load({ signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow('stopped')
  expect(asked).toEqual([])
})

test('a file that is wrong twice is loaded no third time', async () => {
  const wrong = () => new Response(Buffer.alloc(content.length, 'x'))
  const { folder, asked, load } = openWorld([wrong(), wrong(), whole()])
  await expect(load()).rejects.toThrow('A file has another digest than its manifest says.')
  expect([asked.length, readdirSync(folder)]).toEqual([2, []])
})

test('what made progress may wait as long as before', async () => {
  const parts = () => new Response(content.subarray(0, 5), { headers: { 'content-length': '5' } })
  const rest = new Response(content.subarray(5), { status: 206 })
  const { folder, slept, load } = openWorld([refusal(503, '2400'), parts(), refusal(503, '2400'), rest])
  await load()
  expect(slept).toEqual([40 * minuteMs, 40 * minuteMs])
  expect(readFileSync(pathOf(folder, file))).toEqual(content)
})
