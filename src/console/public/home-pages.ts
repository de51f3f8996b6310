// The first page, and the choice of the language.

import { codeFigure } from '../docs/render-guide.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatClock, formatDay, formatNumber } from '../frame/format.ts'
import { homeOf } from '../frame/frame.ts'
import { type Html, html } from '../frame/html.ts'
import { isLanguage, type Language } from '../frame/languages.ts'
import { returnPath } from '../frame/own-path.ts'
import { type PageRoute, page, publicPage, redirect } from '../frame/page.ts'
import { type Figure, figures, state } from '../frame/parts.ts'
import { settledWithin } from '../frame/settled-within.ts'
import { homeTexts } from './home-texts.ts'
import type { StatusBoards } from './status-board.ts'

/** How long a visitor's choice of language is remembered. */
const languageSeconds = 31_536_000

/** How long the first page waits for the figure that only the database has. */
const longestWaitMs = 300

type HomeContext = Pick<ConsoleContext, 'editions' | 'apiAddress' | 'origin'>

export const homePages = (context: HomeContext, boards: StatusBoards): PageRoute[] => [
  publicPage('GET', '/', async ({ viewer, language }) => {
    if (viewer) return redirect(homeOf(viewer))
    // without the database, or while it is busy, the page shows one figure less
    const board = (await settledWithin(boards.read(), longestWaitMs).catch(() => undefined)) ?? boards.last
    const texts = homeTexts[language]
    return page({
      title: texts.title,
      hasHead: false,
      body: html`${hero(language)}${stockNow(context, board?.sources.length, language)}${ways(language)}${onlyNew(context, language)}`,
    })
  }),
  // a GET that changes nothing stored about a person
  publicPage('GET', '/language', ({ query }) => {
    const wanted = query.get('to') ?? ''
    const to = returnPath(query.get('return'))
    if (!isLanguage(wanted)) return redirect(to)
    return redirect(to, { cookies: [{ name: 'language', value: wanted, maxAgeSeconds: languageSeconds }] })
  }),
]

function hero(language: Language): Html {
  const texts = homeTexts[language]
  return html`<section class="hero"><div>
<h1>${texts.heading}</h1>
<p class="lead">${texts.lead}</p>
<p class="row">
  <a class="btn go" href="/tenders">${texts.find}</a>
  <a class="btn" href="/docs">${texts.docs}</a>
</p>
  </div>
<div class="stack" role="img" aria-label="${texts.flow}">
<div class="slips">
  ${texts.slips.map(([portal, what]) => html`<div class="slip"><b>${portal}</b>${what}</div>`)}
</div>
<div class="rec">
  <div class="row spread">${state('open', texts.open)}<span class="soft small">${texts.notices}</span></div>
  <p class="t" lang="de"><b>Deckenerneuerung Kreisstraße AU 14, Abschnitt Hohenmoos</b></p>
  <dl class="facts cols">
    <div><dt>${texts.shared.authority}</dt><dd lang="de">Landkreis Aurenbach</dd></div>
    <div><dt>${texts.shared.deadline}</dt><dd>${texts.deadlineValue}</dd></div>
    <div>
      <dt>${texts.shared.value}</dt>
      <dd>${texts.valueText} <span class="soft">${texts.published}</span></dd>
    </div>
    <div><dt>Id</dt><dd><code>0f8a1c52…9d31</code></dd></div>
  </dl>
</div>
  </div>
  </section>`
}

function stockNow({ editions }: HomeContext, portals: number | undefined, language: Language): Html {
  const texts = homeTexts[language]
  const { newest } = editions
  const list: Figure[] = [
    { name: texts.shared.records, value: formatNumber(newest?.records ?? 0, language), note: texts.recordsNote },
    newest
      ? {
          name: texts.shared.newestEdition,
          value: html`<span class="nb">${formatClock(newest.publishedAt, language)} UTC</span>`,
          note: html`<time datetime="${new Date(newest.publishedAt).toISOString()}">
            ${formatDay(newest.publishedAt, language)}
          </time>, ${texts.newestNote(newest.edition, newest.changes)}`,
        }
      : { name: texts.shared.newestEdition, value: texts.noEdition, note: texts.shared.firstEditionComes },
    ...(portals === undefined
      ? []
      : [{ name: texts.portals, value: formatNumber(portals, language), note: texts.portalsNote }]),
  ]
  return html`<section class="stack"><h2 class="hide">${texts.now}</h2>${figures(list)}<p class="small"><a href="/stock">${texts.pictures}</a></p></section>`
}

function ways(language: Language): Html {
  const texts = homeTexts[language]
  const list = [
    [texts.findHeading, texts.findText, texts.findLink, '/tenders'],
    [texts.docsHeading, texts.docsText, texts.docsLink, '/docs/quick-start'],
    [texts.signInHeading, texts.signInText, texts.shared.signIn, '/sign-in'],
  ] as const
  return html`<section class="band"><h2>${texts.ways}</h2><p>${texts.waysLead}</p><ul class="ways">${list.map(
    ([heading, text, link, href]) =>
      html`<li><h3>${heading}</h3><p>${text}</p><p><a href="${href}">${link}</a></p></li>`,
  )}</ul></section>`
}

function onlyNew({ apiAddress, origin }: HomeContext, language: Language): Html {
  const texts = homeTexts[language]
  const text = `curl -G ${apiAddress}/v1/tenders \\
  -H "Authorization: Bearer $TENDER_TOKEN" \\
  -d updated_since=2026-11-24T07:00:00.000Z \\
  -d cpv=45233000 -d nuts=DE2 -d limit=100`
  const example = codeFigure({
    id: 'request',
    language: 'sh',
    text,
    texts: { language, copy: texts.shared.copy, copied: texts.shared.copied },
    context: { apiAddress, origin },
  })
  return html`<section class="band">
    <div class="split even">
      <div class="prose">
        <h2>${texts.newHeading}</h2>
        <p>${texts.newText}</p>
        <p>${texts.mergeText}</p>
        <p><a href="/docs/fields">${texts.fieldsLink}</a></p>
      </div>
      <div><p class="small soft">${texts.request}</p>${example}</div>
    </div>
  </section>`
}
