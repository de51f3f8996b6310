// The two operations of the API as the contract declares them, in the shape in which the reference shows them.
import { contractText } from '../../api/contract-text.ts'

type ReferenceParameter = {
  readonly name: string
  readonly location: string
  readonly type: string
  readonly description: string
  readonly example: string
}

export type ReferenceAnswer = {
  readonly status: string
  readonly description: string
  readonly headers: readonly { readonly name: string; readonly description: string }[]
  /** Slugs of the problems that it may answer. */
  readonly problems: readonly string[]
}

export type ReferenceOperation = {
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly ReferenceParameter[]
  readonly answers: readonly ReferenceAnswer[]
}

type Schema = {
  readonly type?: string
  readonly format?: string
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly default?: unknown
  readonly enum?: readonly string[]
}

type Contract = {
  readonly paths: {
    readonly [path: string]: {
      readonly get: {
        readonly summary: string
        readonly description: string
        readonly parameters: readonly {
          readonly name: string
          readonly in: string
          readonly description: string
          readonly schema: Schema
          readonly examples: { readonly [name: string]: { readonly value: unknown } }
        }[]
        readonly responses: {
          readonly [status: string]: {
            readonly description: string
            readonly headers?: { readonly [name: string]: { readonly description: string } }
            readonly content?: {
              readonly [type: string]: { readonly examples?: { readonly [slug: string]: unknown } }
            }
          }
        }
      }
    }
  }
}

const known = new Map<string, ReferenceOperation>()

/** Returns the operation at a path of the contract, read once. Throws for an unknown path. */
export function referenceOf(path: '/v1/tenders' | '/v1/tenders/{id}'): ReferenceOperation {
  let operation = known.get(path)
  if (!operation) {
    operation = readOperation(path)
    known.set(path, operation)
  }
  return operation
}

/** Reads the operation at a path of the contract. */
function readOperation(path: string): ReferenceOperation {
  const contract = JSON.parse(contractText({ baseUrl: '', docsUrl: '' })) as Contract
  const operation = contract.paths[path]?.get
  if (!operation) throw new Error(`the contract has no ${path}`)
  return {
    method: 'GET',
    path,
    summary: operation.summary,
    description: operation.description,
    parameters: operation.parameters.map(({ name, in: location, description, schema, examples }) => ({
      name,
      location,
      type: typeOf(schema),
      description,
      example: exampleOf(Object.values(examples)[0]?.value),
    })),
    answers: Object.entries(operation.responses).map(([status, { description, headers = {}, content = {} }]) => ({
      status,
      description,
      headers: Object.entries(headers).map(([name, header]) => ({ name, description: header.description })),
      problems: Object.keys(content['application/problem+json']?.examples ?? {}),
    })),
  }
}

const exampleOf = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value ?? ''))

/** A type in words: `integer, 1 to 100, by default 50`. */
function typeOf(schema: Schema): string {
  if (schema.type === 'array')
    return `list of ${schema.items?.enum ? 'words' : 'codes'}${schema.maxItems === undefined ? '' : `, at most ${schema.maxItems}`}`
  const parts = [
    schema.format === 'date-time' ? 'timestamp' : schema.format === 'uuid' ? 'UUID' : (schema.type ?? 'string'),
  ]
  if (schema.minimum !== undefined && schema.maximum !== undefined) parts.push(`${schema.minimum} to ${schema.maximum}`)
  if (schema.default !== undefined) parts.push(`by default ${String(schema.default)}`)
  return parts.join(', ')
}
