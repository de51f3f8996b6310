// What may be in the environment.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { backupLocationOf, givenSettings, readConfig, sourceKey, webhookSecret } from './config.ts'
import { OperatorError } from './errors.ts'
import { settingNames, settings } from './settings.ts'

describe('configuration', () => {
  test('an empty environment means the embedded engine and limits in process', () => {
    expect(readConfig({})).toEqual({})
    expect(readConfig({ DATABASE_URL: ' ' })).toEqual({})
  })

  test('a bad DATABASE_URL is one sentence that never repeats the value', () => {
    for (const text of ['mysql://root:secret@x/y', 'secret', 'postgres//secret']) {
      expect(() => readConfig({ DATABASE_URL: text })).toThrow(OperatorError)
      expect(() => readConfig({ DATABASE_URL: text })).toThrow(/^DATABASE_URL is not a usable address(?!.*secret)/)
    }
  })

  test('valid addresses stay unchanged', () => {
    expect(
      readConfig({
        DATABASE_URL: 'postgres://u:p@h/d',
        REDIS_URL: 'redis://h',
        TENDERSTOCK_DOCS_URL: 'https://d.example/x/',
      }),
    ).toEqual({
      databaseUrl: 'postgres://u:p@h/d',
      redisUrl: 'redis://h',
      docsUrl: 'https://d.example/x',
    })
  })

  test('the addresses that clients see end without a slash; the number of proxies is a small whole number', () => {
    expect(
      readConfig({
        TENDERSTOCK_BASE_URL: ' https://Tenders.example:443/ ',
        TENDERSTOCK_DOCS_URL: 'https://d.example/x//',
        TENDERSTOCK_TRUSTED_HOPS: '0',
      }),
    ).toEqual({ baseUrl: 'https://tenders.example', docsUrl: 'https://d.example/x', trustedHops: 0 })
    expect(readConfig({ TENDERSTOCK_TRUSTED_HOPS: ' 2 ' })).toEqual({ trustedHops: 2 })
    for (const hops of ['-1', '1.5', 'all', 'true', '17', '1e0', '0x1'])
      expect(() => readConfig({ TENDERSTOCK_TRUSTED_HOPS: hops }), hops).toThrow(
        /^TENDERSTOCK_TRUSTED_HOPS is not usable; set the number of proxies/,
      )
    for (const text of ['tenders.example', 'ftp://x', '//x', 'https://x/v1', 'https://x/?a', 'https://x/#a'])
      expect(() => readConfig({ TENDERSTOCK_BASE_URL: text }), text).toThrow(/^TENDERSTOCK_BASE_URL (?:is not|has) /)
    for (const name of ['TENDERSTOCK_BASE_URL', 'TENDERSTOCK_DOCS_URL'])
      expect(() => readConfig({ [name]: 'https://me:secret@x' })).toThrow(/^[A-Z_]+ has a user(?!.*secret)/)
  })

  test('people reach the console by https, without a path', () => {
    const read = (url: string) => readConfig({ TENDERSTOCK_CONSOLE_URL: url }).consoleUrl
    expect(read('https://console.example.org/')).toBe('https://console.example.org')
    for (const url of ['http://console.example.org', 'https://example.org/console'])
      expect(() => read(url), url).toThrow(
        /^TENDERSTOCK_CONSOLE_URL is not usable; write it with https and without a path/,
      )
  })

  test('pages of tenders are for people who signed in, or for everybody', () => {
    const read = (value: string) => readConfig({ TENDERSTOCK_TENDER_PAGES: value }).hasPublicTenders
    expect([read(''), read('signed-in'), read(' public ')]).toEqual([undefined, undefined, true])
    for (const value of ['Public', 'yes', 'true'])
      expect(() => read(value), value).toThrow('TENDERSTOCK_TENDER_PAGES is not usable; set public or signed-in.')
  })

  test('a service says who runs it, and has a name, a logo and a color on which white text can be read', () => {
    const site = {
      TENDERSTOCK_IMPRINT_URL: 'https://example.org/imprint?a=b',
      TENDERSTOCK_NAME: ' Vergabe & Mehr ',
      TENDERSTOCK_LOGO: '/etc/logo.SVG',
      TENDERSTOCK_COLOR: '#2C47BB',
    }
    const read = {
      imprintUrl: 'https://example.org/imprint?a=b',
      name: 'Vergabe & Mehr',
      logo: '/etc/logo.SVG',
      color: '#2c47bb',
    }
    expect(readConfig(site).site).toEqual(read)
    const mail = { TENDERSTOCK_SMTP_URL: 'smtp://localhost', TENDERSTOCK_MAIL_FROM: 'a@example.org' }
    expect(readConfig({ ...site, ...mail }).mail?.name).toBe('Vergabe & Mehr')
    expect(readConfig({}).site).toBeUndefined()
    for (const [name, values] of Object.entries({
      IMPRINT_URL: ['http://example.org', 'javascript:alert(1)', 'https://me:secret@example.org'],
      NAME: ['x'.repeat(41), 'a\r\nBcc: b', '<b>'],
      LOGO: ['/etc/passwd', 'logo.gif'],
      COLOR: ['red', '#fff', '#ffee00', '#2c47bb;}'],
    }))
      for (const value of values)
        expect(() => readConfig({ [`TENDERSTOCK_${name}`]: value }), value).toThrow(/ is not (?:usable|a usable)/)
  })

  test('a store of rate limits is named by any of four protocols, and never repeated', () => {
    for (const url of ['redis://h', 'rediss://u:p@h:6380', 'valkey://h', 'valkeys://h/1'])
      expect(readConfig({ REDIS_URL: url }).redisUrl).toBe(url)
    expect(() => readConfig({ REDIS_URL: 'http://u:secret@h' })).toThrow(
      /^REDIS_URL is not a usable address(?!.*secret)/,
    )
  })

  test('a key that seals secrets is 32 bytes in base64, and never repeated', () => {
    const key = Buffer.alloc(32, 7)
    expect(readConfig({ TENDERSTOCK_SECRET_KEY: key.toString('base64') })).toEqual({ secretKey: key })
    for (const text of ['secret', Buffer.alloc(31, 7).toString('base64'), Buffer.alloc(33, 7).toString('base64')])
      expect(() => readConfig({ TENDERSTOCK_SECRET_KEY: text }), text).toThrow(
        new RegExp(`^TENDERSTOCK_SECRET_KEY is not usable(?!.*${text})`),
      )
  })

  test('times to keep are whole days', () => {
    expect(readConfig({ TENDERSTOCK_KEEP_AUDIT_DAYS: ' 30 ', TENDERSTOCK_KEEP_LAST_USE_DAYS: '1' })).toEqual({
      keep: { auditMs: 30 * 86_400_000, lastUseMs: 86_400_000 },
    })
    expect(readConfig({ TENDERSTOCK_KEEP_DOCUMENTS_DAYS: '2', TENDERSTOCK_KEEP_REJECTIONS_DAYS: '3' })).toEqual({
      keep: { documentsMs: 2 * 86_400_000, rejectionsMs: 3 * 86_400_000 },
    })
    for (const days of ['0', '-1', '1.5', 'all', '100000'])
      expect(() => readConfig({ TENDERSTOCK_KEEP_DOCUMENTS_DAYS: days }), days).toThrow(
        /^TENDERSTOCK_KEEP_DOCUMENTS_DAYS is not usable; set a number of days/,
      )
  })

  test('a contact is a page or a mailbox, and cannot break out of the header that it is in', () => {
    for (const text of ['tenders@example.org', 'mailto:tenders@example.org', 'https://example.org/a?b=c'])
      expect(readConfig({ TENDERSTOCK_CONTACT: ` ${text} ` })).toEqual({ contact: text })
    for (const text of ['me', 'https://localhost', 'a@b', 'a@b.c) Mozilla', 'https://x.org/\r\nX: 1', 'ä@example.org'])
      expect(() => readConfig({ TENDERSTOCK_CONTACT: text }), text).toThrow(
        /^TENDERSTOCK_CONTACT is not a usable address/,
      )
  })

  test('documents are kept in the database, in a folder or in a bucket with what AWS names', () => {
    expect(readConfig({ TENDERSTOCK_DOCUMENTS: 'database', AWS_REGION: 'x' })).toEqual({})
    expect(readConfig({ TENDERSTOCK_DOCUMENTS: 'folder:/srv/documents' }).documents).toEqual({
      kind: 'folder',
      path: '/srv/documents',
    })
    const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'very secret' }
    expect(readConfig({ TENDERSTOCK_DOCUMENTS: 's3://stock-1', ...keys }).documents).toEqual({
      kind: 'bucket',
      bucket: 'stock-1',
      prefix: '',
      region: 'us-east-1',
      accessKeyId: 'id',
      secretAccessKey: 'very secret',
    })
    expect(
      readConfig({
        TENDERSTOCK_DOCUMENTS: 's3://stock-1/raw//documents/',
        AWS_REGION: 'eu-central-1',
        AWS_ENDPOINT_URL: 'http://minio:9000/',
        AWS_SESSION_TOKEN: 'token',
        ...keys,
      }).documents,
    ).toMatchObject({
      prefix: 'raw/documents/',
      region: 'eu-central-1',
      endpoint: 'http://minio:9000',
      sessionToken: 'token',
    })
    expect(readConfig({ AWS_ENDPOINT_URL: 'not looked at' })).toEqual({})
  })

  test('a backup is in a folder or in a bucket, and its address cannot leave it', () => {
    expect(backupLocationOf('/backups/one')).toEqual({ kind: 'folder', path: '/backups/one' })
    const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'very secret' }
    expect(backupLocationOf('s3://stock/a/../b/./c', keys)).toMatchObject({ bucket: 'stock', prefix: 'a/b/c/' })
    for (const text of ['backups/one', 's3://', 'https://stock'])
      expect(() => backupLocationOf(text, keys), text).toThrow(/is not a location for a backup; pass a folder or s3:/)
    expect(() => backupLocationOf('s3://stock', {})).toThrow(
      's3://stock names a bucket, so set AWS_ACCESS_KEY_ID as well.',
    )
  })

  test('an unusable storage for documents is reported in one sentence that names the problem and repeats no secret', () => {
    for (const text of ['folder:relative', 'folder:', '/srv', 's3://', 's3://UPPER/x', 's3://b/x?y', 'azure://x'])
      expect(() => readConfig({ TENDERSTOCK_DOCUMENTS: text }), text).toThrow(/^TENDERSTOCK_DOCUMENTS is not usable/)
    const bucket = { TENDERSTOCK_DOCUMENTS: 's3://stock', AWS_SECRET_ACCESS_KEY: 'very secret' }
    expect(() => readConfig(bucket)).toThrow(/set AWS_ACCESS_KEY_ID(?!.*secret)/)
    expect(() => readConfig({ ...bucket, AWS_ACCESS_KEY_ID: 'id', AWS_ENDPOINT_URL: 'minio' })).toThrow(
      /^AWS_ENDPOINT_URL is not a usable address/,
    )
  })

  test('a server for mails requires TLS, except on this machine', () => {
    const read = (url: string) =>
      readConfig({ TENDERSTOCK_SMTP_URL: url, TENDERSTOCK_MAIL_FROM: 'tenders@Example.org' }).mail
    expect(read('smtp://me:p%40ss@mail.example.org')).toEqual({
      host: 'mail.example.org',
      port: 587,
      security: 'starttls',
      user: 'me',
      password: 'p@ss',
      from: 'tenders@example.org',
    })
    expect(read('smtps://mail.example.org/')).toMatchObject({ port: 465, security: 'smtps' })
    expect(read('smtp://10.0.0.1:25')).toMatchObject({ host: '10.0.0.1', port: 25, security: 'starttls' })
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      expect(read(`smtp://${host}:25`)).toMatchObject({ security: 'none' })
    expect(read('smtp://[::1]:25')).toMatchObject({ host: '::1' })
    expect(read('smtp://localhost.example.org:25')).toMatchObject({ security: 'starttls' })
  })

  test('an unusable server for mails is reported in one sentence that repeats no secret', () => {
    const from = { TENDERSTOCK_MAIL_FROM: 'tenders@example.org' }
    for (const text of [
      'secret',
      'https://me:secret@mail.example.org',
      'smtp://me:secret@',
      'smtp://me:secret@mail.example.org/path',
      'smtp://me:secret@mail.example.org?tls.rejectUnauthorized=false',
      'smtp://me@mail.example.org',
      'smtp://me:%zzsecret@mail.example.org',
    ])
      expect(() => readConfig({ TENDERSTOCK_SMTP_URL: text, ...from }), text).toThrow(
        /^TENDERSTOCK_SMTP_URL (?:is not|has)(?!.*secret)/,
      )
    expect(() => readConfig(from)).toThrow(/^TENDERSTOCK_SMTP_URL is missing/)
    const server = { TENDERSTOCK_SMTP_URL: 'smtp://me:secret@mail.example.org' }
    expect(() => readConfig(server)).toThrow(/^TENDERSTOCK_MAIL_FROM is missing(?!.*secret)/)
    expect(() => readConfig({ ...server, TENDERSTOCK_MAIL_FROM: 'a@b.org\r\nBcc: c@d.org' })).toThrow(
      /^TENDERSTOCK_MAIL_FROM is not a mail address/,
    )
  })

  test('the sign-in of a company must be complete, and its secret is never repeated', () => {
    const all = {
      TENDERSTOCK_OIDC_ISSUER: 'https://login.example.org/realms/acme/',
      TENDERSTOCK_OIDC_CLIENT_ID: 'console',
      TENDERSTOCK_OIDC_CLIENT_SECRET: 'hidden',
    }
    expect(readConfig(all).oidc).toEqual({
      issuer: 'https://login.example.org/realms/acme/',
      clientId: 'console',
      clientSecret: 'hidden',
    })
    for (const name of Object.keys(all))
      expect(() => readConfig({ ...all, [name]: ' ' }), name).toThrow(new RegExp(`^${name} is missing(?!.*hidden)`))
    for (const issuer of ['http://login.example.org', 'ftp://x', 'https://me:secret@login.example.org'])
      expect(() => readConfig({ ...all, TENDERSTOCK_OIDC_ISSUER: issuer }), issuer).toThrow(
        /^TENDERSTOCK_OIDC_ISSUER (?:is not|has)/,
      )
    for (const issuer of ['http://localhost:9000', 'http://127.0.0.1', 'http://[::1]:9000'])
      expect(readConfig({ ...all, TENDERSTOCK_OIDC_ISSUER: issuer }).oidc?.issuer).toBe(issuer)
  })
})

describe('secrets from files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenderstock-secrets-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const fileWith = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }

  test('every secret may come from a file, without the line end after it', () => {
    const key = 'k'.repeat(43)
    const secrets = {
      DATABASE_URL: 'postgres://u:p@h/n',
      REDIS_URL: 'redis://h',
      TENDERSTOCK_SECRET_KEY: `${key}=`,
      TENDERSTOCK_OIDC_CLIENT_SECRET: 'oidc secret',
      TENDERSTOCK_SMTP_URL: 'smtps://u:p@h',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'session',
      TENDERSTOCK_WEBHOOK_SECRET: 'whsec_x',
    }
    expect(Object.keys(secrets).sort()).toEqual(settingNames.filter((name) => 'isSecret' in settings[name]).sort())
    const others = {
      TENDERSTOCK_OIDC_ISSUER: 'https://login.example.org',
      TENDERSTOCK_OIDC_CLIENT_ID: 'client',
      TENDERSTOCK_MAIL_FROM: 'a@example.org',
      TENDERSTOCK_DOCUMENTS: 's3://stock',
    }
    const files = Object.fromEntries(
      Object.entries(secrets).map(([name, text], index) => [
        `${name}_FILE`,
        fileWith(name, `${text}${['', '\n', '\r\n'][index % 3]}`),
      ]),
    )
    expect(readConfig({ ...files, ...others })).toEqual(readConfig({ ...secrets, ...others }))
    expect(webhookSecret(files)).toBe('whsec_x')
    const path = fileWith('sam', 'key of a source\n')
    expect(sourceKey('SAM_API_KEY', { TENDERSTOCK_SAM_API_KEY_FILE: path })).toBe('key of a source')
    // a service keeps the secret it started with
    writeFileSync(path, 'another')
    expect(sourceKey('SAM_API_KEY', { TENDERSTOCK_SAM_API_KEY_FILE: path })).toBe('key of a source')
  })

  test('a setting that is no secret comes from no file', () => {
    expect(readConfig({ TENDERSTOCK_BASE_URL_FILE: fileWith('base', 'https://tenders.example.org') })).toEqual({})
  })

  test('an unusable file is reported in a sentence that repeats nothing', () => {
    const refusal = (environment: Record<string, string>): string => {
      try {
        readConfig(environment)
      } catch (error) {
        if (error instanceof OperatorError) return `${error.exitCode} ${error.message}`
        throw error
      }
      return 'none'
    }
    const path = fileWith('url', 'postgres://u:p@h/n')
    expect(refusal({ DATABASE_URL_FILE: path, DATABASE_URL: 'postgres://u:secret@h/n' })).toBe(
      '2 DATABASE_URL and DATABASE_URL_FILE are both set; keep one of them.',
    )
    for (const [value, why] of [
      [join(folder, 'nothing'), 'does not exist'],
      [join(path, 'below'), 'does not exist'],
      ['postgres://u:secret@h/n', 'does not exist'],
      [folder, 'is not a file'],
      [fileWith('empty', '\n'), 'is empty'],
      [fileWith('large', 'x'.repeat(65 * 1024)), 'is larger than 64 KB'],
    ] as const)
      for (const name of ['DATABASE_URL_FILE', 'TENDERSTOCK_SAM_API_KEY_FILE'])
        expect(refusal({ [name]: value })).toBe(
          `2 The file that ${name} names ${why}; name a file that holds the value and nothing else.`,
        )
  })
})

test('every setting of the table is read, and nothing else', () => {
  const read = new Set<string>()
  const given: Record<string, string> = {
    TENDERSTOCK_DOCUMENTS: 's3://stock',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
  }
  const environment = new Proxy(given, {
    get: (target, name) => {
      read.add(String(name))
      return target[String(name)]
    },
  })
  readConfig(environment)
  webhookSecret(environment)
  expect([...read].filter((name) => !name.endsWith('_FILE')).sort()).toEqual([...settingNames].sort())
})

test('settings are shown with their origin, and secrets without their value', () => {
  const { known, unknown } = givenSettings(['SAM_API_KEY'], {
    DATABASE_URL: 'postgres://u:secret@h/n',
    REDIS_URL_FILE: '/run/secrets/redis',
    TENDERSTOCK_BASE_URL: 'https://me:secret@tenders.example.org',
    TENDERSTOCK_SAM_API_KEY: 'secret',
    TENDERSTOCK_CONTACT: ' ',
    TENDERSTOCK_SMPT_URL: 'secret',
    TENDERSTOCK_BASE_URL_FILE: 'x',
    PATH: '/bin',
  })
  expect(known.filter(({ from }) => from !== 'default')).toEqual([
    { name: 'DATABASE_URL', from: 'environment' },
    { name: 'REDIS_URL', from: 'file' },
    { name: 'TENDERSTOCK_BASE_URL', from: 'environment', value: 'https://…@tenders.example.org' },
    { name: 'TENDERSTOCK_SAM_API_KEY', from: 'environment' },
  ])
  expect(unknown).toEqual(['TENDERSTOCK_BASE_URL_FILE', 'TENDERSTOCK_SMPT_URL'])
})
