// An edition as open data, read by programs that are not ours; interrupted, continued, refused, and equal to the byte.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { DigestSum, recordHash } from '../../src/domain/stock-digest.ts'
import type { TenderRecord } from '../../src/domain/tender.ts'
import { type ExportOptions, exportEdition, type SourceTerms } from '../../src/export/export.ts'
import type { ExportFormat } from '../../src/export/export-parts.ts'
import { publish } from '../../src/publish/publish.ts'
import { termsOfSources } from '../../src/service/operations/edition-operations.ts'
import { parseDocument } from '../../src/sources/parse-document.ts'
import { loadSources } from '../../src/sources/registry.ts'
import { fillSampleStock, sampleHour } from '../docs/sample-stock.ts'
import { duckRows, hasProgram, jqRecords, pythonCsv, type Row } from '../files/independent-programs.ts'
import { putNumbered } from '../numbered-tenders.ts'
import { runOperation, serviceContext } from '../operations-world.ts'
import { engines, openTestStore, type TestStore } from '../world.ts'
import { openOcdsPackageSchema, openOcdsSchema } from './ocds-schema.ts'

const formats: readonly ExportFormat[] = ['ocds', 'parquet', 'ndjson', 'csv']
const validate = openOcdsSchema()
const validatePackage = openOcdsPackageSchema()
const ted: SourceTerms = {
  id: 'ted',
  title: 'TED',
  publisher: 'Publications Office',
  country: 'EU',
  homepage: 'https://ted.europa.eu/',
  license: 'Decision "2011/833/EU"',
  licenseUrl: null,
  attribution: '© European Union',
}

async function newFolder(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'tenderstock-export-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  return join(parent, 'out')
}

const exported = (store: TestStore, folder: string, options: Partial<ExportOptions> = {}) =>
  exportEdition(store, {
    folder,
    format: 'ndjson',
    ocidPrefix: 'ocds-a1b2c3',
    publisher: { name: 'Example', license: undefined },
    version: 'test',
    terms: new Map([['ted', ted]]),
    ...options,
  })

/** All files by name. */
async function filesOf(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder)).sort()
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'hex')] as const)),
  )
}

const page = new URL('../../docs/open-data.md', import.meta.url)
const question = /```sql\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```\n)?/g

/** Columns side by side, as a terminal shows them. */
function tableOf(rows: readonly Row[]): string {
  const names = Object.keys(rows[0]!)
  const cells = [names, ...rows.map((row) => names.map((name) => (row[name] === null ? '' : String(row[name]))))]
  const widths = names.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)))
  return cells
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

describe('the sample stock', () => {
  let store: TestStore
  let folder: string
  beforeAll(async () => {
    store = await openTestStore('embedded')
    folder = await mkdtemp(join(tmpdir(), 'tenderstock-export-'))
    await fillSampleStock(store, folder)
    await publish(store, { now: sampleHour, minIntervalMs: 0 })
    const terms = termsOfSources(await loadSources())
    for (const format of formats) await exported(store, join(folder, format), { format, partRecords: 100, terms })
    return async () => {
      await store[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    }
  })
  const partsOf = async (format: ExportFormat, name: string): Promise<string[]> =>
    (await readdir(join(folder, format)))
      .filter((each) => each.startsWith(`${name}-`))
      .sort()
      .map((each) => join(folder, format, each))

  test.skipIf(!hasProgram('jq'))('NDJSON holds every record, with the digest of the edition', async () => {
    const parts = await partsOf('ndjson', 'tenders')
    const records = parts.flatMap((file) => jqRecords(file))
    const { rows } = await sql<{ checksum: string; records: number }>`select checksum, records from edition`.execute(
      store.db,
    )
    expect(records).toHaveLength(rows[0]!.records)
    expect(parts).toHaveLength(Math.ceil(records.length / 100))
    const sum = new DigestSum()
    for (const record of records) sum.add(recordHash(record), record['archiveReason'] === undefined)
    expect(sum.digest).toBe(rows[0]!.checksum)
  })

  test('OCDS is valid under the standard, and the OCDS parser reads the same content from it', async () => {
    const tenders = new Map((await ndjson()).map((record) => [record['id'], record]))
    let read = 0
    for (const part of await partsOf('ocds', 'releases'))
      for (const line of (await readFile(part, 'utf8')).split('\n').slice(0, -1)) {
        if (validate) expect(validate(JSON.parse(line))).toBe('')
        const release = JSON.parse(line)
        const tender = tenders.get(release.ocid.slice('ocds-a1b2c3-'.length)) as unknown as TenderRecord
        const [parsed] = parseDocument(Buffer.from(line))
        if (!parsed || !('notice' in parsed)) throw new Error(`${line} was not read`)
        const { notice } = parsed
        expect(Object.values(notice.title ?? {})).toContain(tender.title)
        expect(notice.contractingAuthorities[0]?.name).toBe(tender.contractingAuthority?.name)
        expect(notice.cpvCodes).toEqual([...new Set(tender.cpvCodes)])
        expect(notice.lots.map(({ lotId }) => lotId)).toEqual(tender.lots.map(({ lotId }) => lotId))
        read += 1
      }
    expect(read).toBe([...tenders.values()].filter(({ mergedInto }) => mergedInto === undefined).length)
  })

  test.skipIf(!hasProgram('jq'))('jq makes the package of docs/open-data.md, valid under the standard', async () => {
    const [, command] = /```sh\n(jq --slurp '[^']*release-package[^`]*|jq [^`]*release-package[^`]*)```/.exec(
      await readFile(page, 'utf8'),
    )!
    const text = execFileSync(
      'sh',
      ['-ec', command!.replace(/ > \S+/, '').replaceAll('export/', `${join(folder, 'ocds')}/`)],
      {
        encoding: 'utf8',
        maxBuffer: 1 << 30,
      },
    )
    const made = JSON.parse(text)
    expect(made).toMatchObject({ version: '1.1', publisher: { name: 'Example' } })
    expect(made.uri).toMatch(/^urn:tenderstock:\S+:1$/)
    expect(made.extensions.join()).toContain('ocds_bid_extension')
    expect(made.releases.length).toBeGreaterThan(200)
    if (validatePackage) expect(validatePackage(made)).toBe('')
    if (validatePackage) expect(validatePackage({ ...made, publisher: {} })).toContain('name')
  })

  test('DuckDB computes from the releases what the records say: bids, dates, statuses, who won from whom', async () => {
    const releases = `read_json('${join(folder, 'ocds', 'releases-*.jsonl')}', maximum_object_size = 50000000)`
    const records = (await ndjson()) as unknown as TenderRecord[]
    const lots = records.flatMap((record) => (record.mergedInto === undefined ? record.lots : []))
    const [bids] = await duckRows(`select count(*)::integer as lots, sum(s.value)::integer as bids
      from (select unnest(bids.statistics) as s from ${releases}) where s.measure = 'bids' and s.relatedLot is not null`)
    const received = lots.flatMap(({ receivedTenders }) => receivedTenders ?? [])
    expect(bids).toEqual({ lots: received.length, bids: received.reduce((sum, count) => sum + count, 0) })
    expect(received.length).toBeGreaterThan(20)
    const [awards] = await duckRows(`select count(*)::integer as awards, count(a.date)::integer as dates
      from (select unnest(awards) as a from ${releases}) where a.status = 'active'`)
    expect(awards!['awards']).toBe(lots.filter(({ status, winners }) => status === 'awarded' || winners).length)
    expect(awards!['dates']).toBe(awards!['awards'])
    const contracts = await duckRows(`select c.status as status, count(*)::integer as n
      from (select unnest(contracts) as c from ${releases}) group by all`)
    expect(contracts).toEqual([{ status: 'active', n: lots.filter(({ contractDate }) => contractDate).length }])
    // the first thing that a tool for red flags reports: an authority that awards to itself
    const own =
      await duckRows(`select ocid from (select ocid, buyer, unnest(a.suppliers) as s from (select ocid, buyer, unnest(awards) as a from ${releases}))
      where s.id = buyer.id`)
    const self = records.filter(({ contractingAuthority: buyer, lots: own }) =>
      own.some(({ winners = [] }) => winners.some(({ name }) => name === buyer?.name)),
    )
    expect(own).toHaveLength(self.length)
    const [schemes] = await duckRows(`select count(*)::integer as n, count(p.identifier.scheme)::integer as schemes
      from (select unnest(parties) as p from ${releases}) where p.identifier is not null`)
    expect(schemes!['n']).toBeGreaterThan(50)
    expect(schemes!['schemes']).toBe(schemes!['n'])
  })

  const ndjson = async (): Promise<Record<string, unknown>[]> =>
    (await partsOf('ndjson', 'tenders').then((parts) => Promise.all(parts.map((part) => readFile(part, 'utf8')))))
      .flatMap((text) => text.split('\n').slice(0, -1))
      .map((line) => JSON.parse(line))

  test('DuckDB finds typed columns in Parquet, with the values of the records', async () => {
    const tenders = `'${join(folder, 'parquet', 'tenders-*.parquet')}'`
    const types = await duckRows(`select column_name as name, column_type as type from (describe from ${tenders})`)
    expect(Object.fromEntries(types.map(({ name, type }) => [name, type]))).toMatchObject({
      id: 'VARCHAR',
      submission_date: 'TIMESTAMP',
      contract_value: 'DOUBLE',
      lot_count: 'INTEGER',
      is_framework: 'BOOLEAN',
      record: 'VARCHAR',
    })
    const rows = await duckRows(`from ${tenders} order by last_modified`)
    const records = await ndjson()
    expect(rows.map(({ record }) => JSON.parse(String(record)))).toEqual(records)
    expect(rows.map(({ title }) => title)).toEqual(records.map(({ title }) => title))
    const [lots] = await duckRows(`select count(*)::integer as n, count(distinct tender_id)::integer as tenders
      from '${join(folder, 'parquet', 'lots-*.parquet')}'`)
    const withLots = records.filter(({ lots: all }) => (all as unknown[]).length > 0)
    expect(lots).toEqual({
      n: withLots.reduce((sum, { lots: all }) => sum + (all as unknown[]).length, 0),
      tenders: withLots.length,
    })
  })

  // RECORD_DOCS=1 writes the answers into the page.
  test('the ten questions of docs/open-data.md are answered as the page shows', async () => {
    let text = await readFile(page, 'utf8')
    const questions = [...text.matchAll(question)] as unknown as [whole: string, query: string, answer?: string][]
    expect(questions).toHaveLength(10)
    for (const [whole, query, answer] of questions) {
      const table = tableOf(await duckRows(query.replaceAll("'export/", `'${join(folder, 'parquet')}/`)))
      if (process.env['RECORD_DOCS'] === '1')
        text = text.replace(whole, () => `\`\`\`sql\n${query}\`\`\`\n\n\`\`\`text\n${table}\`\`\`\n`)
      else expect(table, query).toBe(answer)
    }
    if (process.env['RECORD_DOCS'] === '1') await writeFile(page, text)
  })

  test.skipIf(!hasProgram('python3'))("Python's csv reads the tables, every row with its columns", async () => {
    const rows = (await partsOf('csv', 'tenders')).flatMap((file) => pythonCsv(file))
    expect(rows.map(({ id }) => id)).toEqual((await ndjson()).map(({ id }) => id))
    const sources = pythonCsv(join(folder, 'csv', 'sources.csv'))
    expect(sources.find(({ source }) => source === 'ted')).toMatchObject({
      license_url: 'https://ted.europa.eu/en/legal-notice',
      attribution: '© European Union, https://ted.europa.eu',
    })
    expect(sources.find(({ source }) => source === 'doe')).toMatchObject({ license: 'CC0 1.0', attribution: '' })
  })

  test.each(formats)('%s: sha256sum agrees, and the manifest names every file and every source', async (format) => {
    const exported = join(folder, format)
    const manifest = JSON.parse(await readFile(join(exported, 'manifest.json'), 'utf8'))
    expect(
      execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: exported }).toString(),
    ).toBe('')
    expect([...(await readdir(exported))].sort()).toEqual(
      [...manifest.files.map(({ name }: { name: string }) => name), 'SHA256SUMS', 'manifest.json'].sort(),
    )
    const records = await ndjson()
    expect(manifest).toMatchObject({ edition: 1, records: records.length })
    expect(manifest.sources.map(({ id }: { id: string }) => id)).toContain('ted')
    for (const { license } of manifest.sources) expect(license).toMatch(/^\w/)
  })
})

describe.each(engines)('exports (%s)', (engine) => {
  async function numberedStock(records: number): Promise<TestStore> {
    const store = await openTestStore(engine)
    onTestFinished(() => store[Symbol.asyncDispose]())
    await putNumbered(store, 0, records)
    await publish(store, { now: sampleHour, minIntervalMs: 0 })
    return store
  }

  test('are equal byte for byte: twice in a row, and when stopped after each part while newer editions arrive', async () => {
    const store = await numberedStock(700)
    const whole = new Map<ExportFormat, Map<string, string>>()
    for (const format of formats) {
      const [once, again] = [await newFolder(), await newFolder()]
      expect(await exported(store, once, { format, partRecords: 150 })).toMatchObject({
        records: 700,
        isContinued: false,
      })
      await exported(store, again, { format, partRecords: 150 })
      whole.set(format, await filesOf(once))
      expect(await filesOf(again)).toEqual(whole.get(format))
    }
    const folders = new Map<ExportFormat, string>()
    for (const format of formats) folders.set(format, await newFolder())
    for (let part = 1; part <= 4; part++) {
      for (const [format, folder] of folders) {
        const stopped = exported(store, folder, { format, partRecords: 150, signal: AbortSignal.abort() })
        await expect(stopped).rejects.toThrow(`Stopped after ${part * 150} of 700 records`)
        expect(existsSync(join(folder, 'manifest.json'))).toBe(false)
      }
      // both records that were exported and records that were not get other contents
      await putNumbered(store, part * 100, part * 100 + 120, part)
      await publish(store, { now: sampleHour + part * 3_600_000, minIntervalMs: 0 })
    }
    for (const [format, folder] of folders) {
      expect(await exported(store, folder, { format, partRecords: 150 })).toMatchObject({
        edition: 1,
        isContinued: true,
      })
      expect(await filesOf(folder)).toEqual(whole.get(format))
    }
  })

  test('a part that was interrupted in the middle is written again', async () => {
    const store = await numberedStock(400)
    const [folder, other] = [await newFolder(), await newFolder()]
    await exported(store, folder, { partRecords: 100, signal: AbortSignal.abort() }).catch(() => {})
    await cp(join(folder, 'tenders-0001.ndjson'), join(folder, 'tenders-0002.ndjson'))
    await writeFile(join(folder, 'incoming-tenders-0003.ndjson'), '{"torn')
    await exported(store, folder, { partRecords: 100 })
    await exported(store, other, { partRecords: 100 })
    expect(await filesOf(folder)).toEqual(await filesOf(other))
  })

  test('an edition is not exported if the stock lacks or changed one of its records', async () => {
    const store = await numberedStock(50)
    await sql`update edition_entry set body = replace(body, '"cpvCodes":[', '"cpvCodes":["99999999",') where last_modified in (
      select last_modified from edition_entry where body not like '%"cpvCodes":[]%' limit 1)`.execute(store.db)
    const folder = await newFolder()
    await expect(exported(store, folder)).rejects.toThrow('with another digest')
    expect(existsSync(join(folder, 'manifest.json'))).toBe(false)
    await sql`delete from edition_entry where last_modified in (select min(last_modified) from edition_entry)`.execute(
      store.db,
    )
    await expect(exported(store, await newFolder())).rejects.toThrow('Edition 1 has 50 records, and 49 were read')
  })
})

test('a folder with anything else, a complete export, or an interrupted one of another kind is refused, and stays unchanged', async () => {
  const store = await openTestStore('embedded')
  onTestFinished(() => store[Symbol.asyncDispose]())
  await expect(exported(store, await newFolder())).rejects.toThrow('There is no edition to export yet')
  await putNumbered(store, 0, 30)
  await publish(store, { now: sampleHour, minIntervalMs: 0 })
  const folder = await newFolder()
  await exported(store, folder, { partRecords: 10, signal: AbortSignal.abort() }).catch(() => {})
  const cutOff = await filesOf(folder)
  for (const [options, reason] of [
    [{ format: 'csv' }, 'another format (ndjson, now csv)'],
    [{ version: '2' }, 'another program version (test, now 2)'],
    [{ partRecords: 20 }, 'another part size'],
  ] as const)
    await expect(exported(store, folder, { partRecords: 10, ...options })).rejects.toThrow(reason)
  expect(await filesOf(folder)).toEqual(cutOff)
  await writeFile(join(folder, 'tenders-0001.ndjson'), 'edited')
  await expect(exported(store, folder, { partRecords: 10 })).rejects.toThrow('is not as the export wrote it')
  await writeFile(join(folder, 'thesis.txt'), 'mine')
  await expect(exported(store, folder, { partRecords: 10 })).rejects.toThrow('is not empty (it holds thesis.txt)')
  expect(await readFile(join(folder, 'thesis.txt'), 'utf8')).toBe('mine')
  const whole = await newFolder()
  const options = { format: 'ndjson', out: whole, 'ocid-prefix': 'ocds-a1b2c3', publisher: 'Example' }
  const events: unknown[] = []
  const request = { command: 'edition export', operands: [], options }
  await runOperation(serviceContext({ store, dataFolder: whole }), request, (event) => void events.push(event))
  expect(events.at(-1)).toMatchObject({ event: 'editionExported', edition: 1, records: 30, isContinued: false })
  await expect(exported(store, whole)).rejects.toThrow('already holds an export')
  await expect(exported(store, join(whole, 'manifest.json'))).rejects.toThrow('cannot be used for an export (ENOTDIR)')
})

test('two exports into one folder exclude each other', async () => {
  const store = await openTestStore('embedded')
  onTestFinished(() => store[Symbol.asyncDispose]())
  await putNumbered(store, 0, 600)
  await publish(store, { now: sampleHour, minIntervalMs: 0 })
  const folder = await newFolder()
  const outcomes = await Promise.allSettled([exported(store, folder), exported(store, folder)])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { message: expect.stringMatching(/is in use by another Tenderstock process|already holds an export/) },
  })
})
