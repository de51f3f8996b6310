// Makes contract/events.schema.json, the JSON Schema of the lines that commands print with --json. Run by `npm run
// generate`.
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { generateSchema, getProgramFromFiles } from 'typescript-json-schema'
import { isTimeName } from '../src/service/events/command-event.ts'

type Schema = {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema | readonly Schema[]
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly description?: string
}

/** A line is one of `anyOf`, which refer to `definitions`: the events by name. */
type EventSchema = {
  readonly $schema: string
  readonly title: string
  readonly description: string
  readonly anyOf: readonly { readonly $ref: string }[]
  readonly definitions: { readonly [event: string]: Schema }
}

export const eventSchemaFile = new URL('events.schema.json', import.meta.url)

/** Takes some seconds. */
function generateEventSchema(): EventSchema {
  return readEvents().schema
}

/** The same; kept below node_modules while no file that was read for it, and no package, has changed. */
export function keptEventSchema(): EventSchema {
  const store = new URL('../node_modules/.cache/event-schema.json', import.meta.url)
  const kept = existsSync(store) ? (JSON.parse(readFileSync(store, 'utf8')) as Kept) : undefined
  if (kept && Object.entries(kept.files).every(([path, was]) => hashOf(path) === was)) return kept.schema
  const { schema, paths } = readEvents()
  mkdirSync(new URL('.', store), { recursive: true })
  writeFileSync(store, JSON.stringify({ schema, files: Object.fromEntries(paths.map((path) => [path, hashOf(path)])) }))
  return schema
}

/** A hash of each file that the schema follows from. */
type Kept = { readonly schema: EventSchema; readonly files: { readonly [path: string]: string | undefined } }

const hashOf = (path: string): string | undefined => (existsSync(path) ? hash('sha256', readFileSync(path)) : undefined)

/** The schema of every event, read from the types in src/service/events, and the files that say it. */
function readEvents(): { readonly schema: EventSchema; readonly paths: readonly string[] } {
  const pathOf = (name: string): string => new URL(name, import.meta.url).pathname
  // The numbers are those of TypeScript's enumerations: ES2024, NodeNext, NodeNext.
  const options = { strict: true, target: 11, module: 199, moduleResolution: 99, skipLibCheck: true, types: ['node'] }
  const program = getProgramFromFiles([pathOf('../src/service/events/command-event.ts')], {
    ...options,
    allowImportingTsExtensions: true,
    noEmit: true,
  })
  const facts = generateSchema(program, 'Facts', { required: true, ref: false, ignoreErrors: true }) as Schema | null
  const ours = program.getSourceFiles().flatMap(({ fileName }) => (fileName.includes('/node_modules/') ? [] : fileName))
  return {
    schema: schemaOf(facts),
    paths: [...ours, ...['event-schema.ts', '../src/cli/time-member.ts', '../package-lock.json'].map(pathOf)],
  }
}

function schemaOf(facts: Schema | null): EventSchema {
  const events = (facts?.allOf ?? []).flatMap(({ properties = {} }) => Object.entries(properties))
  if (events.length === 0) throw new Error('src/service/events/command-event.ts has no type named Facts of the rooms')
  const factsOf = new Map(events)
  if (factsOf.size < events.length) throw new Error('two rooms in src/service/events have an event of the same name')
  const names = [...factsOf.keys()].sort()
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A line that a command of tenderstock prints with --json',
    description: 'Events and members may be added; those that are here stay, with their types.',
    anyOf: names.map((name) => ({ $ref: `#/definitions/${name}` })),
    definitions: Object.fromEntries(names.map((name) => [name, eventOf(name, factsOf.get(name)!)])),
  }
}

function eventOf(name: string, facts: Schema): Schema {
  const { description, properties, required } = plain(facts)
  return {
    ...(description !== undefined && { description }),
    type: 'object',
    properties: {
      event: { type: 'string', const: name },
      time: { type: 'string', format: 'date-time', description: 'When it happened, in UTC.' },
      ...properties,
    },
    required: ['event', 'time', ...(required ?? [])],
  }
}

/** The comment of a type on one line, however it is wrapped in the code. */
const describedBy = ({ description }: Schema): Pick<Schema, 'description'> =>
  description === undefined ? {} : { description: description.replace(/\s*\n\s*/g, ' ') }

/**
 * The same schema with the members of intersections put together, in the order of the alphabet, and times as they are
 * printed.
 */
function plain(schema: Schema): Schema {
  if (schema.allOf) {
    const described = describedBy(schema)
    // a text that TypeScript tells from other texts: only `Instant`
    if (schema.allOf.some(({ properties }) => properties?.__brand?.const === 'Instant'))
      return { ...described, type: 'string', format: 'date-time' }
    const parts = schema.allOf.map(plain)
    if (parts.some(({ type }) => type !== 'object'))
      throw new Error(`an intersection of what are no objects: ${JSON.stringify(schema)}`)
    return plain({
      ...described,
      type: 'object',
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as NonNullable<Schema['properties']>,
      required: [...new Set(parts.flatMap(({ required }) => required ?? []))],
    })
  }
  const { properties, items, additionalProperties, anyOf, required, enum: values, type, ...rest } = schema
  return {
    ...rest,
    ...describedBy(rest),
    ...(type !== undefined && { type: typeof type === 'string' ? type : [...type].sort() }),
    ...(values && { enum: [...values].sort() }),
    ...(anyOf && { anyOf: anyOf.map(plain).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) }),
    ...(items && { items: Array.isArray(items) ? items.map(plain) : plain(items as Schema) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'boolean' ? additionalProperties : plain(additionalProperties),
    }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.keys(properties)
          .sort()
          .map((name) => [name, memberOf(name, properties[name]!)]),
      ),
    }),
    ...(required && { required: [...required].sort() }),
  }
}

/** Times are numbers within the program and text in what it prints. */
function memberOf(name: string, schema: Schema): Schema {
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  if (!isTimeName(name) || !types.includes('number')) return plain(schema)
  const printed = types.map((type) => (type === 'number' ? 'string' : type))
  return { ...plain(schema), type: printed.length === 1 ? printed[0]! : printed.sort(), format: 'date-time' }
}

/**
 * What a program that was written for `before` would miss in `after`: events and members that go, come no more always,
 * or change their type.
 */
export function eventBreaks(before: EventSchema, after: EventSchema): string[] {
  return Object.entries(before.definitions).flatMap(([name, event]) => {
    const now = after.definitions[name]
    return now ? memberBreaks(name, event, now) : [`${name}: the event is gone`]
  })
}

function memberBreaks(path: string, before: Schema, after: Schema): string[] {
  const { properties = {}, items, additionalProperties, required = [], enum: values = [], anyOf = [] } = before
  return [
    ...(kindOf(before) === kindOf(after) ? [] : [`${path}: was ${kindOf(before)}, is ${kindOf(after)}`]),
    ...values.filter((value) => !after.enum?.includes(value)).map((value) => `${path}: ${value} is gone`),
    ...anyOf
      .filter((branch) => !after.anyOf?.some((now) => memberBreaks(path, branch, now).length === 0))
      .map((branch) => `${path}: one of its shapes is gone: ${JSON.stringify(branch)}`),
    ...Object.entries(properties).flatMap(([name, member]) => {
      const inner = `${path}.${name}`
      const kept = after.properties?.[name]
      if (!kept) return [`${inner}: the member is gone`]
      const isLost = required.includes(name) && !after.required?.includes(name)
      return [...(isLost ? [`${inner}: is not always there any more`] : []), ...memberBreaks(inner, member, kept)]
    }),
    ...(isSchema(items) ? memberBreaks(`${path}[]`, items, isSchema(after.items) ? after.items : {}) : []),
    ...(isSchema(additionalProperties)
      ? memberBreaks(
          `${path}.*`,
          additionalProperties,
          isSchema(after.additionalProperties) ? after.additionalProperties : {},
        )
      : []),
  ]
}

/** What is neither nested nor may grow. */
const kindOf = ({ type, const: value, format, minItems, maxItems, anyOf }: Schema): string =>
  JSON.stringify({ type, const: value, format, minItems, maxItems, isUnion: anyOf !== undefined })

const isSchema = (value: Schema['items'] | Schema['additionalProperties']): value is Schema =>
  typeof value === 'object' && !Array.isArray(value)

if (process.argv[1] === import.meta.filename) {
  const schema = generateEventSchema()
  const breaks = eventBreaks(JSON.parse(readFileSync(eventSchemaFile, 'utf8')) as EventSchema, schema)
  if (breaks.length > 0 && process.env.BREAK_EVENTS !== '1') {
    console.error(
      `contract/events.schema.json is not written: programs that read --json would break.\n${breaks.join('\n')}`,
    )
    console.error('Keep what is named, or write it with BREAK_EVENTS=1 and say so in CHANGELOG.md.')
    process.exit(1)
  }
  writeFileSync(eventSchemaFile, `${JSON.stringify(schema, null, 2)}\n`)
  console.log('contract/events.schema.json written')
}
