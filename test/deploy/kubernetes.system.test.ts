// The manifests, rendered by kustomize and validated by the schemas of Kubernetes. `npm run proof -- kubernetes`.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'

const root = join(import.meta.dirname, '../..')
const isFull = process.env['PROOF'] === 'full'

type Manifest = { readonly apiVersion: string; readonly kind: string; readonly metadata: { readonly name: string } }

type Model = new (data: object) => { readonly validate: () => void }

describe.skipIf(!isFull)('the manifests', () => {
  const folder = isFull ? mkdtempSync(join(tmpdir(), 'tenderstock-kubernetes-')) : ''
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('are rendered with secrets and settings, and each matches its schema', async () => {
    const copy = join(folder, 'kubernetes')
    cpSync(join(root, 'deploy/kubernetes'), copy, { recursive: true })
    mkdirSync(join(copy, 'secrets'), { recursive: true })
    for (const name of ['database-url', 'secret-key']) writeFileSync(join(copy, 'secrets', name), 'x')
    const rendered = execFileSync('kubectl', ['kustomize', copy], { encoding: 'utf8' })
    const manifests = parseAllDocuments(rendered).map((document) => document.toJS() as Manifest)
    expect(manifests.map(({ kind }) => kind).sort()).toEqual([
      'ConfigMap',
      'CronJob',
      'CronJob',
      'CronJob',
      'Deployment',
      'NetworkPolicy',
      'NetworkPolicy',
      'NetworkPolicy',
      'NetworkPolicy',
      'PersistentVolumeClaim',
      'PersistentVolumeClaim',
      'PodDisruptionBudget',
      'Secret',
      'Service',
      'Service',
      'Service',
      'StatefulSet',
    ])
    // too large for everyday tests, so it is not a dependency
    writeFileSync(join(folder, 'package.json'), '{}')
    const install = ['install', '--no-audit', '--no-fund', '--prefer-offline', 'kubernetes-models@5.1.0']
    execFileSync('npm', install, { cwd: folder, stdio: 'ignore' })
    const isValid = async (manifest: Manifest): Promise<true> => {
      const file = join(folder, 'node_modules/kubernetes-models', manifest.apiVersion, 'index.js')
      const models = (await import(pathToFileURL(file).href)) as Record<string, Model>
      new models[manifest.kind]!(manifest).validate()
      return true
    }
    for (const manifest of manifests) expect(await isValid(manifest), manifest.kind).toBe(true)
    // and the schemas do find mistakes
    const deployment = manifests.find(({ kind }) => kind === 'Deployment')!
    await expect(isValid({ ...deployment, spec: { replicas: 'three' } } as Manifest)).rejects.toThrow()
  }, 300_000)
})
