// Checks JSON against a schema and reports every fault in words, with its position: for files that people write by
// hand. Knows the part of JSON Schema that our schemas use, so that no library is needed.

/** The part of JSON Schema (2020-12) that our schemas use. */
export type Schema = {
  readonly $schema?: string
  readonly $id?: string
  readonly title?: string
  readonly description?: string
  readonly $ref?: string
  readonly $defs?: { readonly [name: string]: Schema }
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly minItems?: number
  readonly items?: Schema
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
}

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value

/** Edits between two names; small ones are typing errors. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}

/** The known name that was probably meant; undefined when none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((other) => ({ other, edits: other.startsWith(name) && name.length > 2 ? 0 : editDistance(name, other) }))
    .sort((a, b) => a.edits - b.edits)
  return best && best.edits <= Math.max(2, name.length / 3) ? best.other : undefined
}

function suggestion(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  return nearest === undefined ? `; known are ${known.join(', ')}` : `; did you mean "${nearest}"?`
}

/**
 * Returns every fault as one sentence that begins with its position (`fields[3].maxLength`); empty: the value is valid.
 */
export function schemaFaults(value: unknown, schema: Schema, root: Schema = schema, path = ''): string[] {
  if (schema.$ref !== undefined) {
    const target = root.$defs?.[schema.$ref.replace('#/$defs/', '')]
    if (!target) throw new Error(`no ${schema.$ref} in the schema`)
    return schemaFaults(value, target, root, path)
  }
  const at = path === '' ? 'The file' : path
  const types = schema.type === undefined ? [] : [schema.type].flat()
  const own = typeOf(value)
  if (types.length > 0 && !types.includes(own) && !(own === 'integer' && types.includes('number')))
    return [`${at} must be ${types.join(' or ')}, not ${own}`]
  const faults: string[] = []
  if ('const' in schema && value !== schema.const) faults.push(`${at} must be ${JSON.stringify(schema.const)}`)
  if (schema.enum && !schema.enum.includes(value))
    faults.push(`${at} must be one of ${schema.enum.join(', ')}, not ${JSON.stringify(value)}`)
  if (typeof value === 'string') {
    if (value.length < (schema.minLength ?? 0)) faults.push(`${at} must not be empty`)
    if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value))
      faults.push(`${at} must match ${schema.pattern}`)
  }
  if (typeof value === 'number') {
    if (value < (schema.minimum ?? Number.NEGATIVE_INFINITY)) faults.push(`${at} must be at least ${schema.minimum}`)
    if (value > (schema.maximum ?? Number.POSITIVE_INFINITY)) faults.push(`${at} must be at most ${schema.maximum}`)
  }
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0)) faults.push(`${at} must have at least ${schema.minItems} elements`)
    const { items } = schema
    if (items) faults.push(...value.flatMap((each, index) => schemaFaults(each, items, root, `${path}[${index}]`)))
  } else if (typeof value === 'object' && value !== null) faults.push(...memberFaults(value, schema, root, path))
  return faults
}

function memberFaults(value: object, schema: Schema, root: Schema, path: string): string[] {
  const at = path === '' ? 'The file' : path
  const properties = schema.properties ?? {}
  const faults = (schema.required ?? [])
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => `${at} lacks "${name}"`)
  for (const [name, member] of Object.entries(value)) {
    const inner = path === '' ? name : `${path}.${name}`
    const known = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties
    if (typeof known === 'object') faults.push(...schemaFaults(member, known, root, inner))
    else if (known === false)
      faults.push(`${at} has an unknown member "${name}"${suggestion(name, Object.keys(properties))}`)
  }
  return faults
}
