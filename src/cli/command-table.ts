// Every command with its options, declared once: parsing, help and documentation follow from it.
import { logLevels } from '../platform/log-levels.ts'
import type { SettingName } from '../platform/settings.ts'

/** One option. `number` takes decimals, `count` whole numbers, both between `min` and `max`; `date` a calendar day. */
export type OptionSpec = {
  readonly type: 'flag' | 'text' | 'paths' | 'count' | 'number' | 'choice' | 'date'
  readonly help: string
  /** Placeholder of the value in the help. */
  readonly value?: string
  readonly default?: string | number
  readonly choices?: readonly string[]
  readonly min?: number
  readonly max?: number
  readonly required?: boolean
  /** Value of the option if it is given without one. */
  readonly implied?: number
  /** What a shell completes its value with. */
  readonly completes?: 'file' | 'folder'
  /** Works, but is not shown in the everyday help. */
  readonly hidden?: boolean
}

/** Arguments without a dash: their name in the help, and how many. */
export type Operands = {
  readonly name: string
  readonly min: number
  readonly max: number
  /** The only values that it accepts. */
  readonly choices?: readonly string[]
  /** What a shell completes it with. */
  readonly completes?: 'file'
}

type Asks = {
  /** What will be lost, as a question; `{}` is the first operand. */
  readonly question: string
  /** Only with one of these options; absent: always. */
  readonly with?: readonly string[]
}

export type CommandSpec = {
  readonly summary: string
  /** Further sentences for the command's own help. */
  readonly details?: readonly string[]
  readonly operands?: Operands
  readonly options: { readonly [name: string]: OptionSpec }
  /** Present if the command cannot be undone: a person is asked first, a program passes --yes. */
  readonly asks?: Asks
  /** Settings of the environment that the command reads. */
  readonly environment: readonly SettingName[]
  readonly examples: readonly (readonly [command: string, explanation: string])[]
  readonly hidden?: boolean
}

const data: OptionSpec = {
  type: 'text',
  value: 'DIR',
  default: './data',
  completes: 'folder',
  help: 'Folder that holds the stock and the edition log.',
}
const json: OptionSpec = { type: 'flag', help: 'One JSON line per event on standard output, for programs.' }
const help: OptionSpec = { type: 'flag', help: 'Show this help.' }
const acceptOlder: OptionSpec = {
  type: 'flag',
  help: 'Continue from a database that lacks the newest editions of the edition log (a restored backup); what is given up is kept aside.',
}
const logLevel: OptionSpec = {
  type: 'choice',
  value: 'LEVEL',
  choices: logLevels,
  default: 'warn',
  help: `Log lines on standard error: ${logLevels.join(', ')}.`,
}
/** Options that nearly all commands have: help and pages list them after a command's own. */
export const sharedOptions: ReadonlySet<string> = new Set(['data', 'json', 'yes', 'help'])
const everywhere = { data, json, help }
const dryRun: OptionSpec = { type: 'flag', help: 'Show what would be done, and change nothing.' }
/** Option of every command that asks. */
const newName: OptionSpec = { type: 'text', value: 'NAME', required: true, help: 'The new name.' }
const nameAgain: OptionSpec = {
  type: 'text',
  value: 'NAME',
  required: true,
  help: 'Its name once more, as nothing of it is left.',
}
const yes: OptionSpec = { type: 'flag', help: 'Do not ask for confirmation; required without a terminal.' }
const everywhereAsking = { data, json, yes, help }
const maxStaleness: OptionSpec = {
  type: 'number',
  value: 'HOURS',
  default: 24,
  min: 0.1,
  max: 168,
  help: 'How long checks for new editions may fail before /readyz answers 503.',
}
const drain: OptionSpec = {
  type: 'number',
  value: 'N',
  min: 0,
  max: 300,
  help: 'How long to keep answering after SIGTERM, for load balancers. Default: 10 with DATABASE_URL, 0 on a terminal and on the embedded engine.',
}
const host = (help: string): OptionSpec => ({ type: 'text', value: 'HOST', default: '127.0.0.1', help })
const port = (help: string): OptionSpec => ({ type: 'count', value: 'PORT', min: 0, max: 65_535, help })
const apiAddress = {
  'api-host': host('Address on which the API listens.'),
  'api-port': { ...port('Port of the API; 0 picks a free one.'), default: 8080 },
}
const consoleAddress = {
  'console-host': host('Address on which the console listens; beyond this machine only with TENDERSTOCK_CONSOLE_URL.'),
  'console-port': port('Port of the console; 0 picks a free one. Default: one above --api-port (8081).'),
}
const metricsAddress = {
  'metrics-host': host('Address on which /metrics listens.'),
  'metrics-port': port('Serve metrics for Prometheus at /metrics on this port; 0 picks a free one. Default: off.'),
}
const readers: OptionSpec = {
  type: 'count',
  value: 'N',
  default: 1,
  min: 1,
  max: 64,
  help: 'Threads that answer API requests; use one per core.',
}
const rateLimitFields: OptionSpec = {
  type: 'flag',
  help: 'Also send the RateLimit and RateLimit-Policy headers of the IETF draft, next to X-RateLimit-*.',
}
const publishInterval: OptionSpec = {
  type: 'number',
  value: 'N',
  default: 60,
  min: 0,
  max: 1440,
  help: 'Minimum minutes between editions. Values below 60 are for trials and not conformant.',
}

const simulator: OptionSpec = {
  type: 'text',
  value: 'URL',
  help: 'Use the portals that `tenderstock simulate` serves at this URL instead.',
}

const databaseEnvironment = ['DATABASE_URL'] as const
const sourceEnvironment = ['TENDERSTOCK_CONTACT'] as const
const bucketEnvironment = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_REGION',
  'AWS_ENDPOINT_URL',
] as const
const documentsEnvironment = ['TENDERSTOCK_DOCUMENTS', ...bucketEnvironment] as const
const sealingEnvironment = [...databaseEnvironment, 'TENDERSTOCK_SECRET_KEY'] as const
const serviceEnvironment = [
  ...databaseEnvironment,
  'REDIS_URL',
  'TENDERSTOCK_BASE_URL',
  'TENDERSTOCK_DOCS_URL',
  'TENDERSTOCK_TRUSTED_HOPS',
  'TENDERSTOCK_CONNECTIONS_PER_ADDRESS',
  'TENDERSTOCK_SECRET_KEY',
  'TENDERSTOCK_EDITIONS',
  'TENDERSTOCK_BULK_FILES',
] as const
const mailEnvironment = ['TENDERSTOCK_SMTP_URL', 'TENDERSTOCK_MAIL_FROM'] as const
const consoleEnvironment = [
  'TENDERSTOCK_CONSOLE_URL',
  'TENDERSTOCK_TENDER_PAGES',
  'TENDERSTOCK_IMPRINT_URL',
  'TENDERSTOCK_PRIVACY_URL',
  'TENDERSTOCK_TERMS_URL',
  'TENDERSTOCK_NAME',
  'TENDERSTOCK_LOGO',
  'TENDERSTOCK_COLOR',
  'TENDERSTOCK_OIDC_ISSUER',
  'TENDERSTOCK_OIDC_CLIENT_ID',
  'TENDERSTOCK_OIDC_CLIENT_SECRET',
] as const

const keepEnvironment = [
  'TENDERSTOCK_KEEP_DOCUMENTS_DAYS',
  'TENDERSTOCK_KEEP_REJECTIONS_DAYS',
  'TENDERSTOCK_KEEP_LAST_USE_DAYS',
  'TENDERSTOCK_KEEP_AUDIT_DAYS',
] as const

/** All that a whole service reads. */
const wholeEnvironment = [
  ...serviceEnvironment,
  ...consoleEnvironment,
  ...mailEnvironment,
  ...sourceEnvironment,
  ...documentsEnvironment,
  ...keepEnvironment,
] as const

export const shells = ['bash', 'zsh', 'fish'] as const

const endpointId = { name: 'ID', min: 1, max: 1 } as const
const secretFile: OptionSpec = {
  type: 'text',
  value: 'FILE',
  completes: 'file',
  help: 'File with a secret of your own (whsec_ and 24 to 64 bytes in base64); default: a new one.',
}

const deliverOpen: OptionSpec = {
  type: 'count',
  value: '[N]',
  implied: 500,
  min: 1,
  max: 500,
  help: 'Also deliver open tenders that match now and are not hits yet: the best N (500).',
}

const digestTiming = {
  rhythm: {
    type: 'choice',
    value: 'RHYTHM',
    choices: ['daily', 'weekly', 'at-once'],
    help: 'daily, weekly, at-once (at most one mail an hour).',
  },
  weekday: {
    type: 'choice',
    value: 'DAY',
    choices: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
    help: 'Day of weekly mails, such as monday.',
  },
  hour: { type: 'count', value: 'H', min: 0, max: 23, help: 'Hour of the day, 0 to 23.' },
  zone: { type: 'text', value: 'ZONE', help: 'Time zone of the person, such as Europe/Berlin.' },
  language: { type: 'choice', value: 'LANGUAGE', choices: ['en', 'de'], help: 'Language of the mails: en, de.' },
} as const satisfies { readonly [name: string]: OptionSpec }

const organization: OptionSpec = {
  type: 'text',
  value: 'NAME',
  help: 'The organization, if several have one of this name.',
}
const itsOrganization: OptionSpec = { ...organization, required: true, help: 'The organization to which it belongs.' }
const codeLists = {
  cpv: { type: 'paths', value: 'CODE…', help: 'CPV codes; each covers the codes below it.' },
  nuts: { type: 'paths', value: 'CODE…', help: 'NUTS regions; each covers the regions in it.' },
  word: {
    type: 'paths',
    value: 'WORD…',
    help: 'Words in the title or description; a word of five letters or more also matches at the start or end of a longer word.',
  },
  'value-min': { type: 'count', value: 'EUR', help: 'Minimum value in euros.' },
  'value-max': { type: 'count', value: 'EUR', help: 'Maximum value in euros.' },
  nature: { type: 'paths', value: 'NATURE…', help: 'works, supplies or services.' },
  'exclude-cpv': { type: 'paths', value: 'CODE…', help: 'Exclude these CPV codes.' },
  'exclude-word': { type: 'paths', value: 'WORD…', help: 'Exclude these words.' },
} as const satisfies { readonly [name: string]: OptionSpec }
const searchOptions = {
  ...codeLists,
  authority: { type: 'paths', value: 'NAME…', help: 'Contracting authorities, by name or national id.' },
  procedure: { type: 'paths', value: 'TYPE…', help: 'Procedure types of eForms: open, restricted …' },
  'all-words': {
    type: 'paths',
    value: 'WORD…',
    help: 'Words all of which must occur; --word needs only one of its own.',
  },
  status: {
    type: 'paths',
    value: 'STATUS…',
    help: 'open, planned or awardIntended; a new search looks for open ones unless it says otherwise.',
  },
  'min-days': { type: 'count', value: 'N', help: 'Minimum days left until the deadline that a bidder meets first.' },
  'exclude-nuts': { type: 'paths', value: 'CODE…', help: 'Exclude these regions.' },
  'exclude-authority': { type: 'paths', value: 'NAME…', help: 'Exclude these authorities.' },
  profile: {
    type: 'text',
    value: 'NAME',
    help: 'Profile that scores are computed against; default: the search itself.',
  },
  threshold: { type: 'count', value: 'N', min: 1, max: 100, help: 'Minimum fit score of a hit; 50 for a new search.' },
  preview: { type: 'flag', help: 'Show what it finds in the stock, without saving it.' },
} as const satisfies { readonly [name: string]: OptionSpec }
const profileOptions = {
  ...codeLists,
  country: { type: 'paths', value: 'XX…', help: 'Only tenders of these countries, ISO 3166-1.' },
  'past-authority': { type: 'paths', value: 'NAME…', help: 'Authorities that the company has worked for.' },
  'past-win': { type: 'paths', value: 'ID…', help: 'Tenders that it has won, by id.' },
} as const satisfies { readonly [name: string]: OptionSpec }
const note: OptionSpec = { type: 'text', value: 'TEXT', help: 'The reason, for people who read the decision later.' }
const clear: OptionSpec = {
  type: 'paths',
  value: 'OPTION…',
  help: 'Options to remove: cpv, word, value-max …',
}

/** If absent, options are those of every command, and environment is the database. */
type CommandEntry = Omit<CommandSpec, 'options' | 'environment'> &
  Partial<CommandSpec> & {
    /** In place of those that commands have anyway, and of `options`. */
    readonly ownOptions?: CommandSpec['options']
  }

const table = {
  start: {
    summary: 'Start the service: read notices, publish editions, answer the API.',
    details: [
      'The first start creates a data folder, reads the sample portals (made-up notices, on this machine only), publishes the',
      'first edition and serves it; a later start serves it at once. Ctrl+C or SIGTERM stops it cleanly. The samples come with',
      'a trial organization: its token is shown once on a terminal and kept in the file trial-token of the data folder. For',
      'your own notices, create one: `organization create NAME`, `token create NAME`. `tenderstock config` shows the settings.',
    ],
    ownOptions: {
      data,
      ...apiAddress,
      ...consoleAddress,
      ...metricsAddress,
      readers,
      'rate-limit-fields': rateLimitFields,
      ingest: {
        type: 'paths',
        value: 'PATH…',
        completes: 'file',
        help: 'Read these notices first: files, folders, .zip, .tar.gz.',
      },
      'no-samples': { type: 'flag', help: 'Do not start the sample portals.' },
      live: { type: 'flag', help: 'Read the real portals on their timetables; no sample portals.' },
      source: {
        type: 'paths',
        value: 'ID…',
        help: 'Only these sources; `source list --all` shows the ids. Without --live: their sample portals; `all` means every one.',
      },
      simulator: {
        ...simulator,
        help: 'With --live: read the portals that `tenderstock simulate` serves at this URL. The stock then counts as samples.',
      },
      workers: {
        type: 'count',
        value: 'N',
        default: 4,
        min: 1,
        max: 64,
        help: 'With --live: how many workers parse and store at a time; each visits up to eight sources at once.',
      },
      'backfill-since': {
        type: 'date',
        value: 'DATE',
        help: 'With --live: backfill from this date (YYYY-MM-DD); default: the last 30 days.',
      },
      'requests-per-minute': {
        type: 'count',
        value: 'N',
        min: 1,
        max: 1_000_000_000,
        help: 'Limit of the trial organization; with samples only (initially 60).',
      },
      'publish-interval-minutes': publishInterval,
      role: {
        type: 'paths',
        value: 'ROLE…',
        help:
          'Do only this: ingest, consolidate, publish, serve, hits, deliver, console, mail. Other processes on ' +
          'the same DATABASE_URL do the rest. Default: everything.',
      },
      'allow-loopback-webhooks': {
        type: 'flag',
        help: 'Allow webhooks to this machine, as the samples do. For trials; not with --live or DATABASE_URL.',
      },
      'trial-clock': {
        type: 'flag',
        hidden: true,
        help: 'Let `tenderstock clock advance` move the clock. Not for production.',
      },
      'accept-older-database': acceptOlder,
      'max-staleness': maxStaleness,
      'drain-seconds': drain,
      'log-level': logLevel,
      json,
      help,
    },
    environment: wholeEnvironment,
    examples: [
      ['tenderstock start', 'sample portals, API on 127.0.0.1:8080'],
      ['tenderstock start --ingest notices/ day.zip --no-samples', 'serve your own notices'],
      ['tenderstock start --live --data /srv/live', 'read all portals that need no key'],
      ['tenderstock start --live --source ted doe --backfill-since 2022-01-01', 'two of them, with a backfill'],
      [
        'tenderstock start --live --simulator http://127.0.0.1:8090 --data trial',
        'live workers against `tenderstock simulate`',
      ],
      ['tenderstock start --live --role ingest consolidate publish', 'no API here: other machines run `serve`'],
      ['tenderstock start --data /srv/tenders --api-port 9000 --json', 'for a program that waits for the ready event'],
    ],
  },
  ingest: {
    summary: 'Read notices into the stock: files, folders, .zip, .tar.gz.',
    details: [
      'The content tells the format: eForms, TED_EXPORT, OCDS packages or line-delimited releases. Reading a document twice',
      'changes nothing. Unreadable documents are kept with the reason: see `tenderstock status --rejections`.',
    ],
    operands: { name: 'PATH…', min: 1, max: 10_000, completes: 'file' },
    environment: [...databaseEnvironment, ...documentsEnvironment],
    examples: [
      ['tenderstock ingest notices/', 'a folder and everything below it'],
      ['tenderstock ingest 202600123.tar.gz eforms.zip', 'archives as the portals deliver them'],
    ],
  },
  publish: {
    summary: 'Publish the next edition if there is anything new and the last one is old enough.',
    details: ['Exit code 0: published, or nothing new; 3: held back by the gate, which says why; 4: too early.'],
    options: {
      'publish-interval-minutes': publishInterval,
      'dry-run': dryRun,
      'override-gate': { type: 'flag', help: 'Publish what the gate held back; read its reasons first.' },
      reason: { type: 'text', value: 'TEXT', help: 'The reason, for the audit log.' },
      'accept-future-edition': {
        type: 'flag',
        help: 'Publish although a fast clock dated the last edition in the future. Make sure that it is at least an hour old.',
      },
    },
    asks: {
      question:
        'Publish despite what holds the next edition back? Clients keep what they have received: no edition is taken back.',
      with: ['override-gate', 'accept-future-edition'],
    },
    examples: [
      ['tenderstock publish', 'the next edition'],
      ['tenderstock publish --dry-run', 'what the gate would decide, and how many records would change'],
      ["tenderstock publish --override-gate --reason 'confirmed by phone'", 'publish despite the gate'],
    ],
  },
  serve: {
    summary: 'Serve the API only; reading and publishing run elsewhere.',
    details: [
      'With DATABASE_URL, any number of these can run. On the embedded engine, only one process can use the folder.',
      'With TENDERSTOCK_EDITIONS, it reads editions and tokens from a bucket and needs no database (docs/editions-in-a-bucket.md).',
    ],
    ownOptions: {
      data,
      ...apiAddress,
      ...metricsAddress,
      readers,
      'accept-older-database': acceptOlder,
      'rate-limit-fields': rateLimitFields,
      'max-staleness': maxStaleness,
      'drain-seconds': drain,
      'log-level': logLevel,
      json,
      help,
    },
    environment: [...serviceEnvironment, ...bucketEnvironment],
    examples: [
      ['DATABASE_URL=postgres://… tenderstock serve --api-port 9001', 'another API process'],
      ['TENDERSTOCK_EDITIONS=s3://bucket/prefix tenderstock serve', 'an API process without a database'],
      [
        'DATABASE_URL=postgres://… tenderstock serve --readers 8',
        'an API process with a reader for each of eight cores',
      ],
    ],
  },
  rebuild: {
    summary: 'Re-parse all stored documents and rebuild the stock.',
    details: ['Ids do not change. It reports how many records have new contents; the next edition publishes them.'],
    options: { 'dry-run': dryRun },
    environment: [...databaseEnvironment, ...documentsEnvironment],
    examples: [['tenderstock rebuild', 'after an update with better parsers']],
  },
  redact: {
    summary: "Remove a person's contact data from records, and keep it out.",
    details: [
      'The values are removed from every record, now and whenever a notice with them is read again; the next edition brings the',
      'change to copies. Raw documents are kept, but no longer shown with them. Name every value: redacting an address does not',
      'redact the phone number beside it. See docs/privacy.md.',
    ],
    options: {
      email: { type: 'paths', value: 'MAIL…', help: 'Mail addresses.' },
      phone: {
        type: 'paths',
        value: 'NUMBER…',
        help: 'Phone numbers; one with the country code also matches without it.',
      },
      name: { type: 'paths', value: 'NAME…', help: 'Full names, given name first.' },
      'secret-file': {
        ...secretFile,
        help: 'File with one value per line: `email: MAIL`, `phone: NUMBER` or `name: NAME`; so no value is an argument.',
      },
      reason: {
        type: 'text',
        value: 'TEXT',
        help: 'The reason, for the list and the audit log; do not name the person.',
      },
      'dry-run': { type: 'flag', help: 'Show how many notices and records contain the values, and change nothing.' },
    },
    examples: [
      ['tenderstock redact --secret-file request-7 --dry-run', 'where the values of the file occur'],
      ["tenderstock redact --secret-file request-7 --reason 'request 7'", 'remove them'],
      ["tenderstock redact --phone '+49 30 1234567' --reason 'request 7'", 'remove a number'],
    ],
  },
  'redact list': {
    summary: 'List the redactions.',
    examples: [['tenderstock redact list', 'with their ids and reasons']],
  },
  'redact undo': {
    summary: 'Undo a redaction: the values are published again.',
    operands: { name: 'ID', min: 1, max: 1 },
    asks: { question: 'Undo the redaction {}? The next edition publishes the removed values again.' },
    examples: [['tenderstock redact undo 4be1d6a09c7f2e35 --yes', 'an id of `redact list`']],
  },
  'redact import': {
    summary: 'Apply the redactions in a file redactions.jsonl, after a restore.',
    details: [
      'This file is in the data folder of the process that redacted. It holds keyed hashes, for the stock that made them.',
    ],
    operands: { name: 'FILE', min: 1, max: 1 },
    examples: [['tenderstock redact import data/redactions.jsonl', 'what was redacted after the backup']],
  },
  status: {
    summary: 'Show what was received, what the stock holds and what is published.',
    details: [
      'Exit code 0: the rounds of the service succeed, or no service was started; 7: a stage fails, or rounds are hours late. It',
      'says which and why, even if the service runs elsewhere or is gone. --json has editionAgeSeconds, lastRoundAt (ISO',
      '8601), failedRounds in a row, and lastError.',
    ],
    options: {
      rejections: { type: 'flag', help: 'List the documents that could not be read, newest first.' },
      limit: { type: 'count', value: 'N', default: 50, min: 1, max: 10_000, help: 'How many rejections to list.' },
    },
    examples: [
      ['tenderstock status', 'a summary'],
      ['tenderstock status --rejections', 'with the documents that could not be read'],
    ],
  },
  audit: {
    summary: 'List who did what, newest first.',
    details: [
      'Every change by a person in the console or by a command has an entry, kept for 730 days (TENDERSTOCK_KEEP_AUDIT_DAYS).',
      'The console shows the same: to the Owners of an organization its own, to operators all.',
    ],
    options: {
      organization: { ...organization, help: 'Only entries about this organization.' },
      limit: { type: 'count', value: 'N', default: 50, min: 1, max: 10_000, help: 'How many entries to list.' },
    },
    examples: [
      ['tenderstock audit', 'the last 50 changes'],
      ["tenderstock audit --organization 'Acme Ltd' --limit 500 --json", 'of one organization, for a program'],
    ],
  },
  doctor: {
    summary: 'Examine machine, settings, database and store, and say how to repair them.',
    details: [
      'Each line is ok, a warning or a problem with what to do. It changes nothing, works while the service runs and before the first',
      'start, and takes at most five seconds for a check. Exit code 0: no problem; 1: at least one.',
    ],
    ownOptions: {
      data,
      ...apiAddress,
      ...consoleAddress,
      ...metricsAddress,
      live: {
        type: 'flag',
        help: 'Also send one small request to portals: ted and doe, or the --source that you name.',
      },
      source: { type: 'paths', value: 'ID…', help: 'With --live: these portals.' },
      simulator,
      json,
      help,
    },
    environment: wholeEnvironment,
    examples: [
      ['tenderstock doctor --data /srv/tenderstock', 'before the first start, or when something seems wrong'],
      ['tenderstock doctor --live --source ted --json', 'with a portal, for a program'],
    ],
  },
  config: {
    summary: 'Show the settings in effect and where each comes from; secrets are hidden.',
    details: [
      'Asks the service that runs on the data folder; if none runs, it shows what a command started here would use.',
      'It also lists variables that begin with TENDERSTOCK_ but are not settings.',
      'Exit code 2: a value cannot be used. docs/settings.md lists all settings.',
    ],
    environment: [],
    examples: [['tenderstock config', 'before the first start, or when a setting seems to be ignored']],
  },
  'maintenance on': {
    summary: 'Close the API for maintenance: every node answers 503 with the remaining time.',
    details: [
      'Works on a running service and for all nodes of a database within seconds, and ends automatically. The console, /healthz',
      'and /readyz (200, with `maintenance`) keep working. Run it again to move the end.',
    ],
    options: {
      until: {
        type: 'text',
        value: 'TIME',
        required: true,
        help: 'When it ends, ISO 8601 with a time zone: 2026-11-24T06:00Z; within 7 days.',
      },
    },
    examples: [['tenderstock maintenance on --until 2026-11-24T06:00Z', 'clients return automatically at 06:00 UTC']],
  },
  'maintenance off': {
    summary: 'Reopen the API before its maintenance ends.',
    examples: [['tenderstock maintenance off', 'all nodes answer again within seconds']],
  },
  'values fit': {
    summary: 'Fit the model that estimates unpublished values from published ones.',
    details: [
      'The service does this once a day. It needs 300 tenders with a published value. Records that have an estimate keep it until',
      'the data behind it changes; records that no model has judged yet receive one.',
    ],
    examples: [['tenderstock values fit', 'after the first large import']],
  },
  'source list': {
    summary: 'List the active sources, those with alarms first.',
    options: {
      all: { type: 'flag', help: 'Include sources that were never read.' },
      country: { type: 'text', value: 'XX', help: 'All sources of a country, ISO 3166-1 (DE, FR, EU …).' },
    },
    examples: [
      ['tenderstock source list', 'active sources and their problems'],
      ['tenderstock source list --country DE', 'all German portals'],
    ],
  },
  'source show': {
    summary: 'Show a source: its card, its health and its last readings.',
    operands: { name: 'SOURCE', min: 1, max: 1 },
    examples: [['tenderstock source show ted', 'the official journal']],
  },
  'source terms': {
    summary: 'List what a person has to settle: contact, keys, agreements, licenses, open questions.',
    details: ['A list to tick off, in Markdown. Sends nothing.'],
    options: {
      country: { type: 'text', value: 'XX', help: 'Of the sources of a country, ISO 3166-1 (DE, FR, EU …).' },
    },
    environment: sourceEnvironment,
    examples: [['tenderstock source terms --country DE', 'before the first day']],
  },
  'source mend': {
    summary: 'Record the answers of a portal that has changed, and say what to change in its card.',
    details: [
      'Sends the requests of `source check`, and records them without keys, cookies, mail addresses and',
      'phone numbers, as a test that fails until the card reads them. Names the file to change, members',
      'that are gone, and new ones like them.',
      'Exit code 0: the portal answers as its card expects; 6: it does not.',
    ],
    operands: { name: 'SOURCE', min: 1, max: 1 },
    options: {
      simulator,
      record: {
        type: 'text',
        value: 'DIR',
        completes: 'folder',
        help: 'Folder for the recording. Default: test/sources/recordings of a clone, otherwise recordings.',
      },
    },
    environment: sourceEnvironment,
    examples: [['tenderstock source mend ro-seap', 'after its alarm `drift` or `wrong content`']],
  },
  'source check': {
    summary: 'Send each portal one small request and compare the answer with its card.',
    details: [
      'Without an id: all active sources. Nothing is stored. A source is ok if an entry arrived and its ' +
        'content fits the card, quiet if the portal has published nothing lately. Exit code 0: all are ok or ' +
        'quiet; 6: one differs or does not answer.',
    ],
    operands: { name: '[SOURCE…]', min: 0, max: 1000 },
    options: {
      all: { type: 'flag', help: 'All active sources, as without an id.' },
      simulator,
      record: {
        type: 'text',
        value: 'DIR',
        completes: 'folder',
        help: 'Write requests and answers into this new folder, without keys, cookies, mail addresses and phone numbers.',
      },
      report: {
        type: 'text',
        value: 'FILE',
        completes: 'file',
        help: 'Write a page (Markdown): a row by country with verdict, time, license, robots.txt, evidence and findings.',
      },
    },
    environment: sourceEnvironment,
    examples: [
      ['tenderstock source check ted doe', 'two portals'],
      ['tenderstock source check ro-seap --record answers', 'a recording for the tests'],
      ['tenderstock source check --all --report portals.markdown', 'all active sources, and a page about them'],
      [
        'tenderstock source check xx-new --simulator http://127.0.0.1:8090',
        'a new card against `tenderstock simulate`',
      ],
    ],
  },
  'source run': {
    summary: 'Read what is due from a source now, or the slots that you name.',
    details: ['Exit code 0: read; 5: a reading failed; the service retries it when it is due.'],
    operands: { name: 'SOURCE', min: 1, max: 1 },
    options: {
      channel: { type: 'text', value: 'NAME', help: 'Only this channel; `source show` lists them.' },
      slot: { type: 'paths', value: 'KEY…', help: 'With --channel: these slots, due or not (2026-11-20, 2026-11 …).' },
      'backfill-since': { type: 'date', value: 'DATE', help: 'Backfill from this date (YYYY-MM-DD).' },
      simulator,
    },
    environment: [...databaseEnvironment, ...sourceEnvironment, ...documentsEnvironment],
    examples: [
      ['tenderstock source run doe', 'what is due'],
      ['tenderstock source run doe --channel daily --slot 2026-11-20', 'rereads one day'],
    ],
  },
  'source off': {
    summary: 'Do not read a source any more, until `source on`.',
    details: ['What was read stays in the stock; what waits is read when the source is on again.'],
    operands: { name: 'SOURCE', min: 1, max: 1 },
    options: {
      reason: { type: 'text', value: 'TEXT', help: 'Why, for people who look at the source later. Required.' },
    },
    examples: [["tenderstock source off fr-boamp --reason 'robots.txt forbids it'", 'an agreement is needed first']],
  },
  'source on': {
    summary: 'Read a source again that `source off` turned off.',
    details: ['It is read when it is due, within seconds.'],
    operands: { name: 'SOURCE', min: 1, max: 1 },
    options: {},
    examples: [['tenderstock source on fr-boamp', 'the portal agreed']],
  },
  'source release': {
    summary: 'End the quarantine of a source: its notices are consolidated.',
    details: [
      'A source is in quarantine when far fewer of its new notices than usual have a deadline, CPV, value, authority or',
      'region: `source show` says which. If the portal renamed a member, correct the card and run `rebuild` instead: it ends',
      'every quarantine.',
    ],
    operands: { name: 'SOURCE', min: 1, max: 1 },
    options: {
      note: { type: 'text', value: 'TEXT', help: 'What you found, for people who read the alarm later.' },
    },
    examples: [
      ["tenderstock source release doe --note 'calls without CPV, seen on the portal'", 'after looking at them'],
    ],
  },
  'review list': {
    summary: 'List possible duplicates that await a decision, by expected gain.',
    details: [
      'The gain is the chance that they are one, by what was decided on pairs of the same rule, times one more than the open hits that are one of them.',
      'Their records stay separate until somebody decides.',
      'Before them come records whose notices contradict each other: `review split` separates them unless exact references join them.',
    ],
    options: {
      limit: { type: 'count', value: 'N', default: 20, min: 1, max: 10_000, help: 'How many to list.' },
    },
    examples: [['tenderstock review list --limit 100', 'with titles, buyers, dates, score and evidence']],
  },
  'review show': {
    summary: 'Show two records side by side, with the evidence for and against one tender.',
    details: ['LEFT and RIGHT are ids of records, or keys of notices as `review list` and `explain` show them.'],
    operands: { name: 'LEFT RIGHT', min: 2, max: 2 },
    examples: [['tenderstock review show ted:123456-2026 doe:7-01', 'two notices and the records they belong to']],
  },
  'review merge': {
    summary: 'Decide that two records are one tender; takes effect immediately and survives a rebuild.',
    details: [
      'The newer of two published records becomes `merged` in the next edition. A later decision replaces this one.',
    ],
    operands: { name: 'LEFT RIGHT', min: 2, max: 2 },
    options: { note },
    examples: [["tenderstock review merge ted:123456-2026 doe:7-01 --note 'same documents'", 'one tender']],
  },
  'review split': {
    summary: 'Decide that two records are two tenders; takes effect immediately and survives a rebuild.',
    details: [
      'This also separates what the rules had joined: `explain ID` shows which notices. Notices with exact references stay joined.',
    ],
    operands: { name: 'LEFT RIGHT', min: 2, max: 2 },
    options: { note },
    examples: [["tenderstock review split ted:123456-2026 doe:7-01 --note 'two lots'", 'two tenders']],
  },
  'review undo': {
    summary: 'Remove the decision on two records; the rules decide again.',
    details: ['LEFT and RIGHT are as in the decision, or any other notice or id of the two records.'],
    operands: { name: 'LEFT RIGHT', min: 2, max: 2 },
    examples: [
      ['tenderstock review undo ted:123456-2026 doe:7-01', 'the pair is undecided again, or as the rules say'],
    ],
  },
  explain: {
    summary: 'Show why each notice belongs to the tender, and where each field comes from.',
    details: ['With --search: why the search matches the tender as it is published, or why not.'],
    operands: { name: 'ID', min: 1, max: 1 },
    options: {
      search: { type: 'text', value: 'NAME', help: 'Show each clause of this search, and the parts of the fit score.' },
      organization,
    },
    examples: [
      ['tenderstock explain 178f7856-be54-83a1-8bfe-ad3fc2e71f71', 'every record of the API has its id'],
      ['tenderstock explain 178f7856-be54-83a1-8bfe-ad3fc2e71f71 --search Roads', 'why it is a hit, or not'],
    ],
  },
  'profile create': {
    summary: 'Describe a company; fit scores are computed against it.',
    details: ['It needs at least one CPV code, word or past win.'],
    options: {
      organization: itsOrganization,
      name: { type: 'text', value: 'NAME', required: true, help: 'Its name.' },
      ...profileOptions,
    },
    examples: [['tenderstock profile create --organization Acme --name Us --cpv 45233000 --word asphalt', 'a company']],
  },
  'profile edit': {
    summary: 'Change a profile; the change applies from the next edition.',
    details: ['Each option replaces its former value.'],
    operands: { name: 'PROFILE', min: 1, max: 1 },
    options: { organization: itsOrganization, ...profileOptions, clear },
    examples: [['tenderstock profile edit Us --organization Acme --nuts DE2 DE1', 'other regions']],
  },
  'profile rename': {
    summary: 'Give a profile another name.',
    operands: { name: 'PROFILE', min: 1, max: 1 },
    options: { organization: itsOrganization, name: newName },
    examples: [
      ["tenderstock profile rename Us --organization Acme --name 'Road works'", 'its id and its versions stay'],
    ],
  },
  'profile copy': {
    summary: 'Create another profile of the organization that says the same.',
    operands: { name: 'PROFILE', min: 1, max: 1 },
    options: { organization: itsOrganization, name: newName },
    examples: [["tenderstock profile copy Us --organization Acme --name 'Us, abroad'", 'then change the copy']],
  },
  'profile delete': {
    summary: 'Delete a profile that no search uses.',
    details: ['It cannot be undone. If searches use it, they are named: give them another profile first.'],
    operands: { name: 'PROFILE', min: 1, max: 1 },
    options: { organization: itsOrganization, confirm: nameAgain },
    examples: [['tenderstock profile delete Us --organization Acme --confirm Us', 'the name, once more']],
  },
  'profile list': {
    summary: 'List the profiles of an organization.',
    options: { organization: itsOrganization },
    examples: [['tenderstock profile list --organization Acme', 'by name']],
  },
  'profile show': {
    summary: 'Show a profile.',
    operands: { name: 'PROFILE', min: 1, max: 1 },
    options: { organization: itsOrganization },
    examples: [['tenderstock profile show Us --organization Acme', 'what it says']],
  },
  'search create': {
    summary: 'Save a search; tenders that match it become hits from the next edition.',
    details: [
      'A tender has to satisfy every option, with any of its values. A search needs a CPV code, a region, a word or an authority.',
    ],
    options: {
      organization: itsOrganization,
      name: { type: 'text', value: 'NAME', required: true, help: 'Its name.' },
      ...searchOptions,
      'deliver-open': deliverOpen,
    },
    examples: [
      ['tenderstock search create --organization Acme --name Roads --cpv 45233000 --preview', 'what it would find'],
      ['tenderstock search create --organization Acme --name Roads --cpv 45233 --deliver-open', 'saved'],
    ],
  },
  'search edit': {
    summary: 'Change a search; the change applies from the next edition.',
    details: ['Each option replaces its former value. Existing hits stay.'],
    operands: { name: 'SEARCH', min: 1, max: 1 },
    options: { organization, ...searchOptions, clear },
    examples: [['tenderstock search edit Roads --threshold 60 --clear nuts', 'a higher score, any region']],
  },
  'search pause': {
    summary: 'Pause a search: it makes no hits from the next edition.',
    operands: { name: 'SEARCH', min: 1, max: 1 },
    options: { organization },
    examples: [['tenderstock search pause Roads', 'until `search resume`']],
  },
  'search resume': {
    summary: 'Resume a paused search: it makes hits again from the next edition.',
    operands: { name: 'SEARCH', min: 1, max: 1 },
    options: {
      organization,
      'deliver-open': deliverOpen,
    },
    examples: [['tenderstock search resume Roads --deliver-open', 'with what was missed']],
  },
  'search rename': {
    summary: 'Give a search another name.',
    operands: { name: 'SEARCH', min: 1, max: 1 },
    options: { organization, name: newName },
    examples: [["tenderstock search rename Roads --name 'Roads in Bavaria'", 'its id, hits and versions stay']],
  },
  'search copy': {
    summary: 'Save another search of the organization with the same criteria.',
    details: [
      'The copy makes its own hits from the next edition. Endpoints and digests that name the original do not get them.',
    ],
    operands: { name: 'SEARCH', min: 1, max: 1 },
    options: { organization, name: newName },
    examples: [["tenderstock search copy Roads --name 'Roads, small'", 'then: search edit']],
  },
  'search delete': {
    summary: 'Delete a search with its hits.',
    details: [
      'It cannot be undone. Messages and mails about its hits that wait are not sent. An endpoint or a ' +
        'digest that named only this search gets nothing any more.',
      'To keep the hits, use `search pause`.',
    ],
    operands: { name: 'SEARCH', min: 1, max: 1 },
    options: { organization, confirm: nameAgain },
    examples: [['tenderstock search delete Roads --confirm Roads', 'the name, once more']],
  },
  'search list': {
    summary: 'List the saved searches of an organization.',
    options: { organization: itsOrganization },
    examples: [['tenderstock search list --organization Acme', 'by name']],
  },
  'search show': {
    summary: 'Show what a search looks for, and which of its deliveries are held.',
    operands: { name: 'SEARCH', min: 1, max: 1 },
    options: { organization },
    examples: [['tenderstock search show Roads', 'its newest version']],
  },
  'hit list': {
    summary: 'List hits: newest edition first, best score first within an edition.',
    options: {
      organization,
      search: { type: 'text', value: 'NAME', help: 'Only hits of this search.' },
      limit: { type: 'count', value: 'N', default: 50, min: 1, max: 10_000, help: 'How many to list.' },
    },
    examples: [
      ['tenderstock hit list', 'hits of all searches'],
      ['tenderstock hit list --organization Acme', 'the hits of one organization'],
      ['tenderstock hit list --search Roads --limit 200', 'the hits of one search'],
    ],
  },
  'hit release': {
    summary: 'Deliver the hits of a search that were held because there were too many at once.',
    operands: { name: 'SEARCH', min: 1, max: 1 },
    options: {
      organization,
      edition: {
        type: 'count',
        value: 'N',
        min: 1,
        help: 'Only hits of this edition; `search show` lists the editions.',
      },
    },
    examples: [['tenderstock hit release Roads', 'after checking `search show Roads`']],
  },
  'digest create': {
    summary: 'Mail the hits of a search to a person.',
    details: [
      'The person receives the hits of the next editions by deadline, with those of their other searches in one mail. docs/hits/digests.md describes it.',
      'Unless you say otherwise, it comes daily at 7 in Europe/Brussels, in English. Somebody with other searches keeps their times.',
      'They are sent once the service has TENDERSTOCK_SMTP_URL and TENDERSTOCK_MAIL_FROM.',
    ],
    options: {
      organization: itsOrganization,
      search: { type: 'text', value: 'NAME', required: true, help: 'The search, by name or id.' },
      to: { type: 'text', value: 'ADDRESS', required: true, help: 'Mail address of the person.' },
      ...digestTiming,
    },
    environment: [...databaseEnvironment, ...mailEnvironment],
    examples: [['tenderstock digest create --organization Acme --search Roads --to anna@example.org', 'daily at 7']],
  },
  'digest edit': {
    summary: 'Change when a person receives mails, with the hits of all their searches.',
    operands: { name: 'ID', min: 1, max: 1 },
    options: { ...digestTiming },
    examples: [
      ['tenderstock digest edit ID --hour 18', 'each hit is still in one digest only'],
      ['tenderstock digest edit ID --rhythm weekly --weekday friday', 'on Fridays'],
    ],
  },
  'digest list': {
    summary: 'List digests with their next time and the state of their mails.',
    options: { organization: { ...organization, help: 'Only digests of this organization.' } },
    examples: [['tenderstock digest list', 'of all organizations']],
  },
  'digest start': {
    summary: 'Start mails again that ended because the mail server knew no such recipient.',
    operands: { name: 'ID', min: 1, max: 1 },
    examples: [['tenderstock digest start ID', 'the first mails bring everything since they ended']],
  },
  'digest remove': {
    summary: 'Remove a digest: the mails to the person no longer have hits of this search.',
    operands: { name: 'ID', min: 1, max: 1 },
    asks: { question: 'Remove the digest {}? Mails not sent yet lose its hits too.' },
    examples: [['tenderstock digest remove ID', '`digest list` shows the id']],
  },
  simulate: {
    summary: 'Simulate the portals of all sources on this machine, with optional faults.',
    details: [
      'Each speaks the protocol that its card declares and serves made-up notices, and more as time passes. Point `source check` or',
      '`source run` at it with --simulator. docs/simulator.md lists the faults; `--fault all` enables all of them.',
    ],
    ownOptions: {
      source: { type: 'paths', value: 'ID…', help: 'Only these sources; default: all.' },
      fault: {
        type: 'paths',
        value: 'NAME[=SHARE]…',
        help: 'Faults and the share of requests that they affect (default: 0.05).',
      },
      corpus: {
        type: 'text',
        value: 'DIR',
        completes: 'folder',
        help: 'Serve the real notices collected in this folder.',
      },
      port: { ...port('Port; 0 picks a free one.'), default: 8090 },
      seed: {
        type: 'text',
        value: 'S',
        help: 'Seed of the made-up notices and faults; the same seed gives the same result.',
      },
      speed: {
        type: 'number',
        value: 'X',
        default: 1,
        min: 0,
        max: 100_000,
        help: 'How fast time runs for the portals.',
      },
      data,
      json,
      help,
    },
    environment: [],
    examples: [
      ['tenderstock simulate', 'all portals, on port 8090'],
      ['tenderstock simulate --source xx-new --fault rate-limit=0.2 cut-short', 'a new card with two faults'],
      [
        'tenderstock source run xx-new --simulator http://127.0.0.1:8090 --data trial',
        'reads it from another terminal',
      ],
    ],
  },
  'console link': {
    summary: 'Print a link that signs a person in to the console, once, within ten minutes.',
    details: [
      'Before anyone exists, the link creates the first person: the operator. Later it is a way back in without mail: for the only',
      'operator, or for the person with this mail address. docs/console.md describes the console.',
    ],
    operands: { name: '[MAIL]', min: 0, max: 1 },
    options: {
      operator: { type: 'flag', help: 'Make this person an operator; the mail address may be new.' },
    },
    environment: [...databaseEnvironment, 'TENDERSTOCK_CONSOLE_URL'],
    examples: [
      ['tenderstock console link', 'for the first person, or the only operator'],
      ['tenderstock console link anna@example.org --operator', 'another operator'],
    ],
  },
  'organization create': {
    summary: 'Create an organization that may use the API.',
    operands: { name: 'NAME', min: 1, max: 1 },
    options: {
      'requests-per-minute': {
        type: 'count',
        value: 'N',
        default: 60,
        min: 1,
        max: 1_000_000_000,
        help: 'Its limit, for all its tokens together.',
      },
    },
    examples: [["tenderstock organization create 'Acme Ltd'", 'with the default limit']],
  },
  'quote list': {
    summary: 'List the requests for a quote, the open ones first.',
    details: ['Companies ask by the form of the console. Each request is removed 180 days later.'],
    options: {},
    examples: [['tenderstock quote list', 'who asked, and when']],
  },
  'quote show': {
    summary: 'Show a request for a quote.',
    operands: { name: 'ID', min: 1, max: 1 },
    options: {},
    examples: [['tenderstock quote show ID', '`quote list` shows the id']],
  },
  'quote close': {
    summary: 'Say what became of a request for a quote. Nobody is told.',
    operands: { name: 'ID', min: 1, max: 1 },
    options: {
      as: {
        type: 'choice',
        value: 'OUTCOME',
        choices: ['accepted', 'declined'],
        required: true,
        help: 'accepted, declined. The console accepts one together with contract and invitation.',
      },
    },
    examples: [['tenderstock quote close ID --as declined', 'it stays listed']],
  },
  'quote erase': {
    summary: 'Erase a request for a quote before its 180 days are over, with the mails about it.',
    operands: { name: 'ID', min: 1, max: 1 },
    options: {},
    examples: [['tenderstock quote erase ID', 'for somebody who asks for it']],
  },
  'organization list': {
    summary: 'List organizations.',
    examples: [['tenderstock organization list', 'with limits and access']],
  },
  'organization show': {
    summary: 'Show an organization: contract, limit, tokens and counts.',
    operands: { name: 'NAME', min: 1, max: 1 },
    examples: [["tenderstock organization show 'Acme Ltd'", 'as operators see it in the console']],
  },
  'organization use': {
    summary: 'Print what organizations used, by month, as CSV for invoices.',
    examples: [['tenderstock organization use', 'this month and the twelve before']],
  },
  'organization update': {
    summary: 'Change what an organization may do.',
    operands: { name: 'NAME', min: 1, max: 1 },
    options: {
      'requests-per-minute': { type: 'count', value: 'N', min: 1, max: 1_000_000_000, help: 'New limit.' },
      access: {
        type: 'choice',
        value: 'on|off',
        choices: ['on', 'off'],
        help: 'off: its tokens remain, but their requests are answered 403.',
      },
      bulk: {
        type: 'choice',
        value: 'on|off',
        choices: ['on', 'off'],
        help: 'Whether it may load files of whole editions.',
      },
    },
    examples: [
      ["tenderstock organization update 'Acme Ltd' --access off", 'when the contract ends'],
      ["tenderstock organization update 'Acme Ltd' --bulk on", 'a first load from files'],
    ],
  },
  'organization rename': {
    summary: 'Rename an organization; its id, tokens and searches stay.',
    operands: { name: 'NAME NEW-NAME', min: 2, max: 2 },
    examples: [["tenderstock organization rename 'Acme Ltd' 'Acme GmbH'", 'commands use the new name immediately']],
  },
  'organization end': {
    summary: 'End the contract of an organization now, if it has one; its access to the API closes.',
    details: [
      'Requests with its tokens are answered 403 within a minute, while tokens, people and searches stay. An operator creates a',
      'new contract in the console. Without a contract, `organization update NAME --access on` reopens the access.',
    ],
    operands: { name: 'NAME', min: 1, max: 1 },
    asks: {
      question:
        'Close the access of "{}" to the API now, and end its contract if it has one? The requests of all its tokens are refused from then on.',
    },
    examples: [["tenderstock organization end 'Acme Ltd'", 'before the agreed day']],
  },
  'token create': {
    summary: 'Create a token; it is shown once.',
    details: [
      'An organization has at most two valid tokens: revoke one to replace it. Its Owners create tokens in the console; use',
      'this command when none of them can sign in. The audit log has an entry, and the Owners receive a mail.',
    ],
    operands: { name: 'ORGANIZATION', min: 1, max: 1 },
    options: {
      name: { type: 'text', value: 'TEXT', default: 'API token', help: 'What it is for.' },
      'expires-in-days': {
        type: 'count',
        value: 'N',
        min: 1,
        max: 3650,
        help: 'Days until it expires; default: never.',
      },
    },
    examples: [["tenderstock token create 'Acme Ltd' --name 'CRM sync'", 'a token that never expires']],
  },
  'token list': {
    summary: 'List the tokens of an organization, without their text.',
    operands: { name: 'ORGANIZATION', min: 1, max: 1 },
    examples: [["tenderstock token list 'Acme Ltd'", 'with the time of their last use']],
  },
  'token revoke': {
    summary: 'Revoke a token; it stops working everywhere within a minute.',
    operands: { name: 'TOKEN-ID', min: 1, max: 1 },
    asks: {
      question: 'Revoke the token {}? Its requests are answered 401 from then on, and it never becomes valid again.',
    },
    examples: [['tenderstock token revoke 0b6f98dc-89b5-4153-a43d-5b69ba554b0d', '`token list` shows the id']],
  },
  'token rotate': {
    summary: 'Create the successor of a token; both work until the old one is revoked or ends.',
    details: [
      'The new token has the name and the lifetime of the old one and is shown once. Deploy it, watch the last use of the old one',
      'with `token list`, then revoke that. The audit log has an entry, and the Owners receive a mail.',
    ],
    operands: { name: 'TOKEN-ID', min: 1, max: 1 },
    options: {
      'old-ends-in-days': {
        type: 'count',
        value: 'N',
        min: 1,
        max: 365,
        help: 'End the old token then; default: it stays until it is revoked.',
      },
    },
    examples: [
      ['tenderstock token rotate 0b6f98dc-89b5-4153-a43d-5b69ba554b0d --old-ends-in-days 7', 'a week to deploy it'],
    ],
  },
  'webhook create': {
    summary: 'Create a webhook endpoint; its secret is shown once.',
    details: [
      'Hits of saved searches are posted to the URL, signed by Standard Webhooks; docs/hits/webhooks.md describes them.',
      'Only https on port 443 or 8443 is allowed, and no address in a private network.',
    ],
    options: {
      organization: itsOrganization,
      url: { type: 'text', value: 'URL', required: true, help: 'Where the hits are posted.' },
      kind: {
        type: 'paths',
        value: 'KIND…',
        help: 'search.hit (default), search.hit.changed: what happened to the tender of a hit later.',
      },
      search: { type: 'paths', value: 'NAME…', help: 'Only hits of these searches; default: all of the organization.' },
      rate: { type: 'count', value: 'N', default: 10, min: 1, max: 1000, help: 'Maximum requests a second.' },
      description: { type: 'text', value: 'TEXT', help: 'What it is for.' },
      chat: {
        type: 'choice',
        value: 'CHAT',
        choices: ['slack', 'teams'],
        help: 'A channel: messages for people, not signed; at most one a second.',
      },
      language: {
        type: 'choice',
        value: 'LANGUAGE',
        choices: ['en', 'de'],
        help: 'Of messages to a channel; default: en.',
      },
      'secret-file': secretFile,
    },
    environment: sealingEnvironment,
    examples: [
      ['tenderstock webhook create --organization Acme --url https://example.org/hook', 'for all searches'],
      ['tenderstock webhook create --organization Acme --url URL --chat slack', 'a channel of Slack'],
    ],
  },
  'webhook update': {
    summary: 'Change an endpoint: its address, events, searches, rate or description.',
    details: [
      'The secret stays. Waiting deliveries go to a new address immediately; new events and searches apply to later hits only.',
    ],
    operands: endpointId,
    options: {
      url: { type: 'text', value: 'URL', help: 'Where the hits are posted from now on.' },
      kind: { type: 'paths', value: 'KIND…', help: 'Send only these types: search.hit, search.hit.changed.' },
      search: { type: 'paths', value: 'NAME…', help: 'Send only hits of these searches.' },
      'all-searches': { type: 'flag', help: 'Send hits of all searches of the organization, including later ones.' },
      rate: { type: 'count', value: 'N', min: 1, max: 1000, help: 'Maximum requests a second.' },
      description: { type: 'text', value: 'TEXT', help: 'What it is for.' },
    },
    examples: [
      ['tenderstock webhook update ID --url https://example.org/hook2', 'after its receiver moved'],
      ['tenderstock webhook update ID --kind search.hit search.hit.changed', 'also later changes of hits'],
    ],
  },
  'webhook list': {
    summary: 'List webhook endpoints with their state and deliveries.',
    options: { organization: { ...organization, help: 'Only endpoints of this organization.' } },
    examples: [['tenderstock webhook list', 'of all organizations']],
  },
  'webhook test': {
    summary: 'Send a test event to an endpoint now; a success enables it.',
    operands: endpointId,
    options: {
      'wrong-signature': { type: 'flag', help: 'Sign with a wrong secret: the receiver must refuse it.' },
    },
    environment: sealingEnvironment,
    examples: [['tenderstock webhook test ID', 'exit code 1 when the receiver does not answer 2xx']],
  },
  'webhook rotate': {
    summary: 'Replace the secret of an endpoint; the old one signs for 24 more hours.',
    operands: endpointId,
    options: {
      url: { type: 'text', value: 'URL', help: 'Of a channel: its address, on the same host, which is its secret.' },
      'secret-file': secretFile,
      'accept-new-key': {
        type: 'flag',
        help: 'The former sealing key is lost: use the current one. Every endpoint then needs a new secret.',
      },
    },
    asks: {
      question:
        'Use the current key? What the former key encrypted can then not be read: every endpoint needs a new secret.',
      with: ['accept-new-key'],
    },
    environment: sealingEnvironment,
    examples: [
      ['tenderstock webhook rotate ID', 'shows the new secret once'],
      ['tenderstock webhook rotate ID --url URL', 'a channel of Slack or Teams, after its address or its key was lost'],
    ],
  },
  'webhook enable': {
    summary: 'Enable an endpoint again; what was held waits for `webhook release`.',
    operands: endpointId,
    examples: [['tenderstock webhook enable ID', 'after its receiver was repaired']],
  },
  'webhook disable': {
    summary: 'Disable an endpoint; its deliveries are held, not lost.',
    operands: endpointId,
    examples: [['tenderstock webhook disable ID', 'while its receiver is down']],
  },
  'webhook remove': {
    summary: 'Remove an endpoint and its secrets.',
    operands: endpointId,
    asks: { question: 'Remove the endpoint {}? Its secrets are deleted, and its waiting deliveries are given up.' },
    examples: [['tenderstock webhook remove ID', 'its held deliveries are given up']],
  },
  'webhook deliveries': {
    summary: 'List what was sent to an endpoint, newest first.',
    operands: endpointId,
    options: {
      state: {
        type: 'choice',
        value: 'STATE',
        choices: ['due', 'delivered', 'given-up', 'held'],
        help: 'due, delivered, given-up or held.',
      },
      limit: { type: 'count', value: 'N', default: 50, min: 1, max: 10_000, help: 'Maximum number of deliveries.' },
    },
    examples: [['tenderstock webhook deliveries ID --state given-up', 'what failed permanently']],
  },
  'webhook replay': {
    summary: 'Send deliveries of the last 30 days now, each under its id.',
    operands: endpointId,
    options: {
      message: { type: 'text', value: 'MESSAGE-ID', help: 'Only this one, also if it waits for a retry.' },
      'failed-since': {
        type: 'date',
        value: 'YYYY-MM-DD',
        help: 'Those created since then that were given up or wait for a retry.',
      },
      'all-since': { type: 'date', value: 'YYYY-MM-DD', help: 'All those created since then, except what is held.' },
    },
    examples: [['tenderstock webhook replay ID --failed-since 2026-11-20', 'after an outage of the receiver']],
  },
  'webhook release': {
    summary: 'Send what was held while the endpoint was disabled.',
    operands: endpointId,
    examples: [['tenderstock webhook release ID', 'after `webhook enable`']],
  },
  'webhook listen': {
    summary: 'Receive webhooks on this machine, verify them and print them. For trials.',
    ownOptions: {
      port: { ...port('Port on 127.0.0.1; 0 picks a free one.'), default: 9000 },
      'secret-file': { ...secretFile, help: 'File with the secret of the endpoint (whsec_…).' },
      data,
      json,
      help,
    },
    environment: ['TENDERSTOCK_WEBHOOK_SECRET'],
    examples: [
      [
        'TENDERSTOCK_WEBHOOK_SECRET=whsec_… tenderstock webhook listen',
        'then create an endpoint for http://127.0.0.1:9000/',
      ],
    ],
  },
  backup: {
    summary: 'Back up the stock, while the service runs, into a new folder or an S3-compatible bucket.',
    operands: { name: 'DIR|s3://BUCKET/PREFIX', min: 1, max: 1, completes: 'file' },
    environment: [...sealingEnvironment, ...documentsEnvironment],
    examples: [
      ['tenderstock backup /backups/2026-11-23', 'a new folder for each backup'],
      ['tenderstock backup s3://backups/tenders/2026-11-23', 'in a bucket'],
    ],
  },
  restore: {
    summary: 'Restore a backup into an empty database or a new data folder; --dry-run only checks it.',
    operands: { name: 'DIR|s3://BUCKET/PREFIX', min: 1, max: 1, completes: 'file' },
    options: {
      redactions: {
        type: 'text',
        value: 'FILE',
        completes: 'file',
        help: 'Apply the redactions of this redactions.jsonl. Default: the one in the data folder, in the backup, or beside it.',
      },
      'dry-run': {
        type: 'flag',
        help: 'Read the whole backup, compare its checksums and, with the secret key, who made it; change nothing.',
      },
    },
    environment: [...sealingEnvironment, ...documentsEnvironment],
    examples: [
      ['tenderstock restore /backups/2026-11-23 --data /srv/tenderstock', 'then start with this folder'],
      ['tenderstock restore --dry-run s3://backups/tenders/2026-11-23', 'is it complete?'],
    ],
  },
  drill: {
    summary: 'Restore the newest of several backups into a scratch database, and compare it.',
    details: [
      'It finds the newest backup below the place, restores all of it, computes the digest of its edition and compares that with',
      'what was published. The stock notes the result: metric, alert and the first page of the console show its age.',
    ],
    operands: { name: 'DIR|s3://BUCKET/PREFIX', min: 1, max: 1, completes: 'file' },
    options: {
      scratch: {
        type: 'text',
        value: 'DIR|URL',
        completes: 'folder',
        help: 'Folder for a scratch database, or address of an empty one, emptied afterwards. Default: the folder for temporary files.',
      },
      keep: {
        type: 'count',
        value: 'N',
        min: 1,
        help: 'If all are well, remove all but the N newest backups of this stock. Default: remove none.',
      },
    },
    environment: [...sealingEnvironment, ...documentsEnvironment],
    examples: [
      ['tenderstock drill /backups --keep 14', 'what the timer runs after each backup'],
      ['tenderstock drill s3://backups/tenders --scratch postgres://…/scratch', 'from a bucket, on a server'],
    ],
  },
  'edition export': {
    summary: 'Export the newest edition as open data: OCDS, Parquet, NDJSON or CSV.',
    details: [
      'Writes all records, in parts, with the license and attribution of every source and with checksums. It can run alongside',
      'the service; the same command continues an interrupted export. docs/open-data.md has examples.',
    ],
    options: {
      format: {
        type: 'choice',
        value: 'FORMAT',
        choices: ['ocds', 'parquet', 'ndjson', 'csv'],
        required: true,
        help: 'Format of the files: ocds, parquet, ndjson or csv.',
      },
      out: {
        type: 'text',
        value: 'DIR',
        required: true,
        completes: 'folder',
        help: 'New or empty folder for the files.',
      },
      'ocid-prefix': {
        type: 'text',
        value: 'PREFIX',
        default: 'ocds-000000',
        help: 'Prefix of the OCIDs; register your own before you publish OCDS.',
      },
      publisher: { type: 'text', value: 'NAME', default: 'Tenderstock', help: 'OCDS: who publishes the package.' },
      license: {
        type: 'text',
        value: 'URL',
        help: 'OCDS: license of the package. Default: the one that all sources have.',
      },
    },
    examples: [
      ['tenderstock edition export --format parquet --out exports/2026-11-23', 'for DuckDB'],
      ['tenderstock edition export --format ocds --out exports/ocds --ocid-prefix ocds-a1b2c3', 'for OCDS tools'],
    ],
  },
  'database export': {
    summary: 'Copy an embedded stock to an empty PostgreSQL database.',
    details: [
      'Stop the service first. Then start it with this DATABASE_URL and the same --data: that folder holds the edition log and the key of webhook secrets.',
    ],
    operands: { name: 'URL', min: 1, max: 1 },
    options: { 'dry-run': dryRun },
    environment: [],
    examples: [['tenderstock database export postgres://user:password@host/name', 'then start with this DATABASE_URL']],
  },
  'database new-epoch': {
    summary: 'After pg_restore or PITR: publish every record again with the next edition.',
    asks: { question: 'Publish every record again with the next edition? Every client receives the whole stock once.' },
    examples: [['tenderstock database new-epoch --yes', 'before the first start on the recovered database']],
  },
  completion: {
    summary: 'Print the script with which a shell completes commands, options and paths.',
    operands: { name: 'SHELL', min: 1, max: 1, choices: shells },
    ownOptions: { json, help },
    environment: [],
    examples: [['tenderstock completion bash', 'docs/command-line.md says where bash reads it']],
  },
  'clock advance': {
    summary: 'Advance the clock of a service that runs with --trial-clock. Not for production.',
    options: {
      ms: {
        type: 'count',
        value: 'N',
        required: true,
        min: 0,
        max: 10 * 365 * 86_400_000,
        help: 'Milliseconds to advance.',
      },
    },
    environment: [],
    examples: [['tenderstock clock advance --ms 86400000', 'a day']],
    hidden: true,
  },
} as const satisfies { readonly [name: string]: CommandEntry }

export type CommandName = keyof typeof table
/** In the order of the help. */
export const commandNames = Object.keys(table) as readonly CommandName[]

export const commands = Object.fromEntries(
  Object.entries<CommandEntry>(table).map(([name, { ownOptions, ...entry }]) => [
    name,
    {
      environment: databaseEnvironment,
      ...entry,
      options: ownOptions ?? { ...(entry.asks ? everywhereAsking : everywhere), ...entry.options },
    },
  ]),
) as { readonly [name in CommandName]: CommandSpec }
