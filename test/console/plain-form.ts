// What a browser without script would send for a form of a page: its fields as they are in the markup.

/** Values by name, each name with all of its values. */
export type Fields = { [name: string]: string[] }

const entities: { readonly [entity: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const decode = (text: string): string => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name]!)

function attributeOf(tag: string, name: string): string | undefined {
  const match = new RegExp(`\\s${name}(?:="([^"]*)")?(?=[\\s>])`).exec(tag)
  return match ? decode(match[1] ?? '') : undefined
}

/**
 * The fields of the form that is sent to `action`, unchanged, including fields outside that belong to it. Throws if the
 * page has no such form.
 */
export function fieldsOf(page: string, action: string): Fields {
  const begin = [...page.matchAll(/<form\b[^>]*>/g)].find(([tag]) => attributeOf(tag, 'action') === action)
  if (!begin) throw new Error(`the page has no form for ${action}`)
  const inside = page.slice(begin.index, page.indexOf('</form>', begin.index))
  const id = attributeOf(begin[0], 'id')
  const outside = page.slice(0, begin.index) + page.slice(begin.index + inside.length)
  const others = [...outside.matchAll(/<(?:input|select|textarea)\b[^>]*>/g)].filter(
    ([tag]) => id !== undefined && attributeOf(tag, 'form') === id,
  )
  const fields: Fields = {}
  const add = (name: string | undefined, value: string): void => {
    if (name) fields[name] = [...(fields[name] ?? []), value]
  }
  const controls = /<input\b[^>]*>|<textarea\b[^>]*>([\s\S]*?)<\/textarea>|<select\b[^>]*>([\s\S]*?)<\/select>/g
  for (const [tag, text, options] of [...inside.matchAll(controls), ...others]) {
    const name = attributeOf(tag!.slice(0, tag!.indexOf('>') + 1), 'name')
    if (text !== undefined) add(name, decode(text))
    else if (options !== undefined) {
      const all = [...options.matchAll(/<option\b[^>]*>/g)].map(([option]) => option)
      const chosen = all.find((option) => attributeOf(option, 'selected') !== undefined) ?? all[0]
      add(name, attributeOf(chosen ?? '', 'value') ?? '')
    } else if (/^(?:checkbox|radio)$/.test(attributeOf(tag!, 'type') ?? '')) {
      if (attributeOf(tag!, 'checked') !== undefined) add(name, attributeOf(tag!, 'value') ?? 'on')
    } else add(name, attributeOf(tag!, 'value') ?? '')
  }
  return fields
}
