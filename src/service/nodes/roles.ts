// What a process of `tenderstock start` does. All roles by default; with some of them, each part runs and scales alone.
import { OperatorError } from '../../platform/errors.ts'
import { nearestWord } from '../../platform/nearest-word.ts'
import { type RoundRole, roundRoles } from '../../store/nodes/rounds.ts'

export const roles = [...roundRoles, 'serve', 'hits', 'deliver', 'console', 'mail'] as const

export type Role = (typeof roles)[number]
export type Roles = ReadonlySet<Role>

export const allRoles: Roles = new Set(roles)

/** Roles whose work is done in rounds. */
export const roundRolesOf = (own: Roles): readonly RoundRole[] => roundRoles.filter((role) => own.has(role))

/**
 * Reads `--role ingest,consolidate` or `--role ingest consolidate`. Throws OperatorError for a word that is no role,
 * and for a combination that cannot work.
 */
export function parseRoles(
  values: readonly string[],
  { hasServer, hasConsoleUrl }: { readonly hasServer: boolean; readonly hasConsoleUrl: boolean },
): Roles {
  const words = values.flatMap((value) => value.split(',')).filter((word) => word !== '')
  const strange = words.find((word) => !roles.some((role) => role === word))
  if (strange !== undefined || words.length === 0) {
    const near = strange && nearestWord(strange, roles)
    throw new OperatorError(
      'invalid-option',
      `--role must name some of ${roles.join(', ')}, not ${JSON.stringify(strange ?? '')}.${near ? ` Did you mean ${near}?` : ''}`,
    )
  }
  const own = new Set(words as readonly Role[])
  if (own.size === roles.length) return allRoles
  if (!hasServer)
    throw new OperatorError(
      'role-incomplete',
      '--role divides the work between processes that share a database server: set DATABASE_URL, or omit it.',
    )
  if (own.has('console') && !own.has('serve'))
    throw new OperatorError('role-incomplete', 'The console shows what the API answers: pass --role serve as well.')
  if (own.has('mail') && !own.has('console') && !hasConsoleUrl)
    throw new OperatorError(
      'role-incomplete',
      'Mails contain links to the console: set TENDERSTOCK_CONSOLE_URL, or pass --role serve,console as well.',
    )
  return own
}
