import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { plantingHook } from '../planted-edit.ts'
import { proofCount, proofDraw } from '../proof/proof-count.ts'
import { seed } from '../testing/seed.ts'
import { plantedLogEdits } from './planted-edits.ts'

const trials = proofCount({ share: 40, full: 5000 })
/** Opening one mix takes some 20 ms; a busy machine takes ten times as long. */
const timeout = 120_000 + trials * 200
const program = fileURLToPath(new URL('./mixed-log.ts', import.meta.url))

async function faultsIn(count: number, ...options: readonly string[]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mixed-log-'))
  try {
    const args = [...options, program, folder, `${seed}`, `${count}`]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    return JSON.parse(stdout) as readonly string[]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test(`an edition log with one file from another moment opens completely, or is rebuilt (${trials} mixes, SEED=${seed})`, {
  timeout,
}, async () => {
  expect(await faultsIn(trials)).toEqual([])
})

test.each(proofDraw(plantedLogEdits, 2).map((planted) => [planted.name, planted] as const))(
  'the planted mistake is found: %s',
  { timeout },
  async (name, planted) => {
    const faults = await faultsIn(Math.max(400, trials), '--import', plantingHook(planted))
    console.log(`planted: ${name}: ${faults[0] ?? 'not found'} (SEED=${seed})`)
    expect(faults).not.toEqual([])
  },
)
