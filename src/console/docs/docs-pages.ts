// The documentation: its first page, the guides, their pictures, and the search.

import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { type PageRequest, type PageRoute, publicPage } from '../frame/page.ts'
import { empty } from '../frame/parts.ts'
import { docFrame } from './doc-frame.ts'
import { docsTexts } from './docs-texts.ts'
import { type DocReader, groupsFor } from './guide-groups.ts'
import type { DocPage, Handbook } from './handbook.ts'
import type { Heading } from './render-guide.ts'
import type { SearchGuides } from './search-guides.ts'

/** Maximum characters of a search. */
const longestQuery = 100
/** Maximum characters of what search engines show of a page. */
const longestDescription = 180

export const guidePages = (handbook: Handbook, search: SearchGuides): PageRoute[] => [
  publicPage('GET', '/docs', (request) => indexPage(handbook, request)),
  publicPage('GET', '/docs/search', (request) => searchPage(handbook, search, request)),
  ...handbook.pages.flatMap((doc) =>
    doc.file === undefined
      ? []
      : [publicPage('GET', doc.address, (request) => guidePage(handbook, doc, doc.file!, request))],
  ),
  ...handbook.pictures.map((address) =>
    publicPage('GET', address, () => ({
      kind: 'content',
      type: 'image/svg+xml',
      body: handbook.picture(address)!,
    })),
  ),
]

function guidePage(handbook: Handbook, doc: DocPage, file: string, reader: DocReader) {
  const { language } = reader
  const texts = docsTexts[language]
  const { title, headings, summary } = handbook.guide(file)
  const body = handbook.render(file, { language, copy: texts.shared.copy, copied: texts.shared.copied })
  return docFrame(handbook, {
    doc,
    reader,
    title,
    description: beginningOf(summary || title),
    contents: headings.filter(isListed),
    body,
    bodyLanguage: 'en',
  })
}

/** What fits into the list of a search engine, in whole words. */
function beginningOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= longestDescription ? line : `${line.slice(0, longestDescription).replace(/\s+\S*$/, '')} …`
}

/** On a long page, only the chapters are listed. */
const isListed = ({ level }: Heading): boolean => level === 2

function indexPage(handbook: Handbook, reader: DocReader) {
  const { language } = reader
  const groups = groupsFor(reader)
  const texts = docsTexts[language]
  const body = html`<h1>${texts.pageNames.docs}</h1><p class="lead">${texts.lead}</p>${searchForm('', language)}${groups.map(
    (group) =>
      html`<h2 id="${group}">${texts.groups[group]}</h2><ul lang="en">${handbook.pages
        .filter((doc) => doc.group === group)
        .map((doc) => html`<li><a href="${doc.address}">${doc.title}</a></li>`)}</ul>`,
  )}`
  return docFrame(handbook, {
    doc: undefined,
    reader,
    title: texts.pageNames.docs,
    description: texts.lead,
    hasTitle: true,
    contents: groups.map((group) => ({ level: 2, id: group, text: texts.groups[group] })),
    body,
  })
}

/** The field to search in the documentation. */
function searchForm(query: string, language: Language): Html {
  const texts = docsTexts[language]
  return html`<form class="row" action="/docs/search" role="search">
    <div class="find">
      <label class="hide" for="docs-q">${texts.searchLabel}</label>
      <svg class="i" viewBox="0 0 16 16" aria-hidden="true">
        <path d="M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14"/>
      </svg>
      <input id="docs-q" name="q" type="search" value="${query}" maxlength="${longestQuery}"
        placeholder="${texts.searchHint}">
    </div>
    <button>${texts.search}</button>
  </form>`
}

async function searchPage(handbook: Handbook, search: SearchGuides, request: PageRequest) {
  const { query, language } = request
  const texts = docsTexts[language]
  const words = (query.get('q') ?? '').trim().slice(0, longestQuery)
  const groups = groupsFor(request)
  const found = words === '' ? [] : await search.find(words, groups)
  const results = groups.flatMap((group) => {
    const ofGroup = (found ?? []).filter(({ doc }) => doc.group === group)
    if (ofGroup.length === 0) return []
    return [
      html`<h2>${texts.groups[group]}</h2><ul class="results" lang="en">${ofGroup.map(
        ({ doc, heading, marked }) =>
          html`<li>
            <h3>
              <a href="${doc.address}${heading && `#${heading.id}`}">
                ${doc.title}
                ${heading && html` · ${heading.text}`}
              </a>
            </h3>
            <p>${marked.map(({ text, isHit }) => (isHit ? html`<mark>${text}</mark>` : text))}</p>
          </li>`,
      )}</ul>`,
    ]
  })
  const outcome =
    words === ''
      ? html`<p>${texts.searchHint}</p>`
      : !found
        ? html`<p role="status">${texts.preparing}</p>`
        : found.length === 0
          ? empty(texts.nothingFound(words), texts.nothingFoundHint)
          : html`<p role="status">${texts.found(found.length, words)}</p>${results}`
  const body = html`<h1>${texts.shared.search}</h1>${searchForm(words, language)}${outcome}`
  return docFrame(handbook, {
    doc: undefined,
    reader: request,
    title: texts.shared.search,
    hasTitle: true,
    contents: [],
    body,
    ...(!found && { refreshSeconds: 1 }),
  })
}
