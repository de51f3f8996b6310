// What a writer says is a code with its values; a table of lines puts it into words, one table for each language.

/** A union of these names everything that a writer can say. Codes may be stored, so none ever changes its meaning. */
export type Coded = { readonly code: string; readonly values: object }

/** A line for each code: `satisfies Lines<…>` holds a table complete. */
export type Lines<Said extends Coded, Line = string> = {
  readonly [Code in Said['code']]: (values: Extract<Said, { readonly code: Code }>['values']) => Line
}

/** Puts what was said into the words of a table. */
export function lineOf<Said extends Coded, Line>(lines: Lines<Said, Line>, { code, values }: Said): Line {
  return (lines[code as Said['code']] as (values: object) => Line)(values)
}

/** Whether a table has words for what was stored, perhaps by a newer version. */
export const isSaidIn = <Said extends Coded>(lines: Lines<Said, unknown>, said: Coded): said is Said =>
  Object.hasOwn(lines, said.code)
