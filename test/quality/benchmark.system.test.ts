// The benchmark on made-up repositories and records.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { joinedBy, shareText } from '../../quality/benchmark.ts'
import { collect } from '../../quality/collect.ts'
import type { MatchRecord } from '../../src/consolidate/match/match-record.ts'

test('a share has its interval', () => {
  expect(shareText({ part: 62, all: 65 })).toBe('95.4 % (87.3 to 98.4; 62 of 65)')
  expect(shareText({ part: 0, all: 325 })).toBe('0.0 % (0.0 to 1.2; 0 of 325)')
  expect(shareText({ part: 0, all: 0 })).toBe('–')
})

test('a simple rule joins what shares a key, over others too', () => {
  const records = ['ab', 'bc', 'd', 'ce'].map((key) => ({ key }) as MatchRecord)
  const clusters = joinedBy(records, ({ key }) => [...key])
  expect(new Set(['ab', 'bc', 'ce'].map((key) => clusters.get(key))).size).toBe(1)
  expect(clusters.get('d')).not.toBe(clusters.get('ab'))
})

test('the rows of a history are collected once, with those that were removed later; missing clones are named', () => {
  const folder = mkdtempSync(join(tmpdir(), 'benchmark-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const clone = join(folder, 'clones/FREYHOFER/ausschreibungen')
  const path = join(clone, 'src/data/ingested-tenders.json')
  mkdirSync(dirname(path), { recursive: true })
  const git = (...words: string[]) => execFileSync('git', ['-C', clone, ...words], { stdio: 'ignore' })
  git('init', '-q')
  const row = (id: string, title: string) => ({ id: `oeffentlichevergabe-${id}`, title })
  for (const rows of [
    [row('1', 'Road'), row('2', 'Roof')],
    [row('2', 'Roof, corrected'), { id: 'other-3' }],
  ]) {
    writeFileSync(path, JSON.stringify({ sourceCounts: { ted: 0 }, tenders: rows }))
    git('add', '.')
    git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', 'rows')
  }
  const corpus = join(folder, 'corpus')
  const missing = collect(join(folder, 'clones'), corpus)
  expect(missing).toContain('OP-TED/ted-rdf-mapping')
  expect(missing).not.toContain('FREYHOFER/ausschreibungen')
  const file = join(corpus, 'cross-portal/doe-notices-2026-04-06.jsonl.gz')
  expect(existsSync(file)).toBe(true)
  const rows = gunzipSync(readFileSync(file)).toString('utf8').split('\n')
  expect(rows.map((line) => (JSON.parse(line) as { title: string }).title)).toEqual(['Road', 'Roof'])
})
