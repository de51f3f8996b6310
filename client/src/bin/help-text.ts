// The text of --help, at most 80 columns wide. Pure.
import type { CommandName } from './command-line.ts'
import { type KindSpec, type SinkKind, sinkKinds, sinkNames } from './sink-kinds.ts'

/** One line for each kind of sink that has something to say. */
const lines = (lineOf: (spec: KindSpec, kind: SinkKind) => string | false): string =>
  sinkNames
    .map((kind) => lineOf(sinkKinds[kind], kind))
    .filter((line) => line !== false)
    .map((line) => `  ${line}`)
    .join('\n')

const overview = `tender-sync keeps a verifiable local copy of the tender stock.

  tender-sync run       loads the copy, or what changed since the last run
  tender-sync watch     runs now and then every hour, until stopped
  tender-sync status    shows the state, the last run and what the copy holds
  tender-sync verify    compares the copy with the published stock
  tender-sync reset     forgets the state; the next run reloads the copy
  tender-sync webhooks  receives hits and keeps them beside the copy
  tender-sync mcp       gives an assistant tools to search and read tenders

  tender-sync <command> --help gives details and examples.

Sinks (--sink <kind>[:<target>])
${lines(({ example, about }) => `${example.padEnd(24)}  ${about}`)}

The token comes from TENDER_TOKEN or --token-file, never from an argument:
arguments appear in the process list and in the shell history.

Exit codes: 0 done, 2 wrong usage, 3 skipped: another run is in progress,
4 given up, state kept, 5 the copy differs (verify), 1 a bug.`

const shared = `  --sink <kind>[:<target>]   where the copy is; see tender-sync --help
  --option <name>=<value>    option of the sink; may be repeated
  --state <folder>           for lock and report, and the state of hubspot,
                             salesforce, http and exec; for sinks that are
                             files it is <file>.sync
  --json                     JSON lines instead of text`

const asking = `  --url <address>            the API, without /v1
  --token-file <file>        reread for each request; default: TENDER_TOKEN
  --filter <name>=<value>    cpv, nuts, procedure (lists with commas),
                             published_since, deadline_after, value_min,
                             value_max; default: everything
  --allow-http               allow plain HTTP to another machine
  --max-wait <minutes>       give up sooner on an API that fails or cannot be
                             reached; default: half an hour; 0 minutes for the
                             first run of a copy if it reaches nothing
  --quiet                    no progress and no summary`

const running = `  --initial open|history     open (default): starts with what is open now;
                             history: with everything since 2022, archived
                             records included; use the same in all runs
  --bulk                     load the first run from files of a whole edition,
                             if the contract has them; else from the list
  --new-filters              if the filters changed, reload the copy
  --metrics <file>           a Prometheus textfile about the last run`

const sinkOptions = `Options of sinks
${lines(({ options }, kind) => {
  const words = Object.entries(options).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : value.join(' ')}`,
  )
  return words.length > 0 && `${kind.padEnd(10)}  ${words.join('  ')}`
})}`

const webhooks = `tender-sync webhooks --sink <kind>[:<target>] [options]

Receives the hits of saved searches as signed webhooks and keeps them beside the
copy: in the table hit of sqlite and postgres, or in hits.ndjson beside the file
of ndjson; other sinks cannot store hits. It answers 2xx when a hit is durable,
and 503 when the target fails, so that the sender retries. A hit has one row,
however often its messages arrive, and a newer message replaces an older one.
SIGTERM and Ctrl-C stop it after the open requests.

  --sink <kind>[:<target>]   sqlite, ndjson or postgres, as for the copy
  --option schema=<name>     schema in postgres
  --secret-file <file>       the secret of the endpoint, or the old and the new
                             one during a rotation; reread for each request;
                             default: TENDER_WEBHOOK_SECRET
  --listen <host>:<port>     default: 127.0.0.1:9000; put a proxy with TLS
                             in front of it
  --path <path>              path of the endpoint; default: /
  --json                     JSON lines instead of text
  --quiet                    only what was refused or not kept

Examples
  export TENDER_WEBHOOK_SECRET=whsec_…
  tender-sync webhooks --sink sqlite:tenders.db
  tender-sync webhooks --sink postgres:postgres://sync@db.example/warehouse \\
    --secret-file /etc/tender-sync/webhook-secret --listen 127.0.0.1:9100 \\
    --path /hits --json`

const topics: { readonly [name in CommandName]: string } = {
  run: `tender-sync run --url <address> --sink <kind>[:<target>] [options]

One run. The first loads the copy, later ones fetch what changed since. A run
that is killed or gives up leaves the copy as its last commit left it, and the
next one continues from there.

${asking}
${running}
${shared}

${sinkOptions}

Examples
  export TENDER_TOKEN=…
  tender-sync run --url https://api.example.org --sink sqlite:tenders.db
  tender-sync run --url https://api.example.org --token-file /etc/token \\
    --sink csv:works.csv --option lots=works-lots.csv \\
    --filter cpv=45000000 --filter nuts=DE2,AT`,
  watch: `tender-sync watch --url <address> --sink <kind>[:<target>] [options]

Runs now and then once every hour, at a random minute. Errors are reported and
do not end it; SIGTERM and Ctrl-C stop it cleanly and keep everything.

${asking}
${running}
${shared}

${sinkOptions}

Examples
  tender-sync watch --url https://api.example.org --sink ndjson:tenders.ndjson
  tender-sync watch --url https://api.example.org --sink sqlite:tenders.db \\
    --metrics /var/lib/node_exporter/tender_sync.prom --quiet`,
  webhooks,
  mcp: `tender-sync mcp --url <address> | --sink sqlite:<file>

Tools for an assistant that speaks the Model Context Protocol and starts this
program: it searches tenders and reads them, and changes nothing. With --url it
asks the service, and each call counts as a request of the organization; with
--sink it reads a copy on this machine and asks nobody. Messages are lines on
standard input and output; the end of the input ends it.

  --url <address>            the API, without /v1
  --token-file <file>        reread for each request; default: TENDER_TOKEN
  --allow-http               allow plain HTTP to another machine
  --sink sqlite:<file>       a copy that tender-sync run made

Examples
  tender-sync mcp --url https://api.example.org --token-file /etc/token
  tender-sync mcp --sink sqlite:tenders.db`,
  status: `tender-sync status --sink <kind>[:<target>] [options]

Shows the state, the last run, the lag and what the copy holds. It may be
called during a run, only reads, and does not call the API.

${shared}

Examples
  tender-sync status --sink sqlite:tenders.db
  tender-sync status --sink parquet:tenders.parquet --json`,
  verify: `tender-sync verify --url <address> --sink <kind>[:<target>] [options]

Reads the copy and compares its digest with that of the edition, with one
request. For csv, parquet, ndjson, sqlite and postgres it reads every value in
the file or table itself (csv needs npm install csv-parse). If the digests
differ, or with filters, it requests the whole list, archived records included,
and names the records that differ: a stock of 100,000 records then takes 17
minutes at 60 requests a minute. Changes since the last run are counted
separately. Exits with 5 if the copy differs. Hits of tender-sync webhooks are
not compared: the API has none.

${asking}
${shared}

Examples
  tender-sync verify --url https://api.example.org --sink sqlite:tenders.db
  tender-sync verify --url https://api.example.org --sink csv:works.csv \\
    --filter cpv=45000000 --json`,
  reset: `tender-sync reset --sink <kind>[:<target>] [--yes]

Forgets the state. The records stay until the next run has loaded everything
again; then sinks that are files or databases are replaced in one step. Hits of
tender-sync webhooks stay: no run would bring them back.

${shared}
  --yes                      do not ask

Examples
  tender-sync reset --sink sqlite:tenders.db
  tender-sync reset --sink hubspot --state /var/lib/tender-sync --yes`,
}

export const helpText = (topic: CommandName | undefined): string =>
  `${topic === undefined ? overview : topics[topic]}\n`
