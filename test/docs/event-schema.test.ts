// What commands print with --json stays as contract/events.schema.json says: the file is current, and what would break
// a program is named.
import { readFileSync } from 'node:fs'
import { expect, expectTypeOf, test } from 'vitest'
import { eventBreaks, eventSchemaFile, keptEventSchema } from '../../contract/event-schema.ts'
import type { Facts } from '../../src/service/events/command-event.ts'
import { readPrintedEvent } from '../testing/printed-event.ts'

const committed = JSON.parse(readFileSync(eventSchemaFile, 'utf8')) as ReturnType<typeof keptEventSchema>

test('contract/events.schema.json is what `npm run generate` makes of the event types, and breaks no program', () => {
  const generated = keptEventSchema()
  expect(eventBreaks(committed, generated).join('\n')).toBe('')
  expect(JSON.stringify(generated, null, 2) === JSON.stringify(committed, null, 2), 'run: npm run generate').toBe(true)
})

/** Paths of the members that always exist for TypeScript, but not in JSON while they are undefined. */
type UndefinedMember<T, Path extends string> = T extends string | number | boolean | null
  ? never
  : T extends readonly (infer Entry)[]
    ? UndefinedMember<Entry, `${Path}[]`>
    : {
        [Name in keyof T & string]-?: Record<never, never> extends Pick<T, Name>
          ? UndefinedMember<NonNullable<T[Name]>, `${Path}.${Name}`>
          : unknown extends T[Name]
            ? never
            : undefined extends T[Name]
              ? `${Path}.${Name}`
              : UndefinedMember<T[Name], `${Path}.${Name}`>
      }[keyof T & string]

test('a member that is always there is never undefined, which JSON would leave out', () => {
  expectTypeOf<UndefinedMember<Facts, ''>>().toBeNever()
  expectTypeOf<UndefinedMember<{ a: { b: number | undefined; c?: number }[] }, ''>>().toEqualTypeOf<'.a[].b'>()
})

type Draft = { [name: string]: Draft & string[] }
const edits: readonly [string, (definitions: Draft) => void, string][] = [
  ['an event that is gone', (all) => void delete all.published, 'published: the event is gone'],
  ['a member that is gone', (all) => void delete all.status!.properties!.holds, 'status.holds: the member is gone'],
  [
    'a member that is not always there',
    (all) => void all.published!.required!.splice(all.published!.required!.indexOf('records'), 1),
    'published.records: is not always there any more',
  ],
  [
    'a time that becomes a number',
    (all) => void Object.assign(all.published!.properties!, { publishedAt: { type: 'number' } }),
    'published.publishedAt: was',
  ],
  [
    'a value that is gone',
    (all) => void all.finding!.properties!.state!.enum!.splice(0, 1),
    'finding.state: ok is gone',
  ],
  [
    'a member of an entry in a list',
    (all) => void delete all.status!.properties!.holds!.items!.properties!.reasons,
    'status.holds[].reasons: the member is gone',
  ],
]

test.each(edits)('%s breaks programs', (_, edit, text) => {
  const after = structuredClone(committed)
  edit(after.definitions as unknown as Draft)
  expect(eventBreaks(committed, after)).toEqual([expect.stringContaining(text)])
})

test('an addition breaks no program', () => {
  const after = structuredClone(committed)
  const definitions = after.definitions as unknown as Draft
  Object.assign(definitions, { invented: definitions.published })
  Object.assign(definitions.published!.properties!, { invented: { type: 'number' } })
  definitions.finding!.properties!.state!.enum!.push('invented')
  expect(eventBreaks(committed, after)).toEqual([])
})

test('a printed line is validated against it', () => {
  const time = '2026-01-05T06:00:00.000Z'
  expect(readPrintedEvent(JSON.stringify({ event: 'none', time, message: 'No rejections.' }))).toMatchObject({ time })
  expect(() => readPrintedEvent(JSON.stringify({ event: 'none', time }))).toThrow(
    "must have required property 'message'",
  )
  expect(() => readPrintedEvent(JSON.stringify({ event: 'none', time: 1, message: '' }))).toThrow('must be string')
  expect(() => readPrintedEvent(JSON.stringify({ event: 'note', time, message: '  More hits.' }))).toThrow('laid out')
  expect(() => readPrintedEvent(JSON.stringify({ event: 'invented', time }))).toThrow('no event named invented')
})
