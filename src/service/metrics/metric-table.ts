// All metrics that the service reports to a monitoring system: /metrics and docs/metrics.md follow from this table.

export type MetricSpec = {
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly labels: readonly string[]
  /** What is counted or measured; `1` for a yes or no. */
  readonly unit: string
  readonly help: string
  /** `node`: of every process; `start`: of `tenderstock start` only. */
  readonly of: 'node' | 'start'
}

const gauge = (unit: string, help: string, labels: readonly string[] = []): MetricSpec => ({
  type: 'gauge',
  unit,
  help,
  labels,
  of: 'node',
})
const counter = (unit: string, help: string, labels: readonly string[] = []): MetricSpec => ({
  ...gauge(unit, help, labels),
  type: 'counter',
})
const ofStart = (spec: MetricSpec): MetricSpec => ({ ...spec, of: 'start' })

export const metricPrefix = 'tenderstock_'

/** By the name without its prefix. */
export const metricTable = {
  build_info: gauge('1', 'Always 1; its labels say what is running.', ['version', 'engine']),
  process_start_time_seconds: gauge('epoch seconds', 'When the process started.'),
  process_cpu_seconds_total: counter('seconds', 'CPU time of the process, all threads together.'),
  process_resident_memory_bytes: gauge('bytes', 'Resident memory of the process.'),
  process_open_fds: gauge('files', 'Files and sockets that the process has open.'),
  process_max_fds: gauge('files', 'How many it may have open.'),
  process_heap_bytes: gauge('bytes', 'Used JavaScript heap of the main thread.'),
  event_loop_delay_seconds: gauge('seconds', 'Largest delay of the event loop of a thread in the last 30 to 60 s.', [
    'thread',
  ]),

  edition_number: gauge('editions', 'Edition that the node serves; 0 before the first.'),
  edition_records: gauge('records', 'Records of that edition, archived ones included.'),
  edition_published_timestamp_seconds: gauge('epoch seconds', 'When that edition was published.'),
  edition_age_seconds: gauge('seconds', 'Time since that edition was published.'),
  edition_look_timestamp_seconds: gauge(
    'epoch seconds',
    'When the node last checked for newer editions and loaded what there was.',
  ),
  edition_log_bytes: gauge('bytes', 'Size of the edition log on disk.'),
  disk_free_bytes: gauge('bytes', 'Free space on the disk of the data folder.'),
  disk_size_bytes: gauge('bytes', 'Size of that disk.'),
  degraded: gauge('sentences', 'Problems that the readiness check reports for the node; 0 if there are none.'),
  clock_difference_seconds: gauge('seconds', "How far the database's clock is ahead of this machine's."),

  http_request_duration_seconds: {
    ...gauge('seconds', 'Requests of the API by route, status and duration.', ['route', 'status']),
    type: 'histogram',
  },
  readers: gauge('threads', 'Reader threads that answer the API.'),
  readers_configured: gauge('threads', 'Configured number of reader threads (--readers).'),
  reader_deaths_total: counter('threads', 'Reader threads that died and were replaced.'),
  limiter_shared_configured: gauge('1', '1 if REDIS_URL is set, so all processes should share rate limits.'),
  limiter_shared: gauge('1', '1 while all readers count rate limits in the shared store, 0 while any counts alone.'),

  database_up: gauge('1', '1 while the database answers; 0 after ten seconds without an answer.'),
  database_connections: gauge('connections', 'Connections to the database by use.', ['state']),
  database_connections_limit: gauge('connections', 'Maximum number of connections of the process.'),
  database_waiting: gauge('statements', 'Statements that wait for a connection.'),

  rounds_total: ofStart(counter('rounds', 'Rounds of the stages by outcome.', ['outcome'])),
  failed_rounds: ofStart(gauge('rounds', 'Rounds that have failed in a row; 0 when the last one succeeded.')),
  last_round_timestamp_seconds: ofStart(gauge('epoch seconds', 'When a round last succeeded.')),
  stage_runs_total: ofStart(counter('runs', 'Runs of each stage by outcome.', ['stage', 'outcome'])),
  stage_seconds_total: ofStart(counter('seconds', 'Time that each stage took.', ['stage'])),
  source_readings_total: ofStart(
    counter('readings', 'Readings of slots by source and outcome.', ['source', 'outcome']),
  ),
  source_documents_total: ofStart(counter('documents', 'New documents received by source.', ['source'])),
  source_rejections_total: ofStart(
    counter('documents', 'Documents that could not become notices, by source.', ['source']),
  ),
  hits_total: ofStart(counter('hits', 'Hits created by saved searches.')),
  webhook_attempts_total: ofStart(counter('requests', 'Attempts to deliver a webhook by outcome.', ['outcome'])),
  mails_given_up_total: ofStart(counter('mails', 'Mails that were given up.')),

  export_edition_number: ofStart(
    gauge('editions', 'Newest edition that this process wrote into the bucket; absent where it writes none.'),
  ),

  stock_figures_stale: ofStart(
    gauge('1', '1 while the metrics below, which come from the database, are older than 60 s.'),
  ),
  stock_figures_timestamp_seconds: ofStart(gauge('epoch seconds', 'When they were last read.')),
  stock_edition_number: ofStart(gauge('editions', 'Newest edition in the database.')),
  editions_held: ofStart(gauge('editions', 'How often the gate has held an edition back since the last publication.')),
  editions_unmatched: ofStart(gauge('editions', 'Editions not yet matched with saved searches.')),
  notices_waiting: ofStart(gauge('notices', 'Notices not yet consolidated, counted up to 10,000.')),
  notices_quarantined: ofStart(
    gauge('notices', 'Notices of sources in quarantine, which wait for a release, counted up to 10,000.'),
  ),
  sources: ofStart(gauge('sources', 'Sources that this process reads, by state.', ['state'])),
  source_lag_seconds: ofStart(gauge('seconds', 'Time since a source last answered.', ['source'])),
  source_alarm: ofStart(gauge('1', '1 for each open alarm of a source.', ['source', 'kind'])),
  source_slots_due: ofStart(gauge('slots', 'Slots that are due and not yet read, counted up to 10,000.')),
  backup_timestamp_seconds: ofStart(
    gauge('epoch seconds', 'When the state of the newest backup was taken; absent without one.'),
  ),
  backup_restored_timestamp_seconds: ofStart(
    gauge(
      'epoch seconds',
      'When the state of the newest backup that a drill has restored was taken; absent without one.',
    ),
  ),
  database_size_bytes: ofStart(gauge('bytes', 'Size of the database, on a server with its indexes.')),
  mails: ofStart(gauge('mails', 'Mails by state, each counted up to 10,000.', ['state'])),
  webhook_deliveries: ofStart(
    gauge('deliveries', 'Webhook deliveries by state, each counted up to 10,000.', ['state']),
  ),
  webhook_endpoints: ofStart(gauge('endpoints', 'Webhook endpoints by state.', ['state'])),
} as const satisfies { readonly [name: string]: MetricSpec }

export type MetricName = keyof typeof metricTable
