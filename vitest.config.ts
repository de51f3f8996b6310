import { globSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { corpusReporter } from './test/corpus/corpus-reporter.ts'
import { filesLeftOut } from './test/proof/drawn-files.ts'
import { seed } from './test/testing/seed.ts'

const all = globSync('{src,client,test}/**/*.test.ts', { exclude: (name) => name === 'node_modules' })
/** Set by `npm run test:all`: the share of the long repetitions that runs. */
const draw = process.env['TEST_DRAW']
const leftOut = draw === undefined ? [] : filesLeftOut(all, Number(draw), seed)
if (leftOut.length > 0 && process.argv.includes('system'))
  process.stdout.write(
    `SEED=${seed} TEST_DRAW=${draw}: these repetitions do not run this time (TEST_DRAW=1 runs all): ${leftOut.join(' ')}\n`,
  )
const files = all.filter((file) => !leftOut.includes(file))

/** Rules of the house, generated files, and lists that hold every member: `npm run check` runs them. */
const house = [
  'test/tidy.test.ts',
  'test/generated.test.ts',
  'test/record-members.test.ts',
  ...['commands', 'error-codes', 'fields', 'settings', 'sources'].map((page) => `test/docs/${page}-page.test.ts`),
  'test/docs/event-schema.test.ts',
  'test/docs/registry-names.test.ts',
  'test/metrics/metrics-page.test.ts',
]
/**
 * The short cases that `npm test` runs of what pure tests do not start: every command, page, role and sink, and the
 * main paths of the program on one stock.
 */
const short = [
  'test/short/main-paths.system.test.ts',
  'src/service/operations/command-audit.system.test.ts',
  'src/service/operations/rebuild-operations.db.test.ts',
  'test/console/audiences.system.test.ts',
  'test/tender-sync/commands.system.test.ts',
  'client/src/sinks/exec-sink.system.test.ts',
  'client/src/sinks/http-upsert-sink.system.test.ts',
  'client/src/sinks/postgres/postgres-tables.db.test.ts',
  'src/api/server.system.test.ts',
]
/** What a test needs is its name: `x.db.test.ts` opens databases, and so on; `x.test.ts` starts nothing. */
const named = (kind: 'db' | 'system' | 'browser') =>
  files.filter((file) => file.endsWith(`.${kind}.test.ts`) && !short.includes(file))
const pure = files.filter((file) => !/\.(?:db|system|browser)\.test\.ts$/.test(file) && !house.includes(file))
/** Those that read the collection of real notices, or millions of made-up ones. */
const corpus = pure.filter((file) => file.startsWith('test/corpus/') || file === 'test/hits/two-million-pairs.test.ts')

const isWatched = process.stdout.isTTY === true

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // in node_modules/.vitest-cache, by the content of each module
    fsModuleCache: true,
    setupFiles: ['test/testing/same-draws.ts'],
    // one line for each file where no terminal shows a live table; what a test prints is shown if it fails
    silent: isWatched || process.env['PROOF'] === 'full' ? false : 'passed-only',
    slowTestThreshold: isWatched ? 300 : Number.POSITIVE_INFINITY,
    reporters: [['default', { summary: isWatched }], corpusReporter()],
    projects: [
      // They share a process, which loads each module once; a second one would load every module again.
      {
        extends: true,
        test: {
          name: 'pure',
          include: pure.filter((file) => !corpus.includes(file)),
          setupFiles: ['test/testing/start-nothing.ts'],
          isolate: false,
          maxWorkers: 1,
          // what a test makes is gone after it: a large young generation collects it for less
          execArgv: ['--max-semi-space-size=64'],
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'house', include: house, sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: 'short', include: short, sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: 'corpus', include: corpus, sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: 'db', include: named('db'), sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: 'system', include: named('system'), sequence: { groupOrder: 2 } } },
      // one after the other, when nothing else runs, as a browser takes both cores
      {
        extends: true,
        test: { name: 'browser', include: named('browser'), maxWorkers: 1, sequence: { groupOrder: 3 } },
      },
    ],
  },
})
