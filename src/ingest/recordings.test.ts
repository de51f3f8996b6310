import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { FetchContext } from '../sources/fetch.ts'
import { openRecording, Recorder } from './recordings.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenderstock-recording-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const key = 'K+secret/1'
const check = { sourceId: 'us-sam', recordedAt: '2026-11-20T08:00:00.000Z' }

function portal(body: string | Uint8Array): FetchContext['send'] {
  const bytes = Buffer.from(body)
  return async () => ({
    status: 200,
    headers: { 'content-type': 'application/json', 'set-cookie': 'session=abc', 'x-asked': `key ${key}` },
    version: 'v1',
    bytes: async () => bytes,
    chunks: async function* () {
      yield bytes.subarray(0, 10)
      yield bytes.subarray(10)
    },
  })
}

const textOf = (...path: readonly string[]) => readFile(join(folder, 'us-sam', ...path), 'utf8')

test('a recording holds neither keys nor cookies nor contact data, and answers as the portal did', async () => {
  const recorder = new Recorder(
    portal(`{"title":"Desks","mail":"jane.doe@town.example","phone":"+49 30 1234567","echo":"${key}"}`),
    key,
  )
  const url = `https://portal.example/list?api_key=${encodeURIComponent(key)}&page=1`
  await (await recorder.send({ url, headers: { Authorization: `Bearer ${key}` } })).bytes()
  expect(await recorder.write(join(folder, 'us-sam'), check)).toBe(1)

  const written = (
    await Promise.all(['request.json', 'response.json', 'body'].map((name) => textOf('01', name)))
  ).join()
  for (const secret of [key, encodeURIComponent(key), 'session=abc', 'jane.doe', '1234567'])
    expect(written).not.toContain(secret)
  const recording = await openRecording(join(folder, 'us-sam'))
  expect(recording.check).toEqual(check)
  const reply = await recording.send({ url: 'https://portal.example/list?api_key=another&page=1' })
  expect(reply).toMatchObject({ status: 200, version: 'v1' })
  expect(JSON.parse(Buffer.from(await reply.bytes()).toString())).toMatchObject({
    title: 'Desks',
    mail: 'person@example.org',
  })
  await expect(recording.send({ url })).rejects.toThrow('The recording ends before')
})

test('a body of which only the beginning was read ends there again', async () => {
  const recorder = new Recorder(portal('0123456789 and more'), undefined)
  for await (const _ of (await recorder.send({ url: 'https://portal.example/large' })).chunks()) break
  await recorder.write(join(folder, 'us-sam'), check)
  const { send } = await openRecording(join(folder, 'us-sam'))
  const { chunks } = await send({ url: 'https://portal.example/large' })
  const seen: string[] = []
  await expect(
    (async () => {
      for await (const chunk of chunks()) seen.push(Buffer.from(chunk).toString())
    })(),
  ).rejects.toThrow('ends in the middle')
  expect(seen).toEqual(['0123456789'])
})

test.each([
  ['latin1', Buffer.from('Bürgermeister Jörg müller@städte.example +49 30 1234567', 'latin1')],
  ['utf16le', Buffer.from('\ufeffBürgermeister Jörg jane.doe@town.example +49 30 1234567', 'utf16le')],
  // the part that was read ends within a character
  ['latin1', Buffer.from('Bürgermeister Jörg jane.doe%40town.example +49 30 1234567 …').subarray(0, -1)],
] as const)(
  'a text in another encoding (%s) loses contact data, and is otherwise the same',
  async (encoding, bytes) => {
    const recorder = new Recorder(portal(bytes), undefined)
    await (await recorder.send({ url: 'https://portal.example/list?by=jane.doe@town.example' })).bytes()
    await recorder.write(join(folder, 'us-sam'), check)
    const body = await readFile(join(folder, 'us-sam', '01', 'body'))
    const [start, end] = bytes.toString(encoding).split(/ [\wüä.]+(?:@|%40).* 1234567/)
    expect(body.toString(encoding)).toBe(`${start} person@example.org +00 000 000000${end}`)
    expect(JSON.parse(await textOf('01', 'response.json'))).toMatchObject({ isBinary: false })
    expect(await textOf('01', 'request.json')).not.toContain('jane')
  },
)

test('an archive is kept byte by byte and marked as binary', async () => {
  const bytes = zipSync({ 'notice.txt': Buffer.from('jane.doe@town.example '.repeat(9)) })
  const recorder = new Recorder(portal(bytes), key)
  await (await recorder.send({ url: 'https://portal.example/zip' })).bytes()
  await recorder.write(join(folder, 'us-sam'), check)
  expect(await readFile(join(folder, 'us-sam', '01', 'body'))).toEqual(Buffer.from(bytes))
  expect(JSON.parse(await textOf('01', 'response.json'))).toMatchObject({ isBinary: true, isWhole: true })
})

test('a request that was not recorded is refused with both addresses', async () => {
  const recorder = new Recorder(portal('{}'), undefined)
  await (await recorder.send({ url: 'https://portal.example/a' })).bytes()
  await recorder.write(join(folder, 'us-sam'), check)
  await writeFile(join(folder, 'us-sam', 'expected.json'), '[]')
  const { send } = await openRecording(join(folder, 'us-sam'))
  await expect(send({ url: 'https://portal.example/b' })).rejects.toThrow(
    'The recording has https://portal.example/a in place of https://portal.example/b.',
  )
})
