// The whole way black-box: a service with sample portals makes hits, mails them to a real server, and a click ends the
// mails.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { commandActor } from '../../src/actions/acting.ts'
import { addIncident } from '../../src/actions/incidents.ts'
import { systemRandom } from '../../src/platform/random.ts'
import { createDigestNow } from '../../src/service/operations/digest-operations.ts'
import { createSearchNow } from '../../src/service/operations/hit-operations.ts'
import { inTransaction, openStore } from '../../src/store/database/database.ts'
import { listDigests } from '../../src/store/hits/digests.ts'
import { listAuditEntries } from '../../src/store/people/audit.ts'
import { createOrganization } from '../../src/store/people/organizations.ts'
import { addMember, createPerson } from '../../src/store/people/people.ts'
import { getsStatusMails, setStatusMails } from '../../src/store/people/status-mails.ts'
import { headerOf, parseMails, startMailReceiver } from './mail-receiver.ts'

/** Where people are said to reach the service: its port is not known before it listens. */
const baseUrl = 'http://127.0.0.1:9'

const program = new URL('../../src/bin/tenderstock.ts', import.meta.url).pathname
const { DATABASE_URL: _database, REDIS_URL: _redis, ...environment } = process.env

test('hits of an edition are emailed, and one click ends the emails', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'tenderstock-digest-'))
  await using receiver = await startMailReceiver({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'sesame-street' ? done(null, { user: username }) : done(new Error('no')),
  })
  const context = { clock: Date.now, random: systemRandom, config: {} }
  const store = await openStore({ dataFolder })
  const circumstances = { now: Date.now(), random: systemRandom }
  const { organization } = await createOrganization(store.db, { name: 'Acme' }, circumstances)
  const options = { organization: 'Acme', search: 'Roads', name: 'Roads', to: 'anna@example.org' }
  await createSearchNow(
    { ...context, store },
    { command: '', operands: [], options: { ...options, cpv: ['45000000'], threshold: 1 } },
    () => {},
  )
  await createDigestNow(
    { ...context, store },
    { command: '', operands: [], options: { ...options, rhythm: 'at-once' } },
    () => {},
  )
  const bert = systemRandom.uuid()
  await inTransaction(store, async (trx) => {
    const [{ organizationId }, { now }] = [organization, circumstances]
    await createPerson(trx, { personId: bert, mail: 'bert@example.org', name: '', isOperator: false }, now)
    await addMember(trx, { organizationId, personId: bert, role: 'owner' }, now)
    await setStatusMails(trx, bert, true)
    const acting = { ...commandActor, ...circumstances, mailDomain: 'example.org' }
    await addIncident(trx, acting, { title: 'Late', detail: 'We wait.', startedAt: now })
  })
  await store.close()
  const child = spawn(process.execPath, [program, 'start', '--data', dataFolder, '--api-port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...environment,
      TENDERSTOCK_SMTP_URL: `smtp://me:sesame-street@127.0.0.1:${receiver.settings.port}`,
      TENDERSTOCK_MAIL_FROM: 'tenders@example.org',
      TENDERSTOCK_BASE_URL: baseUrl,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)))
  try {
    const isMailed = () => receiver.received.length > 1 || child.exitCode !== null
    await vi.waitUntil(isMailed, { timeout: 200_000, interval: 100 }).catch(() => {})
    expect(receiver.received, `not two mails:\n${output}`).toHaveLength(2)
    const [, api] = /"event":"ready".*?"api":"([^"]+)"/.exec(output)!
    const parsed = parseMails(receiver.received)
    const mailTo = (name: string) => parsed[receiver.received.findIndex(({ to }) => to[0]!.startsWith(name))]
    const [mail, news] = [mailTo('anna'), mailTo('bert')]
    expect(headerOf(mail!, 'Subject')).toMatch(/^\d+ new tenders: Roads$/)
    const [link] = /http[^>]+/.exec(headerOf(mail!, 'List-Unsubscribe')!)!
    expect(mail!.parts['text/plain']).toContain(link)
    expect(mail!.addresses).toContain(link)
    const address = link.replace(baseUrl, api!)
    expect(address).not.toBe(link)
    const list = () =>
      new Promise<string>((resolve) => {
        const listing = spawn(process.execPath, [program, 'digest', 'list', '--data', dataFolder], { env: environment })
        let text = ''
        listing.stdout.on('data', (bytes) => (text += String(bytes)))
        listing.on('close', () => resolve(text))
      })
    expect(await list()).toMatch(/anna@example\.org {2}"Roads", at once\n.*1 mails? sent/)
    expect((await fetch(address)).status).toBe(200)
    expect(await list()).toContain('anna@example.org')
    const broken = address.replace(/.$/, (letter) => (letter === 'A' ? 'Q' : 'A'))
    expect((await fetch(broken, { method: 'POST' })).status).toBe(404)
    expect((await fetch(address, { method: 'POST', body: 'List-Unsubscribe=One-Click' })).status).toBe(200)
    expect(await list()).toContain('There is no digest yet')
    expect((await fetch(address, { method: 'POST' })).status).toBe(200)
    expect(headerOf(news!, 'Subject')).toBe('Incident: Late')
    const [leave] = /http[^>]+/.exec(headerOf(news!, 'List-Unsubscribe')!)!
    expect(news!.addresses).toContain(leave)
    const oneClick = leave.replace(baseUrl, api!)
    expect(await (await fetch(oneClick)).text()).toContain('incidents and maintenance')
    expect((await fetch(oneClick, { method: 'POST', body: 'List-Unsubscribe=One-Click' })).status).toBe(200)
  } finally {
    child.kill('SIGTERM')
    await once(child, 'close')
  }
  expect(output).not.toContain('sesame-street')
  const after = await openStore({ dataFolder })
  const { organizationId } = organization
  const entries = await listAuditEntries(after.db, { organizationId, limit: 20 })
  const removed = entries.filter(({ action }) => action === 'digest.remove')
  expect(removed).toMatchObject([
    { actor: 'anna@example.org', subject: 'anna@example.org', detail: { search: 'Roads' } },
  ])
  expect(await listDigests(after.db)).toEqual([])
  expect(await getsStatusMails(after.db, bert)).toBe(false)
  await after.close()
  await rm(dataFolder, { recursive: true, force: true })
}, 240_000)
