// The frame of a documentation page: all pages on the left, the text, the page's contents on the right, its neighbors
// below.
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { type PageAnswer, page } from '../frame/page.ts'
import { docsTexts } from './docs-texts.ts'
import { type DocReader, type GroupName, groupsFor } from './guide-groups.ts'
import type { DocPage, Handbook } from './handbook.ts'
import type { Heading } from './render-guide.ts'

export type DocContent = {
  /** Undefined for pages outside the reading order. */
  readonly doc: DocPage | undefined
  readonly reader: DocReader
  readonly title: string
  /** For search engines and shared links. */
  readonly description?: string
  /** The body begins with its own heading. */
  readonly hasTitle?: boolean
  readonly contents: readonly Heading[]
  readonly body: Content
  /** Language of the body, if it differs from the frame's. */
  readonly bodyLanguage?: Language
  /** The body is wider than text. */
  readonly isWide?: boolean
  readonly refreshSeconds?: number
}

/** A page of the documentation. */
export function docFrame(handbook: Handbook, content: DocContent): PageAnswer {
  const { doc, reader, title, description, contents, body, bodyLanguage, isWide = false, refreshSeconds } = content
  const { language } = reader
  const texts = docsTexts[language]
  const lang = bodyLanguage !== undefined && bodyLanguage !== language && html` lang="${bodyLanguage}"`
  const hasContents = contents.length > 1 && !isWide
  return page({
    title,
    ...(description !== undefined && { description }),
    hasHead: false,
    current: '/docs',
    ...(refreshSeconds !== undefined && { refreshSeconds }),
    body: html`<div class="docs${hasContents && ' tri'}">${navigation(handbook, doc, reader)}
<article>
  ${doc && crumbs(doc.group, reader)}
  <div class="prose${isWide && ' full'}"${lang}>${content.hasTitle !== true && html`<h1>${title}</h1>`}${body}</div>
  ${doc && neighbors(handbook, doc, reader)}
</article>
${
  hasContents &&
  html`<nav class="toc" aria-label="${texts.onThisPage}">
    <h2>${texts.onThisPage}</h2>
    ${contents.map(({ id, text }) => html`<a href="#${id}"${lang}>${text}</a>`)}
  </nav>`
}
  </div>`,
  })
}

function crumbs(group: GroupName, reader: DocReader): Html {
  const texts = docsTexts[reader.language]
  const name = texts.groups[group]
  return html`<nav class="crumbs" aria-label="${texts.shared.youAreHere}">
    <ol>
      <li><a href="/docs">${texts.pageNames.docs}</a></li>
      <li>${groupsFor(reader).includes(group) ? html`<a href="/docs#${group}">${name}</a>` : name}</li>
    </ol>
  </nav>`
}

/** All pages by group; the group of the page is open. */
function navigation(handbook: Handbook, current: DocPage | undefined, reader: DocReader): Html {
  const { language } = reader
  const texts = docsTexts[language]
  return html`<nav aria-label="${texts.pageNames.docs}">${groupsFor(reader).map(
    (group) =>
      html`<details class="more"${group === (current?.group ?? 'start') && html` open`}><summary>${texts.groups[group]}</summary>${handbook.pages
        .filter((doc) => doc.group === group)
        .map(
          (doc) =>
            html`<a href="${doc.address}"${doc === current && html` aria-current="page"`}${language !== 'en' && doc.file !== undefined && html` lang="en"`}>
              ${titleOf(doc, language)}
            </a>`,
        )}</details>`,
  )}</nav>`
}

/** The name of a page in the navigation: pages made by code have one in both languages. */
function titleOf(doc: DocPage, language: Language): string {
  return doc.textKey === undefined ? doc.title : docsTexts[language][doc.textKey]
}

function neighbors(handbook: Handbook, doc: DocPage, reader: DocReader): Html {
  const { language } = reader
  const groups = groupsFor(reader)
  const texts = docsTexts[language]
  const listed = handbook.pages.filter(({ group }) => group === doc.group || groups.includes(group))
  const at = listed.indexOf(doc)
  const [before, after] = [listed[at - 1], listed[at + 1]]
  const link = (to: DocPage | undefined, rel: 'prev' | 'next', word: string) =>
    to && html`<a rel="${rel}" href="${to.address}"><span>${word}</span> <b>${titleOf(to, language)}</b></a>`
  return html`<nav class="neighbors row spread" aria-label="${texts.neighbors}">
    ${link(before, 'prev', texts.shared.previous)}
    ${link(after, 'next', texts.shared.next)}
  </nav>`
}
