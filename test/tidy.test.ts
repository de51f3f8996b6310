// The house's own rules (ARCHITECTURE.md) as a test: each holds for every file, and each is shown to catch a planted
// breach.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { plantedLogEdits } from './crash/planted-edits.ts'
import { plantedHitEdits } from './hits/planted-edits.ts'
import { plantedLimitEdits } from './limiter/planted-edits.ts'
import type { PlantedEdit } from './planted-edit.ts'
import { plantedBreaches } from './rules/planted-breaches.ts'
import { plantedEdits as plantedClientEdits } from './simulation/planted-edits.ts'
import { houseViolations } from './tidy/house-rules.ts'
import { partsOfRooms } from './tidy/rooms.ts'
import { scanFile } from './tidy/scan.ts'
import { citedNumbers, readRules, rulesPage, statuteViolations } from './tidy/statute.ts'

const root = join(import.meta.dirname, '..')

function pathsBelow(folder: string): string[] {
  let entries: string[] = []
  try {
    entries = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  } catch {
    return []
  }
  return entries
    .map((entry) => `${folder}/${entry.replaceAll('\\', '/')}`)
    .filter((path) => !/(?:^|\/)(?:node_modules|dist)(?:\/|$)/.test(path))
    .sort()
}

function filesBelow(folder: string, ending: string): [string, string][] {
  return pathsBelow(folder)
    .filter((path) => path.endsWith(ending))
    .map((path) => [path, readFileSync(join(root, path), 'utf8')])
}

describe('the repository', () => {
  const sources = new Map([
    ...['src', 'client', 'contract', 'test', 'bench', 'quality'].flatMap((folder) => filesBelow(folder, '.ts')),
    ...filesBelow('docs/decisions', '.md'),
    ...['.css', '.js', '.cjs', '.svg'].flatMap((ending) => filesBelow('src', ending)),
  ])

  test('is read completely', () => {
    expect([...sources.keys()]).toEqual(expect.arrayContaining(['src/domain/filter.ts', 'test/tidy.test.ts']))
  })

  test('keeps the rules on imports, access to the outside world, names and shapes', () => {
    const lines = houseViolations(sources).map(({ rule, path, detail }) => `${path}: ${rule}: ${detail}`)
    expect(lines.join('\n')).toBe('')
  })

  test('has at most eleven npm scripts that people call', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    // npm calls `prepack` itself
    expect(Object.keys(scripts).filter((name) => name !== 'prepack').length).toBeLessThanOrEqual(11)
  })
})

describe('the rules by number', () => {
  const folders = [
    'src',
    'client',
    'test',
    'bench',
    'quality',
    'docs',
    'examples',
    'integrations',
    'contract',
    'deploy',
    '.ci',
  ]
  const paths = new Set([
    ...folders.flatMap((folder) => pathsBelow(folder)),
    ...readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name),
  ])
  const texts = new Map(
    [...paths]
      // This file contains planted breaches.
      .filter((path) => /\.(?:ts|md|py|ya?ml)$/.test(path) && path !== 'test/tidy.test.ts')
      .map((path) => [path, readFileSync(join(root, path), 'utf8')] as const),
  )

  test('are read completely', () => {
    const numbers = readRules(texts.get(rulesPage)!).map(({ number }) => number)
    const byNumber = (a: string, b: string): number => Number(a.slice(1)) - Number(b.slice(1))
    for (const [letter, last] of Object.entries({ C: 164, D: 65, P: 7, R: 5, G: 5, V: 8 }))
      expect(numbers.filter((number) => number.startsWith(letter)).sort(byNumber)).toEqual(
        Array.from({ length: last }, (_, index) => `${letter}${index + 1}`),
      )
    expect([...paths]).toEqual(expect.arrayContaining(['README.md', 'docs/flow.svg', 'integrations/README.md']))
  })

  test('are defined where they are cited and cited where they are held, and every named page exists', () => {
    const lines = statuteViolations(texts, paths).map(({ rule, path, detail }) => `${path}: ${rule}: ${detail}`)
    expect(lines.join('\n')).toBe('')
  })

  const rulesOf = (...items: string[]) => `${items.join('\n')}\n`
  const held = '- **C1** It works.'
  const review = '- **P1** One. Held by review: no test can look\n  into the past.'
  const sound: readonly [string, string][] = [
    [rulesPage, rulesOf(held, review)],
    ['src/a.test.ts', "test('C1 works', () => {})\n"],
    ['docs/a.md', 'As [rules](specification.md#c) say (C1, P1), and docs/a.md, and a.md. R2.0.9, AV8: see C1.\n'],
    ['src/a.ts', '/** C1: see docs/specification.md. */\n'],
  ]
  const violation = (...changed: [string, string][]): string[] => {
    const all = new Map([...sound, ...changed])
    return [...new Set(statuteViolations(all, new Set(all.keys())).map(({ rule }) => rule))]
  }

  test('report nothing where everything is allowed', () => {
    expect(violation()).toEqual([])
    expect(violation(['src/sources/de.ts', '// Form P7.\n'])).toEqual([])
  })

  const breaches: readonly [rule: string, path: string, text: string][] = [
    ['undefined-number', 'src/a.ts', '// C2: it works.\n'],
    ['undefined-number', 'docs/a.md', 'All of C1 to C3.\n'],
    ['undefined-number', 'src/b.test.ts', "test('P2', () => {})\n"],
    ['defined-twice', rulesPage, rulesOf(held, held, review)],
    ['defined-twice', rulesPage, rulesOf('- **C1, C1** It works.', review)],
    ['no-reason', rulesPage, rulesOf(held, '- **P1** One. Held by review: hard')],
    ['not-held', rulesPage, rulesOf(held, '- **P1** One.')],
    ['not-held', rulesPage, rulesOf('- **C1, P1** It works.')],
    ['not-held', 'src/a.test.ts', "// C1\ntest('works', () => {})\n"],
    ['not-held', 'src/a.test.ts', ''],
    ['missing-page', 'docs/a.md', 'See [there](gone.md).\n'],
    ['missing-page', 'docs/a.md', '![flow](flow.svg)\n'],
    ['missing-page', 'docs/a.md', 'The list is in `gone.md` 3.\n'],
    ['missing-page', 'src/a.ts', 'export const a = 1 // as gone.md has it\n'],
    ['missing-page', 'src/a.ts', '/**\n * See gone.md, 4.\n */\n'],
  ]
  test.each(breaches)('%s in %s is found: %s', (rule, path, text) => {
    expect(violation([path, text])).toContain(rule)
  })

  test('a test that is never run holds nothing', () => {
    const none: [string, string] = ['src/a.test.ts', '']
    const file: [string, string] = ['test/a-assertions.ts', "assertion('C1', 'works')\n"]
    expect(violation(none, file)).toEqual(['not-held'])
    expect(violation(none, file, ['test/b.test.ts', "import { a } from './a-assertions.ts'\n"])).toEqual([])
    expect(violation(none, ['test/corpus/a.test.ts', "test('C1 works', () => {})\n"])).toEqual(['not-held'])
  })

  test('a range names every number in it', () => {
    expect([...citedNumbers('C9 to C11, D1–D3 and x/R1, R2.0.9, AV8, P-1')]).toEqual([
      'C9',
      'C10',
      'C11',
      'D1',
      'D2',
      'D3',
    ])
  })
})

describe('every rule catches a planted breach', () => {
  const head = '// A line.\n'
  const decision = '# 1. A\n## Context\n## Choice\n## Drawbacks\n## Alternatives\n'
  const violation = (path: string, text: string, others: readonly [string, string][] = []): string[] => [
    ...new Set(houseViolations(new Map([[path, text], ...others])).map(({ rule }) => rule)),
  ]

  const breaches: readonly [rule: string, path: string, text: string][] = [
    ['direction', 'src/domain/tender.ts', `${head}import { a } from '../store/stock/tenders.ts'\n`],
    ['direction', 'src/domain/tender.ts', `${head}import { a } from '../platform/clock.ts'\n`],
    ['direction', 'src/platform/log.ts', `${head}import { a } from '../domain/tender.ts'\n`],
    ['direction', 'src/store/stock/tenders.ts', `${head}import type { A } from '../../publish/publish.ts'\n`],
    ['direction', 'src/publish/publish.ts', `${head}import { a } from '../consolidate/merge.ts'\n`],
    ['direction', 'src/consolidate/consolidate.ts', `${head}export const a = await import('../sources/xml.ts')\n`],
    ['direction', 'src/sources/xml/xml.ts', `${head}import '../../store/database/database.ts'\n`],
    ['direction', 'src/edition/write/edition-log.ts', `${head}import { a } from '../api/server.ts'\n`],
    ['direction', 'src/api/server.ts', `${head}import { a } from '../bin/tenderstock.ts'\n`],
    ['direction', 'src/service/start/start.ts', `${head}import type { A } from '../../cli/main.ts'\n`],
    ['direction', 'src/service/start/start.ts', `${head}import '../../bin/tenderstock.ts'\n`],
    ['direction', 'src/cli/main.ts', `${head}import { a } from '../publish/publish.ts'\n`],
    ['direction', 'src/cli/main.ts', `${head}import { a } from '../bin/contract.ts'\n`],
    ['direction', 'src/sources/ted/ted.ts', `${head}import { a } from '../../simulator/shelf.ts'\n`],
    ['direction', 'src/edition/format/pieces.ts', `${head}import { a } from '../read/query.ts'\n`],
    ['direction', 'src/edition/read/query.ts', `${head}import { a } from '../write/edition-log.ts'\n`],
    ['direction', 'src/api/tender-answers.ts', `${head}import { a } from '../edition/write/edition-log.ts'\n`],
    ['direction', 'src/api/limits/limiter.ts', `${head}import { a } from '../server.ts'\n`],
    ['direction', 'src/store/hits/searches.ts', `${head}import { a } from '../screens/desk.ts'\n`],
    ['direction', 'src/service/nodes/answering.ts', `${head}import type { A } from '../start/start.ts'\n`],
    ['direction', 'src/console/frame/page.ts', `${head}import { a } from '../console.ts'\n`],
    ['direction', 'src/console/frame/page.ts', `${head}void import('../hits/hit-pages.ts')\n`],
    ['direction', 'src/console/pages/desk-pages.ts', head],
    ['direction', 'client/src/sinks/files/line-file.ts', `${head}import { a } from '../csv-sink.ts'\n`],
    ['beside', 'bench/load.ts', `${head}import { a } from '../test/world.ts'\n`],
    ['beside', 'bench/load.ts', `${head}import { a } from '../src/api/server.system.test.ts'\n`],
    ['beside', 'quality/values.ts', `${head}import { a } from '../bench/row.ts'\n`],
    ['beside', 'test/model/world.ts', `${head}import { a } from '../../bench/load.ts'\n`],
    ['beside', 'src/api/server.system.test.ts', `${head}import { a } from '../../bench/load.ts'\n`],
    ['beside', 'test/testing/generate/stock.ts', `${head}import { a } from '../../world.ts'\n`],
    ['direction', 'client/src/sync.ts', `${head}import { a } from '../../src/domain/tender.ts'\n`],
    ['stock-tables', 'src/api/server.ts', `${head}import { a } from '../store/stock/tenders.ts'\n`],
    ['stock-tables', 'src/api/server.ts', `${head}import { a } from '../store/editions/editions.ts'\n`],
    ['runner', 'src/consolidate/merge.ts', `${head}import { a } from '../store/stock/tenders.ts'\n`],
    ['runner', 'src/ingest/raw.ts', `${head}import type { Store } from '../store/database/database.ts'\n`],
    ['test-import', 'src/api/server.ts', `${head}import { a } from '../../test/world.ts'\n`],
    ['test-import', 'src/api/server.ts', `${head}import { a } from './contract.system.test.ts'\n`],
    ['test-import', 'src/consolidate/merge.ts', `${head}import { a } from '../../quality/lifecycle.ts'\n`],
    ['environment', 'src/service/start/start.ts', `${head}export const a = process.env['A']\n`],
    ['clock', 'src/publish/publish.ts', `${head}export const a = Date.now()\n`],
    ['clock', 'src/publish/publish.ts', `${head}export const a = new Date()\n`],
    ['clock', 'src/publish/publish.ts', `${head}export const a = new Date\n;`],
    ['random', 'src/api/cursors/cursor.ts', `${head}export const a = Math.random()\n`],
    ['random', 'src/api/cursors/cursor.ts', `${head}import { randomUUID } from 'node:crypto'\n`],
    ['outgoing-http', 'src/sources/ted.ts', `${head}import { request } from 'undici'\n`],
    ['outgoing-http', 'src/sources/ted.ts', `${head}import { request } from 'node:https'\n`],
    ['outgoing-http', 'src/sources/ted.ts', `${head}export const a = await fetch('x')\n`],
    ['sql', 'src/publish/publish.ts', `${head}import { sql } from 'kysely'\n`],
    ['sql', 'src/api/server.ts', `${head}export const a = (db: D) => db.selectFrom('tender')\n`],
    ['sql', 'src/api/server.ts', `${head}export const a = sql\`select 1\`\n`],
    ['audit-entry', 'src/store/people/customers.ts', `${head}import { addAuditEntry } from './audit.ts'\n`],
    ['audit-entry', 'src/service/start/start.ts', `${head}import { record } from '../../actions/acting.ts'\n`],
    ['audit-entry', 'src/console/frame/forms.ts', `${head}import { record as note } from '../../actions/acting.ts'\n`],
    [
      'audit-entry',
      'src/service/start/start.ts',
      `${head}import * as log from '../../store/people/audit.ts'\nlog.addAuditEntry(a, b)\n`,
    ],
    ['audit-entry', 'src/store/people/mails.ts', `${head}export const a = sql\`insert into audit_entry values (1)\`\n`],
    ['audit-entry', 'src/store/people/mails.ts', `${head}export const a = db.insertInto('audit_entry')\n`],
    ['console', 'src/api/server.ts', `${head}console.log(1)\n`],
    ['sentence', 'src/console/page.ts', `${head}export const a = /^(\\S+) is yours$/.test(b)\n`],
    ['sentence', 'src/cli/main.ts', `${head}export const a = /a|nothing is published/.test(b)\n`],
    ['kebab-case', 'src/api/serverThing.ts', head],
    ['vague-name', 'src/api/utils/text.ts', head],
    ['vague-name', 'src/store/store-manager.ts', head],
    ['first-line', 'src/api/server.ts', 'export const a = 1\n'],
    ['default-export', 'bench/bench.ts', `${head}export default 1\n`],
    ['barrel', 'src/api/index.ts', `${head}export { a } from './a.ts'\n`],
    ['barrel', 'src/api/all.ts', `${head}export * from './a.ts'\nexport const b = 1\n`],
    ['long-line', 'src/console/frame/frame.ts', `${head}export const a = html\`${'<p>a word</p>'.repeat(12)}\`\n`],
    ['spread', 'src/publish/publish.ts', `${head}export const a = { ...{ b: 1, c: 2 }, d: 3 }\n`],
    ['spread', 'src/publish/publish.ts', `${head}export const a = {\n  ...{\n    b: 1,\n  },\n}\n`],
    ['spread', 'client/src/a.test.ts', "export const a = { ...({ b: 'c' } as const), d: 3 }\n"],
    ['long-line', 'test/hits/hit-model.ts', `${head}export const a = '${'word '.repeat(40)}'\n`],
    ['todo', 'src/api/server.ts', `${head}// TODO: later\n`],
    ['test-kind', 'src/api/a.test.ts', "import { createServer, isIP } from 'node:net'\n"],
    ['test-kind', 'src/api/a.db.test.ts', "import { spawn } from 'node:child_process'\n"],
    ['test-kind', 'src/store/tenders.test.ts', "import { openStore } from './database.ts'\n"],
    ['test-kind', 'test/console/flows.system.test.ts', "import { chromium } from 'playwright-core'\n"],
    ['decision', 'docs/decisions/0001-a.md', '# 1. A\n## Context\n## Choice\n## Alternatives\n'],
    ['decision-index', 'docs/decisions/0001-a.md', decision],
  ]
  test.each(breaches)('%s in %s', (rule, path, text) => {
    expect(violation(path, text)).toContain(rule)
  })

  const index = '# Decisions\n\n1. [A](0001-a.md)\n'
  const decisionBreaches: readonly [what: string, path: string, text: string, index: string][] = [
    ['a number left out', 'docs/decisions/0001-a.md', decision, `${index}3. Replaced by 1.\n`],
    ['another number in the title', 'docs/decisions/0001-a.md', decision.replace('1.', '2.'), index],
    ['another title in the index', 'docs/decisions/0001-a.md', decision, index.replace('[A]', '[B]')],
    ['no line in the index', 'docs/decisions/0001-a.md', decision, ''],
  ]
  test.each(decisionBreaches)('a mistake in the decisions is found: %s', (_, path, text, page) => {
    expect(violation(path, text, [['docs/decisions/README.md', page]])).toEqual(['decision-index'])
  })

  test('finds an import cycle, also over three files and of types', () => {
    const others: [string, string][] = [
      ['src/domain/b.ts', `${head}import type { C } from './c.ts'\n`],
      ['src/domain/c.ts', `${head}export { a } from './a.ts'\nexport const c = 1\n`],
    ]
    expect(violation('src/domain/a.ts', `${head}import { b } from './b.ts'\n`, others)).toContain('cycle')
  })

  test('finds a folder of more than 30 files, not counting tests, tables of data and portals', () => {
    const names = Array.from({ length: 30 }, (_, index) => `a${index}`)
    const beside = (folder: string, ending: string) =>
      names.map((name): [string, string] => [`${folder}/${name}${ending}`, head])
    expect(violation('src/domain/tender.ts', head, beside('src/domain', '.ts'))).toEqual(['full-folder'])
    expect(violation('client/src/sync/sync.ts', head, beside('client/src/sync', '.ts'))).toEqual(['full-folder'])
    expect(violation('src/api/page.css', head, beside('src/api', '.ts'))).toEqual(['full-folder'])
    const uncounted = [
      ...beside('src/domain', '.test.ts'),
      ...beside('src/domain', '.json'),
      ...beside('src/sources/portals/at', '.ts'),
    ]
    expect(violation('src/domain/tender.ts', head, [...uncounted, ['src/sources/portals/at/b.ts', head]])).toEqual([])
  })

  test('a part of a room names only parts that stand above it, so that there is no circle', () => {
    for (const [room, parts] of Object.entries(partsOfRooms))
      for (const [position, [part, used]] of Object.entries(parts).entries())
        expect(Object.keys(parts).slice(0, position), `${room}/${part}`).toEqual(expect.arrayContaining([...used]))
  })

  test('finds the database in a reader, whatever loads it', () => {
    const others: [string, string][] = [
      [
        'src/service/readers/reader.ts',
        `${head}import { a } from '../../api/tokens.ts'\nawait import('../../api/limits/limiter.ts')\n`,
      ],
      ['src/api/tokens.ts', `${head}import type { T } from '../store/people/organizations.ts'\nexport const a = 1\n`],
    ]
    const load = (up: string) => `${head}import { type S, a } from '${up}/store/settings.ts'\n`
    expect(violation('src/api/limits/limiter.ts', load('../..'), others)).toEqual(['reader-database'])
    expect(violation('src/api/other.ts', load('..'), others)).toEqual([])
  })

  test('finds what a test starts by its kit, and no type', () => {
    const kit: [string, string] = ['test/testing/kit.ts', `${head}import { Worker } from 'node:worker_threads'\n`]
    expect(violation('src/api/a.test.ts', "import { a } from '../../test/testing/kit.ts'\n", [kit])).toEqual([
      'test-kind',
    ])
    expect(violation('src/api/a.test.ts', "import type { A } from '../../test/testing/kit.ts'\n", [kit])).toEqual([])
  })

  test('accepts what is allowed', () => {
    const fine: [string, string][] = [
      ['src/api/client-address.test.ts', "import { isIP } from 'node:net'\n"],
      ['src/api/server.system.test.ts', "import { isIP, Socket } from 'node:net'\nimport pg from 'pg'\n"],
      [
        'src/consolidate/consolidate.ts',
        `${head}import { a } from '../store/stock/tenders.ts'\nimport { b } from '../domain/time.ts'\n`,
      ],
      ['src/ingest/ingest.ts', `${head}import { a } from '../sources/files.ts'\nexport const d = new Date(5)\n`],
      [
        'src/api/server.ts',
        `${head}import { a } from '../edition/read/edition-view.ts'\nimport { b } from '../store/people/organizations.ts'\n`,
      ],
      [
        'src/actions/tokens.ts',
        `${head}import { addAuditEntry } from '../store/people/audit.ts'\nimport { record } from './acting.ts'\n`,
      ],
      ['src/platform/clock.ts', `${head}export const now = () => Date.now()\n`],
      ['src/publish/a.ts', `${head}export const a = { ...b, ...(c !== undefined && { c }), ...(d ? { d } : { e }) }\n`],
      [
        'src/store/stock/tenders.ts',
        `${head}import { sql } from 'kysely'\n/** console.log( and Date.now() in a comment */\nexport const a = sql\`x\`\n`,
      ],
      [
        'src/api/tokens.test.ts',
        `${head}import { openTestStore } from '../../test/world.ts'\nexport const at = Date.now()\n`,
      ],
      [
        'src/bin/tenderstock.ts',
        `#!/usr/bin/env node\n${head}console.log('import { a } from "../../test/x.ts"')\n// TODO #12: more\n`,
      ],
      ['src/service/start/start.ts', `${head}import { a } from '../../edition/write/edition-log.ts'\n`],
      ['src/cli/main.ts', `${head}import { a } from '../service/operations/run-alone.ts'\n`],
      ['bench/load.ts', `${head}import { a } from '../test/testing/generate/stock.ts'\n`],
      ['test/corpus/values.test.ts', `${head}import { a } from '../../quality/values.ts'\n`],
      ['src/sources/portals/at/a.ts', `${head}export const a = 'https://a.example/?${'b=1&'.repeat(50)}'\n`],
      ['client/src/types.ts', `// Generated from a contract.\nexport type A = ${"'a' | ".repeat(40)}'b'\n`],
      ['docs/decisions/0001-a.md', decision],
      ['docs/decisions/README.md', `${index}2. B: replaced by 1.\n`],
    ]
    expect(houseViolations(new Map(fine))).toEqual([])
  })
})

describe('prose in documents', () => {
  /** Generated from texts of the code. */
  const generated = ['docs/error-codes.md', 'docs/settings.md', 'docs/licenses.md', 'docs/sources/README.md']
  const maxColumns = 120

  /** Lines that are too long, outside code, tables and addresses that cannot be broken. */
  const wideLines = (text: string): string[] =>
    text
      .replace(/^ *```[\s\S]*?^ *```/gm, (block) => block.replace(/[^\n]/g, ''))
      .split('\n')
      .filter((line) => line.length > maxColumns && !line.startsWith('|') && !/\S{60,}$/.test(line))

  const wideComments = (text: string): string[] =>
    text.split('\n').filter((line) => line.length > maxColumns && /^\s*(?:\/\/|\/?\*)/.test(line))

  const documents = [
    ...readdirSync(root).flatMap((name) =>
      name.endsWith('.md') ? [[name, readFileSync(join(root, name), 'utf8')] as const] : [],
    ),
    ...['.github', 'docs', 'client', 'examples', 'integrations', 'deploy'].flatMap((each) => filesBelow(each, '.md')),
  ]

  /**
   * Lines of commands that zsh, the shell of macOS, does not run as written: at its prompt `#` starts no comment, so
   * a comment behind a command is passed to it, quotes and `;` in a comment are read, and a bare `?` is a pattern.
   */
  const unpastable = (text: string): string[] =>
    [...text.matchAll(/^ *```(?:sh|bash)\n(?!#!)([\s\S]*?)^ *```/gm)]
      .flatMap(([, block]) => block!.replace(/<<'END'[\s\S]*?\n *END$/gm, '').split('\n'))
      .filter((line) =>
        /^\s*#/.test(line)
          ? /[`'";|&<>()*?$!]/.test(line)
          : /\s#\s/.test(line) || /\?/.test(line.replaceAll(/"[^"]*"|'[^']*'/g, '')),
      )

  test('commands work when they are pasted, also into zsh', () => {
    const found = documents.flatMap(([path, text]) => unpastable(text).map((line) => `${path}: ${line}`))
    expect(found).toEqual([])
    const wrong = ["# don't", 'npm start # here', 'curl host/a?b=1']
    expect(unpastable(`\`\`\`sh\n${wrong.join('\n')}\n# fine\ncurl 'host/a?b=1'\n\`\`\`\n`)).toEqual(wrong)
  })

  test('wraps at column 120', () => {
    const pages = documents.filter(([path]) => !generated.includes(path))
    const wide = pages.flatMap(([path, text]) => wideLines(text!).map((line) => `${path}: ${line}`))
    expect(pages.length).toBeGreaterThan(80)
    expect(wide).toEqual([])
  })

  test('also wraps in comments of TypeScript', () => {
    const code = ['src', 'client', 'contract', 'test', 'bench', 'quality'].flatMap((each) => filesBelow(each, '.ts'))
    const wide = code.flatMap(([path, text]) => wideComments(text).map((line) => `${path}: ${line}`))
    expect(wide).toEqual([])
    expect(wideComments(`/** ${'word '.repeat(30)}*/\nconst text = '${'word '.repeat(30)}'\n`)).toHaveLength(1)
  })

  test('a wide line is found, but not in code, a table or an address', () => {
    const wide = 'word '.repeat(30).trim()
    expect(wideLines(`${wide}\n`)).toEqual([wide])
    expect(wideLines(`\`\`\`sh\n${wide}\n\`\`\`\n| ${wide} |\n[a](https://${'a'.repeat(120)})\n`)).toEqual([])
  })
})

test('each planted mistake still matches the source, so that it changes something', () => {
  const edits: readonly Omit<PlantedEdit, 'name'>[] = [
    ...plantedBreaches,
    ...plantedClientEdits,
    ...plantedLogEdits,
    ...plantedLimitEdits,
    ...plantedHitEdits.flatMap((planted) => planted.edits),
  ]
  const strangers = edits.filter(({ file, from }) => !readFileSync(join(root, file), 'utf8').includes(from))
  expect(edits.length).toBeGreaterThan(50)
  expect(strangers).toEqual([])
})

describe('the scanner', () => {
  test('distinguishes code from comments, strings, templates and regular expressions', () => {
    const { code } = scanFile(
      'const a = /["\'`/*]/.test(b) ? `x §{c + `§{d}`} // no` : 4 / 2 / 1 // yes\nconst e = "/* no */" /* yes */ + 5\n'.replaceAll(
        '§',
        '$',
      ),
    )
    expect(code.replace(/\s+/g, ' ').trim()).toBe('const a = .test(b) ? c + d : 4 / 2 / 1 const e = + 5')
  })

  test('finds imports over several lines, of types, for effect, re-exports and dynamic ones', () => {
    const { imports } = scanFile(
      "import {\n  a,\n  type B,\n} from './a.ts'\nimport type { C } from './c.ts'\nimport './d.ts'\nexport " +
        "{ e } from './e.ts'\nvoid import('./f.ts')\nimport * as g from './g.ts'\nimport { type H } from " +
        "'./h.ts'\nconst s = \"import { z } from './z.ts'\"\n",
    )
    expect(imports.map(({ specifier }) => specifier).sort()).toEqual(
      ['a', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `./${name}.ts`),
    )
    expect(imports.filter(({ isTypeOnly }) => isTypeOnly).map(({ specifier }) => specifier)).toEqual([
      './c.ts',
      './h.ts',
    ])
  })
})
