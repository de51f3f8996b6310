// The archives of Croatia's old procurement site: each is sent by an ASP.NET page after a click, which is a form posted
// back.

import { Refused } from '../../../platform/http.ts'
import { inParts } from '../../families/in-parts.ts'
import { pageText, tagsIn } from '../../families/page-text.ts'
import type { Fetch } from '../../fetch.ts'
import { zippedReleases } from '../../ocds/entries.ts'

/** Every link of the page's table, the newest first; the fields that the page hides go back with each. */
export const readPostbackArchives = (url: string): Fetch =>
  inParts(async (context) => {
    const html = await pageText(context, url)
    const hidden = tagsIn(html, 'input').filter((tag) => tag.get('type') === 'hidden' && tag.has('name'))
    const targets = tagsIn(html, 'a')
      .map((tag) => /__doPostBack\('([^']+)'/.exec(tag.get('href') ?? '')?.[1])
      .filter((target) => target !== undefined)
    if (targets.length === 0 || !hidden.some((tag) => tag.get('name') === '__VIEWSTATE'))
      throw new Refused(`${url} answered a page without archives`)
    const fields = Object.fromEntries(hidden.map((tag) => [tag.get('name')!, literally(tag.get('value') ?? '')]))
    return [...new Set(targets)]
      .sort()
      .reverse()
      .map((target) => ({
        key: target,
        delivery: {
          kind: 'single',
          request: { url, form: { ...fields, __EVENTTARGET: literally(target), __EVENTARGUMENT: '' } },
          entries: zippedReleases,
        },
      }))
  })

/** Braces would be read as placeholders; the values of such a page never contain any. */
const literally = (value: string): string => value.replaceAll(/[{}]/g, '')
