// A CRM mapping: how records become properties, and which requests carry them. Read from JSON, checked before anything
// is sent.
import { readFileSync } from 'node:fs'
import { schemaFaults } from '../faults/schema-faults.ts'
import { SinkError } from '../faults/sink-error.ts'
import type { MappedAuth } from './crm-session.ts'
import { mappingSchema } from './http-mapping-schema.ts'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
export type Scalar = string | number | boolean | null

/** One property of the CRM; see the schema for each member. */
export type MappedField = {
  readonly to: string
  readonly from?: string | readonly string[]
  readonly value?: Scalar
  readonly type?: 'text' | 'number' | 'boolean' | 'date' | 'datetime' | 'epochMs'
  readonly timeZone?: string
  readonly map?: { readonly [value: string]: Scalar }
  readonly join?: string
  readonly maxLength?: number
  readonly default?: string | number | boolean
  readonly empty?: 'clear' | 'skip'
  readonly when?: 'always' | 'create'
  readonly isPassive?: boolean
}

/** How an answer to a batch is read. */
export type MappedAnswer = {
  readonly kind: 'keyed' | 'ordered'
  readonly results?: string
  readonly resultKeys?: readonly string[]
  readonly success?: string
  readonly crmId?: string
  readonly created?: string
  readonly errors?: string
  readonly errorKeys?: readonly string[]
  readonly errorCode?: string
  readonly errorMessage?: string
}

/** A request that carries items. */
export type MappedBatch = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly path: string
  readonly body?: Json
  readonly item?: Json
  readonly batchSize: number
}

/** Moves what is attached to a merged record to the one that remains. */
export type MappedMove = {
  readonly name: string
  readonly list: { readonly path: string; readonly results: string; readonly id: string; readonly next?: string }
  readonly write: MappedBatch
}

export type HttpMapping = {
  readonly version: 1
  readonly name: string
  readonly baseUrl: string
  readonly headers?: { readonly [name: string]: string }
  readonly auth?: MappedAuth
  readonly rate?: { readonly requests: number; readonly seconds: number }
  readonly retryCodes?: readonly string[]
  readonly emptyValue?: string | null
  readonly valuesAsText?: boolean
  readonly upsert: MappedBatch & { readonly answer: MappedAnswer }
  readonly lookup?: MappedBatch & {
    readonly results: string
    readonly externalId: string
    readonly crmId: string
    readonly lastModified?: string
  }
  readonly fields: readonly MappedField[]
  readonly close: { readonly fields: readonly MappedField[] }
  readonly reopen?: { readonly fields: readonly MappedField[] }
  readonly merge: { readonly fields: readonly MappedField[]; readonly moves?: readonly MappedMove[] }
}

function* fieldsOf(mapping: HttpMapping): Generator<readonly [string, readonly MappedField[]]> {
  yield ['fields', mapping.fields]
  yield ['close.fields', mapping.close.fields]
  yield ['reopen.fields', mapping.reopen?.fields ?? []]
  yield ['merge.fields', mapping.merge.fields]
}

/** Faults that a schema cannot express. */
function meaningFaults(mapping: HttpMapping): string[] {
  const faults: string[] = []
  for (const [section, fields] of fieldsOf(mapping)) {
    const seen = new Set<string>()
    for (const [index, field] of fields.entries()) {
      const at = `${section}[${index}] (${field.to})`
      const hasFrom = field.from !== undefined
      if (hasFrom === 'value' in field) faults.push(`${at} must have either "from" or "value"`)
      if (seen.has(field.to)) faults.push(`${at} sets a property that another field of the list sets`)
      seen.add(field.to)
      const paths = [field.from ?? []].flat()
      if (paths.some((path) => path === 'checkedAt'))
        faults.push(`${at} maps checkedAt, which moves without a change: every record would be written in every run`)
      for (const path of paths)
        if (path.startsWith('$') && path !== '$state' && path !== '$isBackfill')
          faults.push(`${at} has an unknown source ${path}; known are $state and $isBackfill`)
      if (section !== 'fields' && (field.when !== undefined || field.isPassive !== undefined))
        faults.push(`${at} must have neither "when" nor "isPassive": it is set once anyway`)
      if (field.timeZone !== undefined)
        try {
          Intl.DateTimeFormat('en', { timeZone: field.timeZone })
        } catch {
          faults.push(`${at} has an unknown time zone ${field.timeZone}`)
        }
    }
  }
  if (mapping.auth && Object.keys(mapping.headers ?? {}).some((name) => name.toLowerCase() === 'authorization'))
    faults.push('auth and headers.Authorization exclude each other: sessions write that header')
  const { answer } = mapping.upsert
  for (const name of answer.kind === 'keyed'
    ? (['results', 'resultKeys', 'errors', 'errorKeys'] as const)
    : (['success', 'errors'] as const))
    if (answer[name] === undefined) faults.push(`upsert.answer of kind ${answer.kind} lacks "${name}"`)
  if (!mapping.lookup && mapping.fields.some(({ when }) => when === 'create'))
    faults.push(
      'lookup is missing: without it, fields with "when": "create" would be set again after the ledger was lost',
    )
  return faults
}

/**
 * `${NAME}` from the environment, or from the file that `NAME_FILE` names; the faults name what is not set, never a
 * value.
 */
function withEnvironment(text: string, at: string, environment: Environment, faults: string[]): string {
  return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = environment[name] || valueInFile(name, environment, faults)
    if (value === '')
      faults.push(
        `${at} needs the environment variable ${name}, which is not set (nor ${name}_FILE, a file that holds it)`,
      )
    return value ?? ''
  })
}

/** Empty without such a variable; undefined, and a fault, if its file holds no value. */
function valueInFile(name: string, environment: Environment, faults: string[]): string | undefined {
  const file = environment[`${name}_FILE`]
  if (!file) return ''
  try {
    const value = readFileSync(file, 'utf8').trim()
    if (value !== '') return value
    faults.push(`the file ${file} of ${name}_FILE is empty`)
  } catch {
    faults.push(`the file ${file} of ${name}_FILE cannot be read: check its path and permissions`)
  }
  return undefined
}

/** A secret goes over plain HTTP to this machine only. */
const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname))

export type Environment = { readonly [name: string]: string | undefined }

/**
 * Checks a mapping (parsed JSON) and fills in the environment.
 *
 * @throws SinkError with every fault, one per line.
 */
export function parseMapping(value: unknown, environment: Environment): HttpMapping {
  const faults = schemaFaults(value, mappingSchema)
  let mapping = value as HttpMapping
  if (faults.length === 0) {
    faults.push(...meaningFaults(mapping))
    const filled = <Texts extends { readonly [name: string]: string }>(member: string, texts: Texts): Texts =>
      Object.fromEntries(
        Object.entries(texts).map(([name, text]) => [
          name,
          withEnvironment(text, `${member}.${name}`, environment, faults),
        ]),
      ) as Texts
    mapping = {
      ...mapping,
      baseUrl: withEnvironment(mapping.baseUrl, 'baseUrl', environment, faults).replace(/\/+$/, ''),
      ...(mapping.headers && { headers: filled('headers', mapping.headers) }),
      ...(mapping.auth && { auth: filled('auth', mapping.auth) }),
    }
    if (!URL.canParse(mapping.baseUrl)) faults.push('baseUrl must be an absolute address: https://…')
    const tokenUrl = mapping.auth?.tokenUrl
    if (tokenUrl !== undefined && !(URL.canParse(tokenUrl) && isSafe(new URL(tokenUrl))))
      faults.push('auth.tokenUrl must be an absolute address with https: the secret is sent there')
  }
  if (faults.length > 0) throw new SinkError(`The mapping cannot be used:\n- ${faults.join('\n- ')}`)
  return mapping
}
