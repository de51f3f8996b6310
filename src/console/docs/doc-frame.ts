// The frame of a documentation page: all pages on the left, the text, the page's contents on the right, its neighbors
// below.
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { type PageAnswer, page } from '../frame/page.ts'
import { docsTexts } from './docs-texts.ts'
import { type GroupName, groupNames } from './guide-groups.ts'
import type { DocPage, Handbook } from './handbook.ts'
import type { Heading } from './render-guide.ts'

export type DocContent = {
  /** Undefined for pages outside the reading order. */
  readonly doc: DocPage | undefined
  readonly language: Language
  readonly title: string
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
  const { doc, language, title, contents, body, bodyLanguage, isWide = false, refreshSeconds } = content
  const texts = docsTexts[language]
  const lang = bodyLanguage !== undefined && bodyLanguage !== language && html` lang="${bodyLanguage}"`
  const hasContents = contents.length > 1 && !isWide
  return page({
    title,
    hasHead: false,
    current: '/docs',
    ...(refreshSeconds !== undefined && { refreshSeconds }),
    body: html`<div class="docs${hasContents && ' tri'}">${navigation(handbook, doc, language)}
<article>
  ${doc && crumbs(doc.group, language)}
  <div class="prose${isWide && ' full'}"${lang}>${content.hasTitle !== true && html`<h1>${title}</h1>`}${body}</div>
  ${doc && neighbors(handbook, doc, language)}
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

const crumbs = (group: GroupName, language: Language): Html =>
  html`<nav class="crumbs" aria-label="${docsTexts[language].shared.youAreHere}">
    <ol>
      <li><a href="/docs">${docsTexts[language].pageNames.docs}</a></li>
      <li><a href="/docs#${group}">${docsTexts[language].groups[group]}</a></li>
    </ol>
  </nav>`

/** All pages by group; the group of the page is open. */
function navigation(handbook: Handbook, current: DocPage | undefined, language: Language): Html {
  const texts = docsTexts[language]
  return html`<nav aria-label="${texts.pageNames.docs}">${groupNames.map(
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

function neighbors(handbook: Handbook, doc: DocPage, language: Language): Html {
  const texts = docsTexts[language]
  const at = handbook.pages.indexOf(doc)
  const [before, after] = [handbook.pages[at - 1], handbook.pages[at + 1]]
  const link = (to: DocPage | undefined, rel: 'prev' | 'next', word: string) =>
    to && html`<a rel="${rel}" href="${to.address}"><span>${word}</span> <b>${titleOf(to, language)}</b></a>`
  return html`<nav class="neighbors row spread" aria-label="${texts.neighbors}">
    ${link(before, 'prev', texts.shared.previous)}
    ${link(after, 'next', texts.shared.next)}
  </nav>`
}
