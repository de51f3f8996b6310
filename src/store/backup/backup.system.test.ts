// A backup is one state of the stock, whatever is written meanwhile; a restore brings back all of it, or nothing.
import { execFileSync } from 'node:child_process'
import { createSecretKey } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { proofCount } from '../../../test/proof/proof-count.ts'
import { randomOf } from '../../../test/testing/generate/random.ts'
import { type Engine, engines, openTestStore, type TestStore } from '../../../test/world.ts'
import { systemClock } from '../../platform/clock.ts'
import { systemRandom } from '../../platform/random.ts'
import { inTransaction, openStore, type Store } from '../database/database.ts'
import { createOrganization } from '../people/organizations.ts'
import { lostRedactions } from '../received/redactions.ts'
import { backUpStock } from './back-up-stock.ts'
import { type BackupStorage, openBackupStorage } from './backup-storage.ts'
import { HeldConnection, keepBeforeImages } from './before-images.ts'
import { type Manifest, manifestText, readManifest, sha256, verifyBackup } from './manifest.ts'
import { restoreStock } from './restore-stock.ts'
import { fingerprint, fingerprintText, readTables } from './table-copy.ts'

/** The secret key of every stock here. */
const keys = { key: createSecretKey(Buffer.alloc(32, 7)), randomBytes: systemRandom.bytes }

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function newStorage(): Promise<{ readonly folder: string; readonly storage: BackupStorage }> {
  const parent = await mkdtemp(join(tmpdir(), 'tenderstock-backup-'))
  closers.push(() => rm(parent, { recursive: true, force: true }))
  const folder = join(parent, 'one')
  return { folder, storage: openFolder(folder) }
}

const openFolder = (path: string) =>
  openBackupStorage(
    { kind: 'folder', path },
    { clock: systemClock, sleep: async () => {}, random: systemRandom, version: 'test' },
  )

const backUp = (store: Store, storage: BackupStorage, onProgress?: () => void) =>
  backUpStock(store, storage, { version: 'test', documentsOutside: null, ...keys, ...(onProgress && { onProgress }) })

async function restoreInto(
  store: Store,
  storage: BackupStorage,
  manifest?: Manifest,
  key: typeof keys.key | null = keys.key,
): Promise<void> {
  await restoreStock(store, storage, manifest ?? (await readManifest(storage, key ?? undefined)), {
    key: key ?? undefined,
    target: 'the target',
    now: systemClock(),
    randomBytes: systemRandom.bytes,
  })
}

async function restored(engine: Engine, storage: BackupStorage): Promise<TestStore> {
  const store = await openTestStore(engine)
  closers.push(() => store[Symbol.asyncDispose]())
  await restoreInto(store, storage)
  return store
}

/** Two tables whose rows can be computed from the number of transactions so far, which is stored in one of them. */
class History {
  readonly settings = new Map<string, string>()
  readonly use = new Map<string, number>()
  steps = 0
  readonly #random = randomOf(5)

  /** What the next transaction does: it inserts, changes or deletes a row in each. */
  next(): { readonly name: string; readonly value: string; readonly isGone: boolean; readonly hour: number } {
    this.steps++
    this.settings.set('steps', String(this.steps))
    const name = `k${this.#random.integer(0, 200)}`
    const value = `${this.steps} ß"\\\n`
    const isGone = this.#random.integer(0, 4) === 0
    const hour = this.#random.integer(0, 200)
    if (isGone) this.settings.delete(name)
    else this.settings.set(name, value)
    if (isGone) this.use.delete(String(hour))
    else this.use.set(String(hour), this.steps)
    return { name, value, isGone, hour }
  }
}

async function step(store: Store, history: History): Promise<void> {
  const { name, value, isGone, hour } = history.next()
  await inTransaction(store, async (trx) => {
    const put = (key: string, text: string) =>
      sql`insert into setting values (${key}, ${text}) on conflict (name) do update set value = excluded.value`.execute(
        trx,
      )
    await put('steps', String(history.steps))
    if (isGone) {
      await sql`delete from setting where name = ${name}`.execute(trx)
      await sql`delete from api_use where hour_ms = ${hour}::bigint`.execute(trx)
      return
    }
    await put(name, value)
    await sql`insert into api_use values ('o', 't', ${hour}::bigint, ${history.steps}::integer, 0, 0, 0, 0)
      on conflict (organization_id, token_id, hour_ms) do update set answered = excluded.answered`.execute(trx)
  })
}

/** Rows of many kinds, one edition, and more than one page. */
async function fill(store: Store): Promise<void> {
  const now = Date.UTC(2026, 0, 1)
  await sql`insert into source_document
    select 'd' || i, 'ted', 'a/b#' || repeat('ß€𝄞 "\\', i % 50), ${now}, i, 1,
      case when i % 7 = 0 then decode(repeat('00ff5c22', i % 50), 'hex') end from generate_series(1, 60) i`.execute(
    store.db,
  )
  await sql`insert into notice select 'n' || i, 'd' || i, '/', 'key-' || i, 'ted', 'ted', 'competition',
    case when i % 2 = 0 then ${now}::bigint end, '{}', i % 3 = 0 from generate_series(1, 60) i`.execute(store.db)
  await sql`insert into notice_link select 'l' || i % 7, 'n' || i from generate_series(1, 60) i`.execute(store.db)
  await sql`insert into edition values (1, ${now}, ${now}, 1, 1, '{}')`.execute(store.db)
  await sql`insert into edition_entry values (${now}, 1, 't', '{"id":"t"}', '["ted"]')`.execute(store.db)
  await createOrganization(store.db, { name: 'Acme' }, { now, random: systemRandom })
}

describe.each(engines)('a backup (%s)', (engine) => {
  test('holds one consistent state, although every row changes while it is made', async () => {
    await using store = await openTestStore(engine)
    const history = new History()
    const before = proofCount({ share: 100, full: 3000 })
    for (let count = 0; count < before; count++) await step(store, history)
    let isOver = false
    const writing = (async () => {
      for (; !isOver; ) await step(store, history)
      return history.steps
    })()
    const { storage } = await newStorage()
    const manifest = await backUp(store, storage)
    isOver = true
    expect(await writing, 'the load went on').toBeGreaterThan(before)
    await verifyBackup(storage, manifest)
    if (engine === 'embedded') expect(manifest.longestHoldMs).toBeGreaterThan(0)
    const copy = await restored(engine, storage)
    const { rows: settings } = await sql<{ name: string; value: string }>`
      select name, value from setting where name = 'steps' or name like 'k%'`.execute(copy.db)
    const steps = Number(settings.find(({ name }) => name === 'steps')!.value)
    expect(steps).toBeGreaterThanOrEqual(before)
    const expected = new History()
    while (expected.steps < steps) expected.next()
    expect(new Map(settings.map(({ name, value }) => [name, value]))).toEqual(expected.settings)
    const { rows: use } = await sql<{ hour: string; answered: number }>`
      select hour_ms::text as hour, answered from api_use`.execute(copy.db)
    expect(new Map(use.map(({ hour, answered }) => [hour, answered]))).toEqual(expected.use)
    const { rows: left } = await sql`
      select 1 from pg_trigger where tgname = 'before_image'
      union all select 1 from pg_namespace where nspname = 'before_image'`.execute(store.db)
    expect(left).toEqual([])
  })

  test('has every row of every table, and is restored into either engine', async () => {
    await using store = await openTestStore(engine)
    await fill(store)
    const { storage, folder } = await newStorage()
    const manifest = await backUp(store, storage)
    expect(manifest).toMatchObject({ engine, edition: { edition: 1, records: 1 }, documentsOutside: null })
    await expect(backUp(store, storage)).rejects.toThrow('already holds a backup')
    for (const other of engines) {
      const copy = await restored(other, openFolder(folder))
      for (const table of await readTables(store.db)) {
        // the next epoch has begun
        const differ = ['setting', 'cursor_key', 'published_tender', 'tender_change', 'change_signal', 'session']
        if (table.isUnlogged || differ.includes(table.name)) continue
        const [from, to] = [await fingerprint(store.db, table), await fingerprint(copy.db, table)]
        expect(`${table.name} ${fingerprintText(to)}`).toBe(`${table.name} ${fingerprintText(from)}`)
      }
      await expect(restoreInto(copy, storage)).rejects.toThrow(/is not empty \(its table \w+ has rows\)/)
    }
  })

  test('is refused with a byte changed, truncated or missing anywhere, and leaves nothing behind', async () => {
    await using store = await openTestStore(engine)
    await fill(store)
    const { storage, folder } = await newStorage()
    const manifest = await backUp(store, storage)
    await using target = await openTestStore(engine)
    for (const name of [manifest.parts[0]!.name, manifest.parts.at(-1)!.name, 'SHA256SUMS', 'manifest.json']) {
      const path = join(folder, name)
      const bytes = await readFile(path)
      const changed = Buffer.from(bytes)
      changed[bytes.length >> 1]! ^= 1
      for (const wrong of [changed, bytes.subarray(0, bytes.length >> 1), undefined]) {
        if (wrong) await writeFile(path, wrong)
        else await rm(path)
        const reading = async () => verifyBackup(storage, await readManifest(storage, keys.key))
        await expect(reading(), name).rejects.toThrow(/is damaged|no whole backup/)
        await writeFile(path, bytes)
      }
    }
    // rows that no checksum of a file reveals: as if the wrong rows had been written
    const part = manifest.parts.find(({ table }) => table === 'notice')!
    const rows = zstdDecompressSync(await readFile(join(folder, part.name)))
      .toString()
      .replace('"key-7"', '"key-8"')
    await writeFile(join(folder, part.name), zstdCompressSync(rows))
    const bytes = zstdCompressSync(rows)
    const parts = manifest.parts.map((each) =>
      each === part ? { ...each, bytes: bytes.length, sha256: sha256(bytes) } : each,
    )
    await expect(restoreInto(target, storage, { ...manifest, parts })).rejects.toThrow('the table notice has')
    const { rows: left } = await sql`select from notice union all select from setting`.execute(target.db)
    expect(left).toEqual([])
  })
})

test('remains of a killed backup in an embedded stock are removed when it is opened next', async () => {
  await using store = await openTestStore('embedded')
  await keepBeforeImages(new HeldConnection(store), await readTables(store.db), async () => {})
  await sql`insert into setting values ('a', '1')`.execute(store.db)
  await store.close()
  const again = await openStore(store.options)
  const { rows } = await sql`select 1 from pg_trigger where tgname = 'before_image'
    union all select 1 from pg_namespace where nspname = 'before_image'`.execute(again.db)
  await again.close()
  expect(rows).toEqual([])
})

test('a folder that holds anything else is refused; the remains of an interrupted backup are cleared', async () => {
  await using store = await openTestStore('embedded')
  const { storage, folder } = await newStorage()
  await mkdir(folder)
  await writeFile(join(folder, '000001-notice.ndjson.zst'), 'half')
  await writeFile(join(folder, 'incoming'), 'half')
  const manifest = await backUp(store, storage)
  expect((await readdir(folder)).sort()).toEqual(
    ['SHA256SUMS', 'manifest.json', ...manifest.parts.map(({ name }) => name)].sort(),
  )
  const { storage: other, folder: used } = await newStorage()
  await mkdir(used)
  await writeFile(join(used, 'letters.txt'), 'mine')
  await expect(backUp(store, other)).rejects.toThrow(/is not empty \(it holds letters.txt\)/)
  expect(await readFile(join(used, 'letters.txt'), 'utf8')).toBe('mine')
})

test('each row of the snapshot is delivered once, also one that changes before or after it is read', async () => {
  await using store = await openTestStore('embedded')
  // two rows fill a transaction
  await sql`insert into setting select 'row-' || i, i || repeat('x', 600000) from generate_series(1, 9) i`.execute(
    store.db,
  )
  const tables = (await readTables(store.db)).filter(({ name }) => name === 'setting')
  const images = await keepBeforeImages(new HeldConnection(store), tables, async () => {})
  const given: string[] = []
  for await (const { page } of images.pages()) {
    const isFirst = given.length === 0
    for (const line of page.lines.split('\n')) {
      const { name, value } = JSON.parse(line) as { name: string; value: string }
      given.push(`${name} ${value.slice(0, 3)}`)
    }
    if (!isFirst) continue
    await sql`update setting set value = 'new'`.execute(store.db)
    await sql`delete from setting where name in ('row-1', 'row-9')`.execute(store.db)
    await sql`insert into setting values ('row-9', 'again'), ('row-5a', 'new')`.execute(store.db)
  }
  await images.remove()
  const all = Array.from({ length: 9 }, (_, index) => `row-${index + 1} ${index + 1}xx`)
  expect(given.filter((row) => row.startsWith('row-')).sort()).toEqual(all)
})

test('only one backup of a stock runs at a time; it stops on request and reports its progress', async () => {
  await using store = await openTestStore('embedded')
  await fill(store)
  const [stopped, second, third] = [await newStorage(), await newStorage(), await newStorage()]
  const stop = new AbortController()
  const options = { version: 'test', documentsOutside: null, ...keys }
  const first = backUpStock(store, stopped.storage, { ...options, signal: stop.signal, onProgress: () => stop.abort() })
  await expect(backUp(store, second.storage)).rejects.toThrow('is already running')
  await expect(first).rejects.toThrow('what was written of it is no backup')
  await expect(readManifest(stopped.storage, keys.key)).rejects.toThrow('no whole backup')
  const progress: { readonly rows: number; readonly totalRows: number }[] = []
  const manifest = await backUpStock(store, third.storage, { ...options, onProgress: (each) => progress.push(each) })
  let rows = 0
  expect(progress.map((each) => each.rows)).toEqual(manifest.parts.map((part) => (rows += part.rows)))
  expect(progress.at(-1)).toMatchObject({ rows: manifest.rows, totalRows: manifest.rows })
})

test('a location that keeps other bytes than it was given, or none, is refused while the backup is made', async () => {
  await using store = await openTestStore('embedded')
  await fill(store)
  const { storage } = await newStorage()
  const keeping = (change: (bytes: Buffer) => Buffer | undefined): BackupStorage => ({
    ...storage,
    put: async () => {},
    get: async () => change(Buffer.from('another file')),
  })
  for (const wrong of [keeping((bytes) => bytes), keeping(() => undefined)])
    await expect(backUp(store, wrong)).rejects.toThrow(/did not keep .* as it was written; use another location/)
})

test('only the owner may read its files, sha256sum reads the checksums, and a wrong manifest is refused', async () => {
  await using store = await openTestStore('embedded')
  await fill(store)
  const { storage, folder } = await newStorage()
  const manifest = await backUp(store, storage)
  for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777, name).toBe(0o600)
  execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder, stdio: 'pipe' })
  // tables without a log are filled again from the rest
  const unlogged = (await readTables(store.db)).filter(({ isUnlogged }) => isUnlogged).map(({ name }) => name)
  expect(unlogged.length).toBeGreaterThan(0)
  expect(manifest.tables.map(({ name }) => name)).not.toEqual(expect.arrayContaining(unlogged.slice(0, 1)))
  const [first, ...others] = manifest.parts
  const parts = [{ ...first!, rows: first!.rows - 1 }, ...others]
  const tables = manifest.tables.map((each) => (each.name === first!.table ? { ...each, rows: each.rows - 1 } : each))
  const rows = manifest.rows - 1
  for (const wrong of [{ tables }, { rows }, { parts, tables, rows }])
    await expect(verifyBackup(storage, { ...manifest, ...wrong }), JSON.stringify(wrong).slice(0, 80)).rejects.toThrow(
      'is damaged',
    )
  await writeFile(
    join(folder, 'manifest.json'),
    manifestText({ ...manifest, version: '9.0', formatVersion: 3 as 2 }, keys.key),
  )
  await expect(readManifest(storage, keys.key)).rejects.toThrow(/newer version of Tenderstock \(9\.0\)/)
})

test('the sequences of a restored stock continue, and it does not wait for processes that are gone', async () => {
  await using store = await openTestStore('embedded')
  await fill(store)
  await sql`update publication set until_ms = 9, owner = 'gone'`.execute(store.db)
  await sql`update hit_mark set until_ms = 9, owner = 'gone'`.execute(store.db)
  await sql`insert into mail (message_id, person, content, taken_until, due_at, created_at)
    values ('m', 'a@b.c', '{}', 9, 0, 0)`.execute(store.db)
  await sql`insert into audit_entry (at, actor, action, subject, detail, address_prefix)
    values (1, 'a', 'stock.rebuild', 's', '{}', '')`.execute(store.db)
  const { storage } = await newStorage()
  await backUp(store, storage)
  const copy = await restored('embedded', storage)
  const { rows: leases } = await sql<{ until: number }>`
    select until_ms as until from publication union all select until_ms from hit_mark union all select taken_until from mail`.execute(
    copy.db,
  )
  expect(leases.map(({ until }) => until)).toEqual([0, 0, 0])
  const { rows: added } = await sql<{ no: number }>`
    insert into audit_entry (at, actor, action, subject, detail, address_prefix)
    values (2, 'a', 'stock.rebuild', 's', '{}', '') returning entry_no as no`.execute(copy.db)
  const { rows: before } = await sql<{ no: number }>`select max(entry_no) as no from audit_entry where at = 1`.execute(
    store.db,
  )
  expect(added[0]!.no).toBeGreaterThan(before[0]!.no)
})

describe('a backup whose finder has not the secret key', () => {
  /** A stock with keys, people who are signed in, a redaction, and its backup. */
  async function backedUp() {
    const store = await openTestStore('embedded')
    closers.push(() => store[Symbol.asyncDispose]())
    await fill(store)
    const keyOfCursors = 'c0ffee'.repeat(10)
    await sql`insert into cursor_key values (7, ${keyOfCursors}, 1)`.execute(store.db)
    await sql`insert into redaction (redaction_id, rules, reason, made_at) values ('ab12', '[]', 'request 7', 1)`.execute(
      store.db,
    )
    await sql`insert into person (person_id, mail, name, created_at) values ('p', 'a@b.c', '', 1)`.execute(store.db)
    await sql`insert into session values ('\\x01', 'p', 1, 1, 1, '', '')`.execute(store.db)
    await sql`insert into sign_in_link values ('\\x02', 'p', null, 1, 9e15::bigint, null)`.execute(store.db)
    const { storage, folder } = await newStorage()
    const manifest = await backUp(store, storage)
    const { rows } = await sql<{ key: string }>`select key from redaction_key`.execute(store.db)
    return { store, storage, folder, manifest, keyOfCursors, keyOfRedactions: rows[0]!.key }
  }
  const keysIn = async ({ db }: Store) =>
    (
      await sql<{ key: string }>`select key from cursor_key union all select key from redaction_key`.execute(db)
    ).rows.map(({ key }) => key)

  test('shows no key of the stock, and a restore with the secret key has all of them', async () => {
    const { storage, folder, keyOfCursors, keyOfRedactions } = await backedUp()
    for (const name of await readdir(folder)) {
      const bytes = await readFile(join(folder, name))
      const text = (name.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes).toString()
      expect(text, name).not.toContain(keyOfCursors)
      expect(text, name).not.toContain(keyOfRedactions)
    }
    const copy = await restored('embedded', storage)
    expect(await keysIn(copy)).toEqual(expect.arrayContaining([keyOfCursors, keyOfRedactions]))
  })

  test('is restored with other keys, and remembers which redactions nothing recognizes', async () => {
    const { storage, keyOfCursors, keyOfRedactions } = await backedUp()
    const store = await openTestStore('embedded')
    closers.push(() => store[Symbol.asyncDispose]())
    await restoreInto(store, storage, undefined, null)
    const own = await keysIn(store)
    expect(own).toHaveLength(2)
    expect(own).not.toContain(keyOfCursors)
    expect(own).not.toContain(keyOfRedactions)
    expect(await lostRedactions(store.db)).toEqual(['ab12'])
  })

  test('nobody who was signed in, and no link to sign in, is restored', async () => {
    const { storage } = await backedUp()
    const copy = await restored('embedded', storage)
    const { rows } = await sql`select 1 from session union all select 1 from sign_in_link`.execute(copy.db)
    expect(rows).toEqual([])
    const { rows: people } = await sql<{ mail: string }>`select mail from person`.execute(copy.db)
    expect(people).toEqual([{ mail: 'a@b.c' }])
  })

  test('cannot be changed without notice: no member of its manifest, and not with another key', async () => {
    const { storage, folder, manifest } = await backedUp()
    const path = join(folder, 'manifest.json')
    const text = await readFile(path, 'utf8')
    const { checksum: _, code, ...facts } = JSON.parse(text) as Manifest & { checksum: string; code: string }
    const forger = createSecretKey(Buffer.alloc(32, 8))
    for (const name of Object.keys(manifest) as (keyof Manifest)[]) {
      if (name === 'format' || name === 'formatVersion') continue
      const { [name]: value, ...others } = facts
      for (const changed of [{ ...others, [name]: [value, value] }, others] as unknown[]) {
        // somebody who can write there can also compute the checksum, and keep the old code or make one
        const forged = JSON.parse(manifestText(changed as Manifest, forger)) as object
        for (const signed of [{ ...forged, code }, forged, { ...forged, code: undefined }]) {
          await writeFile(path, JSON.stringify(signed))
          await expect(readManifest(storage, keys.key), name).rejects.toThrow(
            /was changed by somebody|another secret key/,
          )
        }
      }
    }
    await writeFile(path, text)
    expect(await readManifest(storage, keys.key)).toEqual(manifest)
    await expect(readManifest(storage, forger)).rejects.toThrow(/made with another secret key .* give the one/)
    expect(await readManifest(storage, undefined)).toEqual(manifest)
  })

  test('is compared with SHA256SUMS, which may name no other file and no other sum', async () => {
    const { storage, folder, manifest } = await backedUp()
    const path = join(folder, 'SHA256SUMS')
    const text = await readFile(path, 'utf8')
    const [first, ...rest] = text.trimEnd().split('\n')
    for (const wrong of [
      rest,
      [...rest, first],
      [first, first, ...rest],
      [`${'0'.repeat(64)}${first!.slice(64)}`, ...rest],
    ]) {
      await writeFile(path, `${wrong.join('\n')}\n`)
      await expect(verifyBackup(storage, manifest)).rejects.toThrow('SHA256SUMS is not what was written')
    }
    await writeFile(path, text)
    await verifyBackup(storage, manifest)
  })
})
