// The first page, and the choice of the language.

import { codeFigure } from '../docs/render-guide.ts'
import { readAddress } from '../find/asked.ts'
import { questionOf } from '../find/find-pages.ts'
import { hourOf } from '../find/found-stock.ts'
import { tenderCard } from '../find/tender-card.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatClock, formatDay, formatNumber } from '../frame/format.ts'
import { homeOf } from '../frame/frame.ts'
import { type Html, html } from '../frame/html.ts'
import { isLanguage, type Language } from '../frame/languages.ts'
import { returnPath } from '../frame/own-path.ts'
import { type PageRoute, page, publicPage, redirect } from '../frame/page.ts'
import { type Figure, figures, state } from '../frame/parts.ts'
import { recordsAt } from '../frame/published-record.ts'
import { settledWithin } from '../frame/settled-within.ts'
import { homeTexts } from './home-texts.ts'
import type { StatusBoards } from './status-board.ts'

/** How long a visitor's choice of language is remembered. */
const languageSeconds = 31_536_000

/** How long the first page waits for the figure that only the database has. */
const longestWaitMs = 300

/** Sample tenders that the first page shows. */
const shownTenders = 3

type HomeContext = Pick<ConsoleContext, 'editions' | 'apiAddress' | 'origin' | 'brand' | 'samples'>

export const homePages = (context: HomeContext, boards: StatusBoards): PageRoute[] => [
  publicPage('GET', '/', async ({ viewer, language, now, asset }) => {
    if (viewer) return redirect(homeOf(viewer))
    // without the database, or while it is busy, the page shows one figure less
    const board = (await settledWithin(boards.read(), longestWaitMs).catch(() => undefined)) ?? boards.last
    const texts = homeTexts[language]
    return page({
      title: texts.title,
      description: texts.lead(context.brand.name),
      hasHead: false,
      styles: ['find'],
      body: html`
        ${hero(context, language)}
        ${sampleTenders(context, now, language)}
        ${asset && picture(asset, language)}
        ${ways(language)}
        ${stockNow(context, board?.sources.length, language)}
        ${onlyNew(context, language)}
        ${quoteBand(language)}
      `,
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

function hero({ brand }: HomeContext, language: Language): Html {
  const texts = homeTexts[language]
  return html`<section class="hero"><div>
<h1>${texts.heading}</h1>
<p class="lead">${texts.lead(brand.name)}</p>
<ul class="gets">${texts.gets.map((each) => html`<li>${each}</li>`)}</ul>
<p class="row">
  <a class="btn go" href="/quote">${texts.quote}</a>
  <a class="btn" href="/tenders">${texts.find}</a>
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

/** Three made-up tenders as the search shows them; nothing while there are none. */
function sampleTenders({ samples }: HomeContext, now: number, language: Language): Html | false {
  const texts = homeTexts[language]
  const stock = samples()
  const newest = typeof stock === 'string' ? undefined : stock.editions.newest
  if (typeof stock === 'string' || !newest) return false
  // a frozen edition stays as it was when it was made
  const at = stock.isFrozen ? newest.publishedAt : now
  const { asked } = readAddress(new URLSearchParams(), language)
  const found = stock.editions.findTenders(questionOf(asked, hourOf({ now: at }), { offset: 0, limit: shownTenders }))
  if (found.total === 0) return false
  const how = { asked, language, now: at, pages: '/samples/', hasParties: false }
  return html`<section class="band">
    <h2>${texts.samples}</h2>
    <p>${texts.samplesText}</p>
    <ol class="finds">${recordsAt(stock.editions, found.positions).map((record) => tenderCard(record, how))}</ol>
    <p class="row"><a class="btn" href="/tenders">${texts.findLink}</a></p>
  </section>`
}

/** Drawn by test/pictures/draw-pictures.ts. */
function picture(asset: (name: string) => string, language: Language): Html {
  const texts = homeTexts[language]
  return html`<figure class="shot">
    <img src="${asset('hits.webp')}" width="720" height="468" loading="lazy" alt="${texts.pictureAlt}">
    <figcaption class="soft small">${texts.picture}</figcaption>
  </figure>`
}

function quoteBand(language: Language): Html {
  const texts = homeTexts[language]
  return html`<section class="band"><h2>${texts.quoteHeading}</h2><p>${texts.quoteText}</p>
    <p class="row"><a class="btn go" href="/quote">${texts.quote}</a><a class="btn" href="/docs">${texts.docs}</a></p>
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
