// Searches for a simulated run that a planted mistake spoils.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { plantingHook } from '../planted-edit.ts'
import type { SimulatedEdit } from './planted-edits.ts'
import { type Failure, runSeed } from './simulate-runs.ts'

/** Searches in a separate process; returns the first run, or undefined. */
export async function findPlanted(planted: SimulatedEdit, seed: number, runs: number): Promise<Found> {
  const program = fileURLToPath(new URL('./find-mismatch.ts', import.meta.url))
  const args = ['--import', plantingHook(planted), program, planted.name, `${seed}`, `${runs}`]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const found = JSON.parse(stdout) as Found
  // A planted mistake is found only by a run that is without fault otherwise.
  if (found.failure && (await runSeed(found.failure.seed, true)).failure)
    throw new Error(`seed ${found.failure.seed} fails without the planted mistake too`)
  return found
}

type Found = { readonly runs: number; readonly failure?: Failure }
