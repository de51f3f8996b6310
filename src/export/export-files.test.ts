// What an export that fails leaves behind: nothing of the file that it was writing.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LineFile, writeWhole } from './export-files.ts'

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-export-files-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('a file of lines that is abandoned, while it is written or after a failed end, leaves nothing', async () => {
  const folder = await newFolder()
  const file = await LineFile.create(folder, 'tenders-0001.ndjson')
  await file.write('{}\n')
  await file.abandon()
  const other = await LineFile.create(folder, 'taken')
  await mkdir(join(folder, 'taken'))
  await expect(other.finish()).rejects.toThrow()
  await other.abandon()
  expect(await readdir(folder)).toEqual(['taken'])
})

test('a small file that cannot be written whole leaves nothing', async () => {
  const folder = await newFolder()
  await mkdir(join(folder, 'manifest.json'))
  await expect(writeWhole(folder, 'manifest.json', '{}')).rejects.toThrow()
  expect(await readdir(folder)).toEqual(['manifest.json'])
})
