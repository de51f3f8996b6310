// `npm run chaos`: kills every part of an installation for 30 minutes; with `-- --cluster`, an installation on several
// database servers has every fault of machines, disks, clocks and networks.
import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'

const usage = `Usage: npm run chaos -- [--cluster] [--minutes N] [--seed N]

  --cluster    three PostgreSQL servers under Patroni, Redis, HAProxy, three nodes and two publishers, with
               faults of machines, disks, clocks and networks; otherwise one server, and everything is killed
  --minutes N  default: 30
  --seed N     repeats a plan of faults
`

const { values } = parseArgs({
  options: {
    cluster: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help || !(Number(values.minutes) > 0)) {
  process.stderr.write(usage)
  process.exitCode = values.help ? 0 : 2
} else {
  const [file, minutes] = values.cluster
    ? ['test/chaos/cluster/cluster.system.test.ts', 'CLUSTER_MINUTES']
    : ['test/chaos/chaos.system.test.ts', 'CHAOS_MINUTES']
  const child = spawn('vitest', ['run', file], {
    stdio: 'inherit',
    env: {
      ...process.env,
      PROOF: 'full',
      [minutes]: values.minutes,
      ...(values.seed !== undefined && { SEED: values.seed }),
    },
  })
  child.on('error', (error) => {
    process.stderr.write(`The test runner does not start (${error.message}). Run: npm ci\n`)
    process.exitCode = 1
  })
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
