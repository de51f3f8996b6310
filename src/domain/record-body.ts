// The JSON of a record as it is published and stored: it begins with the id and lacks `checkedAt`, which changes
// without a change of the record (C26).

/** Number of characters of `{"id":"<uuid>",`. */
const headLength = 45

/** The whole record: its body with `checkedAt` after the id. Throws on any other text, which is a bug of the writer. */
export function withCheckedAt(body: string, checkedAt: string): string {
  if (!/^\{"id":"[0-9a-f-]{36}",/.test(body)) throw new Error(`not the body of a record: ${body.slice(0, 60)}`)
  return `${body.slice(0, headLength)}"checkedAt":"${checkedAt}",${body.slice(headLength)}`
}
