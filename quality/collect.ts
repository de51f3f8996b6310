// Makes a corpus folder for the benchmark from clones of public repositories: files at a commit, and the rows that a
// collector committed over time. `git clone https://github.com/OWNER/NAME FOLDER/OWNER/NAME` each repository first.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** Rows of all versions of a file, the first of each id. */
const histories = [
  {
    repo: 'FREYHOFER/ausschreibungen',
    path: 'src/data/ingested-tenders.json',
    idOf: ({ id }: Row) => String(id),
    isKept: ({ id }: Row) => String(id).startsWith('oeffentlichevergabe-'),
    file: 'cross-portal/doe-notices-2026-04-06.jsonl.gz',
  },
] as const

type Row = { readonly [member: string]: unknown }

const git = (folder: string, ...words: readonly string[]): Buffer =>
  execFileSync('git', ['-C', folder, ...words], { maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] })

function rowsOf(bytes: Buffer): readonly Row[] {
  const found = JSON.parse(bytes.toString('utf8')) as unknown
  const list = Array.isArray(found) ? found : Object.values(found as object).find(Array.isArray)
  return (list ?? []) as readonly Row[]
}

/** Writes what the clones hold of the labels' files. Returns the repositories that are missing. */
export function collect(clones: string, corpus: string): readonly string[] {
  const missing = new Set<string>()
  const write = (file: string, bytes: Uint8Array): void => {
    const path = join(corpus, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
  }
  const [, ...lines] = readFileSync(new URL('labels/files.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  for (const line of lines) {
    const [repo, commit, path, file] = line.split('\t') as [string, string, string, string]
    const folder = join(clones, repo)
    // a member of an archive becomes a file beside it
    if (existsSync(folder)) write(file.replace(/[^/]+\.tar\.gz!/, ''), git(folder, 'show', `${commit}:${path}`))
    else missing.add(repo)
  }
  for (const { repo, path, file, idOf, isKept } of histories) {
    const folder = join(clones, repo)
    if (!existsSync(folder)) {
      missing.add(repo)
      continue
    }
    const rows = new Map<string, Row>()
    const commits = git(folder, 'log', '--reverse', '--format=%H', '--', path).toString('utf8').trim().split('\n')
    for (const commit of commits)
      for (const row of rowsOf(git(folder, 'show', `${commit}:${path}`)))
        if (isKept(row) && !rows.has(idOf(row))) rows.set(idOf(row), row)
    write(file, gzipSync([...rows.values()].map((row) => JSON.stringify(row)).join('\n')))
  }
  return [...missing]
}
