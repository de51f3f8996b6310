// Runs before each test file: names the file for its draws, lets property tests draw by the seed, too, if one is set,
// and names the test and its seed where a property fails.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { expect } from 'vitest'
import { seed } from './seed.ts'

const path = expect.getState().testPath!
process.env['TEST_FILE'] = relative(process.cwd(), path)
// other files need not load it
if (readFileSync(path, 'utf8').includes("'fast-check'")) {
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({
    ...(process.env['SEED'] && { seed }),
    reporter: (run) => {
      if (!run.failed) return
      const { currentTestName } = expect.getState()
      const repeat = `SEED=${run.seed} npx vitest run ${process.env['TEST_FILE']}`
      throw new Error(`${currentTestName}\nRepeat it: ${repeat}\n${fc.defaultReportMessage(run)}`, {
        cause: run.errorInstance,
      })
    },
  })
}
