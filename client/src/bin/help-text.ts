// What --help says, at most 80 columns wide. Pure.
import type { CommandName } from './command-line.ts'

const overview = `tender-sync keeps a copy of the tender stock that is never wrong.

  tender-sync run     one run: loads the copy, or what changed since
  tender-sync watch   a run now and then every hour, until it is stopped
  tender-sync status  the state, the last run, what the copy holds
  tender-sync verify  crawls the whole stock and compares it with the copy
  tender-sync reset   forgets the state; the next run loads the copy anew

  tender-sync <command> --help tells more and gives examples.

Sinks (--sink <kind>[:<target>])
  sqlite:tenders.db         tables, indexes and the state in one file
  ndjson:tenders.ndjson     one JSON record per line, as delivered
  csv:tenders.csv           one row per tender
  parquet:tenders.parquet   typed columns (npm install hyparquet-writer)
  postgres:postgres://user@host/database     (npm install pg)
  hubspot, salesforce       deals or records, by the mapping of this package
  http:mapping.json         any API that takes batches, by your mapping
  exec -- ./load.sh         JSON lines to a program of yours

The token comes from TENDER_TOKEN or --token-file, never from an argument:
arguments stand in the list of processes and in the history of the shell.

Exit codes: 0 done, 2 wrong usage, 3 skipped because another run is at work,
4 given up with the state kept, 5 the copy differs (verify), 1 a bug.`

const shared = `  --sink <kind>[:<target>]   where the copy is; see tender-sync --help
  --option <name>=<value>    of the sink; may be repeated
  --state <folder>           for lock and report, and the state of hubspot,
                             salesforce, http and exec; for sinks that are
                             files it is <file>.sync
  --json                     JSON lines instead of text`

const asking = `  --url <address>            the API, without /v1
  --token-file <file>        read anew for each request; else TENDER_TOKEN
  --filter <name>=<value>    cpv, nuts, procedure (lists with commas),
                             published_since, deadline_after, value_min,
                             value_max; without any the copy is complete
  --allow-http               plain HTTP to another machine
  --max-wait <minutes>       give up sooner on an API that fails or cannot be
                             reached; without it after half an hour, and at
                             once if the first run of a copy reaches nothing
  --quiet                    no progress and no summary`

const running = `  --initial open|history     open (default): begins with what is open now;
                             history: with everything since 2022, archived
                             records included; the same in all runs
  --new-filters              if the filters changed, load the copy anew
  --metrics <file>           a Prometheus textfile about the last run`

const sinkOptions = `Options of sinks
  csv       lots=<file>  delimiter=, ; tab |  formulas=escape|keep
  postgres  schema=<name>  repoint=<schema.table.column>,…
  hubspot, salesforce, http  log=<file>
  exec      output=show|drop`

const topics: { readonly [name in CommandName]: string } = {
  run: `tender-sync run --url <address> --sink <kind>[:<target>] [options]

One run. The first loads the copy, all others bring what changed since. A run
that is killed or given up leaves the copy as its last commit left it, and the
next one goes on from there.

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

A run now and then every hour at a minute drawn by lot. Faults are reported
and outlived; SIGTERM and Ctrl-C end it cleanly with everything kept.

${asking}
${running}
${shared}

${sinkOptions}

Examples
  tender-sync watch --url https://api.example.org --sink ndjson:tenders.ndjson
  tender-sync watch --url https://api.example.org --sink sqlite:tenders.db \\
    --metrics /var/lib/node_exporter/tender_sync.prom --quiet`,
  status: `tender-sync status --sink <kind>[:<target>] [options]

The state, the last run, the lag and what the copy holds. Reads only: it may
be called while a run is at work, and asks nothing of the API.

${shared}

Examples
  tender-sync status --sink sqlite:tenders.db
  tender-sync status --sink parquet:tenders.parquet --json`,
  verify: `tender-sync verify --url <address> --sink <kind>[:<target>] [options]

Crawls the whole list, archived records included, and compares it with the
copy: of csv, parquet, ndjson and sqlite with every value of the file itself
(csv needs npm install csv-parse), else ids, times of change and status. Ends
with 5 when they differ. What changed since the last run is counted apart. A
stock of 100,000 records takes 17 minutes at 60 requests a minute.

${asking}
${shared}

Examples
  tender-sync verify --url https://api.example.org --sink sqlite:tenders.db
  tender-sync verify --url https://api.example.org --sink csv:works.csv \\
    --filter cpv=45000000 --json`,
  reset: `tender-sync reset --sink <kind>[:<target>] [--yes]

Forgets the state. The records stay until the next run has loaded everything
anew; then sinks that are files or databases are replaced in one step.

${shared}
  --yes                      do not ask

Examples
  tender-sync reset --sink sqlite:tenders.db
  tender-sync reset --sink hubspot --state /var/lib/tender-sync --yes`,
}

export const helpText = (topic: CommandName | undefined): string =>
  `${topic === undefined ? overview : topics[topic]}\n`
