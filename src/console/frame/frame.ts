// The frame around every page: head, navigation, notice and foot.

import type { Brand } from './brand.ts'
import { frameTexts } from './frame-texts.ts'
import { type Content, type Html, html } from './html.ts'
import type { Language } from './languages.ts'
import type { Page, Viewer, ViewerMembership } from './page.ts'

/** What the frame needs besides the page. */
export type FrameContext = {
  readonly language: Language
  readonly viewer: Viewer | undefined
  /** The path of the request, with its query. */
  readonly path: string
  /** The organization that the page belongs to. */
  readonly organization?: ViewerMembership
  /** Public pages have a bar on top; the others have a list at the side. */
  readonly kind: 'public' | 'organization' | 'operator' | 'person'
  /** Shown once. */
  readonly notice: string | undefined
  readonly version: string
  /** How this service presents itself. */
  readonly brand: Brand
  /** Without a slash at the end. */
  readonly origin: string
  /** URL of a file of the console under its hashed name. */
  readonly asset: (name: string) => string
}

const mark = html`<svg viewBox="0 0 22 22" aria-hidden="true">
  <path d="M1 4h5l6 7M1 11h10M1 18h5l6-7" fill="none" stroke="currentColor" stroke-width="1.75"/>
  <rect x="12" y="6" width="9" height="10" rx="2" fill="currentColor"/>
</svg>`
const lines = html`<svg class="i" viewBox="0 0 16 16" aria-hidden="true"><path d="M2 4h12M2 8h12M2 12h12"/></svg>`

/** Letters of the second font file: a page preloads it, or the browser would show them in a different font. */
const moreLetters = /[\u0100-\u0130\u0132-\u0151\u0154-\u017e\u0218-\u021b]/

/** The whole document. */
export function frame(content: Page, context: FrameContext): Html {
  const { language, asset, brand } = context
  const texts = frameTexts[language]
  const isPublic = context.kind === 'public'
  const fonts = ['public-sans.woff2', ...(moreLetters.test(content.body.text) ? ['public-sans-more.woff2'] : [])]
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${content.title} · ${brand.name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
${content.description !== undefined && shared(content, content.description, context)}
${content.refreshSeconds !== undefined && html`<meta http-equiv="refresh" content="${content.refreshSeconds}">`}
${fonts.map((name) => html`<link rel="preload" href="${asset(name)}" as="font" type="font/woff2" crossorigin>\n`)}
  ${['console', ...(content.styles ?? [])].map((name) => html`<link rel="stylesheet" href="${asset(`${name}.css`)}">`)}
${brand.sheet !== undefined && html`<link rel="stylesheet" href="${brand.sheet}">`}
<link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml">
${content.feed !== undefined && html`<link rel="alternate" type="application/atom+xml" href="${content.feed}">`}
${['console', ...(content.scripts ?? [])].map(
  (name) => html`<script type="module" src="${asset(`${name}.js`)}"></script>`,
)}
  </head>
<body class="${isPublic ? 'pub' : 'app'}">
<a class="skip" href="#main">${texts.skip}</a>
<header class="bar">
  <a class="brand" href="/">${brand.logo === undefined ? mark : html`<img src="${brand.logo}" alt="" width="22" height="22">`}${brand.name}</a>
  <button class="only-small" type="button" popovertarget="menu">${lines}${texts.menu}</button>
  ${isPublic && navigation(content, context)}
</header>
${!isPublic && navigation(content, context)}
<main id="main" class="${isPublic ? 'wide' : 'sheet'}">
${context.notice !== undefined && html`<p class="note ok" role="status"><b>${context.notice}</b></p>`}
${content.hasHead !== false && head(content, texts.shared.youAreHere)}
${content.body}</main>
<footer class="foot">
  <p>${texts.version(context.version)}</p>
  <a href="/help">${texts.pageNames.help}</a>
  <a href="/docs">${texts.pageNames.docs}</a>
  <a href="/status">${texts.pageNames.status}</a>
  <a href="/changelog">${texts.pageNames.changelog}</a>
  ${brand.links.map(([kind, address]) => html`<a href="${address}" rel="noopener">${texts.legal[kind]}</a>`)}
  <a href="/language?to=${language === 'en' ? 'de' : 'en'}&amp;return=${encodeURIComponent(context.path)}"
    lang="${language === 'en' ? 'de' : 'en'}">
    ${texts.otherLanguage}
  </a>
</footer>
  </body>
  </html>
`
}

/** What search engines show, and programs that make a card of a shared link. */
function shared({ title }: Page, description: string, { origin, path, brand, asset, language }: FrameContext): Html {
  const properties = [
    ['og:type', 'website'],
    ['og:site_name', brand.name],
    ['og:title', title],
    ['og:description', description],
    ['og:url', origin + path.replace(/\?.*/s, '')],
    ['og:locale', language === 'de' ? 'de_DE' : 'en_GB'],
    ...(brand.isOwn
      ? []
      : ([
          ['og:image', origin + asset('shared-link.png')],
          ['og:image:width', '1200'],
          ['og:image:height', '630'],
        ] as const)),
  ] as const
  return html`<meta name="description" content="${description}">
<meta name="twitter:card" content="${brand.isOwn ? 'summary' : 'summary_large_image'}">
${properties.map(([property, text]) => html`<meta property="${property}" content="${text}">`)}`
}

function head({ crumbs = [], title, titleLanguage: lang, lead, actions }: Page, label: string): Html {
  return html`${
    crumbs.length > 0 &&
    html`<nav class="crumbs" aria-label="${label}"><ol>${crumbs.map(([text, href]) => html`<li><a href="${href}">${text}</a></li>`)}</ol></nav>`
  }
<div class="head">
  <div>
    <h1${lang !== undefined && html` lang="${lang}"`}>${title}</h1>
    ${lead !== undefined && html`<p>${lead}</p>`}
  </div>
  ${actions && html`<div class="row">${actions}</div>`}
</div>`
}

type Entry = readonly [text: string, href: string]

function navigation(content: Page, context: FrameContext): Html {
  const { language, viewer, organization, kind } = context
  const texts = frameTexts[language]
  const current = content.current ?? context.path.replace(/\?.*/s, '')
  const entry = ([text, href]: Entry): Content =>
    html`<a href="${href}"${href === current && html` aria-current="page"`}>${text}</a>`
  const help: Entry = [texts.pageNames.help, '/help']
  const own: readonly Entry[] = viewer ? [[texts.pageNames.settings, '/me'], ...(organization ? [help] : [])] : []
  const out =
    viewer && html`<form method="post" action="/sign-out"><button class="bare">${texts.signOut}</button></form>`
  if (kind === 'public')
    return html`<nav class="menu" id="menu" popover aria-label="${texts.site}">
      ${[
        [texts.pageNames.tenders, '/tenders'] as const,
        [texts.pageNames.docs, '/docs'] as const,
        [texts.stock, '/stock'] as const,
        [texts.pageNames.explorer, '/explorer'] as const,
        [texts.pageNames.status, '/status'] as const,
      ].map(entry)}
      ${
        viewer
          ? html`<a href="${homeOf(viewer)}" class="go">${viewer.person.name || viewer.person.mail}</a>`
          : html`<a class="btn" href="/sign-in">${texts.shared.signIn}</a>`
      }
    </nav>`
  const elsewhere: Entry[] = [
    ...(viewer?.memberships ?? [])
      .filter(({ organizationId }) => organizationId !== organization?.organizationId)
      .map(({ name, organizationId }): Entry => [name, `/o/${organizationId}`]),
    ...(viewer?.person.isOperator && kind !== 'operator' ? [[texts.shared.operator, '/operator'] as const] : []),
  ]
  const foot = html`
    ${elsewhere.length > 0 && html`<h2>${texts.elsewhere}</h2>${elsewhere.map(entry)}`}
    <h2>${viewer?.person.name || viewer?.person.mail}</h2>
    ${own.map(entry)}
    ${out}
  `
  if (kind === 'operator')
    return html`<nav class="menu" id="menu" popover aria-label="${texts.shared.operator}">
      <p class="who op"><b>${texts.shared.operator}</b><span>${texts.everything}</span></p>
      ${operatorEntries(language).map(entry)}
      <h2>${texts.customers}</h2>
      ${customerEntries(language).map(entry)}
      ${foot}
    </nav>`
  if (!organization) return html`<nav class="menu" id="menu" popover aria-label="${texts.you}">${foot}</nav>`
  const at = `/o/${organization.organizationId}`
  return html`<nav class="menu" id="menu" popover aria-label="${texts.shared.organization}">
    <p class="who">
      <b>${organization.name}</b>
      <span>${organization.role === 'owner' ? texts.owner : texts.member}</span>
    </p>
    ${(
      [
        [texts.pageNames.overview, at],
        [texts.pageNames.tenders, '/tenders'],
        [texts.pageNames.hits, `${at}/hits`],
        [texts.pageNames.searches, `${at}/searches`],
        [texts.pageNames.profiles, `${at}/profiles`],
      ] as const
    ).map(entry)}
    <h2>${texts.deliver}</h2>
    ${(
      [
        [texts.pageNames.webhooks, `${at}/webhooks`],
        [texts.pageNames.digests, `${at}/digests`],
        ...(organization.hasAccessArea && organization.role === 'owner'
          ? [[texts.pageNames.apiAccess, `${at}/settings/api-access`] as const]
          : []),
        [texts.pageNames.explorer, '/explorer'],
      ] as const
    ).map(entry)}
    <h2>${texts.shared.organization}</h2>
    ${(
      [
        [texts.pageNames.people, `${at}/people`],
        ...(organization.role === 'owner' ? [[texts.pageNames.contract, `${at}/contract`] as const] : []),
        [texts.pageNames.audit, `${at}/audit`],
      ] as const
    ).map(entry)}
    ${foot}
  </nav>`
}

function operatorEntries(language: Language): Entry[] {
  const texts = frameTexts[language]
  return [
    [texts.pageNames.wrongNow, '/operator'],
    [texts.pageNames.editions, '/operator/editions'],
    [texts.pageNames.sources, '/operator/sources'],
    [texts.pageNames.reviews, '/operator/reviews'],
    [texts.pageNames.rejections, '/operator/rejections'],
    [texts.pageNames.values, '/operator/values'],
  ]
}

function customerEntries(language: Language): Entry[] {
  const texts = frameTexts[language]
  return [
    [texts.pageNames.organizations, '/operator/organizations'],
    [texts.pageNames.quotes, '/operator/quotes'],
    [texts.pageNames.incidents, '/operator/incidents'],
    [texts.pageNames.audit, '/operator/audit'],
  ]
}

/** Where a person begins: their organization, else the desk, else their settings. */
export function homeOf({ memberships, person }: Pick<Viewer, 'memberships' | 'person'>): string {
  if (memberships[0]) return `/o/${memberships[0].organizationId}`
  return person.isOperator ? '/operator' : '/me'
}
