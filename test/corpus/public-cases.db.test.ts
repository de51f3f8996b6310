// Troubles that somebody reported in public, rebuilt with made-up names: each case has files and the records that are
// right for them. The files are received, consolidated and compared as `run.mjs` beside them does from outside.
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { consolidate } from '../../src/consolidate/consolidate.ts'
import { ingest } from '../../src/ingest/ingest.ts'
import { isSpan } from '../../src/ingest/plan-slots.ts'
import { slotOf, spansBetween } from '../../src/ingest/slot-spans.ts'
import { fetchOf } from '../../src/sources/deliver/fetch-of.ts'
import { readPath } from '../../src/sources/files.ts'
import { loadSources } from '../../src/sources/registry.ts'
import { findRejections } from '../../src/store/received/rejections.ts'
import { ScriptedRun } from '../sources/scripted-run.ts'
import { openTestStore } from '../world.ts'

const folder = join(import.meta.dirname, '../../../shared/corpus/public-cases')
const isMissing = !existsSync(folder)
/** Before the deadlines of the open calls, after everything that was published. */
const now = Date.parse('2026-11-29T12:00:00.000Z')

const knownToFail: readonly string[] = []

type Expected = {
  readonly records?: number
  readonly rejections?: unknown
  readonly noOutput?: string
  readonly tenders?: readonly {
    readonly find?: { readonly [path: string]: unknown }
    readonly is: { readonly [path: string]: unknown }
  }[]
}

type Case = {
  readonly id: string
  readonly title: string
  readonly files?: readonly string[]
  readonly batches?: readonly (readonly string[])[]
  readonly source?: string
  readonly serve?: readonly { readonly url: string; readonly status?: number; readonly file?: string }[]
  readonly arguments?: readonly string[]
  readonly mine?: unknown
  readonly buyers?: readonly string[]
  readonly expect: Expected
}

const cases = isMissing ? [] : (JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')) as readonly Case[])

/** The value at a path such as `lots.0.title`; `#` is the length of a list. */
function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((found, key) => {
    if (found === undefined || found === null) return undefined
    return key === '#' ? (found as unknown[]).length : (found as { [key: string]: unknown })[key]
  }, value)
}

/** Whether a value is the wanted one: an object names members or asks for one of `$absent`, `$in`, `$match`. */
function isWanted(actual: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(actual) &&
      actual.length === wanted.length &&
      wanted.every((each, index) => isWanted(actual[index], each))
    )
  if (typeof wanted !== 'object' || wanted === null) return actual === wanted
  const asked = wanted as { readonly $absent?: boolean; readonly $in?: readonly unknown[]; readonly $match?: string }
  if (asked.$absent !== undefined) return (actual === undefined || actual === null) === asked.$absent
  if (asked.$in) return asked.$in.some((each) => isWanted(actual, each))
  if (asked.$match !== undefined) return typeof actual === 'string' && new RegExp(asked.$match, 'u').test(actual)
  const unknown = Object.keys(wanted).filter((key) => key.startsWith('$'))
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}`)
  return Object.entries(wanted).every(([key, each]) => isWanted(at(actual, key), each))
}

function isOf(record: unknown, { mine, buyers = [] }: Case): boolean {
  if (mine !== undefined && isWanted(record, mine)) return true
  const texts = ['name', 'email'].map((member) => at(record, `contractingAuthority.${member}`))
  return buyers.some((buyer) => texts.some((text) => typeof text === 'string' && text.includes(buyer)))
}

/** What is wrong with the records and rejections of a case. */
function faultsOf({ expect: expected }: Case, records: readonly unknown[], rejections: number): string[] {
  const faults: string[] = []
  if (expected.records !== undefined && records.length !== expected.records)
    faults.push(`${records.length} records, right ${expected.records}`)
  if (expected.rejections !== undefined && !isWanted(rejections, expected.rejections))
    faults.push(`${rejections} rejections, right ${JSON.stringify(expected.rejections)}`)
  for (const { find, is } of expected.tenders ?? []) {
    const found = records.filter((record) =>
      Object.entries(find ?? {}).every(([path, wanted]) => isWanted(at(record, path), wanted)),
    )
    if (find && found.length !== 1) faults.push(`${JSON.stringify(find)}: ${found.length} records`)
    for (const [path, wanted] of Object.entries(is))
      if (!isWanted(at(found[0], path), wanted))
        faults.push(`${path}: ${JSON.stringify(at(found[0], path)) ?? 'absent'}, right ${JSON.stringify(wanted)}`)
  }
  return faults
}

/** How the reading of a slot ended: a case with a source is served in place of its portal. */
async function outcomeOf({ source: id, serve = [], arguments: words = [] }: Case): Promise<string> {
  const source = (await loadSources()).get(id!)!
  const [channelName, slotKey] = ['--channel', '--slot'].map((name) => words[words.indexOf(name) + 1]!)
  const channel = source.channels.find(({ name }) => name === channelName)!
  if (!isSpan(channel.slots)) throw new Error(`${channelName} has no slots of time`)
  const span = [...spansBetween(channel.slots, source.zone, now - 30 * 86_400_000, now)].find(
    (each) => slotOf(each).key === slotKey,
  )!
  const run: ScriptedRun = new ScriptedRun({
    script: ({ url }) => {
      // halving a window that stays full would take 20,000 requests
      if (run.requests.length > 100) return { status: 503 }
      const rule = serve.find((each) => new RegExp(each.url).test(url))
      if (!rule) return { status: 404 }
      return { status: rule.status ?? 200, body: rule.file ? readFileSync(join(folder, rule.file)) : '' }
    },
    scratchFolder: tmpdir(),
    zone: source.zone,
  })
  run.now = now
  const ended = await run.failure(fetchOf(channel.delivery), slotOf(span))
  return ended.replace('"kind"', '"outcome"')
}

describe.skipIf(isMissing)('troubles that were reported in public', () => {
  const faults = new Map<string, readonly string[]>()

  beforeAll(async () => {
    await using store = await openTestStore('embedded')
    const batches = cases.flatMap(({ files, batches: own }) => own ?? (files ? [files] : []))
    // The batches of one case arrive one after the other, other cases between them.
    for (const files of batches) {
      const documents = async function* () {
        for (const file of files) yield* readPath(join(folder, file))
      }
      await ingest(store, { sourceId: 'files', documents: documents(), clock: () => now })
    }
    await consolidate(store, { now })
    const rows = await store.db.selectFrom('tender').select('content').execute()
    const records = rows.map(({ content }) => JSON.parse(content) as unknown)
    const rejected = await findRejections(store.db, { limit: 10_000, offset: 0 })
    for (const each of cases) {
      const own = rejected.filter(({ address }) => address.includes(`/${each.id}-`))
      const found = faultsOf(
        each,
        records.filter((record) => isOf(record, each)),
        own.length,
      )
      const { noOutput } = each.expect
      const outcome = each.source === undefined ? '' : await outcomeOf(each)
      if (noOutput !== undefined && new RegExp(noOutput).test(outcome)) found.push(`it ended with ${outcome}`)
      faults.set(each.id, found)
    }
  }, 120_000)

  test.each(cases.map(({ id, title }) => [id, title]))('%s %s', (id) => {
    if (knownToFail.includes(id)) expect(faults.get(id), 'right now: take it from the list').not.toEqual([])
    else expect(faults.get(id)).toEqual([])
  })
})
