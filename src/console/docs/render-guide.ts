// A guide from Markdown to the markup of a page: its headings with anchors, links as addresses of the site, tables that
// fold.
import MarkdownIt, { type Token } from 'markdown-it'
import { escapeHtml, type Html, html, trustedHtml } from '../frame/html.ts'
import { highlightCode } from './highlight-code.ts'

/** Where a link or picture of a guide leads: an address, or plain text if the site does not have the file. */
export type Target = { readonly kind: 'address'; readonly address: string } | { readonly kind: 'text' }

export type GuideContext = {
  /** `to`: as written, without its fragment; relative to the guide. */
  readonly targetOf: (to: string) => Target
  /** Width and height of a picture of the site, if known. */
  readonly sizeOf: (address: string) => readonly [width: number, height: number] | undefined
  /** Where clients reach the API: replaces the address in examples. */
  readonly apiAddress: string
  /** Where people reach the console: replaces its address in examples. */
  readonly origin: string
}

export type Heading = { readonly level: number; readonly id: string; readonly text: string }

/** A guide that was read. */
export type Guide = {
  readonly title: string
  /** Its first paragraph as plain text. */
  readonly summary: string
  readonly headings: readonly Heading[]
  /** Plain text below each heading, for the search. The first is the title's. */
  readonly sections: readonly { readonly heading: Heading | undefined; readonly text: string }[]
  readonly tokens: readonly Token[]
}

/** Represent the API and the console in the guides' examples. */
const exampleApi = 'https://api.example.org'
const exampleConsole = 'https://console.example.org'

type Addresses = Pick<GuideContext, 'apiAddress' | 'origin'>

/** A text with the addresses of this service in place of those of examples. */
const addressed = (text: string, { apiAddress, origin }: Addresses): string =>
  text.replaceAll(exampleApi, apiAddress).replaceAll(exampleConsole, origin)

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false })
// Comments are for programs, and anchors represent renamed headings: neither is text.
markdown.block.ruler.before(
  'table',
  'marks',
  (state, startLine, _endLine, isSilent) => {
    const line = state.src.slice(state.bMarks[startLine]! + state.tShift[startLine]!, state.eMarks[startLine])
    const anchor = /^<a id="([\w-]+)"><\/a>$/.exec(line)?.[1]
    if (anchor === undefined && !/^<!--.*-->$/.test(line)) return false
    if (isSilent) return true
    state.line = startLine + 1
    if (anchor !== undefined) state.push('anchor', 'span', 0).attrSet('id', anchor)
    return true
  },
  { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
)

/** Reads a guide; the same text always gives the same. */
export function readGuide(source: string): Guide {
  const tokens = markdown.parse(source, {})
  const title: string[] = []
  const headings: Heading[] = []
  const sections: { heading: Heading | undefined; text: string }[] = [{ heading: undefined, text: '' }]
  const taken = new Map<string, number>()
  let summary = ''
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const text = plainText(tokens[index + 1])
      if (token.tag === 'h1') title.push(text)
      else {
        const heading = { level: Number(token.tag[1]), id: uniqueId(slugOf(text), taken), text }
        token.attrSet('id', heading.id)
        headings.push(heading)
        sections.push({ heading, text: '' })
      }
    } else if (token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open') {
      const text = plainText(token)
      if (summary === '' && tokens[index - 1]?.type === 'paragraph_open') summary = text
      sections.at(-1)!.text += `${text} `
    } else if (token.type === 'fence') sections.at(-1)!.text += `${token.content} `
  }
  return { title: title[0] ?? '', summary, headings, sections, tokens }
}

/** The words of an inline token. */
function plainText(token: Token | undefined): string {
  return (token?.children ?? [])
    .map(({ type, content }) => (/^(?:text|code_inline|image)$/.test(type) ? content : /break$/.test(type) ? ' ' : ''))
    .join('')
}

/** Builds slugs like GitHub, so that links work on both sites. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replace(/\s/g, '-')

function uniqueId(slug: string, taken: Map<string, number>): string {
  const count = taken.get(slug) ?? 0
  taken.set(slug, count + 1)
  return count === 0 ? slug : `${slug}-${count}`
}

/** Texts of the frame in a guide. */
export type GuideTexts = { readonly language: string; readonly copy: string; readonly copied: string }

/** The markup of a guide without its title. */
export function renderGuide({ tokens }: Guide, context: GuideContext, texts: GuideTexts): Html {
  const out: string[] = []
  let figures = 0
  let heading = ''
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]!
    if (token.tag === 'h1') {
      index += 2
      continue
    }
    if (token.type === 'heading_open') heading = plainText(tokens[index + 1])
    if (token.type === 'fence' || token.type === 'code_block')
      out.push(
        codeFigure({ id: `code-${++figures}`, language: token.info.trim(), text: token.content, texts, context }).text,
      )
    else if (token.type === 'anchor') out.push(`<span id="${escapeHtml(String(token.attrGet('id')))}"></span>`)
    else if (token.type === 'table_open') {
      const end = tokens.findIndex(({ type }, at) => at > index && type === 'table_close')
      out.push(tableOf(tokens.slice(index + 1, end), heading, context))
      index = end
    } else if (token.type === 'inline') out.push(inlineOf(token, context))
    else out.push(markdown.renderer.render([token], markdown.options, {}))
  }
  return trustedHtml(out.join(''))
}

const languageNames: { readonly [info: string]: string } = {
  sh: 'Shell',
  ts: 'TypeScript',
  js: 'JavaScript',
  json: 'JSON',
  python: 'Python',
  sql: 'SQL',
  text: 'Output',
  http: 'HTTP',
  yaml: 'YAML',
  ini: 'INI',
}

/** Code with its language and a button that copies it; tinted if the language is known. */
export function codeFigure(options: {
  /** Unique on the page. */
  readonly id: string
  /** As after the fence: `sh`, `ts` …; empty for none. */
  readonly language: string
  readonly text: string
  readonly texts: GuideTexts
  readonly context: Addresses
}): Html {
  const { id, language, text, texts, context } = options
  const caption = languageNames[language] ?? language
  const shown = addressed(text, context).replace(/\n$/, '')
  return html`<figure class="code">
    <figcaption>
      ${caption || 'Text'}
      <button type="button" class="tiny bare" lang="${texts.language}" data-copy="${id}"
        data-copied="${texts.copied}">
        ${texts.copy}
      </button>
    </figcaption>
    <pre tabindex="0" role="region" aria-label="${caption || 'Text'} (${id})"><code id="${id}">${highlightCode(shown, language)}</code></pre>
  </figure>`
}

/**
 * A table that becomes blocks on a phone: each cell knows the head of its column, the first of a row is its heading.
 */
function tableOf(tokens: readonly Token[], caption: string, context: GuideContext): string {
  const heads: string[] = []
  const rows: string[] = []
  let cells: string[] = []
  let isHead = true
  for (const [index, token] of tokens.entries()) {
    const content = tokens[index + 1]
    const align = /center|right/.exec(String(token.attrGet('style') ?? ''))?.[0]
    const number = align === 'right' ? ' class="num"' : ''
    if (token.type === 'tr_open') cells = []
    else if (token.type === 'th_open') {
      heads.push(plainText(content))
      const text = inlineOf(content!, context)
      cells.push(text === '' ? '<td></td>' : `<th scope="col"${number}>${text}</th>`)
    } else if (token.type === 'td_open') {
      const label = heads[cells.length] ?? ''
      const text = inlineOf(content!, context)
      const data = label === '' ? '' : ` data-l="${escapeHtml(label)}"`
      if (cells.length === 0 && text !== '') cells.push(`<th scope="row">${text}</th>`)
      else cells.push(`<td${number}${data}>${text}</td>`)
    } else if (token.type === 'tr_close') {
      if (isHead) rows.push(`<thead><tr>${cells.join('')}</tr></thead><tbody>`)
      else rows.push(`<tr>${cells.join('')}</tr>`)
      isHead = false
    }
  }
  return `<table class="fold"><caption class="hide">${escapeHtml(caption)}</caption>${rows.join('')}</tbody></table>`
}

/** Whether no narrow column can hold it: then it may break anywhere. */
export const isLongName = (text: string): boolean => /\S{13}/.test(text)

/** Text with its links resolved. */
function inlineOf(token: Token, context: GuideContext): string {
  const out: string[] = []
  const children = token.children ?? []
  const closing: string[] = []
  for (const [index, child] of children.entries()) {
    if (child.type === 'link_open') {
      const [to = '', fragment] = String(child.attrGet('href') ?? '').split('#')
      const link = openLink(to, fragment, context)
      // a file that only the repository has is shown as code, unless its name is code already
      const isCode = children[index + 1]?.type === 'code_inline'
      const isLong = isLongName(children[index + 1]?.content ?? '')
      out.push(link === undefined ? (isCode ? '' : '<code>') : isLong ? link.replace('<a ', '<a class="long" ') : link)
      closing.push(link === undefined ? (isCode ? '' : '</code>') : '</a>')
    } else if (child.type === 'link_close') out.push(closing.pop() ?? '')
    else if (child.type === 'image') out.push(imageOf(child, context))
    else if (child.type === 'code_inline') {
      const code = addressed(child.content, context)
      out.push(`<code${isLongName(code) ? ' class="long"' : ''}>${escapeHtml(code)}</code>`)
    } else out.push(markdown.renderer.renderInline([child], markdown.options, {}))
  }
  return out.join('')
}

function openLink(to: string, fragment: string | undefined, { targetOf }: GuideContext): string | undefined {
  const hash = fragment === undefined ? '' : `#${fragment}`
  if (to === '') return `<a href="${escapeHtml(hash)}">`
  if (/^https?:/.test(to)) return `<a href="${escapeHtml(to + hash)}" rel="noopener noreferrer">`
  if (/^mailto:/.test(to)) return `<a href="${escapeHtml(to)}">`
  const target = targetOf(to)
  return target.kind === 'text' ? undefined : `<a href="${escapeHtml(target.address + hash)}">`
}

function imageOf(token: Token, { targetOf, sizeOf }: GuideContext): string {
  const target = targetOf(String(token.attrGet('src') ?? ''))
  const alt = escapeHtml(plainText(token))
  if (target.kind === 'text') return `<code>${alt}</code>`
  const size = sizeOf(target.address)
  const measures = size === undefined ? '' : ` width="${size[0]}" height="${size[1]}"`
  return `<img src="${escapeHtml(target.address)}" alt="${alt}"${measures} loading="lazy">`
}
