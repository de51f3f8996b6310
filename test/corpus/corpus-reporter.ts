// The last line of a run without the collection of real notices: how much was left out for want of it.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/** Where the collection lies: beside the repository. */
const corpusFolder = join(import.meta.dirname, '../../../shared/corpus')
const naming = 'shared/corpus'

/** Undefined when nothing was left out. */
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
