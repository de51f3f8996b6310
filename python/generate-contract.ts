// Writes src/tender_sync/contract.py from ../contract/openapi.json: the types of the records for checkers, what the
// client checks of each answer, its filters, and the columns that all tables of tenders have. Run by `npm run generate`.
import { writeFileSync } from 'node:fs'
import { generateShapes, readContract, type Schema } from '../client/generate-types.ts'
import { tenderColumns } from '../client/src/sinks/record/columns.ts'

type Contract = ReturnType<typeof readContract>

/** A comment before a member, wrapped at column 120. */
function comment(text: string | undefined): string {
  const words = (text ?? '').replace(/\s+/g, ' ').trim()
  return words === '' ? '' : words.replace(/(.{1,112})(?: |$)/g, '    # $1\n')
}

/** A JSON schema as a Python type. Covers what the contract uses; anything else is `Any`. */
function typeOf(schema: Schema): string {
  if (schema.$ref) return `"${schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)}"`
  if (schema.const !== undefined) return `Literal[${JSON.stringify(schema.const)}]`
  if (schema.enum) return `Literal[${schema.enum.map((value) => JSON.stringify(value)).join(', ')}]`
  const union = schema.anyOf ?? schema.oneOf
  if (union) {
    const members = [...new Set(union.map(typeOf))]
    return members.length === 1 ? members[0]! : `Union[${members.join(', ')}]`
  }
  switch (schema.type) {
    case 'string':
      return 'str'
    case 'boolean':
      return 'bool'
    case 'null':
      return 'None'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'array':
      return `List[${schema.items ? typeOf(schema.items) : 'Any'}]`
    case 'object':
      return 'Dict[str, Any]'
    default:
      return 'Any'
  }
}

/** The schema of a name as a TypedDict: what is always there in a base, as Python 3.9 has no other way. */
function typedDict(name: string, { properties = {}, required = [], description }: Schema): string {
  const members = (isRequired: boolean): string =>
    Object.entries(properties)
      .filter(([member]) => required.includes(member) === isRequired)
      .map(([member, schema]) => `${comment(schema.description)}    ${member}: ${typeOf(schema)}\n`)
      .join('')
  const [base, own] = [members(true), members(false)]
  const about = description ? `    """${description.replace(/\s+/g, ' ')}"""\n\n` : ''
  if (own === '') return `class ${name}(TypedDict):\n${about}${base}`
  if (base === '') return `class ${name}(TypedDict, total=False):\n${about}${own}`
  return `class _${name}(TypedDict):\n${base}\n\nclass ${name}(_${name}, total=False):\n${about}${own}`
}

/** A list of names as a tuple. */
const tuple = (names: readonly string[]): string => `(${names.map((each) => JSON.stringify(each)).join(', ')},)`

/** Names of the schemas that a record has, in the order in which they are needed. */
function schemasOf(contract: Contract, name: string, found: string[] = []): string[] {
  if (found.includes(name)) return found
  found.push(name)
  for (const [, other] of JSON.stringify(contract.components.schemas[name]).matchAll(/schemas\/(\w+)"/g))
    schemasOf(contract, other!, found)
  return found
}

/** The text of src/tender_sync/contract.py for a contract. */
export function generatePythonContract(contract: Contract): string {
  const names = schemasOf(contract, 'TenderRecord').toReversed()
  const shapes = [...generateShapes(contract).matchAll(/^ {2}(\w+): \{\n(.*?)^ {2}\},/gms)].map(
    ([, name, members]) =>
      `    "${name}": {\n${members!.replace(/^ {4}(\w+): '(.*)',$/gm, '        "$1": "$2",')}    },\n`,
  )
  const filters = contract.paths['/v1/tenders']!.get.parameters.flatMap((parameter) =>
    parameter.in === 'query' && !['updated_since', 'archived', 'limit', 'cursor'].includes(parameter.name)
      ? [parameter]
      : [],
  )
  const lists = filters.filter(({ schema }) => JSON.stringify(schema).includes('"array"')).map(({ name }) => name)
  const columns = tenderColumns.map(
    ({ name, type, paths, list, comment: about }) =>
      `    # ${about}\n    Column("${name}", "${type}", ${tuple(paths)}, "${list ?? ''}"),\n`,
  )
  return `"""Generated from contract/openapi.json by python/generate-contract.ts; do not edit."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, NamedTuple, Tuple, TypedDict, Union


${names.map((name) => typedDict(name, contract.components.schemas[name]!)).join('\n\n')}

# Kinds of the members of a record, by schema: "!" ends the kind of one that is never missing.
SHAPES: Dict[str, Dict[str, str]] = {
${shapes.join('')}}

# Filters of a copy, and those that take several values.
FILTERS = ${tuple(filters.map(({ name }) => name))}
LIST_FILTERS = ${tuple(lists)}


class Column(NamedTuple):
    """A column of a table of tenders: the first of its paths that exists counts."""

    name: str
    type: str
    paths: Tuple[str, ...]
    list: str


COLUMNS: Tuple[Column, ...] = (
${columns.join('')})
`
}

if (import.meta.main)
  writeFileSync(new URL('./src/tender_sync/contract.py', import.meta.url), generatePythonContract(readContract()))
