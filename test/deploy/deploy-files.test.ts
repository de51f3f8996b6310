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
  spec: { template?: PodTemplate; jobTemplate?: { spec: { template: PodTemplate } } }
}
type PodTemplate = { spec: { containers: { args: string[] }[] } }
const manifests = globSync('deploy/kubernetes/*.yaml', { cwd: root }).flatMap((path) =>
  parseAllDocuments(textOf(path)).map((document) => document.toJS() as Manifest),
)

test('every command exists in the program', () => {
  const lines = [
    ...units.map((path) =>
      /^ExecStart=\/usr\/bin\/node \S+\/tenderstock\.cjs (.*)$/m
        .exec(textOf(path))![1]!
        .replaceAll('%i', '9001')
        .split(' '),
    ),
    ...['publisher', 'api'].map((name) => compose.services[name]!.command!),
    ...manifests.flatMap(({ spec }) => {
      const template = spec?.template ?? spec?.jobTemplate?.spec.template
      return template?.spec.containers.map(({ args }) => args) ?? []
    }),
    JSON.parse(/^CMD (\[.*\])$/m.exec(textOf('Dockerfile'))![1]!) as string[],
  ]
  expect(lines).toHaveLength(9)
  for (const line of lines) expect(parseCommand(line), line.join(' ')).toMatchObject({ kind: 'command' })
})

test('Kubernetes and systemd check the portals daily with the same command, and all manifests are applied', () => {
  const [, ofSystemd] = /tenderstock\.cjs (.*)$/m.exec(textOf('deploy/systemd/tenderstock-canary.service'))!
  const job = manifests.find(({ kind }) => kind === 'CronJob')!
  const { args } = job.spec.jobTemplate!.spec.template.spec.containers[0]!
  expect(args.join(' ').replaceAll('/data', '/var/lib/tenderstock').replace('--/var/lib/tenderstock', '--data')).toBe(
    ofSystemd,
  )
  const { resources } = parse(textOf('deploy/kubernetes/kustomization.yaml')) as { resources: string[] }
  const files = globSync('deploy/kubernetes/*.yaml', { cwd: root }).map((path) => path.replace(/^.*\//, ''))
  expect([...resources, 'kustomization.yaml'].sort()).toEqual(files.sort())
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
  expect(units).toHaveLength(3)
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
})
