// Runs before each test file: property tests draw by the seed, too, if one is set.
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { seed } from './seed.ts'

const path = expect.getState().testPath
// other files need not load it
if (process.env['SEED'] && path !== undefined && readFileSync(path, 'utf8').includes("'fast-check'"))
  (await import('fast-check')).default.configureGlobal({ seed })
