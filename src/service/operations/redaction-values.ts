// The values of a redaction in a file: as arguments they would appear in the list of processes and in the history of
// the shell.
import { OperatorError } from '../../platform/errors.ts'
import type { ControlRequest } from '../control/control-socket.ts'
import { secretInFile } from '../control/secret-file.ts'

const kinds = ['email', 'phone', 'name'] as const
type Kind = (typeof kinds)[number]
type Options = ControlRequest['options']

/**
 * The options with the values of their `--secret-file` beside those that were given as arguments. Throws OperatorError
 * for a file that cannot be read, or for a line of another form, which it names by its number and never quotes.
 */
export async function withValuesOfFile({ 'secret-file': file, ...options }: Options): Promise<Options> {
  if (file === undefined) return options
  const lines = (await secretInFile(String(file)))
    .split(/\r?\n/)
    .map((line, index) => [line.trim(), index + 1] as const)
  const values = lines
    .filter(([line]) => line !== '' && !line.startsWith('#'))
    .map(([line, at]) => valueOfLine(line, at))
  if (values.length === 0)
    throw new OperatorError(
      'secret-file-unusable',
      `The file of --secret-file names nothing to redact: ${String(file)}`,
    )
  const given = (kind: Kind): readonly unknown[] => (Array.isArray(options[kind]) ? (options[kind] as unknown[]) : [])
  const all = kinds.map((kind) => [
    kind,
    [...given(kind), ...values.filter(([of]) => of === kind).map(([, value]) => value)],
  ])
  return { ...options, ...Object.fromEntries(all) } as Options
}

/** `email: jane@example.org` */
function valueOfLine(line: string, at: number): readonly [Kind, string] {
  const colon = line.indexOf(':')
  const [word, value] = [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
  const kind = kinds.find((each) => each === word)
  if (colon < 0 || kind === undefined || value === '')
    throw new OperatorError(
      'secret-file-unusable',
      `Line ${at} of the file of --secret-file must begin with \`email:\`, \`phone:\` or \`name:\`.`,
    )
  return [kind, value]
}
