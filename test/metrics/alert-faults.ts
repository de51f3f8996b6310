// For each alert of deploy/prometheus/alerts.yml: the series of a fault for which it is meant, and the series of a
// normal service.

/** Values of the unit tests of promtool: one a minute, for two hours. */
export type Series = { readonly [series: string]: string }

/** Grows like the time itself: a timestamp that is always now. */
const now = '0+60x130'
const always = (value: number): string => `${value}x130`
/** The normal value for the first hour, then a different one. */
const from = (before: number, after: number): string => `${before}x59 ${after}x70`
const labels = 'job="tenderstock",instance="a"'
const of = (name: string, more = '', instance = 'a'): string =>
  `tenderstock_${name}{job="tenderstock",instance="${instance}"${more === '' ? '' : `,${more}`}}`
const request = (status: number, route = '/v1/tenders') =>
  of('http_request_duration_seconds_count', `route="${route}",status="${status}"`)
const bucket = (bound: string) =>
  of('http_request_duration_seconds_bucket', `route="/v1/tenders",status="200",le="${bound}"`)

const publishing = 'stage="Publishing",outcome="succeeded"'

/** A service that publishes every hour and answers ten requests a second, two nodes. */
export const normalSeries: Series = {
  [`up{${labels}}`]: always(1),
  [of('process_start_time_seconds')]: always(0),
  [of('rounds_total', 'outcome="succeeded"')]: '0+2x130',
  [of('stage_runs_total', publishing)]: '0+2x130',
  [of('edition_number')]: '1x59 2x70',
  [of('edition_number', '', 'b')]: '1x60 2x69',
  // published each hour, after a night of nine hours
  [of('edition_age_seconds')]: '32400+60x59 0+60x70',
  [of('edition_look_timestamp_seconds')]: now,
  [of('database_up')]: always(1),
  // a round fails now and then
  [of('failed_rounds')]: '0x30 1x2 0x100',
  [of('last_round_timestamp_seconds')]: now,
  [of('editions_held')]: always(0),
  [request(200)]: '0+600x130',
  [request(503)]: '0+1x130',
  // a node that is not ready yet answers its balancer
  [request(503, '/readyz')]: '0+60x130',
  [bucket('0.01')]: '0+590x130',
  [bucket('0.1')]: '0+600x130',
  [bucket('1')]: '0+600x130',
  [bucket('10')]: '0+600x130',
  [bucket('+Inf')]: '0+600x130',
  [of('reader_deaths_total')]: always(0),
  [of('readers')]: always(2),
  [of('readers_configured')]: always(2),
  [of('limiter_shared_configured')]: always(1),
  // the store restarts
  [of('limiter_shared')]: '1x40 0x2 1x100',
  [of('event_loop_delay_seconds', 'thread="main"')]: '0.05x59 3x5 0.05x70',
  [of('disk_free_bytes')]: '40e9-1e7x130',
  [of('disk_size_bytes')]: always(100e9),
  [of('clock_difference_seconds')]: '-0.4+0.006x130',
  [of('source_lag_seconds', 'source="ted"')]: '0+60x59 0+60x70',
  [of('source_lag_seconds', 'source="doe"')]: '80000+60x130',
  [of('mails', 'state="late"')]: '0x30 3x3 0x100',
  [of('mails_given_up_total')]: always(0),
  [of('webhook_deliveries', 'state="due"')]: '0x59 2000x10 0x70',
  [of('webhook_deliveries', 'state="late"')]: '0x59 900x10 0x70',
  // one is enabled again
  [of('webhook_endpoints', 'state="disabled"')]: '2x40 1x90',
  [of('editions_unmatched')]: '0x59 1x5 0x70',
  [of('database_waiting')]: '0x59 20x5 0x70',
  [of('stock_figures_stale')]: '0x59 1x5 0x70',
  [of('degraded')]: '0x59 1x20 0x60',
}

/** The process restarts; what is counted from the first scrape on was not zero then. */
const restarted = { [of('process_start_time_seconds')]: '0x109 6590x21' }

/**
 * Differences in the fault, from the end of the first hour; null: the series is missing. The labels that the alert
 * names.
 */
export const alertFaults: {
  readonly [alert: string]: {
    readonly series: { readonly [series: string]: string | null }
    /** Labels in addition to job and instance of node a. */
    readonly labels?: { readonly [label: string]: string }
    /** Labels that an expression over all nodes does not have. */
    readonly without?: readonly ('job' | 'instance')[]
    /** Other alerts that the same fault raises. */
    readonly also?: readonly string[]
  }
} = {
  TenderstockDown: { series: { [`up{${labels}}`]: from(1, 0) } },
  // processes with other roles still make rounds
  TenderstockNoPublisher: { series: { [of('stage_runs_total', publishing)]: '0+2x59' }, without: ['instance'] },
  TenderstockEditionOld: { series: { [of('edition_age_seconds')]: '90000+60x130' }, without: ['job', 'instance'] },
  TenderstockNodeBehind: { series: { [of('edition_number', '', 'b')]: '1x59 3x70' } },
  TenderstockNoLook: { series: { [of('edition_look_timestamp_seconds')]: '0+60x59 3540x70' } },
  TenderstockDatabaseDown: { series: { [of('database_up')]: from(1, 0) } },
  TenderstockRoundsFailing: { series: { [of('failed_rounds')]: '0x59 1+1x70' } },
  TenderstockRoundsStuck: { series: { [of('last_round_timestamp_seconds')]: '-9000x130' } },
  TenderstockEditionHeld: { series: { [of('editions_held')]: from(0, 1) } },
  TenderstockErrors: { series: { [request(503)]: '0+1x59 60+60x70' }, without: ['job'] },
  TenderstockSlow: {
    series: {
      [bucket('1')]: '0+600x59 35400+500x70',
      [bucket('0.1')]: '0+600x59 35400+500x70',
      [bucket('0.01')]: '0+590x59 34810+400x70',
    },
    without: ['job'],
  },
  TenderstockReaderDied: { series: { ...restarted, [of('reader_deaths_total')]: '_x110 1x20' } },
  TenderstockReadersMissing: { series: { [of('readers')]: from(2, 1) } },
  TenderstockRateLimitsPerNode: { series: { [of('limiter_shared')]: from(1, 0) } },
  TenderstockEventLoopDelayed: {
    series: { [of('event_loop_delay_seconds', 'thread="main"')]: from(0.05, 3) },
    labels: { thread: 'main' },
  },
  TenderstockDiskLow: { series: { [of('disk_free_bytes')]: from(40e9, 10e9) } },
  TenderstockDiskFull: { series: { [of('disk_free_bytes')]: from(40e9, 2e9) }, also: ['TenderstockDiskLow'] },
  TenderstockClockOff: { series: { [of('clock_difference_seconds')]: from(0, -31) } },
  TenderstockSourceAlarm: {
    series: { [of('source_alarm', 'source="ted",kind="silent"')]: '_x59 1x70' },
    labels: { kind: 'silent' },
    without: ['job'],
  },
  TenderstockSourcesFail: {
    series: { [of('sources', 'state="ok"')]: from(100, 79), [of('sources', 'state="no-answer"')]: from(0, 21) },
    without: ['job'],
  },
  TenderstockBackupOld: { series: { [of('backup_timestamp_seconds')]: '-106800x130' }, without: ['instance'] },
  TenderstockBackupNotRestored: {
    series: { [of('backup_restored_timestamp_seconds')]: '-284400x130' },
    without: ['instance'],
  },
  TenderstockNothingRead: { series: { [of('source_lag_seconds', 'source="ted"')]: '7200+60x130' }, without: ['job'] },
  TenderstockMailsLate: { series: { [of('mails', 'state="late"')]: from(0, 3) }, labels: { state: 'late' } },
  TenderstockMailsGivenUp: { series: { ...restarted, [of('mails_given_up_total')]: '_x110 2x20' } },
  TenderstockDeliveriesLate: {
    series: { [of('webhook_deliveries', 'state="late"')]: from(0, 900) },
    labels: { state: 'late' },
  },
  TenderstockEndpointDisabled: {
    series: { [of('webhook_endpoints', 'state="disabled"')]: '1x110 2x20' },
    labels: { state: 'disabled' },
  },
  TenderstockHitsBehind: { series: { [of('editions_unmatched')]: from(0, 1) } },
  TenderstockDatabaseBusy: { series: { [of('database_waiting')]: from(0, 20) } },
  TenderstockFiguresStale: { series: { [of('stock_figures_stale')]: from(0, 1) } },
  TenderstockDegraded: { series: { [of('degraded')]: from(0, 1) } },
}
