// Help for whoever looks for tenders: four pages with pictures, for everybody.
import { frameTexts } from '../frame/frame-texts.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import { type PageAnswer, PageError, type PageRequest, type PageRoute, page, publicPage } from '../frame/page.ts'
import { type HelpPictures, loadPictures, pictureSize } from './help-pictures.ts'
import { type HelpName, type HelpSection, helpNames, helpTexts } from './help-texts.ts'

export function helpPages(): PageRoute[] {
  const pictures = loadPictures()
  return [
    publicPage('GET', '/help', indexPage),
    ...helpNames.map((name) => publicPage('GET', `/help/${name}`, (request) => onePage(name, pictures, request))),
    publicPage('GET', '/help/pictures/:picture', (request) => onePicture(pictures, request)),
  ]
}

function indexPage({ language }: PageRequest): PageAnswer {
  const { title, lead } = helpTexts[language]
  return page({ title, lead, body: html`<div class="prose">${list(helpNames, language)}</div>` })
}

function onePage(name: HelpName, pictures: HelpPictures, { language }: PageRequest): PageAnswer {
  const texts = helpTexts[language]
  const { title, lead, sections } = texts.pages[name]
  const others = helpNames.filter((each) => each !== name)
  return page({
    title,
    lead,
    crumbs: [[texts.title, '/help']],
    current: '/help',
    body: html`<div class="prose">${sections.map((each) => section(each, pictures, language))}
<h2>${texts.others}</h2>${list(others, language)}</div>`,
  })
}

type Language = PageRequest['language']

function list(names: readonly HelpName[], language: Language): Html {
  const { pages } = helpTexts[language]
  return html`<ul>${names.map(
    (name) => html`<li><a href="/help/${name}">${pages[name].title}</a><br>${pages[name].lead}</li>`,
  )}</ul>`
}

function section({ heading, says, areSteps, picture }: HelpSection, pictures: HelpPictures, language: Language): Html {
  const address = picture && pictures.addressOf(picture[0], language)
  const { width, height } = pictureSize
  return html`<h2>${heading}</h2>${
    areSteps
      ? html`<ol>${says.map((each) => html`<li>${marked(each)}</li>`)}</ol>`
      : says.map((each) => html`<p>${marked(each)}</p>`)
  }${
    picture &&
    address &&
    html`<p class="shot"><a href="${address}"><img src="${address}" alt="${picture[1]}" width="${width}" height="${height}" loading="lazy"></a></p>`
  }`
}

/** The text with what stands on a page in bold. */
const marked = (text: string): Content =>
  text.split('**').map((part, index) => (index % 2 === 1 ? html`<b>${part}</b>` : part))

/** Its address changes with what it shows. */
function onePicture({ files }: HelpPictures, { url, language }: PageRequest): PageAnswer {
  const body = files.get(url.pathname)
  if (!body) throw new PageError(404, frameTexts[language].noPage)
  const headers = { 'cache-control': 'public, max-age=31536000, immutable' }
  return { kind: 'content', type: 'image/webp', body, headers }
}
