// The content of deploy/, Dockerfile and compose.yaml matches the program: its commands, its options, its settings.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { parseCommand } from '../../src/cli/parse-command.ts'
import { fileVariable, settingNames } from '../../src/platform/settings.ts'

const root = join(import.meta.dirname, '../..')
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const units = globSync('deploy/systemd/*.service', { cwd: root })
const compose = parse(textOf('compose.yaml'), { merge: true }) as {
  services: Record<string, { command?: string[]; environment?: Record<string, string> }>
}
type Manifest = {
  kind: string
  metadata: { name: string }
  spec: { template?: PodTemplate; jobTemplate?: { spec: { template: PodTemplate } } }
}
type PodTemplate = { spec: { containers: { command?: string[]; args: string[] }[] } }
const manifests = globSync('deploy/kubernetes/*.yaml', { cwd: root }).flatMap((path) =>
  parseAllDocuments(textOf(path)).map((document) => document.toJS() as Manifest),
)

/** The command that a shell runs, with what it fills in. */
const wordsOf = (line: string): string[] =>
  line
    .replace(/^.*tenderstock\.cjs /, '')
    .replace(/"[^"]*"/, '/backups/2026-11-23')
    .split(' ')

test('every command exists in the program', () => {
  const lines = [
    ...units.map((path) =>
      wordsOf(
        /^ExecStart=(?:\/bin\/sh -c 'exec )?\/usr\/bin\/node \S+\/tenderstock\.cjs (.*?)'?$/m
          .exec(textOf(path))![1]!
          .replaceAll('%i', '9001'),
      ),
    ),
    ...['publisher', 'api'].map((name) => compose.services[name]!.command!),
    ...manifests.flatMap(({ spec }) => {
      const template = spec?.template ?? spec?.jobTemplate?.spec.template
      return template?.spec.containers.map(({ command, args }) => (command ? wordsOf(args[0]!) : args)) ?? []
    }),
    JSON.parse(/^CMD (\[.*\])$/m.exec(textOf('Dockerfile'))![1]!) as string[],
  ]
  expect(lines).toHaveLength(13)
  for (const line of lines) expect(parseCommand(line), line.join(' ')).toMatchObject({ kind: 'command' })
})

test('Kubernetes and systemd check the portals daily with the same command, and all manifests are applied', () => {
  const [, ofSystemd] = /tenderstock\.cjs (.*)$/m.exec(textOf('deploy/systemd/tenderstock-canary.service'))!
  const job = manifests.find(({ kind, metadata }) => kind === 'CronJob' && metadata.name === 'tenderstock-canary')!
  const { args } = job.spec.jobTemplate!.spec.template.spec.containers[0]!
  expect(args.join(' ').replaceAll('/data', '/var/lib/tenderstock').replace('--/var/lib/tenderstock', '--data')).toBe(
    ofSystemd,
  )
  const { resources } = parse(textOf('deploy/kubernetes/kustomization.yaml')) as { resources: string[] }
  const files = globSync('deploy/kubernetes/*.yaml', { cwd: root }).map((path) => path.replace(/^.*\//, ''))
  // the last needs kinds that not every cluster has
  expect([...resources, 'kustomization.yaml', 'service-monitor.yaml'].sort()).toEqual(files.sort())
})

test('no container of compose.yaml has more rights than it needs, and the networks are apart', () => {
  type Service = Readonly<Record<string, unknown>> & { readonly networks: readonly string[] }
  const services = Object.entries(compose.services) as unknown as readonly (readonly [string, Service])[]
  expect(services.map(([name]) => name).sort()).toEqual(['api', 'caddy', 'postgres', 'publisher', 'valkey'])
  for (const [name, service] of services) {
    const closed = { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] }
    expect(service, name).toMatchObject(closed)
    expect(service['mem_limit'], name).toBeDefined()
    expect(service['privileged'] ?? service['network_mode'], name).toBeUndefined()
  }
  const of = (name: string): Service => services.find(([each]) => each === name)![1]
  expect([of('postgres')['user'], of('valkey')['user']]).toEqual(['postgres', 'valkey'])
  expect(services.filter(([, service]) => 'cap_add' in service).map(([name]) => name)).toEqual(['caddy'])
  expect(of('caddy')['cap_add']).toEqual(['NET_BIND_SERVICE'])
  // metrics, on this machine alone
  expect(of('publisher')['ports']).toEqual(['127.0.0.1:9464:9464'])
  expect(services.filter(([, service]) => 'ports' in service).map(([name]) => name)).toEqual(['publisher', 'caddy'])
  const shared = (one: string, other: string) =>
    of(one).networks.filter((network) => of(other).networks.includes(network))
  for (const database of ['postgres', 'valkey']) {
    expect(shared('caddy', database)).toEqual([])
    expect(shared('publisher', database)).toEqual(['data'])
    expect(shared('api', database)).toEqual(['data'])
  }
  expect(shared('caddy', 'api')).toEqual(['front'])
  expect(shared('caddy', 'publisher')).toEqual([])
  const { networks } = parse(textOf('compose.yaml'), { merge: true }) as {
    networks: Record<string, { internal?: true }>
  }
  expect(Object.keys(networks).filter((name) => networks[name]?.internal)).toEqual(['data', 'front'])
})

test('in Kubernetes pods reach and are reached by what is named alone', () => {
  type Policy = {
    podSelector: object
    policyTypes: string[]
    ingress?: object[]
    egress?: { to?: object[]; ports?: { port: unknown }[] }[]
  }
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec as unknown as Policy)
  const [closed, api, metrics, outside] = policies
  expect(policies).toHaveLength(4)
  expect(metrics).toMatchObject({ policyTypes: ['Ingress'], ingress: [{ ports: [{ port: 'metrics' }] }] })
  expect(JSON.stringify(metrics!.ingress)).toContain('"kubernetes.io/metadata.name":"monitoring"')
  expect(closed).toMatchObject({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
  expect(closed!.ingress).toBeUndefined()
  expect(closed!.egress!.flatMap(({ ports = [] }) => ports.map(({ port }) => port))).toEqual([53, 53, 5432, 6379])
  expect(api).toMatchObject({ policyTypes: ['Ingress'], ingress: [{ ports: [{ port: 'api' }] }] })
  expect(JSON.stringify(outside!.egress)).toContain('169.254.0.0/16')
})

test('every process has its metrics open, and a Prometheus finds each by the name of its job', () => {
  const serving = [
    ...units.filter((path) => / (?:start|serve) /.test(textOf(path))).map(textOf),
    ...['publisher', 'api'].map((name) => compose.services[name]!.command!.join(' ')),
    ...manifests.flatMap(({ spec }) => spec?.template?.spec.containers.map(({ args }) => args.join(' ')) ?? []),
  ]
  expect(serving).toHaveLength(6)
  for (const text of serving) expect(text).toContain('--metrics-port')
  const monitor = manifests.find(({ kind }) => kind === 'ServiceMonitor')
  expect(monitor!.spec).toMatchObject({ jobLabel: 'app.kubernetes.io/name', endpoints: [{ port: 'metrics' }] })
})

test('backups are made each night, restored for a trial, and the old ones removed', () => {
  const ofJob = (name: string) =>
    manifests
      .find(({ kind, metadata }) => kind === 'CronJob' && metadata.name === `tenderstock-${name}`)!
      .spec.jobTemplate!.spec.template.spec.containers.map(({ args }) => args.join(' '))
      .join()
  for (const text of [textOf('deploy/systemd/tenderstock-drill.service'), ofJob('drill')])
    expect(text).toMatch(/drill \S*\/backups\S* --keep 14 --scratch /)
  expect(ofJob('backup')).toContain('backup "/backups/$(date -u +%F)"')
})

test('every setting is read by the program', () => {
  const known: readonly string[] = settingNames.flatMap((name) => [name, fileVariable(name)])
  const names = [
    ...['deploy/systemd/tenderstock.env', 'deploy/kubernetes/settings.env'].flatMap((path) =>
      [...textOf(path).matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name!),
    ),
    ...units.flatMap((path) => [...textOf(path).matchAll(/^#?Environment=([A-Z_]+)=/gm)].map(([, name]) => name!)),
    ...['publisher', 'api'].flatMap((name) => Object.keys(compose.services[name]!.environment!)),
  ]
  expect(names.length).toBeGreaterThan(15)
  expect(names.filter((name) => !known.includes(name) && name !== 'MALLOC_ARENA_MAX')).toEqual([])
})

test('systemd accepts the units, and rates them as well protected', () => {
  expect(units).toHaveLength(5)
  if (spawnSync('systemd-analyze', ['--version']).error)
    return console.log('skipped: systemd-analyze (it is not there)')
  for (const path of units) {
    const text = textOf(path)
    for (const name of ['LimitNOFILE', 'MemoryMax', 'TasksMax', 'EnvironmentFile', 'TimeoutStopSec'])
      expect(text, path).toMatch(new RegExp(`^${name}=`, 'm'))
    const { stdout, stderr } = spawnSync('systemd-analyze', ['security', '--offline=true', join(root, path)], {
      encoding: 'utf8',
    })
    const [, exposure] = /exposure level for \S+: ([\d.]+)/.exec(stdout) ?? []
    expect(Number(exposure), `${stdout}${stderr}`).toBeLessThan(2.5)
  }
  const paths = globSync('deploy/systemd/*.{service,timer}', { cwd: root }).map((path) => join(root, path))
  const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], { encoding: 'utf8' })
  // this machine has none of our programs where the units expect them
  const complaints = stderr.split('\n').filter((line) => /tenderstock/.test(line) && !/is not executable/.test(line))
  expect(complaints).toEqual([])
})
