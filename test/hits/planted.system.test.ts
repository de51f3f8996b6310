import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { plantingHook } from '../planted-edit.ts'
import { proofCount } from '../proof/proof-count.ts'
import { seed } from '../testing/seed.ts'
import { plantedHitEdits } from './planted-edits.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('run-model.ts', import.meta.url))
/** Number of runs, enough for each mistake; most are found within twenty. */
const maxRuns = 2000
// a share: a different few each day
const share = proofCount({ share: 3, full: plantedHitEdits.length })
const drawn = plantedHitEdits.filter((_, index) => (index + seed) % Math.ceil(plantedHitEdits.length / share) === 0)

describe('the model of hits finds planted mistakes', () => {
  test.each(drawn.map(({ name, edits }) => [name, edits] as const))(
    '%s',
    async (name, edits) => {
      const hooks = edits.flatMap((edit) => ['--import', plantingHook({ name, ...edit })])
      const ended = await run(process.execPath, [...hooks, program, String(maxRuns), String(seed)]).catch(
        (error: { stdout: string; stderr: string }) => error,
      )
      const lines = ended.stdout.trim().split('\n')
      expect(ended.stderr).not.toContain('does not fit')
      expect(JSON.parse(lines.at(-1)!), `seed ${seed}`).toMatchObject({ failed: true })
    },
    20 * 60_000,
  )
})
