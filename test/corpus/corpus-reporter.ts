// The last line of a run without the collection of real notices: how many tests were skipped because of that.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/** Path of the collection: beside the repository. */
const corpusFolder = join(import.meta.dirname, '../../../shared/corpus')
const naming = 'shared/corpus'

/** Undefined if nothing was skipped. */
export function corpusLine(modules: readonly Pick<TestModule, 'moduleId' | 'children'>[]): string | undefined {
  const needing = modules.filter(({ moduleId }) => readFileSync(moduleId, 'utf8').includes(naming))
  const skipped = needing.map(({ children }) => [...children.allTests('skipped')].length).filter((count) => count > 0)
  if (skipped.length === 0) return undefined
  const tests = skipped.reduce((sum, count) => sum + count, 0)
  return `skipped: no corpus (${counted(skipped.length, 'file')}, ${counted(tests, 'test')})`
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

export function corpusReporter(): Reporter {
  return {
    onTestRunEnd: (modules) => {
      const line = existsSync(corpusFolder) ? undefined : corpusLine(modules)
      if (line !== undefined) console.log(line)
    },
  }
}
