// Every command either only reads, or leaves an entry in the audit log that says who ran it; if the entry cannot be
// written, nothing is changed.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { runOperation, serviceContext } from '../../../test/operations-world.ts'
import { receiveNotices } from '../../../test/receive-notices.ts'
import { at, notice } from '../../../test/testing/generate/notices.ts'
import { startReceiver } from '../../../test/webhooks/delivery-world.ts'
import { drawnEngines, openEmptyDatabase, openTestStore, testDatabaseUrl } from '../../../test/world.ts'
import { type CommandName, commandNames } from '../../cli/command-table.ts'
import { consolidate } from '../../consolidate/consolidate.ts'
import { tenderId } from '../../consolidate/tender-id.ts'
import { redactionId, redactionRule } from '../../domain/redaction.ts'
import { readSerials } from '../../store/database/change-signal.ts'
import { inTransaction } from '../../store/database/database.ts'
import { type ListedAuditEntry, listAuditEntries } from '../../store/people/audit.ts'
import { putContract } from '../../store/people/contracts.ts'
import { listOrganizations } from '../../store/people/organizations.ts'
import { insertQuote } from '../../store/people/quotes.ts'
import type { CommandEvent } from '../events/command-event.ts'
import { allowLoopbackWebhooks } from '../hits/loopback-webhooks.ts'
import { redactionsFile } from './redact-operations.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** These do not run an operation on a stock, or they move a trial clock. */
const otherwise: readonly CommandName[] = [
  'start',
  'serve',
  'simulate',
  'webhook listen',
  'doctor',
  'completion',
  'clock advance',
  'restore',
  'source mend',
  'source terms',
]

const redactionKey = Buffer.alloc(32, 7)
const redaction = redactionId([redactionRule(redactionKey, 'email', 'jane@example.org')])

const by = { actor: 'anna@example.org', addressPrefix: '192.0.2.0/24' }

describe.each(drawnEngines)('the audit log of commands (%s)', (engine) => {
  async function world() {
    const store = await openTestStore(engine)
    closers.push(() => store[Symbol.asyncDispose]())
    const dataFolder = await mkdtemp(join(tmpdir(), 'tenderstock-test-'))
    closers.push(() => rm(dataFolder, { recursive: true, force: true }))
    await allowLoopbackWebhooks(store, true)
    const receiver = await startReceiver()
    closers.push(() => receiver[Symbol.dispose]())
    const context = serviceContext({ store, dataFolder, config: { contact: 'ops@example.org' }, by })
    const run = async (command: CommandName, operands: readonly string[], options: object): Promise<CommandEvent[]> => {
      const events: CommandEvent[] = []
      await runOperation(context, { command, operands, options: { ...options } }, (event) => void events.push(event))
      return events
    }
    return { store, dataFolder, receiver, run }
  }
  type World = Awaited<ReturnType<typeof world>>

  /**
   * Arguments for each command, in an order in which each finds what it needs; `id` is the ID that the last creation of
   * a kind printed.
   */
  function trialsOf({ store, dataFolder, receiver }: World, id: (kind: 'token' | 'webhook' | 'digest') => string) {
    const organization = 'Acme'
    const path = join(dataFolder, 'notice.xml')
    type Trial = {
      readonly command: CommandName
      readonly operands?: () => readonly string[]
      readonly options?: object
      /** True for a command that does not concern an organization. */
      readonly whole?: boolean
      readonly action?: string
      /** Undefined for a command that only reads. */
      readonly subject?: string
      readonly prepare?: () => Promise<unknown>
    }
    // its path may be a secret of the receiver
    const { host } = new URL(receiver.url)
    const webhook = { operands: () => [id('webhook')], subject: host }
    const putDelivery = (state: 'delivered' | 'held') => {
      const why = state === 'held' ? 'endpoint' : null
      return sql`
        insert into delivery (message_id, endpoint_no, kind, state, held_why, due_at, created_at)
        select ${state}, endpoint_no, 'search.hit', ${state}, ${why}, 0, ${Date.now()} from webhook_endpoint`.execute(
        store.db,
      )
    }
    const trials: Trial[] = [
      { command: 'status' },
      { command: 'audit' },
      { command: 'config' },
      { command: 'source list' },
      { command: 'source show', operands: () => ['doe'] },
      {
        command: 'organization create',
        operands: () => ['Acme'],
        options: { 'requests-per-minute': 60 },
        subject: 'Acme',
      },
      { command: 'organization update', operands: () => ['Acme'], options: { access: 'off' }, subject: 'Acme' },
      { command: 'organization show', operands: () => ['Acme'] },
      { command: 'organization use' },
      { command: 'organization rename', operands: () => ['Acme', 'Acme Ltd'], subject: 'Acme Ltd' },
      {
        command: 'organization rename',
        operands: () => ['Acme Ltd', 'Acme'],
        subject: 'Acme',
        prepare: async () => {
          const [acme] = await listOrganizations(store.db)
          const terms = { startsAt: 0, endsAt: undefined, note: '', setUpBy: 'anna@example.org' }
          await putContract(store.db, { organizationId: acme!.organizationId, ...terms }, Date.now())
        },
      },
      {
        command: 'organization end',
        operands: () => ['Acme'],
        action: 'contract.end',
        subject: expect.any(String) as string,
      },
      { command: 'token create', operands: () => ['Acme'], options: { name: 'crm' }, subject: 'crm' },
      { command: 'organization list' },
      { command: 'quote list' },
      {
        command: 'quote show',
        operands: () => ['one'],
        prepare: () =>
          inTransaction(store, async (trx) => {
            const asked = {
              name: 'Jo',
              company: 'Jo Ltd',
              mail: 'jo@example.org',
              message: '',
              needs: [],
              language: 'en',
            } as const
            for (const quoteId of ['one', 'two']) await insertQuote(trx, { ...asked, quoteId }, Date.now())
          }),
      },
      {
        command: 'quote close',
        whole: true,
        operands: () => ['one'],
        options: { as: 'declined' },
        action: 'quote.decline',
        subject: 'one',
      },
      {
        command: 'quote close',
        whole: true,
        operands: () => ['two'],
        options: { as: 'accepted' },
        action: 'quote.accept',
        subject: 'two',
      },
      { command: 'quote erase', whole: true, operands: () => ['two'], subject: 'two' },
      { command: 'token list', operands: () => ['Acme'] },
      { command: 'token rotate', operands: () => [id('token')], action: 'token.create', subject: 'crm' },
      { command: 'token revoke', operands: () => [id('token')], subject: 'crm' },
      { command: 'profile create', options: { organization, name: 'us', cpv: ['45000000'] }, subject: 'us' },
      { command: 'profile edit', operands: () => ['us'], options: { organization, nuts: ['DE'] }, subject: 'us' },
      {
        command: 'profile copy',
        operands: () => ['us'],
        options: { organization, name: 'we' },
        action: 'profile.create',
        subject: 'we',
      },
      {
        command: 'profile rename',
        operands: () => ['we'],
        options: { organization, name: 'they' },
        action: 'profile.edit',
        subject: 'they',
      },
      {
        command: 'profile delete',
        operands: () => ['they'],
        options: { organization, confirm: 'they' },
        subject: 'they',
      },
      { command: 'profile list', options: { organization } },
      { command: 'profile show', operands: () => ['us'], options: { organization } },
      { command: 'search create', options: { organization, name: 'roads', cpv: ['45233000'] }, subject: 'roads' },
      { command: 'search edit', operands: () => ['roads'], options: { threshold: 60 }, subject: 'roads' },
      {
        command: 'search copy',
        operands: () => ['roads'],
        options: { name: 'paths' },
        action: 'search.create',
        subject: 'paths',
      },
      {
        command: 'search rename',
        operands: () => ['paths'],
        options: { name: 'ways' },
        action: 'search.edit',
        subject: 'ways',
      },
      { command: 'search delete', operands: () => ['ways'], options: { confirm: 'ways' }, subject: 'ways' },
      { command: 'search list', options: { organization } },
      { command: 'search show', operands: () => ['roads'] },
      { command: 'hit list' },
      { command: 'search pause', operands: () => ['roads'], subject: 'roads' },
      { command: 'search resume', operands: () => ['roads'], subject: 'roads' },
      {
        command: 'hit release',
        operands: () => ['roads'],
        action: 'search.release',
        subject: 'roads',
        prepare: () =>
          sql`insert into search_edition (search_no, edition, hits, state) select search_no, 1, 9, 'held' from saved_search`.execute(
            store.db,
          ),
      },
      {
        command: 'digest create',
        options: { organization, search: 'roads', to: 'b@example.org' },
        subject: 'b@example.org',
      },
      { command: 'digest edit', operands: () => [id('digest')], options: { hour: 5 }, subject: 'b@example.org' },
      {
        command: 'digest start',
        operands: () => [id('digest')],
        subject: 'b@example.org',
        prepare: () => sql`update digest set ended_at = 1`.execute(store.db),
      },
      { command: 'digest list' },
      { command: 'digest remove', operands: () => [id('digest')], subject: 'b@example.org' },
      { command: 'webhook create', options: { organization, url: receiver.url }, subject: host },
      { command: 'webhook update', ...webhook, options: { rate: 3 } },
      { command: 'webhook test', ...webhook },
      { command: 'webhook list' },
      { command: 'webhook deliveries', operands: () => [id('webhook')] },
      { command: 'webhook rotate', ...webhook },
      {
        command: 'webhook replay',
        ...webhook,
        options: { 'all-since': '2026-01-01' },
        prepare: () => putDelivery('delivered'),
      },
      { command: 'webhook release', ...webhook, prepare: () => putDelivery('held') },
      { command: 'webhook disable', ...webhook },
      { command: 'webhook enable', ...webhook },
      { command: 'webhook remove', ...webhook },
      { command: 'console link', whole: true, subject: 'first person' },
      {
        command: 'ingest',
        whole: true,
        operands: () => [path],
        action: 'documents.ingest',
        subject: path,
        prepare: () => writeFile(path, '<no-notice/>'),
      },
      ...(['merge', 'split', 'undo'] as const).map(
        (what): Trial => ({
          command: `review ${what}`,
          whole: true,
          operands: () => ['doe:2', 'ted:1-2026'],
          subject: 'doe:2 ted:1-2026',
          ...(what === 'merge' && {
            prepare: async () => {
              await receiveNotices(store, [
                notice({ noticeKey: 'ted:1-2026', publicationDate: at('2026-01-05') }),
                notice({ noticeKey: 'doe:2', title: { de: 'Winterdienst' }, publicationDate: at('2026-01-09') }),
              ])
              await consolidate(store, { now: Date.now() })
            },
          }),
        }),
      ),
      { command: 'review list' },
      { command: 'review show', operands: () => ['doe:2', 'ted:1-2026'] },
      { command: 'explain', operands: () => [tenderId('ted:1-2026')] },
      {
        command: 'publish',
        whole: true,
        options: { 'override-gate': true, reason: 'by phone' },
        action: 'edition.publishAnyway',
        subject: 'edition 1',
      },
      {
        command: 'backup',
        whole: true,
        operands: () => [join(dataFolder, 'backup')],
        action: 'stock.backUp',
        subject: join(dataFolder, 'backup'),
      },
      {
        command: 'drill',
        whole: true,
        operands: () => [join(dataFolder, 'backup')],
        options: { 'taken-at': 1_767_225_600_000, 'stock-id': '' },
        action: 'stock.drill',
        subject: join(dataFolder, 'backup'),
      },
      { command: 'database new-epoch', whole: true, action: 'stock.newEpoch', subject: 'stock' },
      { command: 'rebuild', whole: true, action: 'stock.rebuild', subject: 'stock' },
      {
        command: 'redact',
        whole: true,
        options: { email: ['jane@example.org'], reason: 'request 7' },
        action: 'redaction.create',
        subject: redaction,
        prepare: () => sql`update redaction_key set key = ${redactionKey.toString('base64')}`.execute(store.db),
      },
      { command: 'redact list' },
      {
        command: 'redact import',
        whole: true,
        operands: () => [join(dataFolder, redactionsFile)],
        action: 'redaction.import',
        subject: join(dataFolder, redactionsFile),
        // as in a database that was restored from an older backup
        prepare: () => sql`delete from redaction`.execute(store.db),
      },
      {
        command: 'redact undo',
        whole: true,
        operands: () => [redaction],
        options: { yes: true },
        action: 'redaction.undo',
        subject: redaction,
      },
      { command: 'values fit', whole: true, subject: 'value model' },
      {
        command: 'maintenance on',
        whole: true,
        options: { until: new Date(Date.now() + 3_600_000).toISOString() },
        subject: 'API',
      },
      { command: 'maintenance off', whole: true, subject: 'API' },
      {
        command: 'source run',
        whole: true,
        operands: () => ['doe'],
        options: { simulator: 'http://127.0.0.1:9' },
        action: 'source.read',
        subject: 'doe',
      },
      {
        command: 'source off',
        whole: true,
        operands: () => ['doe'],
        options: { reason: 'no agreement yet' },
        action: 'source.turnOff',
        subject: 'doe',
      },
      { command: 'source on', whole: true, operands: () => ['doe'], action: 'source.turnOn', subject: 'doe' },
      {
        command: 'source release',
        whole: true,
        prepare: async () => {
          const alarm = { source_id: 'doe', kind: 'fill', raised_at: 1, detail: 'no CPV', share: 1 }
          await store.db
            .insertInto('source_alarm')
            .values({ ...alarm, cleared_at: null })
            .execute()
        },
        operands: () => ['doe'],
        options: { note: 'looked at them' },
        subject: 'doe',
      },
      { command: 'source check', operands: () => ['doe'], options: { simulator: 'http://127.0.0.1:9' } },
    ]
    return trials
  }

  /**
   * Everything in the stock except the log itself, signals that something happened, and what a command sets up once.
   */
  async function contents({ store }: World): Promise<string> {
    const { rows: tables } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables
      where table_schema = current_schema() and table_type = 'BASE TABLE'
        and table_name not in ('audit_entry', 'audit_entry_away', 'change_signal', 'setting') order by table_name`.execute(
      store.db,
    )
    const each = tables.map(
      ({ name }) =>
        sql`select ${name} as name, md5(string_agg(t::text, '|' order by t::text)) as content from ${sql.table(name)} t`,
    )
    const { rows } = await sql<{ name: string; content: string | null }>`${sql.join(each, sql` union all `)}`.execute(
      store.db,
    )
    return rows.map(({ name, content }) => `${name} ${content}`).join('\n')
  }

  test('has an entry for each command that changes something, and none for those that read', {
    timeout: 120_000,
  }, async () => {
    const here = await world()
    const { store, run } = here
    const ids = new Map<string, string>()
    const trials = trialsOf(here, (kind) => ids.get(kind) ?? '')
    const newest = async (): Promise<ListedAuditEntry[]> => listAuditEntries(store.db, { limit: 2 })
    for (const trial of trials) {
      const { command, operands = () => [], options = {}, prepare } = trial
      await prepare?.()
      const [before] = await newest()
      if (trial.subject === undefined) {
        await run(command, operands(), options)
        expect([command, (await newest())[0]?.entryNo]).toEqual([command, before?.entryNo])
        continue
      }
      // without its log, a command does nothing
      await sql`alter table audit_entry rename to audit_entry_away`.execute(store.db)
      const untouched = await contents(here)
      await expect(run(command, operands(), options), command).rejects.toThrow(/audit_entry/)
      expect(await contents(here), command).toBe(untouched)
      await sql`alter table audit_entry_away rename to audit_entry`.execute(store.db)

      for (const event of await run(command, operands(), options)) {
        if (event.event === 'token') ids.set('token', event.tokenId)
        if (event.event === 'webhook' || event.event === 'digest') ids.set(event.event, event.id)
      }
      const [entry, second] = await newest()
      expect([command, second?.entryNo]).toEqual([command, before?.entryNo])
      expect({ command, ...entry, isWhole: entry?.organizationId === undefined }).toMatchObject({
        command,
        ...by,
        action: trial.action ?? command.replace(' ', '.'),
        subject: trial.subject,
        isWhole: trial.whole ?? false,
      })
    }
    await expect(run('publish', [], { reason: 'why' })).rejects.toThrow('with --override-gate')
    const known = new Set<CommandName>([
      ...otherwise,
      ...trials.map(({ command }) => command),
      'database export',
      'edition export',
    ])
    expect(commandNames.filter((name) => !known.has(name))).toEqual([])
  })

  test('`audit` lists them with the name of the organization, the newest first, one organization alone', async () => {
    const { run } = await world()
    expect(await run('audit', [], {})).toEqual([{ event: 'none', message: 'Nobody has changed anything yet.' }])
    for (const name of ['Acme', 'Bell']) await run('organization create', [name], { 'requests-per-minute': 60 })
    await run('token create', ['Acme'], { name: 'crm' })
    const entriesOf = async (options: object) =>
      (await run('audit', [], options)).map((event) =>
        event.event === 'auditEntry' ? `${event.actor} ${event.action} ${event.subject} ${event.organization}` : event,
      )
    expect(await entriesOf({})).toEqual([
      `${by.actor} token.create crm Acme`,
      `${by.actor} organization.create Bell Bell`,
      `${by.actor} organization.create Acme Acme`,
    ])
    expect(await entriesOf({ organization: 'Acme', limit: 1 })).toEqual([`${by.actor} token.create crm Acme`])
    expect(await entriesOf({ organization: 'Bell' })).toEqual([`${by.actor} organization.create Bell Bell`])
  })

  test('an organization created by a command is known to the console', async () => {
    const { store, run } = await world()
    const before = (await readSerials(store.db)).console
    await run('organization create', ['Acme'], { 'requests-per-minute': 60 })
    expect((await readSerials(store.db)).console).toBeGreaterThan(before)
  })

  test.skipIf(engine === 'server' || testDatabaseUrl === undefined)(
    'names the server that a stock was copied to, without its password',
    async () => {
      const { store, run } = await world()
      await using target = await openEmptyDatabase()
      const url = new URL(target.url)
      url.password = 'secret-word'
      await run('database export', [url.href], {}).catch(() => {})
      const [entry] = await listAuditEntries(store.db, { limit: 1 })
      expect(entry).toMatchObject({ ...by, action: 'stock.export', subject: `${url.host}${url.pathname}` })
      expect(JSON.stringify(entry)).not.toContain('secret-word')
    },
  )
})
