// The long proofs, by name. `npm run proof -- NAME` runs one with its full counts; the tests run a share of each.
type Proof = {
  readonly about: string
  readonly files: readonly string[]
  /** Variables that set the full counts; `PROOF=full` is set for every proof. */
  readonly env?: { readonly [name: string]: string }
}

export const proofs: { readonly [name: string]: Proof } = {
  chaos: {
    about: 'every real process is killed at random for 30 minutes',
    files: ['test/chaos/chaos.system.test.ts'],
    env: { CHAOS_MINUTES: '30' },
  },
  cluster: {
    about:
      'faults of machines, disks, clocks and networks in a cluster of real servers for 30 minutes, and every planted mistake',
    files: ['test/chaos/cluster'],
    env: { CLUSTER_MINUTES: '30' },
  },
  container: {
    about:
      'the image is built on a separate Debian and runs without privileges on a read-only file system; compose.yaml runs',
    files: [
      'test/deploy/container.system.test.ts',
      'test/deploy/compose.system.test.ts',
      'test/deploy/deploy-files.system.test.ts',
    ],
  },
  crash: {
    about:
      '500 kills and 100 power cuts of the store, kills of the edition log and of the receiver of hits, and 5,000 mixes of its files',
    files: ['test/crash', 'test/edition-log-kill.system.test.ts', 'test/edition-log-cut.system.test.ts'],
    env: { KILLS: '500', CUTS: '100' },
  },
  backup: {
    about:
      'backups under load of 20,000 records, lost and restored, and of a stock in which every row changes meanwhile',
    files: ['test/restore-drill.db.test.ts', 'src/store/backup', 'test/backup-command.system.test.ts'],
  },
  failover: {
    about: 'a node reads from a primary and its standby, which lags, and whose promotion loses editions',
    files: ['test/lost-editions.system.test.ts'],
  },
  'lost-numbers': {
    about:
      'database, bucket and disks of nodes go back to earlier states 200 times, in random order, and with processes',
    files: ['test/lost-numbers.db.test.ts', 'test/replaced-editions.system.test.ts'],
  },
  client: {
    about: '400 kills of tender-sync, with publications in between, and every planted mistake of its receiver',
    files: ['test/tender-sync/kill.system.test.ts', 'test/tender-sync/webhooks.system.test.ts'],
    env: { TENDER_SYNC_KILLS: '400' },
  },
  bulk: {
    about:
      '200 kills of a first load from files into each of three targets, and 100 into each of Python, with ' +
      'publications in between; both through faults of files',
    files: [
      'test/tender-sync/bulk-kill.system.test.ts',
      'test/tender-sync/bulk.system.test.ts',
      'test/python/bulk.system.test.ts',
      'test/python/file-faults.system.test.ts',
    ],
  },
  limit: {
    about: 'the shared limit while every node stalls and Redis fails in four ways, ten minutes',
    files: ['test/limiter/held-limit.system.test.ts', 'src/api/limits/limiter-shared.system.test.ts'],
  },
  package: {
    about: 'the packed program is installed into an empty folder, started there, and answers requests',
    files: ['test/package'],
  },
  publishing: {
    about:
      '100,000 changes on both engines while another user queries the database, 5 million records for the first time, 100 kills of a publisher',
    files: [
      'test/large-publication.db.test.ts',
      'test/crash/publish-kill.system.test.ts',
      'src/publish/publish.system.test.ts',
    ],
  },
  hits: {
    about:
      '10,000 runs of searches, editions and crashes beside a plain loop, every planted mistake, and 200 ' +
      'kills of what matches, delivers and mails on each engine',
    files: ['test/hits', 'test/webhooks', 'test/digests'],
  },
  pairs: {
    about: 'the index of saved searches gives what a plain loop gives on a billion pairs of searches and records',
    files: ['test/hits/two-million-pairs.test.ts'],
    env: { PAIR_ROUNDS: '500' },
  },
  functions: {
    about: 'properties of functions with ten to fifty times as many random inputs',
    files: [
      'src/sources/portals/list-portals.test.ts',
      'src/sources/xml/xml.test.ts',
      'src/consolidate/explain.test.ts',
      'src/consolidate/estimate/value-model.test.ts',
      'src/consolidate/lifecycle.test.ts',
      'src/consolidate/match',
      'src/consolidate/merge.test.ts',
      'src/consolidate/resolve.test.ts',
      'src/ingest/slot-spans.test.ts',
      'src/sources/text.test.ts',
      'src/sources/deliver/answers',
      'src/sources/deliver/wide-spans.test.ts',
      'src/sources/ted-export',
      'src/sources/parse-document.test.ts',
      'src/digests/digest-schedule.test.ts',
      'src/ingest/plan-slots.test.ts',
      'src/domain/stock-digest.system.test.ts',
      'src/hits/fit/fit.test.ts',
      'src/hits/search-index.test.ts',
      'client/src/pacing.test.ts',
      'client/src/sinks/crm/http-mapping.test.ts',
      'client/src/sync/sync-histories.test.ts',
      'src/api/limits/limiter.test.ts',
      'src/api/limits/limiter-log.test.ts',
      'src/api/parameters',
      'src/console/find/saved-filter.test.ts',
      'src/console/frame/own-path.test.ts',
      'src/domain/plain-text.test.ts',
      'src/domain/time.test.ts',
      'src/edition/read/find-tenders.test.ts',
      'src/sources/doe/doe.test.ts',
      'src/sources/ocds/parse-ocds.test.ts',
      'src/sources/ted/ted.test.ts',
      'test/export/ocds-release.test.ts',
    ],
  },
  metrics: {
    about: 'every alert by promtool, and in its planted fault, as a real Prometheus and Alertmanager see it',
    files: ['test/metrics'],
  },
  model: {
    about: '70,000 random queries, each answered as a plain filter does',
    files: ['test/model/model.db.test.ts', 'src/edition/read/query.test.ts'],
  },
  kubernetes: {
    about: 'the manifests are rendered by kustomize and validated by the schemas of Kubernetes',
    files: ['test/deploy/kubernetes.system.test.ts'],
  },
  matching: {
    about:
      '33,600 copies of notices as other portals show them, made from a seed that nobody has seen; worlds of notices in any order',
    files: [
      'test/corpus/resolution.test.ts',
      'src/consolidate/consolidate.db.test.ts',
      'src/consolidate/rematch.db.test.ts',
      'test/several-consolidators.db.test.ts',
    ],
  },
  corpus: {
    about: 'collected notices: planted breaks of fields, saved searches beside the page of tenders, files of all sinks',
    files: ['test/corpus/fill-rates.test.ts', 'test/corpus/saved-find.system.test.ts', 'test/files'],
  },
  'first-day': {
    about:
      'all portals on their first day, in real and in simulated time: three of ten silent, others refusing, forbidding, ' +
      'broken or away; then a month of 16 in simulated time',
    files: ['test/live/first-day.system.test.ts', 'test/live/simulated-month.system.test.ts'],
  },
  sources: {
    about: 'a month of portals with every fault on, read by workers that die',
    files: ['test/sources/month.system.test.ts'],
  },
  redaction: {
    about:
      '10,000 made-up people are redacted in one batch and read nowhere; 10,000 texts about others stay as they were',
    files: ['test/redaction'],
  },
  rolling: {
    about: '20 rolling restarts of two nodes behind HAProxy and nginx, under 20,000 requests or more behind each',
    files: ['test/proxies/rolling.system.test.ts'],
  },
  rules: {
    about:
      'thirty rules drawn at random are broken one after the other, and the test that cites it fails; bugs ' +
      'of the client are planted, and the test beside their file fails',
    files: ['test/rules'],
  },
  console: {
    about: 'every flow of the console by keys and without script, all screens in eight windows, torn samples',
    files: ['test/console'],
  },
  upgrade: {
    about:
      'a rolling upgrade and its rollback under load: real processes of two versions behind HAProxy, no failed request',
    files: ['test/upgrade', 'test/migrated-stock.system.test.ts'],
  },
  simulation: {
    about: '50,000 simulated syncs, and every planted mistake',
    files: ['test/simulation'],
  },
}
