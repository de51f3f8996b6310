// The manifests have only fields that their kinds have, and what they name is there: without a network, in contrast to
// kubernetes.system.test.ts, which takes the schemas of others.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { fieldMistakes } from './manifest-fields.ts'

const root = join(import.meta.dirname, '../../deploy/kubernetes')
type Labels = { readonly [label: string]: string }
type Selector = {
  readonly matchLabels?: Labels
  readonly matchExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[]
}
type Pod = {
  readonly containers: readonly {
    readonly ports?: readonly { readonly name: string }[]
    readonly volumeMounts?: readonly { readonly name: string }[]
  }[]
  readonly volumes?: readonly {
    readonly name: string
    readonly persistentVolumeClaim?: { readonly claimName: string }
  }[]
}
type Template = { readonly metadata: { readonly labels: Labels }; readonly spec: Pod }
type Manifest = {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly selector?: Selector & Labels
    readonly podSelector?: Selector
    readonly serviceName?: string
    readonly template?: Template
    readonly jobTemplate?: { readonly spec: { readonly template: Template } }
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[]
    readonly ports?: readonly { readonly name: string; readonly targetPort: string }[]
    readonly endpoints?: readonly { readonly port: string }[]
    readonly jobLabel?: string
  }
}

const kustomization = parse(readFileSync(join(root, 'kustomization.yaml'), 'utf8')) as {
  readonly labels: readonly { readonly pairs: Labels; readonly includeSelectors: boolean }[]
}
/** Labels that kustomize gives to every object and to every selector. */
const common = Object.assign({}, ...kustomization.labels.map(({ pairs }) => pairs)) as Labels
const read = (): Manifest[] =>
  globSync('*.yaml', { cwd: root })
    .filter((path) => path !== 'kustomization.yaml')
    .flatMap((path) => parseAllDocuments(readFileSync(join(root, path), 'utf8')).map((each) => each.toJS() as Manifest))

const templateOf = ({ spec }: Manifest): Template | undefined => spec.template ?? spec.jobTemplate?.spec.template
const has = (labels: Labels, wanted: Labels): boolean =>
  Object.entries(wanted).every(([label, value]) => ({ ...common, ...labels })[label] === value)

/** What an object names that no other has. */
function missingIn(manifests: readonly Manifest[]): string[] {
  const templates = manifests.flatMap((each) => templateOf(each) ?? [])
  const ofKind = (kind: string) => manifests.filter((each) => each.kind === kind)
  const missing: string[] = []
  const expectOne = (isThere: boolean, what: string) => {
    if (!isThere) missing.push(what)
  }
  for (const each of manifests) {
    const { kind, metadata, spec } = each
    const template = templateOf(each)
    const own = `${kind} ${metadata.name}`
    if (template) {
      const volumes = [
        ...(template.spec.volumes ?? []).map(({ name }) => name),
        ...(spec.volumeClaimTemplates ?? []).map((claim) => claim.metadata.name),
      ]
      for (const { volumeMounts = [] } of template.spec.containers)
        for (const { name } of volumeMounts) expectOne(volumes.includes(name), `${own}: volume ${name}`)
      for (const { persistentVolumeClaim: claim } of template.spec.volumes ?? [])
        if (claim)
          expectOne(
            ofKind('PersistentVolumeClaim').some(({ metadata: { name } }) => name === claim.claimName),
            `${own}: claim ${claim.claimName}`,
          )
      if (spec.selector?.matchLabels)
        expectOne(has(template.metadata.labels, spec.selector.matchLabels), `${own}: its own pods`)
    }
    if (spec.serviceName)
      expectOne(
        ofKind('Service').some((service) => service.metadata.name === spec.serviceName),
        `${own}: service ${spec.serviceName}`,
      )
    if (kind === 'Service') {
      const chosen = templates.filter(({ metadata: { labels } }) => has(labels, spec.selector ?? {}))
      for (const { targetPort } of spec.ports ?? [])
        expectOne(
          chosen.some(({ spec: { containers } }) =>
            containers.some(({ ports = [] }) => ports.some(({ name }) => name === targetPort)),
          ),
          `${own}: port ${targetPort}`,
        )
    }
    if (kind === 'ServiceMonitor') {
      // services have no labels but the common ones
      const chosen = ofKind('Service').filter(() => has({}, spec.selector?.matchLabels ?? {}))
      for (const { port } of spec.endpoints ?? [])
        expectOne(
          chosen.flatMap((service) => service.spec.ports ?? []).filter(({ name }) => name === port).length === 1,
          `${own}: one service with the port ${port}`,
        )
      expectOne(spec.jobLabel !== undefined && common[spec.jobLabel] === 'tenderstock', `${own}: label of the job`)
    }
    for (const { key, values } of spec.podSelector?.matchExpressions ?? [])
      for (const value of values)
        expectOne(
          templates.some(({ metadata: { labels } }) => labels[key] === value),
          `${own}: pods with ${key} ${value}`,
        )
    if (kind === 'NetworkPolicy' && spec.podSelector?.matchLabels)
      expectOne(
        templates.some(({ metadata: { labels } }) => has(labels, spec.podSelector!.matchLabels!)),
        `${own}: pods`,
      )
  }
  return missing
}

test('every manifest has only fields of its kind, and names only what is there', () => {
  const manifests = read()
  expect(manifests).toHaveLength(16)
  for (const manifest of manifests)
    expect(fieldMistakes(manifest), `${manifest.kind} ${manifest.metadata.name}`).toEqual([])
  expect(missingIn(manifests)).toEqual([])
})

/** Kind, what is replaced in its text, and by what. */
const plantedFields: readonly (readonly [kind: string, from: string, to: string])[] = [
  ['ServiceMonitor', '"endpoints"', '"endpoint"'],
  ['ServiceMonitor', '"interval":"15s"', '"interval":15'],
  ['ServiceMonitor', '"interval":"15s"', '"interval":"15 s"'],
  ['ServiceMonitor', '"interval"', '"scrapeInterval"'],
  ['ServiceMonitor', '"matchLabels"', '"matchLabel"'],
  ['ServiceMonitor', '"jobLabel"', '"joblabel"'],
  ['ServiceMonitor', 'monitoring.coreos.com/v1', 'monitoring.coreos.com/v1beta1'],
  ['ServiceMonitor', '"port":"metrics"', '"port":9464'],
  ['CronJob', '30 2 * * *', '30 2 * *'],
  ['CronJob', '"Forbid"', '"forbid"'],
  ['CronJob', '"activeDeadlineSeconds"', '"deadlineSeconds"'],
  ['CronJob', '"restartPolicy":"Never"', '"restartPolicy":"No"'],
  ['Deployment', '"replicas":3', '"replicas":"3"'],
  ['Deployment', '"readinessProbe"', '"readyProbe"'],
  ['Deployment', '"512Mi"', '"512MB"'],
  ['Deployment', '"containerPort":8080', '"containerPort":80800'],
  ['Deployment', '"drop":["ALL"]', '"drops":["ALL"]'],
  ['StatefulSet', '"serviceName"', '"service"'],
  ['StatefulSet', '"accessModes"', '"accessMode"'],
  ['Service', '"publishNotReadyAddresses":true', '"publishNotReadyAddresses":"yes"'],
  ['Service', '"targetPort":"metrics"', '"targetPort":"metrics of the process"'],
  ['NetworkPolicy', '"podSelector"', '"podsSelector"'],
  ['NetworkPolicy', '10.0.0.0/8', '10.0.0.0'],
  ['NetworkPolicy', '"UDP"', '"udp"'],
  ['PodDisruptionBudget', '"maxUnavailable"', '"maxDown"'],
  ['PersistentVolumeClaim', '"storage":"1', '"storages":"1'],
]

test.each(plantedFields)('a mistake in the fields of a %s is found: %s as %s', (kind, from, to) => {
  const texts = read().flatMap((each) => (each.kind === kind ? [JSON.stringify(each)] : []))
  const spoiled = texts.filter((text) => text.includes(from)).map((text) => text.replace(from, to))
  expect(spoiled.length).toBeGreaterThan(0)
  for (const text of spoiled) expect(fieldMistakes(JSON.parse(text) as Manifest)).not.toEqual([])
})

const plantedNames: readonly (readonly [kind: string, from: string, to: string])[] = [
  ['ServiceMonitor', '"port":"metrics"', '"port":"metric"'],
  ['ServiceMonitor', '"matchLabels":{"app.kubernetes.io/name"', '"matchLabels":{"app.kubernetes.io/part-of"'],
  ['ServiceMonitor', '"jobLabel":"app.kubernetes.io/name"', '"jobLabel":"app"'],
  ['Service', '"targetPort":"metrics"', '"targetPort":"monitor"'],
  ['StatefulSet', '"serviceName":"tenderstock-publisher"', '"serviceName":"publisher"'],
  [
    'Deployment',
    '"matchLabels":{"app.kubernetes.io/component":"serve"}',
    '"matchLabels":{"app.kubernetes.io/component":"api"}',
  ],
  ['CronJob', '"claimName":"tenderstock-backups"', '"claimName":"backups"'],
  ['CronJob', '{"name":"tmp","mountPath"', '{"name":"temp","mountPath"'],
  ['NetworkPolicy', '["publisher","serve"]', '["publisher","server"]'],
]

test.each(plantedNames)('a name in a %s that nothing has is found: %s as %s', (kind, from, to) => {
  const manifests = read()
  // the selector of a deployment is not the first that its text has
  const spoil = (text: string) =>
    from.includes('component":"serve')
      ? text.replace(`"selector":{${from}`, `"selector":{${to}`)
      : text.replace(from, to)
  const spoiled = manifests.map((each) =>
    each.kind === kind ? (JSON.parse(spoil(JSON.stringify(each))) as Manifest) : each,
  )
  expect(JSON.stringify(spoiled)).not.toBe(JSON.stringify(manifests))
  expect(missingIn(spoiled)).not.toEqual([])
})
