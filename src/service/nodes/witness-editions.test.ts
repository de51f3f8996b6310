// Who is the same witness after a restart.
import { cp, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemRandom } from '../../platform/random.ts'
import { witnessIdIn } from './witness-editions.ts'

test('a process that is started again in its folder is the same witness; one with a copy of it is another', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'witness-'))
  const copy = `${folder}-copy`
  onTestFinished(async () => {
    for (const each of [folder, copy]) await rm(each, { recursive: true, force: true })
  })
  const id = await witnessIdIn(folder, systemRandom)
  expect(await witnessIdIn(folder, systemRandom)).toBe(id)
  expect((await stat(join(folder, 'witness'))).mode & 0o777).toBe(0o600)
  await cp(folder, copy, { recursive: true })
  const others = [await witnessIdIn(copy, systemRandom)]
  await rm(join(folder, 'witness'))
  others.push(await witnessIdIn(folder, systemRandom))
  expect(new Set([id, ...others]).size).toBe(3)
})
