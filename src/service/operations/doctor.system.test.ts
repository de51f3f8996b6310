// Findings that depend on one setting, one file or one permission, each beside its opposite. Processes and servers:
// test/doctor.system.test.ts.
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { SMTPServerOptions } from 'smtp-server'
import { expect, onTestFinished, test } from 'vitest'
import { startMailReceiver } from '../../../test/digests/mail-receiver.ts'
import { s3Keys, startS3Store } from '../../../test/imitations/s3-store.ts'
import { openEmptyDatabase, testDatabaseUrl } from '../../../test/world.ts'
import type { BucketLocation, MailSettings } from '../../platform/config.ts'
import { systemRandom } from '../../platform/random.ts'
import { type DoctorOptions, runDoctor } from './doctor.ts'

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenderstock-doctor-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** What is found with these settings, and the exit code. */
async function examine(dataFolder: string, given: Partial<DoctorOptions> = {}) {
  const found: { readonly check: string; readonly state: string; readonly message: string }[] = []
  const others: unknown[] = []
  const code = await runDoctor({
    dataFolder,
    readConfig: () => ({}),
    clock: Date.now,
    random: systemRandom,
    version: 'test',
    apiHost: '127.0.0.1',
    apiPort: 0,
    consoleHost: '127.0.0.1',
    consolePort: 0,
    keyOf: () => undefined,
    emit: (event) => {
      if (event.event === 'finding') found.push(event)
      else others.push(event)
    },
    ...given,
  })
  const of = (check: string, state: string) =>
    found.filter((each) => each.check === check && each.state === state).map(({ message }) => message)
  return { code, of, others }
}

test('a service that hangs is a problem, and the examination ends without it', async () => {
  const folder = await newFolder()
  const sockets: Socket[] = []
  const hanging = createServer((socket) => void sockets.push(socket.resume()))
  await new Promise<void>((done) => hanging.listen(join(folder, 'control.sock'), done))
  const taken = createServer((socket) => void sockets.push(socket.resume()))
  await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done))
  onTestFinished(() => void taken.close())
  const { of, code } = await examine(folder, { apiPort: (taken.address() as AddressInfo).port })
  expect(of('service', 'problem')).toEqual([expect.stringMatching(/does not answer within 4\.5 s/)])
  // nobody can tell whose port that is
  expect(of('api port', 'problem')).toEqual([])
  expect(of('api port', 'warning')).toEqual([expect.stringMatching(/in use, probably by the service that does not/)])
  expect(of('console port', 'ok')).toHaveLength(1)
  expect(code).toBe(1)
  // an open connection would keep the process alive
  await new Promise((done) => hanging.close(done))
  expect(sockets).toHaveLength(1)
})

test('a folder or a key that others may use is a problem, and nothing is left behind', async () => {
  const folder = await newFolder()
  const path = join(folder, 'secret-key')
  const good = `${Buffer.alloc(32, 7).toString('base64')}\n`
  for (const [mode, text, problems] of [
    [0o600, good, []],
    [0o640, good, [expect.stringMatching(/^Others may read the key in .*: chmod 600/)]],
    [0o600, `${Buffer.alloc(31, 7).toString('base64')}\n`, [expect.stringMatching(/holds no key of 32 bytes/)]],
  ] as const) {
    await writeFile(path, text)
    await chmod(path, mode)
    const { of, code, others } = await examine(folder)
    expect(of('secret key', 'problem')).toEqual(problems)
    expect(of('secret key', 'ok')).toHaveLength(problems.length === 0 ? 1 : 0)
    expect(code).toBe(problems.length)
    expect(others).toMatchObject([{ event: 'findings', problems: problems.length }])
  }
  await chmod(folder, 0o770)
  expect((await examine(folder)).of('disk', 'problem')).toEqual([])
  await chmod(folder, 0o702)
  expect((await examine(folder)).of('disk', 'problem')).toEqual([expect.stringMatching(/^Everybody may write to/)])
  expect(await readdir(folder)).toEqual(['secret-key'])
})

test('a service that reads portals must name a contact; one that reads none is warned once', async () => {
  const folder = await newFolder()
  const contact = /^TENDERSTOCK_CONTACT is not set/
  const none = await examine(folder)
  expect(none.of('settings', 'warning')).toContainEqual(expect.stringMatching(contact))
  expect([none.of('settings', 'problem'), none.code]).toEqual([[], 0])
  const live = await examine(folder, { portals: { sources: ['no-such-source'] } })
  expect(live.of('settings', 'problem')).toEqual([expect.stringMatching(contact)])
  expect([live.of('portal', 'problem').length, live.code]).toEqual([1, 1])
  const said = await examine(folder, { readConfig: () => ({ contact: 'ops@example.org' }) })
  expect(said.of('settings', 'warning').join(' ')).not.toMatch(contact)
})

test('with portals, sources without their key are named, except those that are not requested', async () => {
  const folder = await newFolder()
  const keysOf = async (sources: readonly string[], keyOf: DoctorOptions['keyOf'] = () => undefined) =>
    (await examine(folder, { portals: { sources: ['no-such-source', ...sources] }, keyOf })).of(
      'source keys',
      'warning',
    )
  expect(await keysOf(['fi-hilma', 'ted'])).toEqual([expect.stringContaining('fi-hilma (TENDERSTOCK_HILMA_API_KEY).')])
  expect(await keysOf(['fi-hilma'], (setting) => (setting === 'HILMA_API_KEY' ? 'x' : undefined))).toEqual([])
  expect(await keysOf(['ted'])).toEqual([])
})

test('what the mail server objects to is named with what to do, and nothing is sent', async () => {
  const folder = await newFolder()
  const commands: string[] = []
  const refusing = (code: number, text: string) => Object.assign(new Error(text), { responseCode: code })
  const examineMail = async (options: SMTPServerOptions, settings: Partial<MailSettings> = {}) => {
    await using receiver = await startMailReceiver({
      onMailFrom: ({ address }, _session, done) => done(void commands.push(`from ${address}`) as undefined),
      ...options,
    })
    const mail = { ...receiver.settings, ...settings }
    const { of } = await examine(folder, { readConfig: () => ({ mail }) })
    expect(receiver.received).toEqual([])
    return [...of('mail', 'ok'), ...of('mail', 'warning'), ...of('mail', 'problem')].map(
      (message) => `${['ok', 'warning', 'problem'].find((state) => of('mail', state).includes(message))}: ${message}`,
    )
  }
  const recipient = (verdict: Error | null): SMTPServerOptions => ({
    onRcptTo: ({ address }, _session, done) => {
      commands.push(`to ${address}`)
      done(verdict)
    },
  })
  expect(await examineMail(recipient(null))).toEqual([
    'ok: The mail server 127.0.0.1 accepts mails from tenders@example.org.',
  ])
  expect(commands).toEqual(['from tenders@example.org', 'to tenders@example.org'])
  const sender = (verdict: Error): SMTPServerOptions => ({ onMailFrom: (_address, _session, done) => done(verdict) })
  const login = (verdict: Error): SMTPServerOptions => ({ onAuth: (_auth, _session, done) => done(verdict) })
  const me = { user: 'me', password: 'p@ss-word' }
  for (const [options, settings, expected] of [
    [
      sender(refusing(553, 'Not yours')),
      {},
      /^problem: .* refuses the sender \(.*553.*Not yours.*TENDERSTOCK_MAIL_FROM/,
    ],
    [sender(refusing(451, 'Later')), {}, /^warning: .* refuses the sender for now \(.*Later.*again in 15 minutes/],
    [recipient(refusing(550, 'No such user')), {}, /^problem: .* own address \(.*No such user.*create that mailbox/],
    [recipient(refusing(450, 'Greylisted')), {}, /^warning: .* for now \(.*Greylisted.*tried again/],
    [login(refusing(535, 'No p@ss-word')), me, /^problem: .* refuses to sign in \(.*No ….*percent-encoded/],
    [{}, { security: 'starttls' }, /^problem: .* does not encrypt .*587.*465/],
    [{}, { security: 'smtps' }, /^problem: .* does not encrypt .*587.*465/],
    [{}, { port: 1 }, /^problem: .*:1 cannot be reached \(.*ECONNREFUSED.*TENDERSTOCK_SMTP_URL/],
    [{ onMailFrom: () => {} }, {}, /^problem: .* stops to answer \(no answer within.*examine it again/],
    [{ onConnect: () => {} }, {}, /^problem: .* cannot be reached \(.*(?:no answer|Greeting)/],
  ] as const satisfies readonly (readonly [SMTPServerOptions, Partial<MailSettings>, RegExp])[])
    expect(await examineMail(options, settings)).toEqual([expect.stringMatching(expected)])
}, 60_000)

test.skipIf(testDatabaseUrl === undefined)('a user who may not create tables is a problem', async () => {
  await using database = await openEmptyDatabase()
  const url = new URL(database.url)
  const user = url.pathname.slice(1).replace('tenderstock_test', 'doctor')
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    await client.query(`create role ${user} login password 'doctor'`)
    ;[url.username, url.password] = [user, 'doctor']
    const folder = await newFolder()
    const examineAs = (databaseUrl: string) => examine(folder, { readConfig: () => ({ databaseUrl }) })
    const mayNot = /^The user may not create tables: grant create on schema public/
    expect((await examineAs(url.href)).of('database', 'problem')).toContainEqual(expect.stringMatching(mayNot))
    await client.query(`grant create on schema public to ${user}`)
    expect((await examineAs(url.href)).of('database', 'problem').join(' ')).not.toMatch(mayNot)
  } finally {
    await client.query(`drop owned by ${user}`)
    await client.query(`drop role ${user}`)
    await client.end()
  }
})

test('the bucket of files has to be written, listed and read by signed addresses, and nothing stays there', async () => {
  await using store = await startS3Store({ bucket: 'files', region: 'eu-1', clock: Date.now })
  const place: BucketLocation = {
    ...s3Keys,
    kind: 'bucket',
    bucket: 'files',
    prefix: 'bulk/',
    region: 'eu-1',
    endpoint: store.url,
  }
  const folder = await newFolder()
  const examineFiles = async (bulkFiles: BucketLocation, refusal: typeof store.refusal = () => undefined) => {
    store.refusal = refusal
    const { of, code } = await examine(folder, { readConfig: () => ({ bulkFiles }) })
    expect(store.objects.size).toBe(0)
    return [code, ...of('files in a bucket', 'ok'), ...of('files in a bucket', 'problem')]
  }
  expect(await examineFiles(place)).toEqual([0, expect.stringContaining(`${store.url} opens signed addresses`)])
  expect(store.requests.map(({ method }) => method)).toEqual(['PUT', 'GET', 'GET', 'DELETE'])
  const isObject = (path: string) => path.includes('/doctor-')
  for (const [refusal, message] of [
    [(method: string) => (method === 'PUT' ? 403 : undefined), /may read and write there/],
    [(method: string, path: string) => (method === 'GET' && isObject(path) ? 403 : undefined), /s3:GetObject/],
    [(method: string, path: string) => (method === 'GET' && !isObject(path) ? 403 : undefined), /s3:ListBucket/],
  ] as const)
    expect(await examineFiles(place, refusal)).toEqual([1, expect.stringMatching(message)])
  expect(await examineFiles({ ...place, secretAccessKey: 'another' })).toEqual([
    1,
    expect.stringMatching(/SignatureDoesNotMatch; check AWS_/),
  ])
  expect(await examineFiles({ ...place, bucket: 'none' })).toEqual([1, expect.stringMatching(/none/)])
})
