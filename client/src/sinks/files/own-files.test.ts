import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { collected } from '../../../../test/testing/collected.ts'
import { closeTree, makeWithParents, openEntries, shareFile } from './own-files.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'own-files-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const modeOf = (...names: readonly string[]) => statSync(join(folder, ...names)).mode & 0o7777

function put(name: string, mode: number): string {
  const path = join(folder, name)
  writeFileSync(path, name)
  chmodSync(path, mode)
  return path
}

function putFolder(name: string, mode: number): string {
  const path = join(folder, name)
  mkdirSync(path)
  chmodSync(path, mode)
  return path
}

describe('closing', () => {
  test('takes every right from others, and no other', async () => {
    putFolder('in', 0o2755)
    put('in/a', 0o666)
    put('in/b', 0o604)
    put('in/program', 0o755)
    put('in/closed', 0o400)
    expect(await closeTree(folder)).toBe(4)
    const modes = ['in', 'in/a', 'in/b', 'in/program', 'in/closed'].map((name) => modeOf(name))
    expect(modes).toEqual([0o2700, 0o600, 0o600, 0o700, 0o400])
    expect(await closeTree(folder)).toBe(0)
    expect(await closeTree(join(folder, 'missing'))).toBe(0)
  })

  test('never follows a link, and leaves what belongs to somebody else', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'own-files-outside-'))
    try {
      writeFileSync(join(outside, 'a'), '')
      chmodSync(join(outside, 'a'), 0o644)
      chmodSync(outside, 0o755)
      symlinkSync(outside, join(folder, 'folder'))
      symlinkSync(join(outside, 'a'), join(folder, 'file'))
      put('theirs', 0o644)
      const isRoot = process.getuid?.() === 0
      if (isRoot) chownSync(join(folder, 'theirs'), 65_534, 65_534)
      expect(await closeTree(folder)).toBe(isRoot ? 0 : 1)
      expect([statSync(outside).mode & 0o777, statSync(join(outside, 'a')).mode & 0o777]).toEqual([0o755, 0o644])
      expect(modeOf('theirs')).toBe(isRoot ? 0o644 : 0o600)
    } finally {
      rmSync(outside, { recursive: true })
    }
  })

  test('looks into folders that are closed only if asked to', async () => {
    putFolder('closed', 0o700)
    put('closed/a', 0o644)
    putFolder('open', 0o711)
    put('open/a', 0o644)
    expect(await closeTree(folder, { entersClosed: false })).toBe(0)
    chmodSync(folder, 0o755)
    expect(await closeTree(folder, { entersClosed: false })).toBe(3)
    expect([modeOf('closed/a'), modeOf('open/a'), modeOf('open'), modeOf()]).toEqual([0o644, 0o600, 0o700, 0o700])
    expect(await closeTree(folder)).toBe(1)
  })

  test('finds the content of a folder before the folder, and ends when it is asked to', async () => {
    chmodSync(folder, 0o755)
    put('a', 0o644)
    expect(await collected(openEntries(folder, { entersClosed: true }))).toEqual([join(folder, 'a'), folder])
    const signal = AbortSignal.abort()
    expect(await collected(openEntries(folder, { entersClosed: true, signal }))).toEqual([folder])
  })
})

test('what is shared gets the rights that the mask leaves, as do the folders that are made for it', async () => {
  const before = process.umask(0o077)
  try {
    await makeWithParents(join(folder, 'a/b'), 0o027)
    await makeWithParents(join(folder, 'a/b/c'))
    await makeWithParents(join(folder, 'a/b'), 0)
    await shareFile(put('a/b/file', 0o600), 0o002)
  } finally {
    process.umask(before)
  }
  expect([modeOf('a'), modeOf('a/b'), modeOf('a/b/c'), modeOf('a/b/file')]).toEqual([0o750, 0o750, 0o700, 0o664])
})
