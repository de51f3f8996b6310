// Runs as a separate process: streams a month's package of TED and prints how much memory that took, as one line of
// JSON.
//
// node test/sources/package-memory.ts write <file> <MiB>; node test/sources/package-memory.ts read <file>
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { toInstant } from '../../src/domain/time.ts'
import { Retryable } from '../../src/platform/http.ts'
import { collect } from '../../src/sources/byte-chunks.ts'
import { fetchMonthly } from '../../src/sources/ted/fetch-packages.ts'
import { memberName, tarGz, tedNotice } from './scripted-ted.ts'

const mebibyte = 1024 * 1024
const [mode, path] = process.argv.slice(2)
if (!path || (mode !== 'write' && mode !== 'read')) throw new Error('write|read, then the file')
const noticesPerDay = 2000
/** A notice of TED has about 40 KiB and shrinks to a fifth: as much of it repeats. */
const repeats = 4

const padding = (seed: string): string => {
  const unique = Array.from({ length: 90 }, (_, index) =>
    createHash('sha512').update(`${seed}/${index}`).digest('base64'),
  ).join('')
  return unique.repeat(repeats)
}

if (mode === 'write') await writeMonth(path, Number(process.argv[4] ?? 200) * mebibyte)
else await readMonth(path)

/** A gzip of stored blocks around a tar: the day is packed already, and writing must not take longer than reading. */
async function writeMonth(target: string, wantedBytes: number): Promise<void> {
  // One day's archive; the month holds it under one name after another, until it is large enough.
  const archive = await tarGz(
    Array.from({ length: noticesPerDay }, (_, index) => {
      const number = `${index + 1}-2026`
      return {
        name: memberName('2026-03-02', 42, number),
        bytes: `${tedNotice(number, '2026-03-02')}<!-- ${padding(number)} -->`,
      }
    }),
  )
  const file = await open(target, 'w')
  let sum = 0
  let size = 0
  let days = 0
  const write = async (bytes: Buffer): Promise<void> => {
    sum = crc32(bytes, sum)
    size += bytes.length
    for (let start = 0; start < bytes.length; start += 65_535) {
      const block = bytes.subarray(start, start + 65_535)
      const head = Buffer.from([0, 0, 0, 0, 0])
      head.writeUInt16LE(block.length, 1)
      head.writeUInt16LE(~block.length & 0xffff, 3)
      await file.write(head)
      await file.write(block)
    }
  }
  await file.write(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]))
  while (size < wantedBytes) {
    // Without a date in its name none is skipped as read already.
    await write(tarHeader(`03/part-${++days}.tar.gz`, archive.length))
    await write(archive)
    await write(Buffer.alloc((512 - (archive.length % 512)) % 512))
  }
  await write(Buffer.alloc(1024))
  const tail = Buffer.from([1, 0, 0, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0])
  tail.writeUInt32LE(sum, 5)
  tail.writeUInt32LE(size >>> 0, 9)
  await file.write(tail)
  await file.close()
  process.stdout.write(`${JSON.stringify({ expected: days * noticesPerDay })}\n`)
}

function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(512)
  header.write(name)
  header.write('0000644\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

async function readMonth(file: string): Promise<void> {
  const baseline = process.memoryUsage().rss
  let documents = 0
  let bytes = 0
  const startedAt = performance.now()
  const steps = fetchMonthly({
    slot: { key: '2026-03', from: toInstant(Date.UTC(2026, 1, 28, 23)), to: toInstant(Date.UTC(2026, 2, 31, 22)) },
    checkpoint: undefined,
    send: ({ url }) => {
      if (url.includes('api.ted')) return Promise.reject(new Retryable('away'))
      const isCalendar = url.includes('/CSV/')
      const chunks = async function* (): AsyncGenerator<Uint8Array> {
        if (isCalendar) yield Buffer.from('42,02/03/2026\n254,31/12/2026\n')
        else for await (const chunk of createReadStream(file)) yield chunk as Buffer
      }
      return Promise.resolve({
        status: 200,
        headers: {},
        version: undefined,
        chunks,
        bytes: async () => (await collect(chunks(), mebibyte))!,
      })
    },
    knownVersions: () => Promise.resolve(new Map()),
    key: undefined,
    zone: 'Europe/Brussels',
    now: () => Date.UTC(2026, 3, 10),
    scratchFolder: '',
    signal: new AbortController().signal,
  })
  for (;;) {
    const next = await steps.next()
    if (next.done) break
    documents += next.value.documents.length
    for (const document of next.value.documents) bytes += document.bytes.length
  }
  const seconds = (performance.now() - startedAt) / 1000
  process.stdout.write(
    `${JSON.stringify({
      packedMiB: Math.round((await stat(file)).size / mebibyte),
      unpackedMiB: Math.round(bytes / mebibyte),
      documents,
      growthMiB: Math.round((process.resourceUsage().maxRSS * 1024 - baseline) / mebibyte),
      seconds: Math.round(seconds * 10) / 10,
    })}\n`,
  )
}
