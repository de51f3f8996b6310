// The changelog of the repository, as a page and as a feed.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { usualName } from '../../platform/config.ts'
import { docsTexts } from '../docs/docs-texts.ts'
import type { Handbook } from '../docs/handbook.ts'
import { readGuide, renderGuide } from '../docs/render-guide.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { type PageRoute, page, publicPage } from '../frame/page.ts'
import { atomAnswer } from './atom.ts'
import { statusTexts } from './status-texts.ts'

const file = 'CHANGELOG.md'

export const changelogPages = (context: Pick<ConsoleContext, 'origin'>, handbook: Handbook): PageRoute[] => [
  publicPage('GET', '/changelog', ({ language }) => {
    const texts = statusTexts[language]
    const { copy, copied } = docsTexts[language].shared
    return page({
      title: texts.pageNames.changelog,
      lead: texts.changelogLead,
      feed: '/changelog.atom',
      actions: html`<a class="btn" href="/changelog.atom">${texts.feed}</a>`,
      body: html`<article class="prose" lang="en">${handbook.render(file, { language, copy, copied })}</article>`,
    })
  }),
  publicPage('GET', '/changelog.atom', ({ language }) => changelogFeed(context, handbook, language)),
]

/** One entry for each version. An unreleased version changes with the file. */
function changelogFeed({ origin }: Pick<ConsoleContext, 'origin'>, handbook: Handbook, language: Language) {
  const changedAt = statSync(join(handbook.folder, file)).mtimeMs
  const { copy, copied } = docsTexts[language].shared
  const versions = handbook
    .source(file)
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const title = section.slice(0, section.indexOf('\n')).trim()
      const guide = readGuide(section.slice(section.indexOf('\n') + 1))
      const day = /(\d{4}-\d{2}-\d{2})/.exec(title)?.[1]
      const at = day === undefined ? changedAt : Date.parse(day)
      const { id } = readGuide(`## ${title}`).headings[0]!
      return {
        id: `${origin}/changelog#${id}`,
        title,
        publishedAt: at,
        updatedAt: at,
        link: `${origin}/changelog#${id}`,
        content: {
          type: 'html' as const,
          text: renderGuide(guide, handbook.contextOf(file), { language, copy, copied }).text,
        },
      }
    })
  return atomAnswer({
    address: `${origin}/changelog.atom`,
    page: `${origin}/changelog`,
    title: statusTexts[language].changelogFeed,
    author: usualName,
    language,
    updatedAt: changedAt,
    entries: versions,
  })
}
