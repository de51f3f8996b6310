import { join } from 'node:path'
import { expect, test } from 'vitest'
import { corpusLine } from './corpus-reporter.ts'

type Module = Parameters<typeof corpusLine>[0][number]

/** A test file that was run, with this many skipped tests. */
const ran = (name: string, skipped: number): Module =>
  ({
    moduleId: join(import.meta.dirname, name),
    children: { allTests: () => Array.from({ length: skipped }).values() },
  }) as unknown as Module

test('skipped tests of the corpus are reported in one line; other skipped tests are not counted', () => {
  const others = ran('../docs/fields-page.test.ts', 5)
  expect(corpusLine([ran('xml.test.ts', 1), others])).toBe('skipped: no corpus (1 file, 1 test)')
  expect(corpusLine([ran('xml.test.ts', 1), ran('ocds.test.ts', 30)])).toBe('skipped: no corpus (2 files, 31 tests)')
  expect(corpusLine([ran('xml.test.ts', 0), others])).toBeUndefined()
})
