// `tenderstock doctor`: what is wrong with this machine, its settings and what it depends on, and what to do about
// each. Changes nothing.
import type { Stats } from 'node:fs'
import { mkdtemp, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openEntries, othersBits } from '#flat/files/own-files'
import { connectRedis } from '../../api/limits/connect-redis.ts'
import { examineMailServer, type MailStage } from '../../digests/examine-mail-server.ts'
import { clockLine } from '../../domain/clock-concern.ts'
import { hourMs } from '../../domain/time.ts'
import { fromNodes } from '../../edition/format/bucket-files.ts'
import { type Clock, systemSleep } from '../../platform/clock.ts'
import { type BucketLocation, bucketUrlOf, type Config, type MailSettings } from '../../platform/config.ts'
import { OperatorError } from '../../platform/errors.ts'
import { openHttp } from '../../platform/http.ts'
import type { Random } from '../../platform/random.ts'
import { secretKeyFile, secretKeyOf } from '../../platform/sealing.ts'
import { keyVariable } from '../../platform/settings.ts'
import { within } from '../../platform/within.ts'
import { loadSources } from '../../sources/registry.ts'
import { openBucket } from '../../store/files/bucket.ts'
import { examineServers, type ServerFacts } from '../../store/server/examine-server.ts'
import { assertVersion } from '../../store/server/open-server.ts'
import { askRunningService } from '../control/control-socket.ts'
import type { Emit, EventOf } from '../events/command-event.ts'
import { openBulkBucket } from '../nodes/bulk-bucket.ts'
import { findPort, hostOf, type ListenAddress } from '../nodes/listening-address.ts'
import { nodeClockConcern, publisherClockConcern } from '../watch/clock-concerns.ts'
import { unknownSettings } from './setting-operations.ts'
import { checkSources } from './source-operations.ts'

/** How long each check may take; one that takes longer is a problem itself. */
const checkMs = 5_000
/** Age from which a nightly backup was missed, and from which the drills of three nights have failed. */
const [oldBackupMs, oldDrillMs] = [30 * hourMs, 80 * hourMs]
/** Free bytes below which the disk is a problem, and below which it is a warning. */
const [minBytes, fewBytes] = [200_000_000, 2_000_000_000]
/** Maximum number of connections that one process opens. */
const connectionsOfProcess = 12
const oldestNode = 24
/** Portals that --live checks when none is named: the two that most services read. */
const usualPortals = ['ted', 'doe']

type Finding = Omit<EventOf<'finding'>, 'event' | 'check'>
const ok = (message: string): Finding => ({ state: 'ok', message })
const warning = (message: string): Finding => ({ state: 'warning', message })
const problem = (message: string): Finding => ({ state: 'problem', message })

export type DoctorOptions = {
  readonly dataFolder: string
  /** Throws OperatorError when a setting cannot be used. */
  readonly readConfig: () => Config
  readonly clock: Clock
  readonly random: Random
  readonly version: string
  readonly apiHost: string
  readonly apiPort: number
  readonly consoleHost: string
  readonly consolePort: number
  /** Absent: the service serves no metrics. */
  readonly metrics?: ListenAddress
  /** Sends a small request to each of these portals; absent: to none. */
  readonly portals?: { readonly sources: readonly string[]; readonly simulator?: string }
  readonly keyOf: (setting: string) => string | undefined
  readonly emit: Emit
}

/** Runs all checks, one after the other, and reports each. Returns the exit code: 1 with a problem, else 0. */
export async function runDoctor(options: DoctorOptions): Promise<number> {
  const counts = { ok: 0, warning: 0, problem: 0 }
  const report = (check: string, finding: Finding) => {
    counts[finding.state] += 1
    options.emit({ event: 'finding', check, ...finding })
  }
  const examine = async (check: string, work: (found: (finding: Finding) => void) => Promise<void>) => {
    let isLate = false
    const found = (finding: Finding) => {
      if (!isLate) report(check, finding)
    }
    const isDone = await within(work(found), checkMs).catch((error: unknown) => {
      found(problem(sentenceOf(error)))
      return true
    })
    isLate = true
    if (!isDone) report(check, problem(`No answer within ${checkMs / 1000} s; check that it runs and can be reached.`))
  }
  await examine('node', async (found) => found(nodeFinding()))
  let config: Config | undefined
  await examine('settings', async (found) => {
    config = options.readConfig()
    for (const finding of settingFindings(
      config,
      options.portals !== undefined && options.portals.simulator === undefined,
    ))
      found(finding)
    for (const { name, nearest } of await unknownSettings())
      found(problem(`${name} is no setting and does nothing: ${nearest ? `did you mean ${nearest}?` : 'remove it.'}`))
  })
  if (config?.mail) await examine('mail', (found) => checkMailServer(config!.mail!, found))
  if (config?.editions) await examine('editions in a bucket', (found) => checkBucket(config!.editions!, options, found))
  if (config?.bulkFiles)
    await examine('files in a bucket', (found) => checkBulkBucket(config!.bulkFiles!, options, found))
  let service: ServiceState = 'none'
  await examine('service', async (found) => {
    const answered = await askService(options.dataFolder)
    service = answered.service
    found(serviceFindings[service])
    for (const finding of backupFindings(answered.status, options.clock())) found(finding)
  })
  for (const [setting, url] of [
    ['TENDERSTOCK_BASE_URL', config?.baseUrl],
    ['TENDERSTOCK_CONSOLE_URL', config?.consoleUrl],
  ] as const)
    if (url !== undefined)
      await examine('addresses', async (found) => found(await addressFinding(setting, url, { service })))
  await examine('disk', (found) => checkDisk(options.dataFolder, found))
  await examine('files', (found) => checkFiles(options.dataFolder, config, found))
  await examine('secret key', (found) => checkSecretKey(options.dataFolder, config, found))
  if (config?.databaseUrl !== undefined)
    await examine('database', (found) => checkDatabase(config!.databaseUrl!, options.clock, found))
  else if (config)
    report('database', ok('The embedded engine; DATABASE_URL is not set. Its clock is that of this machine.'))
  if (config?.redisUrl !== undefined) await examine('redis', (found) => checkRedis(config!.redisUrl!, found))
  else if (config)
    report('redis', ok('REDIS_URL is not set: each process counts requests for itself, which suits one process.'))
  for (const [name, host, port, option] of [
    ['api', options.apiHost, options.apiPort, '--api-port'],
    ['console', options.consoleHost, options.consolePort, '--console-port'],
    ...(options.metrics ? [['metrics', options.metrics.host, options.metrics.port, '--metrics-port'] as const] : []),
  ] as const)
    await examine(`${name} port`, async (found) => found(await portFinding(host, port, { service, option })))
  const { portals } = options
  if (portals) await examine('source keys', async (found) => found(await keyFinding(portals.sources, options.keyOf)))
  if (options.portals && config) await checkPortals({ ...options, config, portals: options.portals }, report)
  options.emit({ event: 'findings', ok: counts.ok, warnings: counts.warning, problems: counts.problem })
  return counts.problem === 0 ? 0 : 1
}

function sentenceOf(error: unknown): string {
  if (error instanceof OperatorError) return error.message
  const { message, code } = error as NodeJS.ErrnoException
  return `This cannot be checked (${message || code || 'no reason given'}).`
}

function nodeFinding(): Finding {
  const { node } = process.versions
  return Number.parseInt(node, 10) >= oldestNode
    ? ok(`Node.js ${node}.`)
    : problem(`Node.js ${node} is too old: install ${oldestNode} or newer from https://nodejs.org/en/download.`)
}

function* settingFindings(config: Config, needsContact: boolean): Generator<Finding> {
  if (config.contact === undefined)
    yield (needsContact ? problem : warning)(
      'TENDERSTOCK_CONTACT is not set: set your email address or web page before you read portals with --live.',
    )
  if (config.mail === undefined)
    yield warning(
      'TENDERSTOCK_SMTP_URL and TENDERSTOCK_MAIL_FROM are not set: set both, or digests wait, and no other mail is sent.',
    )
  if (config.consoleUrl !== undefined && config.site?.imprintUrl === undefined)
    yield warning(
      'TENDERSTOCK_IMPRINT_URL is not set, and people reach the console at TENDERSTOCK_CONSOLE_URL: set the page that says who runs this service.',
    )
  if (config.databaseUrl === undefined) return yield ok('The settings can be used.')
  if (config.secretKey === undefined)
    yield warning(
      'TENDERSTOCK_SECRET_KEY is not set, and several processes need the same key: set 32 bytes in base64 (`openssl rand -base64 32`) for all.',
    )
  if (config.baseUrl === undefined)
    yield warning(
      'TENDERSTOCK_BASE_URL is not set: set the URL at which clients reach the API, or its links are relative.',
    )
  if (config.consoleUrl === undefined)
    yield warning('TENDERSTOCK_CONSOLE_URL is not set: set it where people reach the console from other machines.')
  yield ok('The settings can be used.')
}

/** Writes a trial object, reads it, and removes it. */
async function checkBucket(
  address: BucketLocation,
  { clock, random, version }: DoctorOptions,
  found: (finding: Finding) => void,
): Promise<void> {
  const bucket = openBucket(address, {
    clock,
    sleep: systemSleep,
    random,
    version,
    named: 'the address in TENDERSTOCK_EDITIONS',
    timeoutMs: checkMs / 2,
  })
  // nodes may write there, too
  const path = `${fromNodes}doctor-${random.uuid()}`
  try {
    await bucket.put(path, Buffer.from('tenderstock'))
    const isHeld = (await bucket.putIf(path, Buffer.from('another'), { ifAbsent: true })) === false
    const isListed = (await bucket.list(path)).length === 1
    await bucket.remove(path)
    if (!isListed) return found(problem("The key may not list the bucket's objects: allow it to."))
    found(ok('The bucket of TENDERSTOCK_EDITIONS can be read, written and listed.'))
    found(
      isHeld
        ? ok('It supports conditional PUT, which also fences off a frozen publisher.')
        : warning(
            'It does not support conditional PUT (If-None-Match): only the row in the database keeps two publishers apart.',
          ),
    )
  } finally {
    await bucket.close()
  }
}

const listingFix = 'Let the key list the bucket (s3:ListBucket).'

/** Puts a trial object there, opens it by an address as a client does, and removes it. */
async function checkBulkBucket(
  location: BucketLocation,
  { random, version }: DoctorOptions,
  found: (finding: Finding) => void,
): Promise<void> {
  const bucket = openBulkBucket(location, version)
  // ends what is left behind by a check that was late
  const signal = AbortSignal.timeout(2 * checkMs)
  // no name of a file: nodes leave it alone
  const path = `doctor-${random.uuid()}`
  try {
    await bucket.put(path, Buffer.from('tenderstock'), signal)
    try {
      await bucket.tryAddress(path, signal)
      const listed = await bucket.list(path, signal).catch((error: unknown) => {
        throw error instanceof OperatorError ? new OperatorError(error.code, `${error.message} ${listingFix}`) : error
      })
      if (listed.length !== 1) return found(problem(`The bucket does not list what it holds. ${listingFix}`))
    } finally {
      await bucket.remove(path, AbortSignal.timeout(checkMs))
    }
    const { origin } = new URL(bucketUrlOf(location))
    found(ok(`The bucket of TENDERSTOCK_BULK_FILES can be written and listed, and ${origin} opens signed addresses.`))
  } finally {
    await bucket.close()
  }
}

/** `silent`: it took the request and does not answer, as a frozen process does. */
type ServiceState = 'none' | 'answering' | 'silent'

const serviceMs = checkMs - 500
const serviceFindings: { readonly [state in ServiceState]: Finding } = {
  none: ok('No service runs on this data folder.'),
  answering: ok('A service runs on this data folder.'),
  silent: problem(
    `A service runs on this data folder, but does not answer within ${serviceMs / 1000} s: look at its log, and restart it if that goes on.`,
  ),
}

async function askService(
  dataFolder: string,
): Promise<{ readonly service: ServiceState; readonly status?: EventOf<'status'> | undefined }> {
  const request = { command: 'status', options: {}, operands: [] }
  const limit = AbortSignal.timeout(serviceMs)
  try {
    let status: EventOf<'status'> | undefined
    const read: Emit = (event) => {
      if (event.event === 'status') status = event
    }
    const answered = await askRunningService(dataFolder, request, read, { signal: limit })
    return { service: answered === undefined ? 'none' : 'answering', status }
  } catch (error) {
    if (!limit.aborted) throw error
    return { service: 'silent' }
  }
}

function* backupFindings(status: EventOf<'status'> | undefined, now: number): Generator<Finding> {
  if (!status?.backups || status.edition === null) return
  const { madeAt, restoredAt } = status.backups
  const hours = (at: number) => Math.floor((now - at) / hourMs)
  if (madeAt === null)
    return yield warning('There is no backup of this stock: enable tenderstock-backup.timer, or see docs/backup.md.')
  if (now - madeAt > oldBackupMs)
    yield problem(`The newest backup is ${hours(madeAt)} hours old: look why the nightly one failed (docs/backup.md).`)
  else yield ok(`The newest backup is ${hours(madeAt)} hours old.`)
  if (restoredAt === null)
    yield warning('No backup of this stock was ever restored for a trial: `tenderstock drill` does it.')
  else if (now - restoredAt > oldDrillMs)
    yield problem(
      `The newest backup that was restored for a trial is ${hours(restoredAt)} hours old: run \`tenderstock drill\`.`,
    )
}

/** Signs in as the service does, and sends nothing. */
/** What a mail server objects to, and what to do about it. */
const mailFixes: { readonly [stage in MailStage]: readonly [objection: string, fix: string] } = {
  connect: ['cannot be reached', 'correct its name and port in TENDERSTOCK_SMTP_URL, or let the firewall pass'],
  encrypt: [
    'does not encrypt as required',
    'use smtp:// with port 587 or smtps:// with 465, and the name that its certificate has',
  ],
  signIn: [
    'refuses to sign in',
    'correct user and password in TENDERSTOCK_SMTP_URL, with special characters percent-encoded (p%40ss)',
  ],
  sender: [
    'refuses the sender',
    'set TENDERSTOCK_MAIL_FROM to an address that this user may send from, or allow it there',
  ],
  recipient: [
    "refuses mails to the sender's own address",
    'create that mailbox, as replies and bounces come there, or allow this user to send',
  ],
  silent: ['stops to answer', 'examine it again, and ask who runs it if that stays'],
}

async function checkMailServer(settings: MailSettings, found: (finding: Finding) => void): Promise<void> {
  const { host, port, from } = settings
  const objection = await examineMailServer(settings, checkMs - 500)
  if (!objection) return found(ok(`The mail server ${host} accepts mails from ${from}.`))
  const { stage, error, isTemporary } = objection
  const [objects, fix] = mailFixes[stage]
  const said = `The mail server ${host}:${port} ${objects}`
  found(
    isTemporary
      ? warning(`${said} for now (${error}): mails wait and are tried again; examine it again in 15 minutes.`)
      : problem(`${said} (${error}): ${fix}.`),
  )
}

/** What answers at each of the two addresses, if it is ours. */
const ownPages = {
  TENDERSTOCK_BASE_URL: ['/openapi.json', 'clients reach the API'],
  TENDERSTOCK_CONSOLE_URL: ['/', 'people reach the console'],
} as const

/** The contract names the address at which its process believes to be; the console its product. */
async function addressFinding(
  setting: keyof typeof ownPages,
  url: string,
  { service }: { readonly service: ServiceState },
): Promise<Finding> {
  const [path, use] = ownPages[setting]
  const http = openHttp({ network: 'any', timeoutMs: checkMs / 2, wholeTimeoutMs: checkMs / 2 })
  // before the first start, nothing can answer
  const found = service === 'answering' ? problem : warning
  try {
    const { body, status } = await http.get(`${url.replace(/\/$/, '')}${path}`, { maxBytes: 4_000_000 })
    const text = Buffer.from(body).toString('utf8')
    const isOurs = path === '/' ? text.includes('Tenderstock') : text.includes('"openapi"') && text.includes(url)
    return status < 400 && isOurs
      ? ok(`${setting} leads to this service.`)
      : found(`${setting} (${url}) does not lead here but to something else: set it to where ${use}.`)
  } catch (error) {
    return found(`${setting} leads nowhere (${(error as Error).message}): correct it, the proxy or the name.`)
  } finally {
    await http.close()
  }
}

/**
 * The data folder, or the nearest folder above that exists: free space, permissions, and whether written bytes reach
 * the disk.
 */
async function checkDisk(dataFolder: string, found: (finding: Finding) => void): Promise<void> {
  let folder = dataFolder
  while ((await stat(folder).catch(() => undefined)) === undefined && dirname(folder) !== folder)
    folder = dirname(folder)
  const { mode, uid } = await stat(folder)
  const address = folder === dataFolder ? folder : `${folder}, where ${dataFolder} would be made`
  const { bavail, bsize } = await statfs(folder)
  const free = `${((bavail * bsize) / 1e9).toFixed(1)} GB are free in ${address}`
  if (bavail * bsize < minBytes) found(problem(`${free}: delete files there or enlarge it.`))
  else if (bavail * bsize < fewBytes) found(warning(`${free}: give it more room before it is full.`))
  else found(ok(`${free}.`))
  try {
    // a temporary name, removed in any case
    const trial = await mkdtemp(join(folder, '.tenderstock-doctor-'))
    try {
      await writeFile(join(trial, 'trial'), 'tenderstock', { flag: 'wx', mode: 0o600, flush: true })
    } finally {
      await rm(trial, { recursive: true, force: true })
    }
    found(ok(`${folder} can be written, and a flush to the disk works.`))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    found(
      problem(
        `${folder} cannot be written (${code}): give it to the user of this command, or name another with --data.`,
      ),
    )
  }
  if (folder !== dataFolder) return
  const own = process.getuid?.()
  if (own !== undefined && uid !== own)
    found(warning(`${folder} belongs to another user (${uid}): run commands as the user of the service.`))
  if ((mode & 0o002) !== 0) found(problem(`Everybody may write to ${folder}: chmod o-w ${folder}.`))
}

/** How long files are looked at: more than the files of a stock take, less than millions of raw documents do. */
const walkMs = checkMs / 2

/** Whether anybody but the owner can use the files of the stock, in the data folder and that of raw documents. */
async function checkFiles(
  dataFolder: string,
  config: Config | undefined,
  found: (finding: Finding) => void,
): Promise<void> {
  // elsewhere, rights are not bits of a mode
  if (process.getuid === undefined) return
  const { documents } = config ?? {}
  const folders = [{ folder: dataFolder, entersClosed: true }]
  if (documents?.kind === 'folder') folders.push({ folder: documents.path, entersClosed: false })
  for (const { folder, entersClosed } of folders) {
    const about = await stat(folder).catch(() => undefined)
    if (about) for (const finding of await openFindings(folder, about, entersClosed)) found(finding)
  }
}

async function openFindings(folder: string, about: Stats, entersClosed: boolean): Promise<readonly Finding[]> {
  const canEnter = isEnteredByOthers(about)
  let [count, first] = [0, '']
  const signal = AbortSignal.timeout(walkMs)
  for await (const path of openEntries(folder, { entersClosed, signal })) {
    if (path === folder) continue
    first ||= path
    count += 1
  }
  const findings: Finding[] = []
  if (count > 0)
    findings.push(
      (canEnter ? problem : warning)(
        `${count} ${count === 1 ? 'file or folder' : 'files and folders'} in ${folder} are open to other ` +
          `users, ${first} for one${canEnter ? '' : ', though they cannot enter the folder'}: start the ` +
          `service, which closes them, or chmod -R go= ${folder}.`,
      ),
    )
  if (canEnter)
    findings.push(warning(`Others can enter ${folder}: chmod 700 ${folder}, or mount it for this user alone.`))
  if (findings.length > 0) return findings
  return [
    ok(
      signal.aborted
        ? `Of what was looked at in ${folder} for ${walkMs / 1000} s, nothing is open to other users.`
        : `Nothing in ${folder} is open to other users.`,
    ),
  ]
}

/** A group that this user belongs to was given to it with the folder, as to a container with its volume. */
function isEnteredByOthers({ mode, uid, gid }: Stats): boolean {
  const isOwnGroup = uid !== process.getuid!() && [process.getgid!(), ...process.getgroups!()].includes(gid)
  return (mode & (isOwnGroup ? 0o007 : othersBits)) !== 0
}

async function checkSecretKey(
  dataFolder: string,
  config: Config | undefined,
  found: (finding: Finding) => void,
): Promise<void> {
  const path = join(dataFolder, secretKeyFile)
  const about = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (about === undefined)
    return found(
      ok(
        config?.secretKey === undefined
          ? `${path} is created when it is needed.`
          : 'TENDERSTOCK_SECRET_KEY holds the key.',
      ),
    )
  if ((about.mode & 0o077) !== 0) return found(problem(`Others may read the key in ${path}: chmod 600 ${path}.`))
  const text = await readFile(path, 'utf8')
  if (secretKeyOf(text) === undefined)
    return found(problem(`${path} holds no key of 32 bytes in base64: put back the one of your backup.`))
  found(ok(`${path} is readable by its owner only.`))
}

/** Runs read-only statements. Of several servers, the one that accepts writes is examined; others must answer. */
async function checkDatabase(databaseUrl: string, clock: Clock, found: (finding: Finding) => void): Promise<void> {
  const servers = await examineServers(databaseUrl, { clock, limitMs: checkMs - 1_000 })
  const answering = servers.flatMap((server) => ('facts' in server ? [server] : []))
  const used = answering.find(({ facts }) => !facts.isStandby) ?? answering[0]
  for (const server of servers) if ('error' in server) found(problem(sentenceOf(server.error)))
  if (used === undefined) return
  if (servers.length > 1 && used.facts.isStandby)
    found(problem('None of the servers of DATABASE_URL accepts writes: promote one of them.'))
  for (const { address, facts } of answering)
    if (facts !== used.facts)
      found(
        facts.isStandby
          ? ok(`The database ${address} is a standby, and it answers.`)
          : problem(`${address} accepts writes, and so does ${used.address}: only one server may; stop the wrong one.`),
      )
  for (const finding of serverFindings(used.address, used.facts)) found(finding)
  const { differenceMs } = used.facts
  const concern = publisherClockConcern(differenceMs) ?? nodeClockConcern(differenceMs)
  found(
    concern === undefined
      ? ok(`The clocks of this machine and of the database differ by ${Math.abs(differenceMs)} ms.`)
      : problem(clockLine(concern)),
  )
}

function versionFinding(address: string, { versionNumber, version }: ServerFacts): Finding {
  try {
    assertVersion(versionNumber, address)
    return ok(`The database ${address} runs PostgreSQL ${version}.`)
  } catch (error) {
    return problem(sentenceOf(error))
  }
}

function* serverFindings(address: string, facts: ServerFacts): Generator<Finding> {
  yield versionFinding(address, facts)
  if (facts.encoding !== 'UTF8')
    yield problem(
      `The database is encoded in ${facts.encoding}: create a new one with \`createdb --encoding UTF8 --template template0\` and use that.`,
    )
  if (facts.free < connectionsOfProcess)
    yield problem(
      `The server has ${Math.max(0, facts.free)} free connections, and a process opens up to ${connectionsOfProcess}: raise max_connections.`,
    )
  else yield ok(`The server has ${facts.free} free connections; a process opens up to ${connectionsOfProcess}.`)
  if (!facts.seesItself)
    yield problem(
      'pg_stat_activity does not show the state of our own session: set track_activities = on, and use no pooler that shares sessions.',
    )
  if (facts.fsync !== 'on' || facts.fullPageWrites !== 'on')
    yield problem('fsync or full_page_writes is off: set both on, or a power cut destroys the database.')
  if (facts.synchronousCommit === 'off')
    yield problem('synchronous_commit is off: set it on, or a crash loses what was acknowledged.')
  if (facts.isStandby)
    yield warning(
      'The server is a standby, which only `serve` can use: set hot_standby_feedback = on there, and give `start` the primary.',
    )
  else if (!facts.mayCreate)
    yield problem(
      'The user may not create tables: grant create on schema public to it, or make it the owner of the database.',
    )
  if (facts.standbys > 0 && facts.synchronousStandbys === 0)
    yield warning(
      'No standby is synchronous: a failover loses what was written last. Set synchronous_standby_names, or ' +
        'synchronous_mode of Patroni (docs/high-availability.md).',
    )
  else if (facts.standbys > 0)
    yield ok(`${facts.synchronousStandbys} of ${facts.standbys} standbys have what a commit acknowledges.`)
  if (facts.deafStandbys > 0)
    yield warning(
      `${facts.deafStandbys} replication connections send no hot_standby_feedback: set it on where nodes read from the standby.`,
    )
}

async function checkRedis(url: string, found: (finding: Finding) => void): Promise<void> {
  const redis = connectRedis(url, {
    lazyConnect: true,
    connectTimeout: checkMs - 1_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectionName: 'tenderstock-doctor',
  })
  let reason = ''
  redis.on('error', (error: NodeJS.ErrnoException) => {
    reason = error.code ?? error.message
  })
  try {
    await redis.connect()
    const info = await redis.info('memory')
    const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1]
    const isLimited = !/^maxmemory:0\s*$/m.test(info)
    if (policy === undefined)
      found(warning('The store of REDIS_URL does not report its maxmemory-policy; make sure that it is noeviction.'))
    else if (policy === 'noeviction') found(ok('The store of REDIS_URL answers and evicts nothing.'))
    else
      found(
        (isLimited ? problem : warning)(
          `The store of REDIS_URL evicts keys (maxmemory-policy ${policy}), and a lost key is a second rate limit: set maxmemory-policy noeviction.`,
        ),
      )
  } catch (error) {
    found(
      problem(
        `The store of REDIS_URL cannot be used (${reason || (error as Error).message}): check REDIS_URL and that it runs.`,
      ),
    )
  } finally {
    redis.disconnect()
  }
}

async function portFinding(
  host: string,
  port: number,
  { service, option }: { readonly service: ServiceState; readonly option: keyof typeof pages },
): Promise<Finding> {
  try {
    await findPort(host, port, option)
    return ok(`Port ${port} on ${host} is free.`)
  } catch (error) {
    const isTaken = ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE'
    if (!isTaken || service === 'none') return problem((error as Error).message)
    if (service === 'silent')
      return warning(
        `Port ${port} on ${host} is in use, probably by the service that does not answer: run this again when it does.`,
      )
    return (await isTenderstock(host, port, pages[option]))
      ? ok(`Port ${port} on ${host} is used by the running service.`)
      : problem((error as Error).message)
  }
}

/** Where API, console and metrics identify themselves, and how. */
const pages = {
  '--api-port': ['/healthz', '"status":"ok"'],
  '--console-port': ['/', 'Tenderstock'],
  '--metrics-port': ['/metrics', 'tenderstock_'],
} as const

async function isTenderstock(
  host: string,
  port: number,
  [path, text]: (typeof pages)[keyof typeof pages],
): Promise<boolean> {
  const http = openHttp({ network: 'any', timeoutMs: checkMs / 2, wholeTimeoutMs: checkMs / 2 })
  try {
    const { body } = await http.get(`http://${hostOf(host)}:${port}${path}`, { maxBytes: 1_000_000 })
    return Buffer.from(body).toString('utf8').includes(text)
  } catch {
    return false
  } finally {
    await http.close()
  }
}

/** Which sources stay off because their key is missing: of the named ones, or of all. */
async function keyFinding(named: readonly string[], keyOf: DoctorOptions['keyOf']): Promise<Finding> {
  const wanted = [...(await loadSources()).values()].filter(({ id }) => named.length === 0 || named.includes(id))
  const missing = wanted.flatMap(({ id, access }) =>
    access.kind === 'key' && keyOf(access.setting) === undefined ? [`${id} (${keyVariable(access.setting)})`] : [],
  )
  return missing.length === 0
    ? ok('No source lacks a key.')
    : warning(
        `Without a key these sources stay off: ${missing.join(', ')}. \`tenderstock source show ID\` says where to get one.`,
      )
}

/** Sends one small request to each, within the limits for portals. Nothing is stored. */
async function checkPortals(
  options: DoctorOptions & { readonly config: Config; readonly portals: NonNullable<DoctorOptions['portals']> },
  report: (check: string, finding: Finding) => void,
): Promise<void> {
  const { clock, random, version, config, keyOf, portals } = options
  const scratch = await mkdtemp(join(tmpdir(), 'tenderstock-doctor-'))
  const { simulator } = portals
  try {
    for (const id of portals.sources.length > 0 ? portals.sources : usualPortals) {
      const address = {
        dataFolder: scratch,
        clock,
        random,
        version,
        config,
        keyOf,
        signal: AbortSignal.timeout(checkMs),
      }
      const request = { command: 'source check', options: simulator === undefined ? {} : { simulator }, operands: [id] }
      let finding: Finding = problem(
        `The portal of ${id} did not answer within ${checkMs / 1000} s: \`tenderstock source check ${id}\` waits longer.`,
      )
      const work = checkSources(address, request, (event) => {
        if (event.event !== 'sourceChecked') return
        const isWell = event.verdict === 'ok' || event.verdict === 'quiet'
        finding = isWell
          ? ok(`The portal of ${id} answers as its card says.`)
          : problem(
              `The portal of ${id} is ${event.verdict}: \`tenderstock source check ${id}\` says what it answered.`,
            )
      })
      await within(work, checkMs).catch((error: unknown) => {
        finding = problem(sentenceOf(error))
      })
      report('portal', finding)
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
