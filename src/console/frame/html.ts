// Markup as a value: everything put into a template is escaped, unless it is markup itself.

/** Markup that may be sent unchanged. Only `html` and `trustedHtml` create it. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What a template accepts. Nothing is written for `undefined`, `null` and `false`. */
export type Content = Html | string | number | false | null | undefined | readonly Content[]

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
/** Overrides of the writing direction: one in a notice would reverse the rest of the line. */
const directionOverrides = /[\u202a-\u202e\u2066-\u2069]/g

/** The text as the content of an element or of an attribute in quotes. */
export function escapeHtml(text: string): string {
  return text.replace(directionOverrides, '').replace(/[&<>"']/g, (character) => entities[character]!)
}

/**
 * Markup with values: `html\`<p>${text}</p>\``. Attributes need quotes. A line break with an indent, or before the end
 * of an element, is only for who reads the code: beside a tag or a value nothing is written for it, else one space.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  let parts = written.get(strings)
  if (!parts) {
    parts = strings.map(withoutIndents)
    written.set(strings, parts)
  }
  let text = parts[0]!
  for (const [index, value] of values.entries()) text += textOf(value) + parts[index + 1]!
  return new Html(text)
}

/** What each template writes between its values. */
const written = new WeakMap<TemplateStringsArray, readonly string[]>()

const withoutIndents = (text: string): string =>
  text.replace(/(?<=^|>)\n +|\n +(?=[<>]|$)|\n(?=<\/)/g, '').replace(/\n +/g, ' ')

/** Markup that the program made elsewhere: a sprite, rendered Markdown. Never text from outside. */
export const trustedHtml = (text: string): Html => new Html(text)

function textOf(value: Content): string {
  if (value instanceof Html) return value.text
  if (value === undefined || value === null || value === false) return ''
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return String(value)
  return value.map(textOf).join('')
}
