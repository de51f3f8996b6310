// The only place that reads the environment, and the files that it names. Each setting is read once, checked, and
// passed on as a value.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { OperatorError } from './errors.ts'
import { mailAddressOf } from './mail-address.ts'
import { isLoopbackAddress, literalOf } from './network-rule.ts'
import { checkRedisAddress, redisSchemes } from './redis-address.ts'
import { secretKeyOf } from './sealing.ts'
import { readServerList } from './server-list.ts'
import { fileVariable, keyVariable, type SettingName, type SettingSpec, settingNames, settings } from './settings.ts'

/** Settings from the environment; options of a command line are not here. */
export type Config = {
  /** DATABASE_URL: a PostgreSQL server (15 or newer); absent means the embedded engine. */
  readonly databaseUrl?: string
  /** REDIS_URL: Valkey or Redis that shares rate limits between processes; absent means limits in process. */
  readonly redisUrl?: string
  /** TENDERSTOCK_BASE_URL: where clients reach the API, without a path. */
  readonly baseUrl?: string
  /**
   * TENDERSTOCK_DOCS_URL: where the pages that explain the problem types are; absent means the service's own /access
   * page.
   */
  readonly docsUrl?: string
  /** TENDERSTOCK_CONSOLE_URL: where people reach the console, https, without a path; without it, on this machine. */
  readonly consoleUrl?: string
  /** TENDERSTOCK_TENDER_PAGES is `public`: strangers may read the pages of tenders; absent: only who signed in. */
  readonly hasPublicTenders?: true
  /** TENDERSTOCK_TRUSTED_HOPS: how many proxies in front are trusted about a client's address. */
  readonly trustedHops?: number
  readonly connectionsPerAddress?: number
  /** TENDERSTOCK_CONTACT: email address or web page of the operator; every request to a portal carries it. */
  readonly contact?: string
  /** TENDERSTOCK_SECRET_KEY: 32 bytes that seal the secrets of webhooks; absent means a key in the data folder. */
  readonly secretKey?: Uint8Array
  /** TENDERSTOCK_DOCUMENTS: where raw documents are kept; absent means in the database. */
  readonly documents?: DocumentLocation
  /** TENDERSTOCK_EDITIONS: a bucket in which nodes find the editions; without it, they ask the database. */
  readonly editions?: BucketLocation
  /** TENDERSTOCK_BULK_FILES: a bucket from which files of whole editions are loaded; without it, nodes send them. */
  readonly bulkFiles?: BucketLocation
  /** TENDERSTOCK_NAME, _LOGO, _COLOR, and _IMPRINT_URL, _PRIVACY_URL, _TERMS_URL. */
  readonly site?: SiteSettings
  /** TENDERSTOCK_SMTP_URL and TENDERSTOCK_MAIL_FROM: how mails are sent; without it, they wait. */
  readonly mail?: MailSettings
  /**
   * TENDERSTOCK_KEEP_…_DAYS: how long things are kept, in milliseconds; without it forever, and the audit log for 24
   * months.
   */
  readonly keep?: KeepSettings
  /** TENDERSTOCK_OIDC_ISSUER, _CLIENT_ID and _CLIENT_SECRET: a company's own sign-in. */
  readonly oidc?: OidcSettings
}

/** How long raw documents, rejections, the place of a token's last use, and entries of the audit log are kept. */
type KeepSettings = { readonly [kind in (typeof keepKinds)[number][1]]?: number }

const keepKinds = [
  ['TENDERSTOCK_KEEP_DOCUMENTS_DAYS', 'documentsMs'],
  ['TENDERSTOCK_KEEP_REJECTIONS_DAYS', 'rejectionsMs'],
  ['TENDERSTOCK_KEEP_LAST_USE_DAYS', 'lastUseMs'],
  ['TENDERSTOCK_KEEP_AUDIT_DAYS', 'auditMs'],
] as const

/** A provider of OpenID Connect, and our registration with it. */
export type OidcSettings = {
  /** https, or http on this machine. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

/** How the service presents itself to people. Addresses are https pages. */
type SiteSettings = {
  readonly imprintUrl?: string
  readonly privacyUrl?: string
  readonly termsUrl?: string
  readonly name?: string
  /** Path of an SVG or PNG file. */
  readonly logo?: string
  /** Such as `#2c47bb`. */
  readonly color?: string
}

/** What the service is called without TENDERSTOCK_NAME. */
export const usualName = 'Tenderstock'

/** The server that accepts mails, and their sender. */
export type MailSettings = {
  /** Of the sender; absent: `usualName`. */
  readonly name?: string
  readonly host: string
  readonly port: number
  /** `smtps`: TLS from the first byte. `starttls`: required before anything else. `none`: on this machine only. */
  readonly security: 'smtps' | 'starttls' | 'none'
  readonly user?: string
  readonly password?: string
  /** A mail address. */
  readonly from: string
}

/** A place for raw documents outside the database. */
export type DocumentLocation = { readonly kind: 'folder'; readonly path: string } | BucketLocation

/** A bucket of an S3-compatible store, with the settings that AWS's own programs read. */
export type BucketLocation = {
  readonly kind: 'bucket'
  readonly bucket: string
  /** Empty, or ends with a slash. */
  readonly prefix: string
  /** AWS_REGION; default `us-east-1`, which stores without regions accept as well. */
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** AWS_SESSION_TOKEN, for temporary keys. */
  readonly sessionToken?: string
  /** AWS_ENDPOINT_URL without a slash at its end: a store that is not AWS, in any network. */
  readonly endpoint?: string
}

/** An environment as process.env delivers it. */
export type Environment = { readonly [name: string]: string | undefined }

/** Where a setting comes from. */
export type SettingOrigin = 'default' | 'environment' | 'file'

/** A setting that is given: with its value, unless it is secret. */
export type GivenSetting = { readonly name: string; readonly from: SettingOrigin; readonly value?: string }

/** Maximum size of a file with a secret; a key or an address is far smaller. */
const maxSecretBytes = 64 * 1024

/** Contents of files by path: each is read once, so that a service keeps the secrets with which it started. */
const secrets = new Map<string, string>()

/**
 * The text of a setting without spaces around it, from its variable or, for a secret, from the file that `NAME_FILE`
 * names; undefined when it is not given or blank. Throws OperatorError when both are given, or the file cannot be read.
 */
function textOf(environment: Environment, name: SettingName): string | undefined {
  return (settings[name] as SettingSpec).isSecret ? secretOf(environment, name) : environment[name]?.trim() || undefined
}

function secretOf(environment: Environment, name: string): string | undefined {
  const text = environment[name]?.trim() || undefined
  const variable = fileVariable(name)
  const path = environment[variable]?.trim() || undefined
  if (path === undefined) return text
  if (text !== undefined)
    throw new OperatorError('setting-twice', `${name} and ${variable} are both set; keep one of them.`)
  let secret = secrets.get(path)
  if (secret === undefined) {
    secret = readSecret(path, variable)
    secrets.set(path, secret)
  }
  return secret
}

// The path is never repeated in a message: the secret itself may have been entered by mistake.
function readSecret(path: string, variable: string): string {
  const refuse = (why: string): OperatorError =>
    new OperatorError(
      'setting-file-unusable',
      `The file that ${variable} names ${why}; name a file that holds the value and nothing else.`,
    )
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw refuse(
      code === 'ENOENT' || code === 'ENOTDIR'
        ? 'does not exist'
        : code === 'EACCES'
          ? 'may not be read by the user of this process'
          : `cannot be read (${code})`,
    )
  }
  try {
    const { size } = fstatSync(file)
    if (!fstatSync(file).isFile()) throw refuse('is not a file')
    if (size > maxSecretBytes) throw refuse(`is larger than ${maxSecretBytes / 1024} KB`)
    const bytes = Buffer.alloc(maxSecretBytes)
    const text = bytes.toString('utf8', 0, readSync(file, bytes)).trim()
    if (text === '') throw refuse('is empty')
    return text
  } finally {
    closeSync(file)
  }
}

/**
 * The settings given in the environment, including those that name the file of a source's key, whose names are in the
 * cards.
 */
export function givenSettings(
  keys: readonly string[],
  environment: Environment = process.env,
): { readonly known: readonly GivenSetting[]; readonly unknown: readonly string[] } {
  const names: readonly string[] = [...settingNames, ...keys.map(keyVariable)]
  const isSecret = (name: string) =>
    (settings as { readonly [name: string]: SettingSpec })[name]?.isSecret ?? !(name in settings)
  const known = names.map((name): GivenSetting => {
    const text = environment[name]?.trim() || undefined
    if (text !== undefined) return { name, from: 'environment', ...(!isSecret(name) && { value: withoutUser(text) }) }
    return { name, from: isSecret(name) && environment[fileVariable(name)]?.trim() ? 'file' : 'default' }
  })
  const recognized = new Set(names.flatMap((name) => (isSecret(name) ? [name, fileVariable(name)] : [name])))
  const unknown = Object.keys(environment).filter((name) => name.startsWith('TENDERSTOCK_') && !recognized.has(name))
  return { known, unknown: unknown.sort() }
}

/** An address without the user and password that somebody put into it by mistake. */
const withoutUser = (text: string): string => text.replace(/\/\/[^/]*@/, '//…@')

/** Reads the settings. Throws OperatorError that names the variable when a value cannot be used. */
export function readConfig(environment: Environment = process.env): Config {
  const databaseUrl = serversOf(
    environment,
    'DATABASE_URL',
    ['postgres', 'postgresql'],
    'postgres://user:password@host:5432/name',
  )
  const redisUrl = serversOf(environment, 'REDIS_URL', redisSchemes, 'redis://host:6379')
  if (redisUrl !== undefined) checkRedisAddress(redisUrl)
  const baseUrl = pageOf(environment, 'TENDERSTOCK_BASE_URL', 'https://tenders.example.org')
  if (baseUrl !== undefined && baseUrl !== new URL(baseUrl).origin)
    throw new OperatorError(
      'invalid-setting',
      'TENDERSTOCK_BASE_URL has a path, but the API is always at /v1; write it like https://tenders.example.org.',
    )
  const docsUrl = pageOf(environment, 'TENDERSTOCK_DOCS_URL', 'https://docs.example.org/api')
  const consoleUrl = consoleUrlOf(environment)
  const hasPublicTenders = hasPublicTendersIn(environment)
  const trustedHops = hopsOf(environment)
  const connectionsPerAddress = connectionsOf(environment)
  const contact = contactOf(environment)
  const documents = documentLocationOf(environment)
  const secretKey = sealingKeyOf(environment)
  const editions = editionLocationOf(environment, secretKey !== undefined)
  const bulkFiles = bulkLocationOf(environment)
  const site = siteOf(environment)
  const mail = mailOf(environment)
  const oidc = oidcOf(environment)
  checkKeyFiles(environment)
  const keep = keepOf(environment)
  return {
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(redisUrl !== undefined && { redisUrl }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(docsUrl !== undefined && { docsUrl }),
    ...(consoleUrl !== undefined && { consoleUrl }),
    ...(hasPublicTenders && { hasPublicTenders }),
    ...(trustedHops !== undefined && { trustedHops }),
    ...(connectionsPerAddress !== undefined && { connectionsPerAddress }),
    ...(contact !== undefined && { contact }),
    ...(documents !== undefined && { documents }),
    ...(secretKey !== undefined && { secretKey }),
    ...(editions !== undefined && { editions }),
    ...(bulkFiles !== undefined && { bulkFiles }),
    ...(site !== undefined && { site }),
    ...(mail !== undefined && { mail: { ...mail, ...(site?.name !== undefined && { name: site.name }) } }),
    ...(oidc !== undefined && { oidc }),
    ...(keep !== undefined && { keep }),
  }
}

/** The operator's key of a source: `TENDERSTOCK_` and the setting that its card names; undefined when it is not set. */
export function sourceKey(setting: string, environment: Environment = process.env): string | undefined {
  return secretOf(environment, keyVariable(setting))
}

/**
 * Reads the files of sources' keys, so that an unreadable one is reported at the start and not when its portal is due.
 */
function checkKeyFiles(environment: Environment): void {
  for (const variable of Object.keys(environment)) {
    const [, setting] = /^TENDERSTOCK_(\w+)_FILE$/.exec(variable) ?? []
    if (setting !== undefined && !(keyVariable(setting) in settings)) sourceKey(setting, environment)
  }
}

/** TENDERSTOCK_WEBHOOK_SECRET: the secret with which a trial receiver verifies. */
export function webhookSecret(environment: Environment = process.env): string | undefined {
  return textOf(environment, 'TENDERSTOCK_WEBHOOK_SECRET')
}

/** A PostgreSQL URL given as an argument. Throws OperatorError when it is not valid. */
export function checkDatabaseUrl(text: string, name = 'DATABASE_URL'): string {
  return checkUrl(text, name, ['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/name')
}

function urlOf(
  environment: Environment,
  name: SettingName,
  protocols: readonly string[],
  example: string,
): string | undefined {
  const text = textOf(environment, name)
  return text ? checkUrl(text, name, protocols, example) : undefined
}

/** An address that may name several servers. */
function serversOf(
  environment: Environment,
  name: SettingName,
  schemes: readonly string[],
  example: string,
): string | undefined {
  const text = textOf(environment, name)
  if (text === undefined) return undefined
  const list = readServerList(text)
  if (list === undefined || !schemes.includes(list.scheme))
    throw new OperatorError('invalid-setting', `${name} is not a usable address; write it like ${example}.`)
  return text
}

// The value is never repeated in the message: it may hold a password.
function checkUrl(text: string, name: string, protocols: readonly string[], example: string): string {
  const url = URL.parse(text)
  if (!url || !protocols.includes(url.protocol)) {
    throw new OperatorError('invalid-setting', `${name} is not a usable address; write it like ${example}.`)
  }
  return text
}

/** The address of a page that has other pages below it, without a slash at its end. It is public. */
function pageOf(environment: Environment, name: SettingName, example: string): string | undefined {
  const text = urlOf(environment, name, ['http:', 'https:'], example)
  if (text === undefined) return undefined
  const url = new URL(text)
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text))
    throw new OperatorError('invalid-setting', `${name} has a user, a query or a fragment; write it like ${example}.`)
  return url.href.replace(/\/+$/, '')
}

const longestSiteName = 40
/** White text on the color must be readable (WCAG 2.2, 1.4.3). */
const minContrast = 4.5

function siteOf(environment: Environment): SiteSettings | undefined {
  const refuse = (name: SettingName, how: string): never => {
    throw new OperatorError('invalid-setting', `${name} is not usable; ${how}.`)
  }
  const page = (name: SettingName): string | undefined => {
    const text = urlOf(environment, name, ['https:'], 'https://example.org/imprint')
    const url = text === undefined ? undefined : new URL(text)
    if (url && (url.username !== '' || url.password !== '')) refuse(name, 'write an address without a user')
    return url?.href
  }
  const imprintUrl = page('TENDERSTOCK_IMPRINT_URL')
  const privacyUrl = page('TENDERSTOCK_PRIVACY_URL')
  const termsUrl = page('TENDERSTOCK_TERMS_URL')
  const name = textOf(environment, 'TENDERSTOCK_NAME')?.trim()
  if (name && (name.length > longestSiteName || /[\p{Cc}\p{Cf}<>"@]/u.test(name)))
    refuse('TENDERSTOCK_NAME', `write at most ${longestSiteName} letters, without quotes and angle brackets`)
  const logo = textOf(environment, 'TENDERSTOCK_LOGO')
  if (logo && !/\.(?:svg|png)$/i.test(logo)) refuse('TENDERSTOCK_LOGO', 'name an .svg or .png file')
  const color = textOf(environment, 'TENDERSTOCK_COLOR')?.toLowerCase()
  if (color && !/^#[0-9a-f]{6}$/.test(color)) refuse('TENDERSTOCK_COLOR', 'write it like #2c47bb')
  if (color && contrastWithWhite(color) < minContrast)
    refuse('TENDERSTOCK_COLOR', 'choose a darker one, on which white text can be read')
  const site = {
    ...(imprintUrl !== undefined && { imprintUrl }),
    ...(privacyUrl !== undefined && { privacyUrl }),
    ...(termsUrl !== undefined && { termsUrl }),
    ...(name && { name }),
    ...(logo && { logo }),
    ...(color && { color }),
  }
  return Object.keys(site).length === 0 ? undefined : site
}

/** By WCAG 2.2, of a color like `#2c47bb`. */
function contrastWithWhite(color: string): number {
  const linear = (part: string): number => {
    const value = Number.parseInt(part, 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  const [red, green, blue] = [color.slice(1, 3), color.slice(3, 5), color.slice(5, 7)].map(linear) as [
    number,
    number,
    number,
  ]
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
}

// Passkeys and cookies require https; a path would share cookies with another console.
function consoleUrlOf(environment: Environment): string | undefined {
  const text = pageOf(environment, 'TENDERSTOCK_CONSOLE_URL', 'https://console.example.org')
  if (text !== undefined && (text !== new URL(text).origin || !text.startsWith('https:')))
    throw new OperatorError(
      'invalid-setting',
      'TENDERSTOCK_CONSOLE_URL is not usable; write it with https and without a path, like https://console.example.org.',
    )
  return text
}

function hasPublicTendersIn(environment: Environment): boolean {
  const text = textOf(environment, 'TENDERSTOCK_TENDER_PAGES') ?? 'signed-in'
  if (text !== 'public' && text !== 'signed-in')
    throw new OperatorError('invalid-setting', 'TENDERSTOCK_TENDER_PAGES is not usable; set public or signed-in.')
  return text === 'public'
}

/** Maximum number of proxies in a row; more is a mistake. */
const maxTrustedHops = 16

function hopsOf(environment: Environment): number | undefined {
  const text = textOf(environment, 'TENDERSTOCK_TRUSTED_HOPS')
  if (!text) return undefined
  if (!/^\d{1,2}$/.test(text) || Number(text) > maxTrustedHops)
    throw new OperatorError(
      'invalid-setting',
      `TENDERSTOCK_TRUSTED_HOPS is not usable; set the number of proxies between clients and the API, 0 to ${maxTrustedHops}.`,
    )
  return Number(text)
}

function connectionsOf(environment: Environment): number | undefined {
  const text = textOf(environment, 'TENDERSTOCK_CONNECTIONS_PER_ADDRESS')
  if (!text) return undefined
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new OperatorError(
      'invalid-setting',
      'TENDERSTOCK_CONNECTIONS_PER_ADDRESS is not usable; set how many connections one address may hold, at least 1, such as 256.',
    )
  return Number(text)
}

const dayMs = 24 * 3_600_000

function keepOf(environment: Environment): KeepSettings | undefined {
  const found = keepKinds.flatMap(([name, kind]) => {
    const text = textOf(environment, name)
    if (text === undefined) return []
    if (!/^[1-9]\d{0,4}$/.test(text))
      throw new OperatorError('invalid-setting', `${name} is not usable; set a number of days, 1 to 99999.`)
    return [[kind, Number(text) * dayMs] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/** The URL of a page or a mail address. It becomes part of a header, in parentheses. */
function contactOf(environment: Environment): string | undefined {
  const text = textOf(environment, 'TENDERSTOCK_CONTACT')
  if (!text) return undefined
  const isPage = /^https?:\/\/[^/@]+\.[^/@]+/.test(text) && URL.canParse(text)
  const isMailbox = /^(?:mailto:)?[^@/:]+@[^@/:]+\.[^@/:]+$/.test(text)
  if (!/^[!-'*-~]{3,200}$/.test(text) || !(isPage || isMailbox))
    throw new OperatorError(
      'invalid-setting',
      'TENDERSTOCK_CONTACT is not a usable address; write it like tenders@example.org or https://example.org/contact.',
    )
  return text
}

// Its value is never repeated in a message.
function sealingKeyOf(environment: Environment): Uint8Array | undefined {
  const text = textOf(environment, 'TENDERSTOCK_SECRET_KEY')
  if (!text) return undefined
  const key = secretKeyOf(text)
  if (!key)
    throw new OperatorError(
      'invalid-setting',
      'TENDERSTOCK_SECRET_KEY is not usable; write 32 random bytes in base64, such as from `openssl rand -base64 32`.',
    )
  return key
}

// The address is never repeated in a message: it may hold a password.
function mailOf(environment: Environment): MailSettings | undefined {
  const [text, sender] = [textOf(environment, 'TENDERSTOCK_SMTP_URL'), textOf(environment, 'TENDERSTOCK_MAIL_FROM')]
  if (!text && !sender) return undefined
  const refuse = (name: string, why: string, example: string): never => {
    throw new OperatorError('invalid-setting', `${name} ${why}; write it like ${example}.`)
  }
  const example = 'smtp://user:password@mail.example.org:587 or smtps://user:password@mail.example.org:465'
  if (!text) return refuse('TENDERSTOCK_SMTP_URL', 'is missing beside TENDERSTOCK_MAIL_FROM', example)
  const from = mailAddressOf(sender ?? '')
  if (from === undefined)
    return refuse(
      'TENDERSTOCK_MAIL_FROM',
      sender ? 'is not a mail address' : 'is missing beside TENDERSTOCK_SMTP_URL',
      'tenders@example.org',
    )
  const url = URL.parse(text)
  const isSmtps = url?.protocol === 'smtps:'
  if (
    !url ||
    !(isSmtps || url.protocol === 'smtp:') ||
    url.hostname === '' ||
    !/^\/?$/.test(url.pathname) ||
    /[?#]/.test(text)
  )
    return refuse('TENDERSTOCK_SMTP_URL', 'is not a usable address', example)
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (user === undefined || password === undefined || (user === '') !== (password === ''))
    return refuse('TENDERSTOCK_SMTP_URL', 'has a user and a password that cannot be read', example)
  const host = literalOf(url.hostname) ?? url.hostname
  const isHere = host === 'localhost' || isLoopbackAddress(host)
  return {
    host,
    port: url.port === '' ? (isSmtps ? 465 : 587) : Number(url.port),
    security: isSmtps ? 'smtps' : isHere ? 'none' : 'starttls',
    ...(user !== '' && { user, password }),
    from,
  }
}

function oidcOf(environment: Environment): OidcSettings | undefined {
  const issuer = pageOf(environment, 'TENDERSTOCK_OIDC_ISSUER', 'https://login.example.org')
  const clientId = textOf(environment, 'TENDERSTOCK_OIDC_CLIENT_ID')
  const clientSecret = textOf(environment, 'TENDERSTOCK_OIDC_CLIENT_SECRET')
  if (issuer === undefined && !clientId && !clientSecret) return undefined
  const missing =
    issuer === undefined
      ? 'TENDERSTOCK_OIDC_ISSUER'
      : clientId
        ? 'TENDERSTOCK_OIDC_CLIENT_SECRET'
        : 'TENDERSTOCK_OIDC_CLIENT_ID'
  if (issuer === undefined || !clientId || !clientSecret)
    throw new OperatorError(
      'setting-missing',
      `${missing} is missing; a company's sign-in needs issuer, client id and client secret.`,
    )
  const { protocol, hostname } = new URL(issuer)
  if (protocol !== 'https:' && hostname !== 'localhost' && !isLoopbackAddress(literalOf(hostname) ?? hostname))
    throw new OperatorError(
      'invalid-setting',
      'TENDERSTOCK_OIDC_ISSUER is not https; write it like https://login.example.org.',
    )
  // kept as it is written: a trailing slash is part of the name
  return { issuer: textOf(environment, 'TENDERSTOCK_OIDC_ISSUER')!, clientId, clientSecret }
}

/** Undefined when a percent sign is not followed by two hexadecimal digits. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function documentLocationOf(environment: Environment): DocumentLocation | undefined {
  const text = textOf(environment, 'TENDERSTOCK_DOCUMENTS')
  if (!text || text === 'database') return undefined
  if (text.startsWith('folder:')) {
    const path = text.slice('folder:'.length)
    if (isAbsolute(path)) return { kind: 'folder', path }
  }
  const bucket = bucketOf(environment, text, 'TENDERSTOCK_DOCUMENTS')
  if (bucket === undefined)
    throw new OperatorError(
      'invalid-setting',
      'TENDERSTOCK_DOCUMENTS is not usable; write database, folder:/an/absolute/path or s3://bucket/prefix.',
    )
  return bucket
}

function editionLocationOf(environment: Environment, hasSecretKey: boolean): BucketLocation | undefined {
  const text = textOf(environment, 'TENDERSTOCK_EDITIONS')
  if (!text) return undefined
  const bucket = bucketOf(environment, text, 'TENDERSTOCK_EDITIONS')
  if (bucket === undefined)
    throw new OperatorError('invalid-setting', 'TENDERSTOCK_EDITIONS is not usable; write s3://bucket/prefix.')
  if (!hasSecretKey)
    throw new OperatorError(
      'setting-missing',
      'TENDERSTOCK_EDITIONS needs TENDERSTOCK_SECRET_KEY, the same for the publisher and all nodes: it seals the tokens there.',
    )
  return bucket
}

function bulkLocationOf(environment: Environment): BucketLocation | undefined {
  const text = textOf(environment, 'TENDERSTOCK_BULK_FILES')
  if (!text) return undefined
  const bucket = bucketOf(environment, text, 'TENDERSTOCK_BULK_FILES')
  if (bucket === undefined || bucket.prefix === '')
    throw new OperatorError('invalid-setting', 'TENDERSTOCK_BULK_FILES is not usable; write s3://bucket/prefix.')
  return bucket
}

/**
 * Where a backup is: a folder by its absolute path, or `s3://bucket/prefix`. Throws OperatorError for anything else.
 */
export function backupLocationOf(text: string, environment: Environment = process.env): DocumentLocation {
  if (isAbsolute(text)) return { kind: 'folder', path: text }
  const bucket = bucketOf(environment, text, text)
  if (bucket === undefined)
    throw new OperatorError(
      'invalid-location',
      `${text} is not a location for a backup; pass a folder or s3://bucket/prefix (a bucket's name: 3 to 63 lower-case letters, digits, dots and dashes).`,
    )
  return bucket
}

/** Where a bucket is: path-style, which every S3-compatible store understands. */
export const bucketUrlOf = ({ endpoint, region, bucket }: BucketLocation): string =>
  `${endpoint ?? `https://s3.${region}.amazonaws.com`}/${bucket}`

/** Undefined for a text that is not the address of a bucket. `subject`: what the error message calls it. */
function bucketOf(environment: Environment, text: string, subject: string): BucketLocation | undefined {
  const [, bucket, prefix] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9!_.*'()/-]*))?$/.exec(text) ?? []
  if (bucket === undefined) return undefined
  const name = (prefix ?? '')
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/')
  const endpoint = urlOf(environment, 'AWS_ENDPOINT_URL', ['http:', 'https:'], 'https://minio.example.org:9000')
  const sessionToken = textOf(environment, 'AWS_SESSION_TOKEN')
  return {
    kind: 'bucket',
    bucket,
    prefix: name === '' ? '' : `${name}/`,
    region: textOf(environment, 'AWS_REGION') || 'us-east-1',
    accessKeyId: needed(environment, 'AWS_ACCESS_KEY_ID', subject),
    secretAccessKey: needed(environment, 'AWS_SECRET_ACCESS_KEY', subject),
    ...(sessionToken && { sessionToken }),
    ...(endpoint !== undefined && { endpoint: endpoint.replace(/\/+$/, '') }),
  }
}

function needed(environment: Environment, name: SettingName, subject: string): string {
  const text = textOf(environment, name)
  if (!text) throw new OperatorError('setting-missing', `${subject} names a bucket, so set ${name} as well.`)
  return text
}
