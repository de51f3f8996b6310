// The rules of the house that a machine can hold: the direction of imports, where the outside world may be touched,
// names.
import { posix } from 'node:path'
import { fullFolders, partViolations } from './rooms.ts'
import { type ScannedFile, scanFile } from './scan.ts'
import { understatedTests } from './test-kinds.ts'

/** Files by path from the root, with forward slashes. */
export type Sources = ReadonlyMap<string, string>

export type Violation = { readonly rule: string; readonly path: string; readonly detail: string }

const stages = [
  'sources',
  'ingest',
  'consolidate',
  'publish',
  'edition',
  'export',
  'api',
  'hits',
  'webhooks',
  'digests',
  'console',
]
/** Stages in which only the file named like the folder, and those listed, touch the store; everything else is pure. */
const stagesWithRunner: { readonly [stage: string]: readonly string[] } = {
  ingest: [
    'due-slots',
    'receive-batch',
    'run-options',
    'run-slot',
    'run-sources',
    'source-visit',
    'visit-leases',
    'note-fill',
    'note-names',
    'watch-sources',
    'source-past',
  ],
  consolidate: ['estimate/apply-estimates', 'estimate/fit-stock', 'explain-stock', 'match-closure', 'rematch'],
  publish: ['count-outcomes', 'examine', 'preview-publication'],
  export: [],
  hits: ['match-editions', 'load-matcher', 'search-stock', 'explain-match'],
  webhooks: ['deliver'],
  digests: ['make-digests', 'send-mails', 'forget-search'],
}
/** What each folder of src may import besides itself, domain and platform. */
const allowed: { readonly [folder: string]: readonly string[] } = {
  domain: [],
  platform: [],
  store: [],
  sources: [],
  ingest: ['sources', 'store'],
  consolidate: ['store'],
  publish: ['store'],
  edition: ['store'],
  export: ['store'],
  api: ['edition', 'store'],
  hits: ['store'],
  webhooks: ['store'],
  digests: ['store'],
  actions: ['store', 'hits', 'webhooks', 'digests'],
  console: ['actions', 'store', 'edition', 'api', 'hits', 'webhooks', 'digests', 'sources'],
  simulator: ['sources'],
  service: [...stages, 'actions', 'store', 'simulator'],
  cli: ['service', 'store'],
  bin: [...stages, 'cli'],
}
/** What platform uses of domain: it knows nothing about tenders. */
const forPlatform: readonly string[] = ['src/domain/time.ts', 'src/domain/lines.ts']
/** Folders besides src, and what of them and of tests each may import; kits may be imported by all of them. */
const allowedBeside: readonly { readonly from: RegExp; readonly never: RegExp }[] = [
  { from: /^bench\//, never: /^(?:test\/(?!testing\/)|client\/test\/)|\.test\.ts$/ },
  { from: /^quality\//, never: /^(?:bench\/|test\/(?!testing\/)|client\/test\/)|\.test\.ts$/ },
  { from: /^test\/testing\/(?!.*\.test\.ts$)/, never: /^(?:bench\/|quality\/|test\/(?!testing\/))|\.test\.ts$/ },
  { from: /^test\/|\.test\.ts$/, never: /^bench\// },
]
/** Modules of the store that hold the stock and its editions: not for the API, which answers from the edition log. */
const stockTables = ['notices', 'tenders', 'documents', 'editions']
const forbiddenNames = /^(?:manager|service|handler|helper|util|common|misc)s?$/
const kebabFile = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:(?:db\.|system\.|browser\.)?test|config))?\.ts$/

/** Maximum columns of a line. */
const maxColumns = 160
/** What cannot be broken: an address, also one that begins with a value. */
const address = /(?:https?:\/\/|\$\{\w+\}[/?])\S{80,}/

const isTest = (path: string): boolean => path.endsWith('.test.ts') || path.startsWith('test/')
const folderOf = (path: string): string => /^src\/([^/]+)\//.exec(path)?.[1] ?? ''
const baseOf = (path: string): string => posix.basename(path, '.ts')

/** All violations in these sources; every rule is applied to every file that it concerns. */
export function houseViolations(sources: Sources): Violation[] {
  const scanned = new Map(
    [...sources].filter(([path]) => path.endsWith('.ts')).map(([path, text]) => [path, scanFile(text)]),
  )
  return [
    ...[...scanned].flatMap(([path, file]) => fileViolations(path, file, sources.get(path)!)),
    ...[...scanned].flatMap(([path, file]) => (isTest(path) ? [] : partViolations(path, file))),
    ...fullFolders(sources.keys()),
    ...cycles(scanned),
    ...databaseInReaders(scanned),
    ...understatedTests(scanned),
    ...[...sources].flatMap(([path, text]) =>
      path.startsWith('docs/decisions/') ? decisionViolations(path, text) : [],
    ),
    ...decisionIndexViolations(sources),
  ]
}

/** Path of an imported file of ours; undefined for packages and node: modules. */
function resolveImport(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(from), specifier)) : undefined
}

function fileViolations(path: string, file: ScannedFile, source: string): Violation[] {
  const found: Violation[] = []
  const report = (rule: string, detail: string): void => void found.push({ rule, path, detail })
  checkNames(path, report)
  checkShape(path, file, source, report)
  checkBeside(path, file, report)
  if (path.startsWith('src/') && !isTest(path)) {
    checkDirection(path, file, report)
    checkOutsideWorld(path, file, report)
    checkSentences(path, file, report)
  }
  if (path.startsWith('client/') && !isTest(path))
    for (const { specifier } of file.imports)
      if (resolveImport(path, specifier)?.startsWith('client/') === false)
        report('direction', `the client imports ${specifier}`)
  return found
}

type Report = (rule: string, detail: string) => void

function checkNames(path: string, report: Report): void {
  const parts = path.split('/')
  if (!kebabFile.test(parts.at(-1)!)) report('kebab-case', `${parts.at(-1)} is not kebab-case`)
  // below portals/ files bear the portals' own names (service.bund.de), and src/service is the one service
  for (const part of /^src\/(?:sources|simulator)\/portals\//.test(path)
    ? []
    : parts.slice(folderOf(path) === 'service' ? 2 : 0))
    if (
      part
        .replace(/(?:\.\w+)*$/, '')
        .split('-')
        .some((word) => forbiddenNames.test(word))
    )
      report('vague-name', `${part} does not say what it holds`)
}

function checkShape(path: string, file: ScannedFile, source: string, report: Report): void {
  const firstLine = source.startsWith('#!') ? source.slice(source.indexOf('\n') + 1) : source
  // A test's own name says what it tests.
  if (!path.endsWith('.test.ts') && !/^\s*(?:\/\/|\/\*)/.test(firstLine))
    report('first-line', 'begins without a line on its job')
  if (/(?<![\w$.])export\s+default\b/.test(file.code) || /(?<![\w$.])export\s*\{[^}]*\bas\s+default\b/.test(file.code))
    report('default-export', 'has a default export')
  if (!/^\/\/ Generated from /.test(source))
    for (const [index, line] of source.split('\n').entries())
      if (line.length > maxColumns && !address.test(line))
        report('long-line', `line ${index + 1} has ${line.length} columns`)
  if (/\.\.\.\s*\(?\s*\{/.test(file.code)) report('spread', 'spreads an object literal, where its members do')
  const reExports = file.imports.filter(({ kind }) => kind === 'export')
  const ownExport =
    /(?<![\w$.])export\s+(?:declare\s+)?(?:const|let|function|async|class|abstract|interface|type\s+\w+\s*[=<])/
  if (/(?<![\w$.])export\s*(?:type\s*)?\*/.test(file.code) || (reExports.length > 0 && !ownExport.test(file.code)))
    report('barrel', 're-exports what other files hold')
  for (const [marker] of file.comments.matchAll(/\b(?:TODO|FIXME|HACK|XXX)\b(?!`)[^\n]*/g))
    if (!/#\d+/.test(marker)) report('todo', `${marker.slice(0, 60)}: names no issue`)
}

function checkBeside(path: string, file: ScannedFile, report: Report): void {
  for (const { specifier } of file.imports) {
    const target = resolveImport(path, specifier)
    for (const { from, never } of allowedBeside)
      if (target !== undefined && from.test(path) && never.test(target)) report('beside', `imports ${target}`)
  }
}

function checkDirection(path: string, file: ScannedFile, report: Report): void {
  const own = folderOf(path)
  for (const { specifier } of file.imports) {
    const target = resolveImport(path, specifier)
    if (target === undefined) continue
    if (isTest(target) || /^(?:bench|quality)\//.test(target)) {
      report('test-import', `imports ${target}`)
      continue
    }
    const folder = folderOf(target)
    if (!target.startsWith('src/')) {
      if (target.endsWith('.ts')) report('direction', `${own} imports ${target}`)
      continue
    }
    const mayUse =
      folder === own ||
      (folder === 'platform' && own !== 'domain') ||
      (folder === 'domain' && (own !== 'platform' || forPlatform.includes(target))) ||
      (allowed[own] ?? []).includes(folder)
    if (!mayUse) report('direction', `${own} imports ${target}`)
    if (own === 'api' && target.startsWith('src/edition/write/')) report('direction', `api imports ${target}`)
    if (own === 'api' && folder === 'store' && stockTables.includes(baseOf(target)))
      report('stock-tables', `api imports ${target}`)
    const runners = stagesWithRunner[own]
    if (runners && folder === 'store' && ![own, ...runners].some((name) => path === `src/${own}/${name}.ts`))
      report(
        'runner',
        `only ${[own, ...runners].join(', ')} of src/${own} touch the store, this file imports ${target}`,
      )
  }
}

/** Patterns of code that only some files may hold. */
const places: readonly { readonly rule: string; readonly pattern: RegExp; readonly only: (path: string) => boolean }[] =
  [
    { rule: 'environment', pattern: /\bprocess\s*\.\s*env\b/, only: (path) => path === 'src/platform/config.ts' },
    {
      rule: 'clock',
      pattern: /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(?:\(\s*\)|(?!\s*\()(?=[^\w\s(]))|(?<![\w$.]|new\s)Date\s*\(\s*\)/,
      only: (path) => path === 'src/platform/clock.ts',
    },
    {
      rule: 'random',
      pattern: /\bMath\s*\.\s*random\b|\bcrypto\s*\.\s*(?:random|getRandom)\w+/,
      only: (path) => path === 'src/platform/clock.ts' || path === 'src/platform/random.ts',
    },
    {
      rule: 'outgoing-http',
      pattern: /(?:\bawait|\breturn|=>|[=(,?:])\s*(?:globalThis\s*\.\s*)?fetch\s*\(/,
      only: (path) => path === 'src/platform/http.ts',
    },
    {
      rule: 'sql',
      pattern:
        /\.\s*(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\s*\(|(?<![\w$.])sql\s*(?:<[^>]*>)?\s*(?:`|\.\s*raw)/,
      only: (path) => path.startsWith('src/store/'),
    },
    {
      rule: 'audit-entry',
      pattern: /\baddAuditEntry\b|\binsertInto\s*\(\s*'audit_entry'|\binsert\s+into\s+audit_entry\b/i,
      // migrations correct what older versions wrote
      only: (path) =>
        path.startsWith('src/actions/') ||
        path === 'src/store/people/audit.ts' ||
        path === 'src/store/schema/migrations.ts',
    },
    { rule: 'console', pattern: /(?<![\w$.])console\s*\./, only: (path) => path.startsWith('src/bin/') },
  ]

/** Those whose pattern is searched in the text with strings: it names tables. */
const rulesOfTables = ['sql', 'audit-entry']

const packagesOfSql = /^(?:kysely|pg|pg-.*|@electric-sql\/.*)(?:\/|$)/

function checkOutsideWorld(path: string, file: ScannedFile, report: Report): void {
  // A template's opening backtick is blanked in `code`; the SQL tag is searched in the text with strings.
  for (const { rule, pattern, only } of places) {
    const match = pattern.exec(rulesOfTables.includes(rule) ? file.withoutComments : file.code)
    if (match && !only(path)) report(rule, `holds ${match[0].trim()}`)
  }
  for (const { specifier, names } of file.imports) {
    const isActing = resolveImport(path, specifier) === 'src/actions/acting.ts' && folderOf(path) !== 'actions'
    if (isActing && (names.length === 0 || names.includes('record')))
      report('audit-entry', `imports record of ${specifier}`)
    if (packagesOfSql.test(specifier) && !path.startsWith('src/store/')) report('sql', `imports ${specifier}`)
    const isRandom =
      /^(?:node:)?crypto$/.test(specifier) && names.some((name) => /^(?:random|getRandom|webcrypto)/.test(name))
    if (isRandom && path !== 'src/platform/random.ts' && path !== 'src/platform/clock.ts')
      report('random', `imports ${names.join(', ')}`)
    const isHttpClient =
      specifier === 'undici' ||
      (/^(?:node:)?https?$/.test(specifier) && names.some((name) => ['request', 'get', 'Agent'].includes(name)))
    if (isHttpClient && path !== 'src/platform/http.ts') report('outgoing-http', `imports ${specifier}`)
  }
}

/** These say codes with values (domain/lines.ts); what reads the texts of portals has nothing else. */
const saysCodes = ['console', 'service', 'cli', 'hits', 'publish']

/** A pattern with two plain words, a space between, recognizes a sentence that some other file may change. */
function checkSentences(path: string, { regexes }: ScannedFile, report: Report): void {
  if (!saysCodes.includes(folderOf(path))) return
  for (const regex of regexes)
    for (const part of regex.split('|')) {
      const words = part.replace(/\\./g, ' ').match(/(?<![\w-])[A-Za-z]{2,}(?![\w-])/g) ?? []
      if (part.includes(' ') && words.length >= 2) report('sentence', `${regex} recognizes a sentence`)
    }
}

/** Groups of files that import each other, each reported once, at its first file in order. */
function cycles(scanned: ReadonlyMap<string, ScannedFile>): Violation[] {
  const edges = new Map(
    [...scanned].map(([path, file]) => [
      path,
      file.imports
        .map(({ specifier }) => resolveImport(path, specifier))
        .filter((target) => target !== undefined && scanned.has(target)) as string[],
    ]),
  )
  const done = new Set<string>()
  const found: Violation[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path)
    if (start >= 0) {
      found.push({ rule: 'cycle', path, detail: [...trail.slice(start), path].join(' → ') })
      return
    }
    if (done.has(path)) return
    for (const target of edges.get(path) ?? []) visit(target, [...trail, path])
    done.add(path)
  }
  for (const path of [...edges.keys()].sort()) visit(path, [])
  return found
}

/**
 * Readers are many, and loading the database's code would cost each memory and time at its start: the main thread has
 * it.
 */
function databaseInReaders(scanned: ReadonlyMap<string, ScannedFile>): Violation[] {
  const reached = new Set(['src/service/readers/reader.ts'])
  const found: Violation[] = []
  for (const path of reached) {
    for (const { specifier, isTypeOnly } of scanned.get(path)?.imports ?? []) {
      const target = isTypeOnly ? undefined : resolveImport(path, specifier)
      if (target === undefined) continue
      if (folderOf(target) === 'store')
        found.push({ rule: 'reader-database', path, detail: `brings ${target} into the readers` })
      else reached.add(target)
    }
  }
  return found
}

function decisionViolations(path: string, text: string): Violation[] {
  if (!path.endsWith('.md') || /(?:^|\/)(?:README|index)\.md$/i.test(path)) return []
  const parts: readonly [string, RegExp][] = [
    ['context', /^(?:#+\s*|\*\*|)context\b/im],
    ['choice', /^(?:#+\s*|\*\*|)(?:choice|decision|decided)\b/im],
    ['drawbacks', /^(?:#+\s*|\*\*|)drawbacks?\b/im],
    ['alternatives', /^(?:#+\s*|\*\*|)alternatives?\b/im],
  ]
  return parts
    .filter(([, pattern]) => !pattern.test(text))
    .map(([part]) => ({ rule: 'decision', path, detail: `has no part on ${part}` }))
}

/**
 * The index numbers the decisions from 1 without a gap. It has number and title of each page, which is named after its
 * number; a decision without a page is a line there.
 */
function decisionIndexViolations(sources: Sources): Violation[] {
  const index = sources.get('docs/decisions/README.md') ?? ''
  const listed = [...index.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))
  const gap = listed.findIndex((number, position) => number !== position + 1)
  const pages = [...sources].filter(([path]) => /^docs\/decisions\/\d{4}-.*\.md$/.test(path))
  return [
    ...(gap < 0 ? [] : [{ path: 'docs/decisions/README.md', detail: `has ${listed[gap]}, where ${gap + 1} is next` }]),
    ...pages.flatMap(([path, text]) => {
      const file = posix.basename(path)
      const [, number, title] = /^# (\d+)\. (.+)/.exec(text) ?? []
      if (Number(number) !== Number(file.slice(0, 4))) return [{ path, detail: 'is not named after its number' }]
      if (index.includes(`\n${number}. [${title}](${file}`)) return []
      return [{ path, detail: `is not in the index with its number ${number} and title` }]
    }),
  ].map((each) => ({ rule: 'decision-index', ...each }))
}
