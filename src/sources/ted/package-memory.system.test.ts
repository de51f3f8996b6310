// A package of 200 MiB passes through in little memory: only the current step is kept.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const script = join(import.meta.dirname, '../../../test/sources/package-memory.ts')
const run = promisify(execFile)

it('a month of 200 MiB (30,000 notices, 1 GiB unpacked) adds less than 300 MiB to the memory of the process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenderstock-package-'))
  try {
    const file = join(folder, 'month.tar.gz')
    const { expected } = JSON.parse((await run(process.execPath, [script, 'write', file, '200'])).stdout)
    const read = JSON.parse((await run(process.execPath, [script, 'read', file])).stdout)
    expect(read).toMatchObject({ documents: expected })
    expect(read.packedMiB).toBeGreaterThanOrEqual(200)
    expect(read.growthMiB).toBeLessThan(300)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
