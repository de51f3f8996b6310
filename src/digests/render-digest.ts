// A digest as a mail: subject, plain text, and HTML without images, scripts or anything from elsewhere. Pure.
import { deadlineFor, localMinute } from '#flat/record/first-deadline'
import type { DigestContent, DigestItem } from './digest-content.ts'

export type RenderedDigest = { readonly subject: string; readonly text: string; readonly html: string }

/** `unsubscribeUrl`: where the person unsubscribes; undefined: by a reply to the sender. */
export function renderDigest(content: DigestContent, unsubscribeUrl: string | undefined): RenderedDigest {
  const { search, count, items } = content
  const heading = `${count} new ${count === 1 ? 'tender' : 'tenders'}: ${search}`
  const rest = count - items.length
  const more = rest > 0 ? `And ${rest} more ${rest === 1 ? 'hit' : 'hits'} of this search, not listed here.` : undefined
  const groups = groupsOf(items)
  const why = `You get this mail because somebody subscribed your address to the saved search "${search}".`
  const leave = unsubscribeUrl === undefined ? 'To end these mails, answer with the word "unsubscribe".' : undefined
  const text = [
    heading,
    '',
    ...groups.flatMap(([title, group]) => [
      ...(title === undefined ? [] : [`${title}:`, '']),
      ...group.flatMap((item) => [item.title, ...factsOf(item), ...(item.url ? [item.url] : []), '']),
    ]),
    ...(more === undefined ? [] : [more, '']),
    why,
    leave ?? `To end these mails: ${unsubscribeUrl}`,
    '',
  ].join('\n')
  const html = [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(heading)}</title></head><body>`,
    `<h1>${escapeHtml(heading)}</h1>`,
    ...groups.flatMap(([title, group]) => [
      ...(title === undefined ? [] : [`<h2>${escapeHtml(title)}</h2>`]),
      '<ul>',
      ...group.map((item) => itemHtml(item)),
      '</ul>',
    ]),
    ...(more === undefined ? [] : [`<p>${escapeHtml(more)}</p>`]),
    `<p>${escapeHtml(why)} ${leave === undefined ? `<a href="${escapeHtml(unsubscribeUrl!)}">Unsubscribe</a>` : escapeHtml(leave)}</p>`,
    '</body></html>',
    '',
  ].join('\n')
  return { subject: heading, text, html }
}

/**
 * In the order of the items; the title of those that are neither urgent nor closed is undefined if there are no others.
 */
function groupsOf(items: readonly DigestItem[]): [title: string | undefined, group: readonly DigestItem[]][] {
  const urgent = items.filter(({ isUrgent }) => isUrgent)
  const closed = items.filter(({ isClosed }) => isClosed)
  const others = items.filter(({ isUrgent, isClosed }) => !isUrgent && !isClosed)
  const groups: [string | undefined, readonly DigestItem[]][] = [
    ['Deadline within 7 days', urgent],
    [urgent.length + closed.length > 0 ? 'Others' : undefined, others],
    ['No longer open', closed],
  ]
  return groups.filter(([, group]) => group.length > 0)
}

function factsOf({ authority, deadline, deadlineKind, timeZone, value }: DigestItem): string[] {
  const name = deadlineKind === undefined ? 'Deadline' : `Deadline ${deadlineFor[deadlineKind]}`
  return [
    ...(authority === undefined ? [] : [authority]),
    ...(deadline === undefined ? [] : [`${name}: ${localMinute(deadline, timeZone)}`]),
    ...(value === undefined ? [] : [`Value: ${value}`]),
  ]
}

function itemHtml(item: DigestItem): string {
  const title = escapeHtml(item.title)
  const linked = item.url === undefined ? title : `<a href="${escapeHtml(item.url)}">${title}</a>`
  return `<li>${[`<strong>${linked}</strong>`, ...factsOf(item).map(escapeHtml)].join('<br>')}</li>`
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
