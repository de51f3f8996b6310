// A JSON line of a command, as a program that knows no types reads it: each is held against the published schema.
import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'

export type PrintedEvent = { readonly event: string; readonly [member: string]: unknown }

const ajv = new Ajv({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema(
  JSON.parse(readFileSync(new URL('../../contract/events.schema.json', import.meta.url), 'utf8')) as object,
  'events',
)
const validators = new Map<string, ValidateFunction | undefined>()

/** The event in a line. Throws where it is none of contract/events.schema.json. */
export function readPrintedEvent(line: string): PrintedEvent {
  const event = JSON.parse(line) as PrintedEvent
  const { event: name } = event
  if (!validators.has(name)) validators.set(name, ajv.getSchema(`events#/definitions/${name}`))
  const isValid = validators.get(name)
  if (!isValid) throw new Error(`contract/events.schema.json has no event named ${name}; run: npm run generate`)
  if (!isValid(event))
    throw new Error(`${line}\nis not as contract/events.schema.json says: ${ajv.errorsText(isValid.errors)}`)
  const { message } = event
  if (typeof message === 'string' && message !== message.trim())
    throw new Error(`${line}\nhas a message that is laid out for a terminal`)
  return event
}
