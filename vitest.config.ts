import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { corpusReporter } from './test/corpus/corpus-reporter.ts'
import { filesLeftOut } from './test/proof/drawn-files.ts'
import { seed } from './test/testing/seed.ts'

const all = globSync('{src,client,test}/**/*.test.ts', { exclude: (name) => name === 'node_modules' })
/** Set by `npm test`: the share of the long tests that runs. */
const draw = process.env['TEST_DRAW']
const leftOut = draw === undefined ? [] : filesLeftOut(all, Number(draw), seed)
if (leftOut.length > 0 && process.argv.includes('system'))
  process.stdout.write(
    `SEED=${seed} TEST_DRAW=${draw}: these long tests do not run this time (TEST_DRAW=1 runs all): ${leftOut.join(' ')}\n`,
  )
const files = all.filter((file) => !leftOut.includes(file))

/**
 * What a test imports or calls that starts something: a database, a server, a process, a thread; or reads the whole
 * corpus.
 */
const starters =
  /world\.ts|playwright-core|openStore|PGlite\.create|node:(child_process|worker_threads|http|net)'|createServer|startSimulator|simulated|packers|exec-sink|openMatcher|TEST_DATABASE_URL|limiter-shared|shared\/corpus/
const textOf = (file: string) => readFileSync(file, 'utf8')
/** Tests that drive a browser: one after the other, when nothing else runs, as a browser takes both cores. */
const browser = files.filter((file) => /playwright-core|launchChromium/.test(textOf(file)))
/** Rules of the house, generated files, and lists that hold every member: `npm run check` runs them. */
const house = [
  'test/tidy.test.ts',
  'test/generated.test.ts',
  'test/record-members.test.ts',
  ...['commands', 'fields', 'settings', 'sources'].map((page) => `test/docs/${page}-page.test.ts`),
  'test/docs/event-schema.test.ts',
  'test/docs/registry-names.test.ts',
  'test/metrics/metrics-page.test.ts',
]
/** Tests of functions: they start nothing, and may share a process, which loads each module once. */
const functions = files.filter((file) => file.includes('src/') && !starters.test(textOf(file)))
/** Those that write files. */
const disk = functions.filter((file) => /\bmkdtemp/.test(textOf(file)))
const unit = functions.filter((file) => !disk.includes(file))
const others = new Set([...house, ...functions, ...browser])

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    setupFiles: ['test/testing/same-draws.ts'],
    reporters: ['default', corpusReporter()],
    projects: [
      // a second process would load every module again, which is a fifth of the CPU
      {
        extends: true,
        test: {
          name: 'unit',
          include: unit,
          isolate: false,
          maxWorkers: 1,
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'house', include: house, sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: 'disk', include: disk, isolate: false, sequence: { groupOrder: 1 } } },
      {
        extends: true,
        test: { name: 'system', include: files.filter((file) => !others.has(file)), sequence: { groupOrder: 2 } },
      },
      { extends: true, test: { name: 'browser', include: browser, maxWorkers: 1, sequence: { groupOrder: 3 } } },
    ],
  },
})
