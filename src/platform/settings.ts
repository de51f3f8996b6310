// All settings of the environment: the help of each command, docs/settings.md and `tenderstock config` are generated
// from this table. config.ts reads and checks the values.

export type SettingSpec = {
  /** Half a sentence without a period, for the help and the page. */
  readonly meaning: string
  /** More sentences, in Markdown, for the page only. */
  readonly details?: string
  /** What applies without it, in words; absent when nothing does. */
  readonly default?: string
  /** Its value is never shown, and may come from the file that NAME_FILE names. */
  readonly isSecret?: true
}

export const settings = {
  DATABASE_URL: {
    meaning: 'PostgreSQL server, 15 or newer',
    details:
      'It holds the stock: `postgres://user:password@host:5432/name`. Several servers are written ' +
      '`host:5432,host:5432`; the one that accepts writes is used ([high ' +
      'availability](high-availability.md)).',
    default: 'the embedded engine in --data',
    isSecret: true,
  },
  REDIS_URL: {
    meaning: 'Valkey or Redis that shares rate limits between processes',
    details:
      'Without it each process counts for itself. `redis+sentinel://host:26379,host:26379/name` names Sentinels and the master that they watch.',
    isSecret: true,
  },
  TENDERSTOCK_BASE_URL: {
    meaning: 'URL at which clients reach the API, such as https://tenders.example.org',
    details:
      'It appears in the contract, in the examples of `/access` and, without the next setting, in problem types.',
  },
  TENDERSTOCK_DOCS_URL: {
    meaning: 'URL of the pages about problem types',
    default: 'the /access page of the API',
  },
  TENDERSTOCK_TRUSTED_HOPS: {
    meaning: 'number of proxies in front whose X-Forwarded-For is trusted',
    details: 'See [proxies](proxies/README.md).',
    default: '0',
  },
  TENDERSTOCK_CONNECTIONS_PER_ADDRESS: {
    meaning: 'connections that one address may hold to the API, and as many to the console',
    details:
      'At most a quarter of the files that the process may still open. With TENDERSTOCK_TRUSTED_HOPS above 0 the proxies are exempt.',
    default: '256',
  },
  TENDERSTOCK_SECRET_KEY: {
    meaning: 'key that encrypts webhook secrets and unsubscribe links, 32 bytes in base64',
    details:
      '`openssl rand -base64 32` makes one. Give all processes the same, and keep a copy apart from the backup ([webhooks](hits/webhooks.md)).',
    default: 'the file secret-key in --data',
    isSecret: true,
  },
  TENDERSTOCK_CONSOLE_URL: {
    meaning: 'URL at which people reach the console, https',
    details: 'See [console](console.md).',
    default: 'http://localhost and its port',
  },
  TENDERSTOCK_TENDER_PAGES: {
    meaning: 'who may read the pages of tenders in the console, public or signed-in',
    details: 'See [console](console.md#the-page-of-a-tender).',
    default: 'signed-in',
  },
  TENDERSTOCK_IMPRINT_URL: {
    meaning: 'https page that says who runs this service',
    details: 'Each page of the console links to it, to the privacy notice and to the terms.',
  },
  TENDERSTOCK_PRIVACY_URL: { meaning: 'https page with the privacy notice of this service' },
  TENDERSTOCK_TERMS_URL: { meaning: 'https page with the terms of this service' },
  TENDERSTOCK_NAME: {
    meaning: 'name of this service in the console and in mails, at most 40 characters',
    default: 'Tenderstock',
  },
  TENDERSTOCK_LOGO: {
    meaning: 'SVG or PNG file that stands beside the name, at most 64 KiB',
    default: 'the mark of Tenderstock',
  },
  TENDERSTOCK_COLOR: {
    meaning: 'color of links and buttons, such as #2c47bb, dark enough for white text',
    default: '#2c47bb',
  },
  TENDERSTOCK_OIDC_ISSUER: {
    meaning: "issuer of a company's sign-in, with TENDERSTOCK_OIDC_CLIENT_ID and _CLIENT_SECRET",
  },
  TENDERSTOCK_OIDC_CLIENT_ID: { meaning: 'client id of this service with the issuer' },
  TENDERSTOCK_OIDC_CLIENT_SECRET: { meaning: 'client secret of this service with the issuer', isSecret: true },
  TENDERSTOCK_SMTP_URL: {
    meaning: 'server that accepts mails, such as smtp://user:password@mail.example.org:587',
    details: 'Without it and the next setting, [digests](hits/digests.md) wait and no other mail is sent.',
    isSecret: true,
  },
  TENDERSTOCK_MAIL_FROM: { meaning: "sender's mail address" },
  TENDERSTOCK_CONTACT: {
    meaning: 'your email address or web page, sent with every request to a portal',
    details: 'Live reading does not start without it.',
  },
  TENDERSTOCK_DOCUMENTS: {
    meaning: 'where raw documents are kept: database, folder:/an/absolute/path or s3://bucket/prefix',
    details: 'See [raw documents](operations.md#raw-documents).',
    default: 'database',
  },
  TENDERSTOCK_EDITIONS: {
    meaning: 'bucket in which nodes find the editions, s3://bucket/prefix',
    details:
      '`start` writes them there and `serve` reads them there, without `DATABASE_URL` ([editions in a bucket](editions-in-a-bucket.md)).',
    default: 'nodes read from the database',
  },
  TENDERSTOCK_BULK_FILES: {
    meaning: 'bucket from which files of whole editions are loaded, s3://bucket/prefix',
    details: 'See [a first load from files](sync/bulk.md#for-the-operator).',
    default: 'each node sends its own',
  },
  AWS_ACCESS_KEY_ID: { meaning: 'key of the bucket', isSecret: true },
  AWS_SECRET_ACCESS_KEY: { meaning: 'secret of that key', isSecret: true },
  AWS_SESSION_TOKEN: { meaning: 'session token of temporary keys', isSecret: true },
  AWS_REGION: { meaning: 'region of the bucket', default: 'us-east-1' },
  AWS_ENDPOINT_URL: {
    meaning: 'S3-compatible store that is not AWS, such as http://minio:9000',
    details: 'MinIO, Ceph, Garage …; only such a store may be in a private network.',
    default: 'AWS',
  },
  TENDERSTOCK_KEEP_DOCUMENTS_DAYS: {
    meaning: 'days for which raw documents are kept',
    details: 'See [privacy](privacy.md), also for the next three.',
    default: 'forever',
  },
  TENDERSTOCK_KEEP_REJECTIONS_DAYS: {
    meaning: 'days for which rejections are kept, and documents from which nothing was read',
    default: 'forever',
  },
  TENDERSTOCK_KEEP_LAST_USE_DAYS: {
    meaning: "days after which network and program of a token's last use are forgotten",
    default: 'never',
  },
  TENDERSTOCK_KEEP_AUDIT_DAYS: { meaning: 'days for which the audit log is kept', default: '730' },
  TENDERSTOCK_WEBHOOK_SECRET: { meaning: "the endpoint's secret, instead of --secret-file", isSecret: true },
} as const satisfies { readonly [name: string]: SettingSpec }

export type SettingName = keyof typeof settings

export const settingNames = Object.keys(settings) as SettingName[]

/** What a setting means and what applies without it, for the help. */
export function settingHelp(name: SettingName): string {
  const spec: SettingSpec = settings[name]
  return spec.default === undefined ? spec.meaning : `${spec.meaning}; default: ${spec.default}`
}

/** The variable of a source's key, from the setting that its card names. */
export const keyVariable = (setting: string): string => `TENDERSTOCK_${setting}`

/** The variable that names the file of a secret. */
export const fileVariable = (name: string): string => `${name}_FILE`
