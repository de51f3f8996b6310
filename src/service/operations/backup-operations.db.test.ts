// What the commands report about a backup and its restore: what is not in it, what to do next, and a stock of an older
// version.
import { createSecretKey } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runOperation, serviceContext } from '../../../test/operations-world.ts'
import type { CommandName } from '../../cli/command-table.ts'
import { hourMs } from '../../domain/time.ts'
import type { Config } from '../../platform/config.ts'
import { secretKeyFile } from '../../platform/sealing.ts'
import { type Manifest, manifestText } from '../../store/backup/manifest.ts'
import { openStore } from '../../store/database/database.ts'
import { newestEdition } from '../../store/editions/editions.ts'
import { listAuditEntries } from '../../store/people/audit.ts'
import { listRedactions, lostRedactions } from '../../store/received/redactions.ts'
import { type Migrations, migrations } from '../../store/schema/migrations.ts'
import type { CommandEvent, EventOf } from '../events/command-event.ts'
import { redactionsFile } from './redact-operations.ts'
import { restore } from './restore.ts'

const content = '{"id":"t","title":"Ask jane@example.org","lots":[]}'

/** A stock with these migrations and one edition, backed up by a service with these settings. */
async function backedUp(config: Config = {}, known: Migrations = migrations) {
  vi.stubEnv('DATABASE_URL', '')
  onTestFinished(() => void vi.unstubAllEnvs())
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-restore-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [dataFolder, location, target] = [join(folder, 'data'), join(folder, 'backup'), join(folder, 'target')]
  const store = await openStore({ dataFolder, migrations: known })
  await sql`insert into edition (edition, last_modified, published_at, records, changes, checks) values (1, 1, 1, 1, 1, '{}')`.execute(
    store.db,
  )
  await sql`insert into tender (tender_id, founding_key, content, content_hash, sources) values ('t', 't', ${content}, 'h', '[]')`.execute(
    store.db,
  )
  await sql`insert into published_tender (tender_id, first_edition, content_hash, last_modified, sources)
    values ('t', 1, 'h', 1, '[]')`.execute(store.db)
  const events: CommandEvent[] = []
  const request = { command: 'backup', operands: [location], options: {} }
  try {
    await runOperation(serviceContext({ store, dataFolder, config }), request, (event) => void events.push(event))
  } finally {
    await store.close()
  }
  return { location, target, made: events.at(-1)!, folder, dataFolder }
}

/** Puts the secret key of the stock that was backed up into the folder of the restored one, as its operator does. */
async function giveKey(location: string, dataFolder: string): Promise<void> {
  await mkdir(dataFolder, { recursive: true })
  await copyFile(join(location, '..', 'data', secretKeyFile), join(dataFolder, secretKeyFile))
}

async function eventsOfRestore(location: string, dataFolder: string, options: object = {}): Promise<CommandEvent[]> {
  await giveKey(location, dataFolder)
  const events: CommandEvent[] = []
  const request = { command: 'restore', operands: [location], options: { ...options } }
  const where = { dataFolder, version: 'test', signal: new AbortController().signal }
  await restore(where, request, (event) => void events.push(event))
  // a folder that others could enter is closed with a warning
  return events.filter(({ event }) => event !== 'progress' && event !== 'warning')
}

const restored = async (...restoring: Parameters<typeof eventsOfRestore>) => (await eventsOfRestore(...restoring))[0]!

/** Runs a command in a stock. */
async function runIn(dataFolder: string, command: CommandName, operands: string[], options: object): Promise<void> {
  const store = await openStore({ dataFolder })
  try {
    const request = { command, operands, options: { ...options } }
    await runOperation(serviceContext({ store, dataFolder, config: {} }), request, () => {})
  } finally {
    await store.close()
  }
}

/** Redacts in the stock after its backup; returns the file that records the redaction. */
async function redactIn(dataFolder: string): Promise<string> {
  await runIn(dataFolder, 'redact', [], { email: ['jane@example.org'], reason: 'request 7' })
  return join(dataFolder, redactionsFile)
}

/** What a restored stock holds of the person and of their redaction. */
async function personIn(dataFolder: string) {
  const store = await openStore({ dataFolder })
  try {
    const { rows } = await sql<{ content: string }>`select content from tender`.execute(store.db)
    const applied = (await listRedactions(store.db)).map(({ reason, appliedAt }) => [reason, appliedAt !== null])
    return { isNamed: rows.some(({ content }) => content.includes('jane@example.org')), applied }
  } finally {
    await store.close()
  }
}

test('documents that are stored elsewhere are named by the backup, and again by its restore', async () => {
  const keys = { region: 'r', accessKeyId: 'id', secretAccessKey: 'very secret' }
  for (const [documents, named] of [
    [{ kind: 'folder', path: '/srv/raw' }, 'folder:/srv/raw'],
    [{ kind: 'bucket', bucket: 'stock', prefix: 'raw/', ...keys }, 's3://stock/raw'],
  ] as const) {
    const { location, target, made } = await backedUp({ documents })
    expect(made).toMatchObject({ event: 'backedUp', location, edition: 1, documentsOutside: named })
    expect(await restored(location, target)).toMatchObject({
      event: 'restored',
      documentsOutside: named,
      advice: expect.arrayContaining([
        `Raw documents are not in the backup: set TENDERSTOCK_DOCUMENTS to ${named} again.`,
      ]),
    })
  }
}, 600_000)

test('a restore says what to do, and leaves an entry in the audit log; a trial makes no database', async () => {
  const { location, target, folder } = await backedUp()
  expect(await restored(location, target, { 'dry-run': true })).toMatchObject({
    event: 'backupVerified',
    isTargetEmpty: true,
  })
  const said = await restored(location, target)
  expect(said).toMatchObject({ republished: 1, documentsOutside: null })
  const advice = 'advice' in said ? said.advice : []
  expect(advice).toEqual([
    expect.stringContaining('sessions and links to sign in are not restored'),
    expect.stringContaining('publishes all 1 records again'),
    expect.stringContaining('revoked or removed'),
    expect.stringMatching(/^No redactions of this stock are in .*target.*, .*backup.*, .*tenderstock redact import/),
  ])
  expect(await restored(location, target, { 'dry-run': true })).toMatchObject({ isTargetEmpty: false })
  const store = await openStore({ dataFolder: target })
  onTestFinished(() => store.close())
  const [entry] = await listAuditEntries(store.db, { limit: 1 })
  const { takenAt } = JSON.parse(await readFile(join(location, 'manifest.json'), 'utf8')) as Manifest
  expect(entry).toMatchObject({ action: 'stock.restore', actor: 'operator', subject: location, detail: { takenAt } })
  vi.stubEnv('TENDERSTOCK_SECRET_KEY', Buffer.alloc(32, 7).toString('base64'))
  await expect(restored(location, join(folder, 'third'))).rejects.toThrow(
    /made with another secret key than the one in TEND/,
  )
}, 600_000)

test('a backup of an older version is migrated, and one of a newer version is refused', async () => {
  // the newest whose tables this version's backup command can write to
  const older = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0008'))
  const { location, target } = await backedUp({}, older)
  expect(await restored(location, target)).toMatchObject({ event: 'restored', edition: 1 })
  const store = await openStore({ dataFolder: target, migrations: {} })
  onTestFinished(() => store.close())
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(store.db)
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(migrations).sort())

  const path = join(location, 'manifest.json')
  const {
    checksum: _,
    code: __,
    ...manifest
  } = JSON.parse(await readFile(path, 'utf8')) as Manifest & {
    readonly checksum: string
    readonly code: string
  }
  const key = createSecretKey(Buffer.from(await readFile(join(target, secretKeyFile), 'utf8'), 'base64'))
  const newer = { ...manifest, version: '9.0', migrations: [...manifest.migrations, '9999-new'] }
  await writeFile(path, manifestText(newer, key))
  const other = join(location, '..', 'other')
  await expect(restored(location, other)).rejects.toThrow(
    /made by version 9\.0, holds changes of a newer version of Tenderstock \(9999-new\); restore it with that version/,
  )
}, 600_000)

test('a restore applies the redactions of a file that it finds: in the data folder, in the backup, beside it', async () => {
  const { location, folder, target, dataFolder } = await backedUp()
  const file = await redactIn(dataFolder)
  const lines = await readFile(file, 'utf8')
  // the first of these counts
  const locations = [target, location, folder].map((where) => join(where, redactionsFile))
  await mkdir(target, { recursive: true })
  for (const path of locations) await writeFile(path, lines)
  for (const path of locations) {
    const dry = await restored(location, target, { 'dry-run': true })
    expect(dry).toMatchObject({ event: 'backupVerified', redactionsFrom: path })
    if (path !== locations.at(-1)) await rm(path)
  }
  const said = await restored(location, target)
  expect(said).toMatchObject({ event: 'restored', redactionsFrom: locations.at(-1) })
  expect(JSON.stringify(said)).not.toContain('redact import')
  expect(await personIn(target)).toEqual({ isNamed: false, applied: [['request 7', true]] })
  // for the next restore into this folder
  expect(await readFile(join(target, redactionsFile), 'utf8')).toBe(lines)
}, 600_000)

test('a restore that ends before it applied the redactions has recorded them with the stock', async () => {
  const { location, dataFolder, target } = await backedUp()
  const request = { command: 'restore', operands: [location], options: { redactions: await redactIn(dataFolder) } }
  await giveKey(location, target)
  const where = { dataFolder: target, version: 'test', signal: new AbortController().signal }
  const killed = restore(where, request, ({ event }) => {
    if (event === 'restored') throw new Error('killed')
  })
  await expect(killed).rejects.toThrow('killed')
  expect((await personIn(target)).applied).toEqual([['request 7', false]])
}, 600_000)

test('a restore adds what the backup lacks, and ends what was undone after it', async () => {
  const { dataFolder, folder, target } = await backedUp()
  const file = await redactIn(dataFolder)
  const { redaction } = JSON.parse(await readFile(file, 'utf8')) as { redaction: { redactionId: string } }
  const redact = (email: string, reason: string) => runIn(dataFolder, 'redact', [], { email: [email], reason })
  await redact('joan@example.org', 'request 8')
  const second = join(folder, 'second')
  await runIn(dataFolder, 'backup', [second], {})
  await redact('john@example.org', 'request 9')
  await runIn(dataFolder, 'redact undo', [redaction.redactionId], {})
  const events = await eventsOfRestore(second, target, { redactions: file })
  expect(events.at(-1)).toMatchObject({ event: 'redactionsImported', added: 1, undone: 1, known: 1 })
  expect((await personIn(target)).applied).toEqual([
    ['request 8', true],
    ['request 9', true],
  ])
}, 600_000)

test('redactions of another stock are refused if they were given, and only reported if they were found', async () => {
  const { location, folder, target } = await backedUp()
  const foreign = join(folder, redactionsFile)
  await writeFile(foreign, '{"key":"00000000ffffffff","undone":"x"}\n')
  await expect(restored(location, target, { redactions: join(folder, 'none') })).rejects.toThrow(/There is no file/)
  await expect(restored(location, target, { redactions: foreign })).rejects.toThrow(/written for another stock/)
  // nothing of it is there
  const said = await restored(location, target)
  expect(said).toMatchObject({ event: 'restored', redactionsFrom: null })
  expect(JSON.stringify(said)).toContain('redact import')
  expect(await personIn(target)).toEqual({ isNamed: true, applied: [] })
}, 600_000)

test('without the secret key a restore says what is lost, and nothing is published until the operator confirms', async () => {
  const { dataFolder, folder, target } = await backedUp()
  const before = JSON.parse(await readFile(await redactIn(dataFolder), 'utf8')) as {
    readonly redaction: { readonly redactionId: string }
  }
  const second = join(folder, 'second')
  await runIn(dataFolder, 'backup', [second], {})
  // made after the backup: only its file knows it
  await runIn(dataFolder, 'redact', [], { email: ['john@example.org'], reason: 'request 9' })
  const lines = (await readFile(join(dataFolder, redactionsFile), 'utf8')).trim().split('\n')
  const lost = lines.map((line) => (JSON.parse(line) as typeof before).redaction.redactionId)
  const events: CommandEvent[] = []
  const request = { command: 'restore', operands: [second], options: { redactions: join(dataFolder, redactionsFile) } }
  const where = { dataFolder: target, version: 'test', signal: new AbortController().signal }
  await restore(where, request, (event) => void events.push(event))
  const said = events.at(-1) as EventOf<'restored'>
  expect(said).toMatchObject({ event: 'restored', isAuthenticated: false, redactionsFrom: null })
  const advice = said.advice.join('\n')
  for (const id of lost) expect(advice).toContain(id)
  for (const told of ['cursor-invalid', 'secret-key', 'webhook rotate', 'sign in again', '--override-gate'])
    expect(advice).toContain(told)

  const store = await openStore({ dataFolder: target })
  let now = Date.now() + hourMs
  const context = serviceContext({ store, dataFolder: target, config: {}, clock: () => now })
  const run = async (command: CommandName, options: object = {}) => {
    const heard: CommandEvent[] = []
    await runOperation(context, { command, operands: [], options: { ...options } }, (event) => void heard.push(event))
    now += 2 * hourMs
    return heard
  }
  expect(JSON.stringify(await run('publish'))).toContain(lost[0])
  expect(JSON.stringify(await run('publish'))).toContain('redact')
  expect((await newestEdition(store.db))?.edition).toBe(1)
  await run('redact', { email: ['jane@example.org'], reason: 'request 7, again' })
  expect((await run('publish', { 'override-gate': true })).some(({ event }) => event === 'published')).toBe(true)
  expect(await lostRedactions(store.db)).toEqual([])
  await store.close()
  // its own key makes it a stock that can be backed up, and restored with its redactions
  const third = join(folder, 'third')
  await runIn(target, 'backup', [third], {})
  await mkdir(join(folder, 'fourth'))
  await copyFile(join(target, secretKeyFile), join(folder, 'fourth', secretKeyFile))
  const again: CommandEvent[] = []
  await restore(
    { ...where, dataFolder: join(folder, 'fourth') },
    { command: 'restore', operands: [third], options: {} },
    (event) => void again.push(event),
  )
  expect(again.find(({ event }) => event === 'restored')).toMatchObject({ isAuthenticated: true })
}, 600_000)

test('a new epoch after another recovery signs everybody out', async () => {
  const { dataFolder } = await backedUp()
  const store = await openStore({ dataFolder })
  onTestFinished(() => store.close())
  await sql`insert into person (person_id, mail, name, created_at) values ('p', 'a@b.c', '', 1)`.execute(store.db)
  await sql`insert into session values ('\\x01', 'p', 1, 1, 1, '', '')`.execute(store.db)
  const context = serviceContext({ store, dataFolder, config: {} })
  await runOperation(context, { command: 'database new-epoch', operands: [], options: {} }, () => {})
  expect((await sql`select from session`.execute(store.db)).rows).toEqual([])
}, 600_000)
