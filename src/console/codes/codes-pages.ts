// CPV and NUTS as pages: search in both languages, the tree, and the same as JSON for suggestions.
import { type CodeKind, codeKinds, codeLabel, codesAbove, codesBelow, toCode } from '../../domain/code-labels.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatNumber } from '../frame/format.ts'
import { type Html, html } from '../frame/html.ts'
import { type PageAnswer, type PageRequest, type PageRoute, page, publicPage } from '../frame/page.ts'
import { empty, numbers, table } from '../frame/parts.ts'
import { type CodeCounts, openCodeCounts } from './code-counts.ts'
import { codesTexts } from './codes-texts.ts'
import { rankCodes } from './rank-codes.ts'
import { openTitleReader, type TitleReader } from './title-codes.ts'

const maxListed = 50
const maxSuggested = 12
/** Maximum length of a query: a code's name is shorter. */
const longestQuery = 100

export function codesPages({ editions, clock }: ConsoleContext): PageRoute[] {
  const counts = openCodeCounts(editions, clock)
  const titles = openTitleReader(editions, clock)
  return codeKinds.flatMap((kind) => [
    publicPage('GET', `/codes/${kind}`, (request) =>
      codesPage(kind, request, { counts, titles, edition: editions.newest?.edition }),
    ),
    publicPage('GET', `/codes/${kind}.json`, (request) => suggestions(kind, request, { counts, titles })),
  ])
}

const queryOf = ({ query }: PageRequest): string => (query.get('q') ?? '').trim().slice(0, longestQuery)

type Sources = { readonly counts: CodeCounts; readonly titles: TitleReader }

function suggestions(kind: CodeKind, request: PageRequest, { counts, titles }: Sources): PageAnswer {
  const { language } = request
  const typed = queryOf(request)
  const found = rankCodes(kind, typed, maxSuggested, titles(typed))
  const open = counts.of(kind, found)
  const codes = found.map((code) => ({
    code,
    label: codeLabel(kind, code, language),
    open: open.get(code) ?? null,
  }))
  return { kind: 'content', type: 'application/json; charset=utf-8', body: JSON.stringify({ codes }) }
}

function codesPage(
  kind: CodeKind,
  request: PageRequest,
  { counts, titles, edition }: Sources & { readonly edition: number | undefined },
): PageAnswer {
  const { language } = request
  const texts = codesTexts[language]
  const typed = queryOf(request)
  const at = toCode(kind, request.query.get('at') ?? '')
  const listed = at !== undefined && codeLabel(kind, at, language) !== undefined ? at : undefined
  const codes = typed === '' ? codesBelow(kind, listed) : rankCodes(kind, typed, maxListed, titles(typed))
  const rows = codes.length === 0 && listed !== undefined && typed === '' ? [listed] : codes
  const heading = typed === '' ? texts.top : texts.found(typed)
  return page({
    title: texts.title[kind],
    lead: texts.lead[kind],
    current: '/codes',
    scripts: ['suggest'],
    body: html`<nav class="tabs line" aria-label="${texts.kinds}">
      ${codeKinds.map(
        (each) => html`<a href="/codes/${each}"${each === kind && html` aria-current="page"`}>${texts.short[each]}</a>`,
      )}
    </nav>
<form class="row" action="/codes/${kind}" role="search">
  <div class="find">
    <label class="hide" for="q">${texts.find[kind]}</label>
    <div class="suggest">
      <input id="q" name="q" type="search" value="${typed}" maxlength="${longestQuery}"
        placeholder="${texts.placeholder[kind]}" autocomplete="off" data-suggest="/codes/${kind}.json">
    </div>
    <button>${texts.search}</button>
  </div>
</form>
${typed === '' ? trail(kind, request, listed) : html`<p><a href="/codes/${kind}">${texts.all}</a></p>`}
${
  rows.length === 0
    ? empty(texts.none(typed), texts.noneHelp, html`<a class="btn" href="/codes/${kind}">${texts.all}</a>`)
    : codeTable(kind, request, rows, counts, listed === undefined ? heading : texts.below(listed))
}
<p class="soft small">
  ${edition !== undefined && `${texts.edition(formatNumber(edition, language))}. `}
  ${kind === 'nuts' && texts.language}
</p>`,
  })
}

function trail(kind: CodeKind, { language }: PageRequest, at: string | undefined): Html | false {
  const texts = codesTexts[language]
  if (at === undefined) return false
  return html`
    <nav class="crumbs" aria-label="${texts.within}">
      <ol>
        <li><a href="/codes/${kind}">${texts.top}</a></li>
        ${codesAbove(kind, at).map(
          (code) =>
            html`<li><a href="/codes/${kind}?at=${code}"><code>${code}</code> ${codeLabel(kind, code, language)}</a></li>`,
        )}
      </ol>
    </nav>
    <h2><code>${at}</code> ${codeLabel(kind, at, language)}</h2>
  `
}

function codeTable(
  kind: CodeKind,
  { language, query }: PageRequest,
  codes: readonly string[],
  counts: CodeCounts,
  caption: string,
): Html {
  const texts = codesTexts[language]
  const open = counts.of(kind, codes)
  const isSearch = query.get('q') !== null
  const nameOf = (code: string) => codeLabel(kind, code, language)
  return table({
    caption,
    kind: 'mini',
    columns: [texts.code, texts.shared.name, ...(isSearch ? [texts.within] : []), numbers(texts.open)],
    rows: codes.map((code) => {
      const label = nameOf(code)
      const above = codesAbove(kind, code).at(-1)
      const count = open.get(code)
      return [
        html`<code>${code}</code>`,
        codesBelow(kind, code).length > 0 ? html`<a href="/codes/${kind}?at=${code}">${label}</a>` : label,
        ...(isSearch ? [above === undefined ? '' : nameOf(above)] : []),
        count === undefined
          ? html`<a href="/tenders?${kind}=${code}"><span class="hide">${texts.explore(code)}</span>…</a>`
          : html`<a href="/tenders?${kind}=${code}">${formatNumber(count, language)}<span class="hide"> ${texts.explore(code)}</span></a>`,
      ]
    }),
  })
}
