// Runs before each test file: names the file for its draws, and lets property tests draw by the seed, too, if one is
// set.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { expect } from 'vitest'
import { seed } from './seed.ts'

const path = expect.getState().testPath!
process.env['TEST_FILE'] = relative(process.cwd(), path)
// other files need not load it
if (process.env['SEED'] && readFileSync(path, 'utf8').includes("'fast-check'"))
  (await import('fast-check')).default.configureGlobal({ seed })
