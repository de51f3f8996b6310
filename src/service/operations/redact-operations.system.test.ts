// A person's contact data disappears from everything that leaves the service, stays out when notices are read again,
// and returns when the redaction is undone.
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { fixtureXml } from '../../../test/conformance/fixture-notice.ts'
import { openDigestWorld } from '../../../test/digests/digest-world.ts'
import { runOperation, serviceContext } from '../../../test/operations-world.ts'
import { openDeliveryWorld, startReceiver } from '../../../test/webhooks/delivery-world.ts'
import { drawnEngines, openTestStore } from '../../../test/world.ts'
import type { CommandName } from '../../cli/command-table.ts'
import type { TenderContent } from '../../domain/tender.ts'
import { hourMs } from '../../domain/time.ts'
import { listAuditEntries } from '../../store/people/audit.ts'
import { listRejections } from '../../store/received/documents.ts'
import { insertRedaction, listRedactions } from '../../store/received/redactions.ts'
import type { CommandEvent, EventOf } from '../events/command-event.ts'
import { stockReads } from '../start/stock-reads.ts'
import { redactionsFile } from './redact-operations.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const mail = 'jane@authority.example'
/** The fixture with a person as its contact, in the members and in the text. */
const document = (notice: string, title = 'Works') =>
  fixtureXml({ procedure: 'redaction', notice, title, published: '2026-01-05' })
    .replace(
      '<cbc:Telephone>+49 555 0100</cbc:Telephone><cbc:ElectronicMail>office@authority.example</cbc:ElectronicMail>',
      `<cbc:Name>Ms Jane Doe</cbc:Name><cbc:Telephone>+49 555 0100</cbc:Telephone><cbc:ElectronicMail>${mail}</cbc:ElectronicMail>`,
    )
    .replace('Made up for', `Ask Jane Doe (${mail}, 0555/0100). Made up for`)
const values = { email: [mail], phone: ['+49 555 0100'], name: ['Jane Doe'], reason: 'request 7' }
const isPersonal = /jane|doe@|0100/i

describe.each(drawnEngines)('redact (%s)', (engine) => {
  async function world() {
    const store = await openTestStore(engine)
    closers.push(() => store[Symbol.asyncDispose]())
    const dataFolder = await mkdtemp(join(tmpdir(), 'tenderstock-redact-'))
    closers.push(() => rm(dataFolder, { recursive: true, force: true }))
    let now = Date.UTC(2026, 0, 6)
    const context = serviceContext({ store, dataFolder, clock: () => now })
    const run = async (command: CommandName, operands: readonly string[] = [], options: object = {}) => {
      const events: CommandEvent[] = []
      await runOperation(context, { command, operands, options: { ...options } }, (event) => void events.push(event))
      return events
    }
    const ingest = async (...texts: string[]) => {
      const paths = texts.map((_, index) => join(dataFolder, `notice-${index}.xml`))
      for (const [index, text] of texts.entries()) await writeFile(paths[index]!, text)
      await run('ingest', paths)
    }
    const publish = async () => {
      now += hourMs
      await run('publish')
    }
    const contents = async () =>
      (await sql<{ content: string }>`select content from tender order by tender_id`.execute(store.db)).rows.map(
        ({ content }) => content,
      )
    /** The newest edition as clients receive it. */
    const published = async () =>
      (
        await sql<{ body: string; modified: number }>`
          select body, p.last_modified as modified from published_tender p join edition_entry e on e.last_modified = p.last_modified`.execute(
          store.db,
        )
      ).rows
    const reads = stockReads(context, { newest: undefined })
    return { store, context, dataFolder, run, ingest, publish, contents, published, reads }
  }
  const redactedOf = (events: readonly CommandEvent[]): EventOf<'redacted'> =>
    events.find((event) => event.event === 'redacted') as EventOf<'redacted'>

  test('D40: removes the values from the records; a rebuild and new documents restore none; undo does', async () => {
    const { store, run, ingest, publish, contents, published, reads, dataFolder } = await world()
    await ingest(document('call'))
    await publish()
    const [before] = await published()
    expect(before!.body).toMatch(isPersonal)

    const dry = redactedOf(await run('redact', [], { ...values, 'dry-run': true }))
    expect(dry).toMatchObject({ isDryRun: true, notices: 1, records: 1 })
    expect(dry.recordIds).toEqual([(JSON.parse(before!.body) as TenderContent).id])
    expect(dry.members).toMatchObject({ 'contractingAuthorities.email': 1, 'description.en': 1 })
    expect(dry.suspects).toEqual([])
    expect(await contents()).toEqual([expect.stringMatching(isPersonal)])
    // the words of a name beside each other, in none of its spellings
    const other = redactedOf(await run('redact', [], { name: ['Doe Jane Ask'], 'dry-run': true }))
    const suspect = { notice: expect.any(String), member: 'description.en', text: 'Ask Jane Doe' }
    expect(other).toMatchObject({ notices: 0, suspects: [suspect] })

    const done = redactedOf(await run('redact', [], values))
    expect(done).toMatchObject({ isDryRun: false, notices: 1, records: 1, id: dry.id })
    const [content] = await contents()
    expect(content).not.toMatch(isPersonal)
    const record = JSON.parse(content!) as TenderContent
    expect(record.contractingAuthority).not.toHaveProperty('contactName')
    expect(record.description).toMatch(/^Ask \[redacted\] \(\[redacted\], \[redacted\]\)\. Made up/)
    await publish()
    const [after] = await published()
    expect(after!.body).not.toMatch(isPersonal)
    expect(after!.modified).toBeGreaterThan(before!.modified)

    // the same notice again, a new one of the same person, and everything parsed again
    await ingest(document('call'), document('second', 'Works, corrected'))
    expect((await contents()).join('')).not.toMatch(isPersonal)
    await run('rebuild')
    expect((await contents()).join('')).not.toMatch(isPersonal)

    // the explanation of a record, and the raw document
    const explained = await run('explain', [record.id])
    expect(JSON.stringify(explained)).not.toMatch(isPersonal)
    expect(JSON.stringify(await reads.record(record.id))).not.toMatch(isPersonal)
    const { rows } = await sql<{ id: string }>`select document_id as id from source_document`.execute(store.db)
    for (const { id } of rows) expect(Buffer.from((await reads.document(id))!.bytes).toString()).not.toMatch(isPersonal)

    // nothing that is stored about the redaction contains the values
    const kept = [
      await sql`select * from redaction`.execute(store.db),
      await listAuditEntries(store.db, { limit: 9 }),
      await readFile(join(dataFolder, redactionsFile), 'utf8'),
      await run('redact list'),
    ]
    expect(JSON.stringify(kept)).not.toMatch(isPersonal)
    expect(await run('redact list')).toMatchObject([
      {
        event: 'redaction',
        id: done.id,
        kinds: { email: 1, phone: 1, name: 1 },
        reason: 'request 7',
        appliedAt: expect.any(Number),
      },
    ])
    expect((await stat(join(dataFolder, redactionsFile))).mode & 0o777).toBe(0o600)
    // until everything was processed again
    const [rule] = await listRedactions(store.db)
    await insertRedaction(store.db, { ...rule!, reason: 'another' })
    expect(await listRedactions(store.db)).toEqual([{ ...rule, appliedAt: null }])

    await run('redact undo', [done.id])
    expect((await contents()).join('')).toMatch(isPersonal)
    expect(await run('redact list')).toMatchObject([{ event: 'none' }])
  })

  test('takes the values from a file, which no message quotes', async () => {
    const { run, ingest, contents, dataFolder } = await world()
    await ingest(document('call'))
    const file = join(dataFolder, 'request-7')
    const redact = (text: string) =>
      writeFile(file, text).then(() => run('redact', [], { 'secret-file': file, reason: 'request 7' }))
    await expect(redact(`email: ${mail}\nJane Doe\n`)).rejects.toThrow(/^Line 2 of the file .* must begin with/)
    await expect(redact('name: Jane Doe\nmail: jane\n')).rejects.not.toThrow(/jane/i)
    await expect(redact('# nothing\n\n')).rejects.toThrow(/names nothing/)
    await expect(run('redact', [], { 'secret-file': `${file}-2` })).rejects.toThrow(/cannot be read \(ENOENT\)/)
    expect((await contents()).join('')).toMatch(isPersonal)
    const text = `# request 7\nemail: ${mail}\r\n\nphone: +49 555 0100\nName:Jane Doe`
    expect(redactedOf(await redact(text))).toMatchObject({ notices: 1, records: 1 })
    expect((await contents()).join('')).not.toMatch(isPersonal)
  })

  test('reaches the copies of records: bodies and mails made before, and those made later of an older edition', async () => {
    const { store, run } = await world()
    using receiver = await startReceiver()
    const deliveries = await openDeliveryWorld(store)
    const endpoint = await deliveries.addEndpoint(receiver.url)
    const first = await deliveries.addHit(`Ask ${mail}`)
    await deliveries.addDelivery(endpoint.endpointNo, first)
    await deliveries.deliver()
    expect(receiver.received.at(-1)!.body).toContain(mail)
    const second = await deliveries.addHit(`Write to ${mail}`)
    await deliveries.addDelivery(endpoint.endpointNo, second)
    const digests = await openDigestWorld(store)
    await digests.subscribe('b@example.org')
    await sql`
      insert into mail (message_id, digest_id, content, due_at, created_at)
      select 'one', digest_id, ${JSON.stringify({ search: 'x', items: [{ title: `Ask ${mail}` }] })}, 0, 0 from digest`.execute(
      store.db,
    )
    // a mail of the console is for the person whom it names
    const own = JSON.stringify({ kind: 'link', to: mail })
    await sql`
      insert into mail (message_id, person, content, due_at, created_at) values ('two', ${mail}, ${own}, 0, 0)`.execute(
      store.db,
    )
    await sql`
      insert into source_document (document_id, source_id, address, received_at, byte_size, parser_version, packed)
      values ('d', 's', 'a', 0, 0, 0, null)`.execute(store.db)
    await sql`
      insert into rejection (document_id, pointer, reason, path, detail, rejected_at)
      values ('d', '', 'malformed', '', ${`near ${mail}`}, 0)`.execute(store.db)

    const done = redactedOf(await run('redact', [], { email: [mail], reason: 'request 8' }))
    expect(done).toMatchObject({ bodies: 1, mails: 1 })
    const bodies = await sql<{ packed: Uint8Array }>`select packed from delivery_body`.execute(store.db)
    for (const { packed } of bodies.rows) expect(gunzipSync(packed).toString()).not.toContain(mail)
    await deliveries.deliver()
    expect(receiver.received).toHaveLength(2)
    expect(receiver.received.at(-1)!.body).not.toContain(mail)
    expect(receiver.received.at(-1)!.body).toContain('Write to [redacted]')
    const mails = await sql<{ content: string }>`select content from mail order by message_id`.execute(store.db)
    expect(mails.rows).toEqual([{ content: expect.not.stringContaining(mail) }, { content: own }])
    expect((await listRejections(store.db, 9)).map(({ detail }) => detail)).toEqual(['near [redacted]'])
    expect(JSON.stringify(await run('hit list'))).not.toContain(mail)
  })

  test('reaches hits, estimates and records without a notice, and only counts in a dry run', async () => {
    const { store, run, ingest } = await world()
    using receiver = await startReceiver()
    const deliveries = await openDeliveryWorld(store)
    const endpoint = await deliveries.addEndpoint(receiver.url)
    const { tenderId, ...hit } = await deliveries.addHit(`Ask ${mail}`)
    await deliveries.addDelivery(endpoint.endpointNo, hit)
    await deliveries.deliver()
    await ingest(document('call'))
    await sql`update hit set matched = ${JSON.stringify([`text: ${mail}`])}`.execute(store.db)
    await sql`
      insert into tender_estimate (tender_id, inputs_hash, model_version, estimate)
      select ${tenderId}, 'h' || n, 'v', ${JSON.stringify({ kind: 'estimate', alike: [`for ${mail}`] })} || repeat(' ', n)
      from generate_series(1, 3000) n`.execute(store.db)
    // it no longer contains any notice
    await sql`
      insert into tender (tender_id, founding_key, content, content_hash, sources)
      values (${tenderId}, 'k', ${JSON.stringify({ id: tenderId, title: `Ask ${mail}` })}, 'old', '["ted"]')`.execute(
      store.db,
    )
    await sql`
      insert into mail (message_id, person, content, due_at, created_at)
      values ('to-jane', ${mail}, ${JSON.stringify({ link: mail })}, 0, 0)`.execute(store.db)
    const stored = async () => ({
      tenders: (await sql`select content, content_hash from tender order by 1`.execute(store.db)).rows,
      copies: (await sql`select matched from hit union all select estimate from tender_estimate`.execute(store.db))
        .rows,
      bodies: (await sql`select packed from delivery_body`.execute(store.db)).rows,
      waiting: (await sql`select from notice where not is_consolidated`.execute(store.db)).rows.length,
    })
    const before = await stored()
    const values = { email: [mail], reason: 'request 10' }
    const dry = redactedOf(await run('redact', [], { ...values, 'dry-run': true }))
    expect(dry).toMatchObject({ notices: 1, records: 2, bodies: 1, mails: 0, others: 3001 })
    expect(await stored()).toEqual(before)

    expect(redactedOf(await run('redact', [], values))).toMatchObject({
      notices: 1,
      records: 2,
      bodies: 1,
      others: 3001,
    })
    const { tenders, copies } = await stored()
    expect(JSON.stringify([tenders, copies])).not.toContain(mail)
    expect(JSON.stringify(copies)).toContain('text: [redacted]')
    expect(tenders).not.toContainEqual(expect.objectContaining({ content_hash: 'old' }))
    // mails from the console to a person contain that person's data
    const { rows: mails } = await sql<{ content: string }>`select content from mail`.execute(store.db)
    expect(mails.map(({ content }) => content)).toEqual([JSON.stringify({ link: mail })])
  })

  test('is applied to a restored database by its file, once', async () => {
    const { store, run, ingest, publish, contents, dataFolder } = await world()
    await ingest(document('call'))
    await run('redact', [], values)
    await publish()
    await run('redact', [], { email: ['other@example.org'], reason: 'request 9' })
    const listed = (await run('redact list')) as EventOf<'redaction'>[]
    expect(listed.map(({ reason }) => reason)).toEqual(['request 7', 'request 9'])
    const other = listed.find(({ reason }) => reason === 'request 9')
    await run('redact undo', [other!.id])
    // the state before the redaction
    await sql`delete from redaction`.execute(store.db)
    await sql`update notice set is_consolidated = false`.execute(store.db)
    await ingest(document('second', 'Works, corrected'))
    expect((await contents()).join('')).toMatch(isPersonal)

    const path = join(dataFolder, redactionsFile)
    const imported = (await run('redact import', [path])).at(-1)
    expect(imported).toMatchObject({ event: 'redactionsImported', added: 1, undone: 0, known: 0 })
    expect((await contents()).join('')).not.toMatch(isPersonal)
    expect(await run('redact list')).toMatchObject([{ reason: 'request 7', appliedAt: expect.any(Number) }])
    expect((await run('redact import', [path])).at(-1)).toMatchObject({ added: 0, undone: 0, known: 1 })
    // an import that was interrupted after it recorded the rules
    await sql`update redaction set applied_at = null`.execute(store.db)
    await sql`update tender set content = replace(content, '[redacted]', ${mail})`.execute(store.db)
    expect((await contents()).join('')).toMatch(isPersonal)
    await run('redact import', [path])
    expect((await contents()).join('')).not.toMatch(isPersonal)
    expect(await run('redact list')).toMatchObject([{ appliedAt: expect.any(Number) }])

    // a backup from before an undo
    const [rule] = await listRedactions(store.db)
    await run('redact undo', [rule!.redactionId])
    await insertRedaction(store.db, rule!)
    await sql`update notice set is_consolidated = false`.execute(store.db)
    await ingest(document('third', 'Works, cancelled'))
    expect((await contents()).join('')).not.toMatch(isPersonal)
    expect((await run('redact import', [path])).at(-1)).toMatchObject({ added: 0, undone: 1, known: 0 })
    // the next consolidation, whatever its reason, has the values again
    await ingest(fixtureXml({ procedure: 'other', notice: 'fourth', title: 'Roads', published: '2026-01-05' }))
    expect((await contents()).join('')).toMatch(/Ask Jane Doe/)

    await writeFile(path, '{"no": "redaction"}\n')
    await expect(run('redact import', [path])).rejects.toThrow('Line 1')
    await sql`update redaction_key set key = 'another'`.execute(store.db)
    await writeFile(path, '{"key":"0000","undone":"x"}\n')
    await expect(run('redact import', [path])).rejects.toThrow('another stock')
  })

  test('names missing arguments', async () => {
    const { run } = await world()
    await expect(run('redact', [], { reason: 'x' })).rejects.toThrow('--email')
    await expect(run('redact', [], { email: [mail] })).rejects.toThrow('--reason')
    await expect(run('redact', [], { name: ['Jane'], reason: 'x' })).rejects.toThrow('last name')
    await expect(run('redact undo', ['nothing'])).rejects.toThrow('redact list')
  })
})
