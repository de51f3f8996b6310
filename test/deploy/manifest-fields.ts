// The fields of the Kubernetes objects in deploy/, and of a ServiceMonitor, as their public references list them
// (kubernetes.io/docs/reference/kubernetes-api, prometheus-operator.dev/docs/api-reference): only those that we may
// use, and nothing beside them.
import { Ajv, type ValidateFunction } from 'ajv'

type Schema = { readonly [member: string]: unknown }

const text: Schema = { type: 'string', minLength: 1 }
const yesNo: Schema = { type: 'boolean' }
const count: Schema = { type: 'integer', minimum: 0 }
const port: Schema = { type: 'integer', minimum: 1, maximum: 65_535 }
const name: Schema = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$' }
/** At most 15 signs, with a letter. */
const portName: Schema = { type: 'string', pattern: '^(?=.*[a-z])[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$' }
const quantity: Schema = { type: 'string', pattern: '^[0-9]+([.][0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$' }
const cidr: Schema = { type: 'string', pattern: '^[0-9a-f.:]+/[0-9]{1,3}$' }
/** Durations of Prometheus. */
const duration: Schema = {
  type: 'string',
  pattern: '^(0|([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?)$',
  minLength: 1,
}
const cron: Schema = { type: 'string', pattern: '^([0-9*/,-]+ ){4}[0-9*/,-]+$' }
const oneOf = (...values: readonly string[]): Schema => ({ enum: values })
const some = (items: Schema): Schema => ({ type: 'array', items, minItems: 1 })
const any = (items: Schema): Schema => ({ type: 'array', items })
const texts: Schema = { type: 'object', additionalProperties: { type: 'string' } }
const either = (...schemas: readonly Schema[]): Schema => ({ anyOf: schemas })
/** Members whose name ends with an exclamation mark are required. */
function object(members: { readonly [name: string]: Schema }): Schema {
  const bare = (member: string) => member.replace('!', '')
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(members).map(([member, schema]) => [bare(member), schema])),
    required: Object.keys(members)
      .filter((member) => member.endsWith('!'))
      .map(bare),
    additionalProperties: false,
  }
}

const metadata = object({ 'name!': name, labels: texts, annotations: texts })
const selector = object({
  matchLabels: texts,
  matchExpressions: some(
    object({ 'key!': text, 'operator!': oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'), values: some(text) }),
  ),
})
const probe = object({
  'httpGet!': object({ 'path!': { type: 'string', pattern: '^/' }, 'port!': either(port, portName) }),
  initialDelaySeconds: count,
  periodSeconds: count,
  timeoutSeconds: count,
  failureThreshold: count,
})
const resources = object({
  requests: object({ cpu: quantity, memory: quantity }),
  limits: object({ cpu: quantity, memory: quantity }),
})
const container = object({
  'name!': name,
  'image!': text,
  command: some(text),
  args: some(text),
  envFrom: some(object({ configMapRef: object({ 'name!': name }), secretRef: object({ 'name!': name }) })),
  ports: some(object({ name: portName, 'containerPort!': port, protocol: oneOf('TCP', 'UDP') })),
  startupProbe: probe,
  readinessProbe: probe,
  livenessProbe: probe,
  resources,
  securityContext: object({
    allowPrivilegeEscalation: yesNo,
    readOnlyRootFilesystem: yesNo,
    capabilities: object({ drop: some(text) }),
  }),
  volumeMounts: some(object({ 'name!': name, 'mountPath!': { type: 'string', pattern: '^/' }, readOnly: yesNo })),
})
const volume = object({
  'name!': name,
  emptyDir: object({ sizeLimit: quantity, medium: oneOf('', 'Memory') }),
  persistentVolumeClaim: object({ 'claimName!': name }),
  secret: object({ 'secretName!': name, defaultMode: { type: 'integer', minimum: 0, maximum: 0o777 } }),
})
const pod = object({
  restartPolicy: oneOf('Always', 'OnFailure', 'Never'),
  automountServiceAccountToken: yesNo,
  terminationGracePeriodSeconds: count,
  securityContext: object({
    runAsNonRoot: yesNo,
    runAsUser: count,
    runAsGroup: count,
    fsGroup: count,
    fsGroupChangePolicy: oneOf('Always', 'OnRootMismatch'),
    seccompProfile: object({ 'type!': oneOf('RuntimeDefault', 'Localhost', 'Unconfined') }),
  }),
  affinity: object({
    podAntiAffinity: object({
      preferredDuringSchedulingIgnoredDuringExecution: some(
        object({
          'weight!': { type: 'integer', minimum: 1, maximum: 100 },
          'podAffinityTerm!': object({ 'topologyKey!': text, labelSelector: selector }),
        }),
      ),
    }),
  }),
  'containers!': some(container),
  volumes: some(volume),
})
const template = object({ metadata: object({ labels: texts }), 'spec!': pod })
const claim = object({
  'accessModes!': some(oneOf('ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod')),
  storageClassName: text,
  'resources!': object({ 'requests!': object({ 'storage!': quantity }) }),
})
const policyPorts = some(object({ protocol: oneOf('TCP', 'UDP', 'SCTP'), port: either(port, portName) }))
const peers = some(
  object({
    ipBlock: object({ 'cidr!': cidr, except: some(cidr) }),
    namespaceSelector: selector,
    podSelector: selector,
  }),
)
const limit = count

const specs: { readonly [kind: string]: { readonly apiVersion: string; readonly spec: Schema } } = {
  CronJob: {
    apiVersion: 'batch/v1',
    spec: object({
      'schedule!': cron,
      timeZone: text,
      concurrencyPolicy: oneOf('Allow', 'Forbid', 'Replace'),
      startingDeadlineSeconds: count,
      successfulJobsHistoryLimit: count,
      failedJobsHistoryLimit: count,
      suspend: yesNo,
      'jobTemplate!': object({
        'spec!': object({ backoffLimit: count, activeDeadlineSeconds: count, 'template!': template }),
      }),
    }),
  },
  PersistentVolumeClaim: { apiVersion: 'v1', spec: claim },
  Service: {
    apiVersion: 'v1',
    spec: object({
      clusterIP: text,
      type: oneOf('ClusterIP', 'NodePort', 'LoadBalancer'),
      publishNotReadyAddresses: yesNo,
      selector: texts,
      ports: some(
        object({ name: portName, 'port!': port, targetPort: either(port, portName), protocol: oneOf('TCP', 'UDP') }),
      ),
    }),
  },
  NetworkPolicy: {
    apiVersion: 'networking.k8s.io/v1',
    spec: object({
      'podSelector!': selector,
      policyTypes: some(oneOf('Ingress', 'Egress')),
      ingress: any(object({ from: peers, ports: policyPorts })),
      egress: any(object({ to: peers, ports: policyPorts })),
    }),
  },
  StatefulSet: {
    apiVersion: 'apps/v1',
    spec: object({
      'serviceName!': name,
      replicas: count,
      'selector!': selector,
      'template!': template,
      volumeClaimTemplates: some(object({ 'metadata!': metadata, 'spec!': claim })),
    }),
  },
  Deployment: {
    apiVersion: 'apps/v1',
    spec: object({
      replicas: count,
      strategy: object({
        type: oneOf('RollingUpdate', 'Recreate'),
        rollingUpdate: object({ maxUnavailable: count, maxSurge: count }),
      }),
      'selector!': selector,
      'template!': template,
    }),
  },
  PodDisruptionBudget: {
    apiVersion: 'policy/v1',
    spec: object({ maxUnavailable: count, minAvailable: count, selector }),
  },
  ServiceMonitor: {
    apiVersion: 'monitoring.coreos.com/v1',
    spec: object({
      jobLabel: text,
      targetLabels: some(text),
      podTargetLabels: some(text),
      'endpoints!': some(
        object({
          port: portName,
          targetPort: either(port, portName),
          path: { type: 'string', pattern: '^/' },
          scheme: oneOf('http', 'https'),
          interval: duration,
          scrapeTimeout: duration,
          honorLabels: yesNo,
          honorTimestamps: yesNo,
          followRedirects: yesNo,
        }),
      ),
      'selector!': selector,
      namespaceSelector: object({ any: yesNo, matchNames: some(name) }),
      sampleLimit: limit,
      targetLimit: limit,
      labelLimit: limit,
      labelNameLengthLimit: limit,
      labelValueLengthLimit: limit,
      keepDroppedTargets: limit,
      scrapeClass: text,
      bodySizeLimit: text,
    }),
  },
}

const ajv = new Ajv({ allErrors: true })
const validators = new Map<string, ValidateFunction>(
  Object.entries(specs).map(([kind, { apiVersion, spec }]) => [
    kind,
    ajv.compile(
      object({ 'apiVersion!': { const: apiVersion }, 'kind!': { const: kind }, 'metadata!': metadata, 'spec!': spec }),
    ),
  ]),
)

/** What is wrong with the fields of an object; none for one that is right. */
export function fieldMistakes(manifest: { readonly kind: string }): readonly string[] {
  const validate = validators.get(manifest.kind)
  if (!validate) return [`nothing is known of the kind ${manifest.kind}`]
  validate(manifest)
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  )
}
