// The sink that a command line names: `<kind>[:<target>]` and its own options. Pure.
import { type SinkKind, type SinkTarget, sinkKinds, sinkNames } from './sink-kinds.ts'
import { suggestion, UsageError } from './usage-error.ts'

export type SinkChoice = SinkTarget & { readonly kind: SinkKind }

/** Throws a UsageError when the choice makes no sense. */
export function sinkChoice(
  text: string,
  given: readonly (readonly [string, string])[],
  program: readonly string[],
): SinkChoice {
  const colon = text.indexOf(':')
  const word = colon < 0 ? text : text.slice(0, colon)
  const kind = sinkNames.find((each) => each === word)
  if (!kind)
    throw new UsageError(
      `There is no sink "${word.slice(0, 40)}".${suggestion(word, sinkNames)} There are ${sinkNames.join(', ')}.`,
    )
  const { needs, example } = sinkKinds[kind]
  const inline = colon < 0 ? '' : text.slice(colon + 1)
  if (kind !== 'exec' && program.length > 0) throw new UsageError('Only the sink exec takes a program after --.')
  const [target = '', ...args] = kind === 'exec' && inline === '' ? program : [inline, ...program]
  if (target === '' && needs) throw new UsageError(`The sink ${kind} needs ${needs}: --sink ${example}.`)
  if (kind === 'postgres' && /^[a-z]+:\/\/[^/@]*:[^/@]+@/i.test(target))
    throw new UsageError(
      'A password in --sink appears in the process list: omit it and set PGPASSWORD (or use ~/.pgpass).',
    )
  return { kind, target, args, options: optionsOf(kind, given) }
}

function optionsOf(kind: SinkKind, given: readonly (readonly [string, string])[]): { [name: string]: string } {
  const known = sinkKinds[kind].options
  const options: { [name: string]: string } = {}
  for (const [name, value] of given) {
    const allowed = Object.hasOwn(known, name) ? known[name]! : undefined
    if (allowed === undefined) {
      const names = Object.keys(known)
      throw new UsageError(
        `The sink ${kind} has no option ${name.slice(0, 40)}.${suggestion(name, names)} ${names.length > 0 ? `It has ${names.join(', ')}.` : 'It has none.'}`,
      )
    }
    if (typeof allowed !== 'string' && !allowed.includes(value))
      throw new UsageError(`--option ${name} must be one of ${allowed.join(' ')}, not ${value.slice(0, 40)}.`)
    options[name] = value
  }
  return options
}

/** For people: without secrets. */
export function sinkTitle({ kind, target, args }: SinkChoice): string {
  if (kind === 'postgres') return `postgres ${target.replace(/^[a-z]+:\/\//i, '').replace(/\?.*$/, '')}`.trim()
  return [kind, target, ...args].filter((word) => word !== '').join(' ')
}
