// Tints of code in examples: comments, texts, numbers and words of the language. Anything unknown stays plain.
import { type Content, type Html, html } from '../frame/html.ts'

const words: { readonly [language: string]: string } = {
  sh: 'curl|npm|npx|export|tender-sync|tenderstock|if|then|fi|for|do|done|while',
  ts: 'import|from|export|const|let|await|async|function|return|for|of|if|else|try|catch|finally|new|type|throw|while|break',
  python:
    'import|from|def|return|for|in|if|else|elif|while|with|as|try|except|finally|not|and|or|None|True|False|break',
  sql: 'select|from|where|group by|order by|join|left|on|and|or|not|null|insert|update|create|table|with|limit',
  json: 'true|false|null',
}
const sameAs: { readonly [language: string]: string } = { js: 'ts', bash: 'sh', py: 'python' }

const comments: { readonly [language: string]: string } = {
  sh: '(?<=^|\\s)#[^\\n]*',
  python: '#[^\\n]*',
  ts: '//[^\\n]*',
  sql: '--[^\\n]*',
}

const quoted = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`
const texts: { readonly [language: string]: string } = { ts: `${quoted}|\`[^\`\\n]*\`` }

const patterns = new Map<string, RegExp>()

function patternOf(language: string): RegExp | undefined {
  const name = sameAs[language] ?? language
  if (words[name] === undefined) return undefined
  let pattern = patterns.get(name)
  if (!pattern) {
    const comment = comments[name] === undefined ? '' : `(?<c>${comments[name]})|`
    pattern = new RegExp(
      `${comment}(?<s>${texts[name] ?? quoted})|(?<v>(?<![\\w.-])\\d[\\d.,_]*\\b)|(?<k>(?<![\\w$.-])(?:${words[name]})(?![\\w-]))`,
      name === 'sql' ? 'gimu' : 'gmu',
    )
    patterns.set(name, pattern)
  }
  return pattern
}

/** The text with its tints: `c` comment, `s` text, `v` number, `k` word of the language. */
export function highlightCode(text: string, language: string): Html {
  const pattern = patternOf(language)
  if (!pattern) return html`${text}`
  const parts: Content[] = []
  let at = 0
  for (const match of text.matchAll(pattern)) {
    const kind = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined)?.[0]
    parts.push(text.slice(at, match.index), html`<span class="${kind}">${match[0]}</span>`)
    at = match.index + match[0].length
  }
  parts.push(text.slice(at))
  return html`${parts}`
}
