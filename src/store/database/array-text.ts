// Lists as one text parameter, for statements that write many rows at once.

/**
 * A list as PostgreSQL writes an array (manual, 8.15.2). Both drivers send such a text unchanged; a list they would
 * write value by value, each checked for its type and escaped by two patterns. Texts must contain no NUL.
 */
export function arrayText(values: readonly (string | number | null)[]): string {
  let text = '{'
  for (const value of values) {
    if (text.length > 1) text += ','
    if (value === null) text += 'NULL'
    else if (typeof value === 'number') text += value
    else text += `"${value.includes('"') || value.includes('\\') ? value.replace(/["\\]/g, '\\$&') : value}"`
  }
  return `${text}}`
}
