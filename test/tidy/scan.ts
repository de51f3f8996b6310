// Reads just enough of a TypeScript file to check house rules: its imports, and its code without comments and strings.

/** One import, re-export or dynamic import. `names` are the imported names where they are written out. */
export type ImportLine = {
  readonly specifier: string
  readonly kind: 'import' | 'export' | 'dynamic'
  readonly isTypeOnly: boolean
  readonly names: readonly string[]
}

export type ScannedFile = {
  /** The source with comments blanked out; strings stay. */
  readonly withoutComments: string
  /** The source with comments and the insides of strings, templates and regular expressions blanked out. */
  readonly code: string
  readonly comments: string
  readonly regexes: readonly string[]
  readonly imports: readonly ImportLine[]
}

const regexMayFollow =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|delete|throw|await|yield))\s*$/

/** Code, and text of a template, in which nothing begins or ends. */
const plainCode = /[^/'"`{}]+/y
const plainText = /[^`$\\]+/y

/** Blanks with spaces, keeping line breaks, so that positions stay. */
const blank = (text: string): string => text.replace(/[^\n]/g, ' ')

/** Splits a source into code, strings and comments. Knows templates, nested `${}`, regular expressions; not JSX. */
export function scanFile(source: string): ScannedFile {
  let withoutComments = ''
  let code = ''
  let comments = ''
  const regexes: string[] = []
  let at = 0
  const take = (length: number, kind: 'code' | 'string' | 'comment'): void => {
    const text = source.slice(at, at + length)
    withoutComments += kind === 'comment' ? blank(text) : text
    code += kind === 'code' ? text : blank(text)
    comments += kind === 'comment' ? text : blank(text)
    at += length
  }
  const takePlain = (plain: RegExp, kind: 'code' | 'string'): void => {
    plain.lastIndex = at
    take(plain.exec(source)?.[0].length ?? 0, kind)
  }
  const endOfQuoted = (quote: string): number => {
    let end = at + 1
    while (end < source.length && source[end] !== quote && source[end] !== '\n') end += source[end] === '\\' ? 2 : 1
    return end + 1 - at
  }
  const endOfRegex = (): number => {
    let end = at + 1
    let inClass = false
    while (end < source.length && source[end] !== '\n' && (inClass || source[end] !== '/')) {
      if (source[end] === '[') inClass = true
      if (source[end] === ']') inClass = false
      end += source[end] === '\\' ? 2 : 1
    }
    return end + 1 - at
  }
  // Depths of braces at which a template's `${` was opened; the template continues when that depth is reached again.
  const templates: number[] = []
  let depth = 0
  const takeTemplate = (): void => {
    take(1, 'string')
    while (at < source.length) {
      takePlain(plainText, 'string')
      if (source[at] === '`') {
        take(1, 'string')
        return
      }
      if (source[at] === '$' && source[at + 1] === '{') {
        take(2, 'string')
        templates.push(depth)
        return
      }
      take(source[at] === '\\' ? 2 : 1, 'string')
    }
  }
  while (at < source.length) {
    takePlain(plainCode, 'code')
    const char = source[at]
    const next = source[at + 1]
    if (char === '/' && next === '/') {
      const end = source.indexOf('\n', at)
      take((end < 0 ? source.length : end) - at, 'comment')
    } else if (char === '/' && next === '*') {
      const end = source.indexOf('*/', at + 2)
      take((end < 0 ? source.length : end + 2) - at, 'comment')
    } else if (char === "'" || char === '"') take(endOfQuoted(char), 'string')
    else if (char === '`') takeTemplate()
    else if (char === '/' && regexMayFollow.test(code.slice(-80))) {
      const length = endOfRegex()
      regexes.push(source.slice(at, at + length))
      take(length, 'string')
    } else if (char === '}' && templates.at(-1) === depth) {
      templates.pop()
      takeTemplate()
    } else {
      if (char === '{') depth++
      if (char === '}') depth--
      take(1, 'code')
    }
  }
  return { withoutComments, code, comments, regexes, imports: importsOf(withoutComments, code) }
}

const statement =
  /(?<![\w$.])(import|export)\s+(type\s+)?((?:[\w$]+\s*,?\s*)?(?:\*(?:\s+as\s+[\w$]+)?|\{[^}]*\})?\s*)from\s*(['"])([^'"\n]+)\4/g
const bareImport = /(?<![\w$.])import\s*(['"])([^'"\n]+)\1/g
const dynamicImport = /(?<![\w$.])import\s*\(\s*(['"])([^'"\n]+)\1/g

function importsOf(text: string, code: string): ImportLine[] {
  const isCode = (index: number): boolean => /\S/.test(code[index] ?? '')
  const found: ImportLine[] = []
  for (const match of text.matchAll(statement)) {
    if (!isCode(match.index)) continue
    const names = [...match[3]!.matchAll(/(?:type\s+)?([\w$]+)(?:\s+as\s+[\w$]+)?/g)].map((name) => name[1]!)
    const inBraces = /\{([^}]*)\}/.exec(match[3]!)?.[1]
    const everyNameIsType =
      inBraces !== undefined &&
      !/^\s*[\w$]/.test(match[3]!) &&
      inBraces
        .split(',')
        .filter((name) => name.trim())
        .every((name) => /^\s*type\s/.test(name))
    found.push({
      specifier: match[5]!,
      kind: match[1] === 'export' ? 'export' : 'import',
      isTypeOnly: match[2] !== undefined || everyNameIsType,
      names,
    })
  }
  for (const [pattern, kind] of [
    [bareImport, 'import'],
    [dynamicImport, 'dynamic'],
  ] as const)
    for (const match of text.matchAll(pattern))
      if (isCode(match.index)) found.push({ specifier: match[2]!, kind, isTypeOnly: false, names: [] })
  return found
}
