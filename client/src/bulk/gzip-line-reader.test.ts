import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { GzipLineReader } from './gzip-line-reader.ts'

function readerOf(text: string, cutBytes = 0) {
  const folder = mkdtempSync(join(tmpdir(), 'gzip-lines-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const packed = gzipSync(text)
  writeFileSync(join(folder, 'x.gz'), packed.subarray(0, packed.length - cutBytes))
  const reader = new GzipLineReader(join(folder, 'x.gz'))
  onTestFinished(() => reader.close())
  return reader
}

async function linesOf(reader: GzipLineReader): Promise<string[]> {
  const lines: Buffer[] = []
  for (let line = await reader.next(); line; line = await reader.next()) lines.push(line)
  expect(await reader.next()).toBeUndefined()
  return lines.map(String)
}

test('lines of every length come whole, over the ends of blocks, and stay as they are', async () => {
  const lines = [0, 1, 3_000_000, 0, 1 << 20, (1 << 20) - 1, 7].map((length, at) => `${at}`.repeat(length))
  expect(await linesOf(readerOf(`${lines.join('\n')}\n`))).toEqual(lines)
  const short = Array.from({ length: 400_000 }, (_, at) => `line ${at}`)
  expect(await linesOf(readerOf(`${short.join('\n')}\n`))).toEqual(short)
})

test.each([
  ['without its last end', 'a\nb', 0, 'the last line has no end'],
  ['that is cut off', `${'line\n'.repeat(1000)}`, 9, 'unexpected end of file'],
])('a file %s is refused', async (_, text, cut, message) => {
  await expect(linesOf(readerOf(text, cut))).rejects.toThrow(message)
})
