import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { recordOf, type SeenRecord, sinkConformance } from '../testing/sink-conformance.ts'
import type { TenderRecord } from '../types.ts'
import { SinkError } from './faults/sink-error.ts'
import { sqliteSink } from './sqlite-sink.ts'

function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tender-sqlite-'))
  return use(folder).finally(() => rmSync(folder, { recursive: true, force: true }))
}

const state = { schema: 1, filterHash: 'f1', updatedSince: '2026-03-02T09:00:00.000Z' } as const

describe('the SQLite sink', () => {
  const cases = sinkConformance(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tender-sqlite-'))
    const file = join(folder, 'tenders.db')
    return {
      open: () => sqliteSink({ file }),
      seen: async () => {
        const db = new DatabaseSync(file)
        const rows = db.prepare('SELECT * FROM tender').all() as Record<string, string | null>[]
        db.close()
        return new Map(
          rows.map((row): [string, SeenRecord] => [
            row.id!,
            {
              state: row.archive_reason === 'merged' ? 'merged' : row.archive_reason === null ? 'open' : 'closed',
              lastModified: row.last_modified!,
              title: row.title!,
              ...(row.merged_into && { mergedInto: row.merged_into }),
              record: JSON.parse(row.record!) as TenderRecord,
            },
          ]),
        )
      },
      close: async () => rmSync(folder, { recursive: true, force: true }),
    }
  })
  for (const { name, run } of cases) it(name, run)

  it('fills flat columns, lots and codes, and removes those that a newer version no longer has', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'tenders.db')
      const sink = await sqliteSink({ file })
      const run = { kind: 'delta', filterHash: 'f1', resumed: false, keepArchived: false } as const
      await sink.begin(run)
      await sink.upsert([recordOf(1)])
      await sink.commit(state, 'run')
      const db = new DatabaseSync(file)
      const row = (sql: string) => db.prepare(sql).all()
      expect(
        row('SELECT title, contract_value, contract_estimated, main_cpv, cpv_codes, region, lot_count FROM tender'),
      ).toEqual([
        {
          title: 'Tender 1, version 0',
          contract_value: 2001,
          contract_estimated: 0,
          main_cpv: '45000000',
          cpv_codes: '45000000 45210000 45000000',
          region: 'DE212',
          lot_count: 2,
        },
      ])
      expect(row('SELECT lot_id, code FROM tender_cpv ORDER BY 1, 2')).toEqual([
        { lot_id: '', code: '45000000' },
        { lot_id: '', code: '45210000' },
        { lot_id: 'LOT-0001', code: '45210000' },
      ])
      expect(row('SELECT position, lot_id, title, contract_value FROM tender_lot ORDER BY 1')).toEqual([
        { position: 0, lot_id: 'LOT-0001', title: 'First', contract_value: null },
        { position: 1, lot_id: 'LOT-0002', title: null, contract_value: 7 },
      ])
      await sink.begin(run)
      await sink.upsert([recordOf(1, 1, { cpvCodes: ['71000000'], lots: [] })])
      await sink.commit(state, 'run')
      expect(row('SELECT lot_id, code FROM tender_cpv')).toEqual([{ lot_id: '', code: '71000000' }])
      expect(row('SELECT count(*) n FROM tender_lot')).toEqual([{ n: 0 }])
      db.close()
      await sink.end()
    }))

  it('keeps the tables, views and indexes of a user when a first run replaces the rows', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'tenders.db')
      const first = { kind: 'first', filterHash: 'f1', resumed: false, keepArchived: false } as const
      const load = async (number: number) => {
        const sink = await sqliteSink({ file })
        await sink.begin(first)
        await sink.upsert([recordOf(number)])
        await sink.commit(state, 'run')
        await sink.end()
      }
      await load(1)
      const db = new DatabaseSync(file)
      db.exec(`CREATE VIEW works AS SELECT title FROM tender WHERE main_cpv LIKE '45%';
        CREATE INDEX own_index ON tender (region); CREATE TABLE own (n); INSERT INTO own VALUES (7)`)
      await load(2)
      expect(db.prepare('SELECT title FROM works').all()).toEqual([{ title: 'Tender 2, version 0' }])
      expect(
        db.prepare("SELECT n, (SELECT count(*) FROM sqlite_schema WHERE name = 'own_index') i FROM own").all(),
      ).toEqual([{ n: 7, i: 1 }])
      db.close()
    }))

  it('adds columns that an older copy lacks', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'tenders.db')
      const db = new DatabaseSync(file)
      db.exec(
        'CREATE TABLE tender_sync_state (name TEXT PRIMARY KEY, value TEXT NOT NULL); CREATE TABLE tender ' +
          '(id TEXT PRIMARY KEY, last_modified TEXT, status TEXT, publication_date TEXT, submission_date TEXT, ' +
          'record TEXT)',
      )
      db.close()
      const sink = await sqliteSink({ file })
      await sink.begin({ kind: 'delta', filterHash: 'f1', resumed: false, keepArchived: false })
      await sink.upsert([recordOf(1)])
      await sink.commit(state, 'run')
      expect(await sink.held([recordOf(1).id])).toHaveProperty('size', 1)
      await sink.end()
    }))

  it('reads a database whose tables were never made as an empty copy, and leaves it alone', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'tenders.db')
      new DatabaseSync(file).exec('PRAGMA journal_mode = WAL; PRAGMA user_version = 0')
      const sink = await sqliteSink({ file, isReadOnly: true })
      expect(await sink.held([recordOf(1).id])).toHaveProperty('size', 0)
      await sink.end()
      expect(new DatabaseSync(file).prepare('SELECT count(*) n FROM sqlite_schema').get()).toEqual({ n: 0 })
    }))

  it('names a file that is no database, and a folder that is missing', () =>
    inFolder(async (folder) => {
      const file = join(folder, 'note.txt')
      writeFileSync(file, 'not a database, but long enough to be taken for one by its size alone'.repeat(20))
      await expect(sqliteSink({ file })).rejects.toThrow(SinkError)
      await expect(sqliteSink({ file })).rejects.toThrow(/note\.txt cannot be used/)
      await expect(sqliteSink({ file: join(folder, 'missing', 'tenders.db') })).rejects.toThrow(/check its folder/)
    }))
})
