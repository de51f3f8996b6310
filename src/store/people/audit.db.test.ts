// The audit log is read in pages: each entry is on one of them. Each detail of an entry has its readers.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { drawnEngines, type Engine, openEmptyDatabase, openTestStore } from '../../../test/world.ts'
import { auditTexts } from '../../console/desk/audit-texts.ts'
import { openStore } from '../database/database.ts'
import { migrations } from '../schema/migrations.ts'
import { type AuditAction, type AuditMember, addAuditEntry, auditAudiences, listAuditEntries } from './audit.ts'

test.each(drawnEngines)('each entry is on one page, the newest first (%s)', async (engine) => {
  await using store = await openTestStore(engine)
  for (let at = 1; at <= 5; at++)
    await addAuditEntry(store.db, {
      at,
      actor: 'operator',
      organizationId: undefined,
      action: 'stock.rebuild',
      subject: String(at),
      detail: {},
      addressPrefix: '',
    })
  const subjects: string[] = []
  for (let before: number | undefined; ; ) {
    const page = await listAuditEntries(store.db, { limit: 2, ...(before !== undefined && { before }) })
    if (page.length === 0) break
    subjects.push(...page.map(({ subject }) => subject))
    expect(subjects.length).toBeLessThanOrEqual(5)
    before = page.at(-1)!.entryNo
  }
  expect(subjects).toEqual(['5', '4', '3', '2', '1'])
})

const allActions = Object.keys(auditTexts.en.actions) as AuditAction[]
const allMembers = Object.keys(auditAudiences) as AuditMember[]
const base = { at: 1, actor: 'op@example.org', subject: 'x', addressPrefix: '' }

test.each(drawnEngines)('of every action, members read what is theirs, and operators the rest (%s)', async (engine) => {
  await using store = await openTestStore(engine)
  const { db } = store
  const theirs = allMembers.filter((member) => auditAudiences[member] === 'organization')
  const others = allMembers.filter((member) => auditAudiences[member] === 'operators')
  expect(others).toEqual(expect.arrayContaining(['note', 'reason', 'held', 'incident']))
  const valuesOf = (members: readonly string[]) =>
    Object.fromEntries(
      members.flatMap((member) => [member, `${member}Before`]).map((name) => [name, `value of ${name}`]),
    )
  for (const action of allActions)
    await addAuditEntry(db, { ...base, organizationId: 'acme', action, detail: valuesOf(allMembers) })
  const read = await listAuditEntries(db, { organizationId: 'acme', limit: 1000 })
  expect(read.map(({ action }) => action).sort()).toEqual([...allActions].sort())
  for (const { detail } of read) expect(detail).toEqual(valuesOf(theirs))
  // in the table, too, nothing else is in their entries
  const rows = await db.selectFrom('audit_entry').select('detail').where('organization_id', '=', 'acme').execute()
  for (const { detail } of rows) expect(JSON.parse(detail)).toEqual(valuesOf(theirs))
  const all = await listAuditEntries(db, { limit: 1000 })
  const own = all.filter(({ organizationId }) => organizationId === undefined)
  expect(own.map(({ action }) => action).sort()).toEqual([...allActions].sort())
  for (const { detail } of own) expect(detail).toEqual({ ...valuesOf(others), organization: 'acme' })
  // nothing to say, no second entry; what this version does not know is shown to operators only
  await addAuditEntry(db, { ...base, organizationId: 'blue', action: 'contract.set-up', detail: { note: '' } })
  expect(await listAuditEntries(db, { limit: 1000 })).toHaveLength(all.length + 1)
  await sql`update audit_entry set detail = '{"role":"owner","unknown":"x","note":"y"}' where organization_id = 'blue'`.execute(
    db,
  )
  expect(await listAuditEntries(db, { organizationId: 'blue', limit: 9 })).toMatchObject([
    { detail: { role: 'owner' } },
  ])
})

async function locationOf(engine: Engine) {
  const dataFolder = await mkdtemp(join(tmpdir(), 'audit-'))
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }))
  if (engine === 'embedded') return { dataFolder }
  const database = await openEmptyDatabase()
  onTestFinished(() => database[Symbol.asyncDispose]())
  return { dataFolder, databaseUrl: database.url }
}

test.each(drawnEngines)(
  'notes that are written move to the log of operators, and an entry says so (%s)',
  async (engine) => {
    const location = await locationOf(engine)
    const before = Object.fromEntries(Object.entries(migrations).slice(0, 2))
    const old = await openStore({ ...location, migrations: before })
    const terms = { startsAt: 5, endsAt: null, requestsPerMinute: 60 }
    const written: [string | null, string, object][] = [
      ['acme', 'contract.set-up', { ...terms, note: 'pays "late", 20 %' }],
      ['acme', 'member.invite', { role: 'owner' }],
      ['blue', 'contract.set-up', { ...terms, note: '' }],
      [null, 'source.release', { notices: 3, note: 'checked' }],
      ['acme', 'contract.set-up', { note: 'second' }],
    ]
    for (const [organization, action, detail] of written)
      await sql`insert into audit_entry (at, actor, organization_id, action, subject, detail, address_prefix)
      values (7, 'op@example.org', ${organization}, ${action}, 'x', ${JSON.stringify(detail)}, '192.0.2.0/24')`.execute(
        old.db,
      )
    await old.close()
    for (const times of [1, 2]) {
      const store = await openStore(location)
      const entries = await listAuditEntries(store.db, { limit: 99 })
      await store.close()
      const shown = entries.map(({ organizationId, action, at, detail }) => ({ organizationId, action, at, detail }))
      expect(shown.reverse(), `opened ${times} times`).toEqual([
        { organizationId: 'acme', action: 'contract.set-up', at: 7, detail: terms },
        { organizationId: 'acme', action: 'member.invite', at: 7, detail: { role: 'owner' } },
        { organizationId: 'blue', action: 'contract.set-up', at: 7, detail: terms },
        { organizationId: undefined, action: 'source.release', at: 7, detail: { notices: 3, note: 'checked' } },
        { organizationId: 'acme', action: 'contract.set-up', at: 7, detail: {} },
        ...['pays "late", 20 %', 'second'].map((note) => ({
          organizationId: undefined,
          action: 'contract.set-up',
          at: 7,
          detail: { organization: 'acme', note },
        })),
        { organizationId: 'acme', action: 'audit.correct', detail: { entries: 2 }, at: expect.any(Number) as number },
      ])
      expect(Object.keys(entries.at(-1)!.detail)).toEqual(['startsAt', 'endsAt', 'requestsPerMinute'])
    }
  },
)
