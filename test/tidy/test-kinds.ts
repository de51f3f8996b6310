// The kind of a test is in its name, which says what it needs: a test that starts more than that is found.
import { posix } from 'node:path'
import type { ImportLine, ScannedFile } from './scan.ts'

/** `x.test.ts` is pure and starts nothing. Each of the others may also start what those before it may. */
const kinds = ['pure', 'db', 'system', 'browser'] as const
type Kind = (typeof kinds)[number]

/** Packages that start something, and those of their names that start nothing. */
const startingPackages: readonly { readonly specifier: RegExp; readonly kind: Kind; readonly pure?: RegExp }[] = [
  {
    specifier: /^(?:node:)?net$/,
    kind: 'system',
    pure: /^(?:isIP(?:v[46])?|BlockList|SocketAddress)$/,
  },
  {
    specifier: /^(?:node:)?(?:child_process|worker_threads|cluster|https?|http2|tls|dgram)$/,
    kind: 'system',
    pure: /^(?:STATUS_CODES|METHODS|IncomingHttpHeaders|IncomingMessage)$/,
  },
  { specifier: /^(?:ioredis|smtp-server|s3rver|oidc-provider)$/, kind: 'system' },
  { specifier: /^(?:pg|@electric-sql\/pglite)$/, kind: 'db' },
  { specifier: /^playwright-core$/, kind: 'browser' },
]
/** Functions of the program that start something: a pure test does not import them. */
const startingFunctions: { readonly [name: string]: Kind } = {
  openMatcher: 'system',
  openStore: 'db',
  execSink: 'system',
  Packers: 'system',
  serveMetrics: 'system',
  simulate: 'system',
  startApi: 'system',
  startSimulator: 'system',
}

const isTestSide = (path: string): boolean =>
  path.endsWith('.test.ts') || /^(?:client\/)?test\//.test(path) || path.includes('/testing/')

/** The kind that the name of a test states. */
function namedKind(path: string): Kind {
  return (/\.(db|system|browser)\.test\.ts$/.exec(path)?.[1] ?? 'pure') as Kind
}

/** Tests whose name states less than they import, themselves or by the kits and worlds that they use. */
export function understatedTests(
  scanned: ReadonlyMap<string, ScannedFile>,
): { readonly rule: string; readonly path: string; readonly detail: string }[] {
  return [...scanned.keys()]
    .filter((path) => path.endsWith('.test.ts'))
    .flatMap((path) => {
      const limit = kinds.indexOf(namedKind(path))
      const reached = new Set([path])
      for (const from of reached)
        for (const line of scanned.get(from)?.imports ?? []) {
          if (line.isTypeOnly) continue
          const kind = kindOf(line)
          if (kinds.indexOf(kind) > limit) {
            const by = from === path ? '' : `, by ${from}`
            return [{ rule: 'test-kind', path, detail: `${line.specifier}${by} makes it a ${kind} test` }]
          }
          const target = posix.join(posix.dirname(from), line.specifier)
          if (line.specifier.startsWith('.') && isTestSide(target)) reached.add(target)
        }
      return []
    })
}

function kindOf({ specifier, names }: ImportLine): Kind {
  const starter = startingPackages.find((each) => each.specifier.test(specifier))
  if (starter) return names.length > 0 && names.every((name) => starter.pure?.test(name)) ? 'pure' : starter.kind
  if (!specifier.startsWith('.')) return 'pure'
  return kinds[Math.max(0, ...names.map((name) => kinds.indexOf(startingFunctions[name] ?? 'pure')))]!
}
