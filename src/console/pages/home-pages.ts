// The first page, and the choice of the language.
import { returnPath } from '../forms.ts'
import { homeOf } from '../frame.ts'
import { html } from '../html.ts'
import { type PageRoute, page, publicPage, redirect } from '../page.ts'
import { homeTexts } from '../text/home-texts.ts'
import { isLanguage } from '../text/languages.ts'

/** How long the choice of a stranger is remembered. */
const languageSeconds = 31_536_000

export const homePages = (): PageRoute[] => [
  publicPage('GET', '/', ({ viewer, language }) => {
    if (viewer) return redirect(homeOf(viewer))
    const texts = homeTexts[language]
    return page({
      title: texts.title,
      lead: texts.lead,
      body: html`<p><a class="btn go" href="/docs">${texts.docs}</a></p>`,
    })
  }),
  // a GET that changes nothing that is stored about a person
  publicPage('GET', '/language', ({ query }) => {
    const wanted = query.get('to') ?? ''
    const to = returnPath(query.get('return'))
    if (!isLanguage(wanted)) return redirect(to)
    return redirect(to, { cookies: [{ name: 'language', value: wanted, maxAgeSeconds: languageSeconds }] })
  }),
]
