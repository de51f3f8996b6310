// Members of JSON as their bytes are in a text, so that numbers and escapes of real answers stay as they were.

/** The text of the value at a pointer (`/records/*`: of every member there); none where the text has no such value. */
export function rawMembers(text: string, pointer: string): string[] {
  const segments = pointer === '' ? [] : pointer.slice(1).split('/')
  const found: string[] = []
  const walk = (from: number, depth: number): number => {
    const start = blank(text, from)
    if (depth === segments.length) {
      const end = valueEnd(text, start)
      found.push(text.slice(start, end))
      return end
    }
    const open = text[start]
    if (open !== '{' && open !== '[') return valueEnd(text, start)
    let at = blank(text, start + 1)
    for (let index = 0; text[at] !== '}' && text[at] !== ']'; index++) {
      let name = String(index)
      if (open === '{') {
        const end = valueEnd(text, at)
        name = JSON.parse(text.slice(at, end)) as string
        at = blank(text, blank(text, end) + 1)
      }
      const isWanted = segments[depth] === '*' || segments[depth] === name
      at = blank(text, isWanted ? walk(at, depth + 1) : valueEnd(text, at))
      if (text[at] === ',') at = blank(text, at + 1)
      else if (text[at] !== '}' && text[at] !== ']') throw new SyntaxError(`no JSON at ${at}`)
    }
    return at + 1
  }
  walk(0, 0)
  return found
}

function blank(text: string, from: number): number {
  let at = from
  while (at < text.length && ' \t\r\n\uFEFF'.includes(text[at]!)) at += 1
  if (at >= text.length) throw new SyntaxError('the JSON ends too early')
  return at
}

function valueEnd(text: string, from: number): number {
  const sign = text[from]
  if (sign === '"') {
    for (let at = from + 1; at < text.length; at++) {
      if (text[at] === '\\') at += 1
      else if (text[at] === '"') return at + 1
    }
    throw new SyntaxError('a text has no end')
  }
  if (sign !== '{' && sign !== '[') {
    const end = /[\s,\]}]/g
    end.lastIndex = from
    return end.exec(text)?.index ?? text.length
  }
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const each = text[at]!
    if (each === '"') at = valueEnd(text, at) - 1
    else if (each === '{' || each === '[') depth += 1
    else if ((each === '}' || each === ']') && --depth === 0) return at + 1
  }
  throw new SyntaxError('a bracket has no end')
}
