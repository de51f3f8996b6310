// The rules by number (docs/specification.md) compared with their citations in code, tests and documents; and the pages
// that are named there.
import { posix } from 'node:path'
import type { Sources, Violation } from './house-rules.ts'
import { scanFile } from './scan.ts'

/** An item of docs/specification.md that begins with a number; several numbers may share one. */
export type NumberedRule = {
  readonly number: string
  /** Why only a review can hold it; undefined if tests do. */
  readonly reason: string | undefined
}

export const rulesPage = 'docs/specification.md'

/**
 * Contexts in which a letter with a number is something else: forms and codes of portals, regions, Irish postal codes.
 */
const otherNumbers = ['src/sources/', 'src/simulator/', 'test/corpus/', 'test/testing/generate/stock.ts']
const citing = /\.(?:ts|md|py|ya?ml)$/
const citation = /(?<![\w/-])([CDGPRV])([1-9]\d{0,2})(?!\w|\.\d)(?:(?:\s+to\s+|\s?–\s?)\1([1-9]\d{0,2})(?!\w))?/g
const shortestReason = 30

/** All numbers in a text; `C55 to C64` names each between. */
export function citedNumbers(text: string): Set<string> {
  const found = new Set<string>()
  for (const [, letter, from, to] of text.matchAll(citation))
    for (let number = Number(from); number <= Number(to ?? from); number++) found.add(`${letter}${number}`)
  return found
}

export function readRules(page: string): NumberedRule[] {
  return [...page.matchAll(/^- \*\*([A-Z][1-9]\d*(?:, [A-Z][1-9]\d*)*)\*\* (.*(?:\n {2}.*)*)/gm)].flatMap(
    ([, numbers, text]) => {
      const reason = /Held by review: (.*)$/.exec(text!.replaceAll(/\n */g, ' '))?.[1]
      return numbers!.split(', ').map((number) => ({ number, reason }))
    },
  )
}

/** All violations in these texts; `paths` are all files of the repository. */
export function statuteViolations(sources: Sources, paths: ReadonlySet<string>): Violation[] {
  const rules = readRules(sources.get(rulesPage) ?? '')
  const places = new Set([...paths].flatMap((path) => [path, ...foldersOf(path)]))
  return [
    ...undefinedNumbers(sources, rules),
    ...holders(sources, rules),
    ...[...sources].flatMap(([path, text]) => namedPages(path, text, places)),
  ]
}

function undefinedNumbers(sources: Sources, rules: readonly NumberedRule[]): Violation[] {
  const defined = new Set(rules.map(({ number }) => number))
  const twice = rules.filter(({ number }, index) => rules.findIndex((rule) => rule.number === number) < index)
  return [
    ...twice.map(({ number }) => ({ rule: 'defined-twice', path: rulesPage, detail: number })),
    ...[...sources].flatMap(([path, text]) =>
      !citing.test(path) || otherNumbers.some((other) => path.startsWith(other))
        ? []
        : [...citedNumbers(text)]
            .filter((number) => !defined.has(number))
            .map((number) => ({ rule: 'undefined-number', path, detail: `${number} is not in ${rulesPage}` })),
    ),
  ]
}

/** A rule that only the collection of real notices shows is not held in a clone. */
const isHolder = (path: string): boolean =>
  (path.endsWith('.test.ts') || path.startsWith('test/') || path.endsWith('-conformance.ts')) &&
  !path.startsWith('test/corpus/')

/** Each rule is in the name of a test that is run; or a review holds it, with a reason. */
function holders(sources: Sources, rules: readonly NumberedRule[]): Violation[] {
  const imported = new Set(
    [...sources]
      .filter(([path]) => path.endsWith('.test.ts'))
      .flatMap(([path, text]) =>
        [...text.matchAll(/from '(\.[^']+)'/g)].map(([, to]) => posix.join(posix.dirname(path), to!)),
      ),
  )
  const held = new Set(
    [...sources]
      .filter(([path]) => isHolder(path) && (path.endsWith('.test.ts') || imported.has(path)))
      .flatMap(([, text]) => [...citedNumbers(scanFile(text).withoutComments)]),
  )
  return rules.flatMap(({ number, reason }) => {
    const report = (rule: string, detail: string): Violation => ({
      rule,
      path: rulesPage,
      detail: `${number}: ${detail}`,
    })
    if (reason !== undefined)
      return reason.length < shortestReason ? [report('no-reason', 'says not why only a review holds it')] : []
    return held.has(number) ? [] : [report('not-held', 'is in the name of no test')]
  })
}

const link = /\]\((?!https?:|mailto:|#)([^)\s]+)\)/g
const page = /(?<![\w.*/<-])(?:[\w.-]+\/)*[\w-]+\.md\b/g
const commentLine = /(?:^|\s)(?:\/\/|\/?\*+)\s.*$/gm

/** `a/b/c.ts` → `a`, `a/b`. */
const foldersOf = (path: string): string[] => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))

/** Links lead to files; every named page exists, from the root or next to the file that names it. */
function namedPages(path: string, text: string, places: ReadonlySet<string>): Violation[] {
  const folder = posix.dirname(path)
  const isThere = (target: string): boolean => {
    const clean = posix.normalize(target).replace(/\/$/, '')
    return clean === '.' || places.has(clean)
  }
  const missing = (name: string): Violation => ({
    rule: 'missing-page',
    path,
    detail: `${name} is not in the repository`,
  })
  if (path.endsWith('.md')) {
    const prose = text.replace(/```[\s\S]*?```/g, '')
    const links = [...prose.matchAll(link)].map(([, to]) => to!.replace(/#.*$/, ''))
    const names = [...prose.replace(/\[[^\]]*\]\([^)]*\)/g, '').matchAll(page)].map(([name]) => name)
    return [
      ...links.filter((to) => !isThere(posix.join(folder, decodeURI(to)))),
      ...names.filter((name) => !isThere(name) && !isThere(posix.join(folder, name))),
    ].map(missing)
  }
  if (!path.endsWith('.ts')) return []
  const comments = [...text.matchAll(commentLine)].map(([line]) => line)
  return comments
    .flatMap((line) => [...line.matchAll(page)].map(([name]) => name))
    .filter((name) => !isThere(name) && !isThere(posix.join(folder, name)))
    .map(missing)
}
