// The mail with the hits of a person: by deadline, in words, without a score or an order that tells it (C143). Pure.
import { type DigestContent, type DigestItem, oneLine } from '../../digests/digest-content.ts'
import type { DigestLetter, RenderedMail } from '../../digests/send-mails.ts'
import { dayMs } from '../../domain/time.ts'
import { usualName } from '../../platform/config.ts'
import { regionOf } from '../codes/region-names.ts'
import { tradeOf } from '../codes/trade-names.ts'
import { deadlineNote } from '../frame/deadline.ts'
import { formatNumber, formatRelative, formatZoned } from '../frame/format.ts'
import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { matchedWords } from '../hits/clause-lines.ts'
import { valueText } from '../hits/hit-parts.ts'
import { digestLetterTexts } from './digest-letter-texts.ts'
import { framedMail, inSubject, mailButton, mailLink, mailParagraph, mailStyles } from './mail-frame.ts'

/** Maximum time to a deadline that is called near. */
const nearMs = 7 * dayMs
/** Gmail hides what comes after 102 kB of HTML. */
const maxBytes = 100_000
/** Maximum number of searches that are named at the end, with a link to leave each. */
const maxSearches = 20
/** Maximum number of searches in the subject. */
const maxInSubject = 2

/** Tenders that make the mail too long are only counted. */
export function renderDigestLetter(letter: DigestLetter, origin: string, name = usualName): RenderedMail {
  let { content } = letter
  const { language, count } = content
  const subject = digestLetterTexts[language].subject(formatNumber(count, language), subjectNames(content))
  for (;;) {
    const mail = writeLetter({ ...letter, content, subject }, { origin, name })
    if (Buffer.byteLength(mail.html) <= maxBytes || content.items.length === 0) return mail
    content = {
      ...content,
      items: content.items.slice(0, Math.min(content.items.length - 1, content.items.length * 0.8)),
    }
  }
}

function writeLetter(
  { content, at, token, leaving, subject, ...letter }: DigestLetter & { readonly subject: string },
  { origin, name: site }: { readonly origin: string; readonly name: string },
): RenderedMail {
  const person = oneLine(letter.person)
  const { language, count, items } = content
  const texts = digestLetterTexts[language]
  const number = (value: number) => formatNumber(value, language)
  const groups = groupsOf(items, at)
  const rest = count - items.length
  const address = token === undefined ? allAddress(content, origin) : `${origin}/letter/${token}`
  const terms = `${origin}/me#letter`
  const more = rest > 0 ? texts.more(number(rest)) : undefined
  const named = content.searches.slice(0, maxSearches).map(({ digestId }, index) => ({
    name: searchName(content, index),
    leave: leaving?.oneSearch(digestId),
  }))
  const others = content.searches.length - named.length
  const last = items[0] && wordsOf(items[0], content, at).lines[0]
  return framedMail({
    language,
    name: site,
    subject,
    ...(last !== undefined && { preview: last }),
    body: html`
      ${groups.map(
        ([group, list]) => html`
          <h2 class="soft" style="${mailStyles.part}">${texts.groups[group]}</h2>
          ${list.map((item) => itemHtml(item, content, { at, group, origin }))}
        `,
      )}
      ${more !== undefined && html`<div style="height:18px;line-height:18px"> </div>${mailParagraph(more)}`}
      ${more !== undefined && address !== undefined && mailButton(texts.all(number(count)), address)}
    `,
    foot: html`${mailParagraph(texts.why(person), 'small')}${named.map(({ name, leave }) =>
      mailParagraph(
        html`<bdi>${name}</bdi>${leave !== undefined && html` · ${mailLink(texts.leaveOne, leave)}`}`,
        'small',
      ),
    )}${others > 0 && mailParagraph(texts.others(others), 'small')}${mailParagraph(mailLink(texts.terms, terms), 'small')}${mailParagraph(
      leaving === undefined ? texts.leaveByMail : mailLink(texts.leaveAll, leaving.all),
      'small',
    )}`,
    text: [
      ...groups.flatMap(([group, list]) => [
        `== ${texts.groups[group]} ==`,
        ...list.map((item) => itemText(item, content, { at, origin })),
      ]),
      ...(more === undefined
        ? []
        : [address === undefined ? more : `${more}\n${texts.all(number(count))}: ${address}`]),
      [
        '-- ',
        texts.why(person),
        ...named.map(({ name, leave }) => (leave === undefined ? name : `${name} (${texts.leaveOne}: ${leave})`)),
        ...(others > 0 ? [texts.others(others)] : []),
        `${texts.terms}: ${terms}`,
        leaving === undefined ? texts.leaveByMail : `${texts.leaveAll}: ${leaving.all}`,
      ].join('\n'),
    ],
  })
}

type Group = 'near' | 'later' | 'none' | 'closed'

/** In the order of the items, which are by deadline. */
function groupsOf(items: readonly DigestItem[], at: number): [Group, readonly DigestItem[]][] {
  const groupOf = ({ isClosed, deadline }: DigestItem): Group => {
    if (isClosed) return 'closed'
    if (deadline === undefined) return 'none'
    return Date.parse(deadline) <= at + nearMs ? 'near' : 'later'
  }
  const groups = Map.groupBy(items, groupOf)
  return (['near', 'later', 'none', 'closed'] as const).flatMap((group) => {
    const list = groups.get(group)
    return list ? [[group, list] as [Group, readonly DigestItem[]]] : []
  })
}

/** With its organization where the person has searches of several. */
function searchName({ searches }: DigestContent, index: number): string {
  const { name, organization } = searches[index]!
  return searches.every((each) => each.organization === organization) ? name : `${name} (${organization})`
}

/** Of the searches that found something. */
function subjectNames(content: DigestContent): string {
  const found = new Set([
    ...content.items.flatMap(({ matches = [] }) => matches.map(({ search }) => search)),
    ...(content.rest ?? []).flatMap(({ searches }) => searches),
  ])
  const names = content.searches.map((_, index) => index).filter((index) => found.size === 0 || found.has(index))
  const more = names.length - maxInSubject
  return [
    ...names.slice(0, maxInSubject).map((index) => inSubject(searchName(content, index))),
    ...(more > 0 ? [digestLetterTexts[content.language].andMore(more)] : []),
  ].join(', ')
}

/** The page with everything that this mail brings, for people who sign in. */
const allAddress = ({ editions }: DigestContent, origin: string): string | undefined =>
  editions && `${origin}/me/hits?after=${editions[0]}&to=${editions[1]}`

/** A tender in words: its deadline, and a line each for who and where, what, and why it was found. */
function wordsOf(item: DigestItem, content: DigestContent, at: number) {
  const { language } = content
  const texts = digestLetterTexts[language]
  const {
    title,
    deadline,
    deadlineKind,
    timeZone,
    authority,
    nutsCodes = [],
    cpvCodes = [],
    amount,
    matches = [],
  } = item
  const region = regionOf({ nutsCodes: [...nutsCodes] }, language)
  const trade = tradeOf({ cpvCodes: [...cpvCodes], lots: [] }, language)
  const value = amount && valueText({ contractAmount: amount }, language)
  const joined = (parts: readonly (string | undefined)[]) => parts.filter((each) => each !== undefined).join(' · ')
  return {
    title: title || (item.tenderId === undefined ? texts.gone : texts.untitled),
    deadline:
      deadline === undefined
        ? undefined
        : {
            moment: formatZoned(Date.parse(deadline), knownZone(timeZone), language),
            note: item.isClosed
              ? formatRelative(Date.parse(deadline), at, language)
              : deadlineNote({ at: deadline, kind: deadlineKind ?? null }, at, language),
          },
    lines: [joined([authority, region]), joined([trade, value])].filter((line) => line !== '').map(oneLine),
    reasons: matches.map(({ search, reasons, lines }) => ({
      search: searchName(content, search),
      why: reasonWords(reasons, lines, language),
    })),
  }
}

function reasonWords(
  reasons: NonNullable<DigestItem['matches']>[number]['reasons'],
  lines: readonly string[],
  language: Language,
): string {
  return (reasons?.flatMap((reason) => matchedWords(reason, language) ?? []) ?? lines).map(oneLine).join('; ')
}

/** Undefined for a zone that this machine does not know. */
function knownZone(zone: string | undefined): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone ?? 'UTC' })
    return zone
  } catch {
    return undefined
  }
}

const tenderAddress = ({ tenderId, url }: DigestItem, origin: string): string | undefined =>
  tenderId === undefined ? url : `${origin}/tenders/${tenderId}`

type Place = { readonly at: number; readonly origin: string }

function itemHtml(
  item: DigestItem,
  content: DigestContent,
  { at, group, origin }: Place & { readonly group: Group },
): Html {
  const { title, deadline, lines, reasons } = wordsOf(item, content, at)
  const texts = digestLetterTexts[content.language]
  const address = tenderAddress(item, origin)
  const lang = item.title === '' ? undefined : item.titleLanguage
  const shown = html`<span dir="auto"${lang !== undefined && html` lang="${lang}"`}>${title}</span>`
  const kind = group === 'near' ? ({ class: 'near', style: ';color:#854f06' } as const) : { class: 'soft', style: '' }
  return html`
    <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed"><tr>
      <td class="line" style="border-bottom:1px solid #e3e2dd;padding:14px 0 10px">
        ${
          deadline &&
          html`<p class="${kind.class}" style="${mailStyles.small}${kind.style}"><b>${deadline.moment}</b> · ${deadline.note}</p>`
        }
        <p class="ink" style="${mailStyles.text};margin:0 0 6px;font-size:16px;font-weight:600">
          ${address === undefined ? shown : mailLink(shown, address)}
        </p>
        ${lines.map((line) => mailParagraph(html`<span dir="auto">${line}</span>`, 'small'))}
        ${reasons.map(({ search, why }) =>
          mailParagraph(
            html`${texts.foundBy} <bdi><b>${search}</b></bdi>${why !== '' && html`: <span dir="auto">${why}</span>`}`,
            'small',
          ),
        )}
        ${item.url !== undefined && item.url !== address && mailParagraph(mailLink(texts.notice, item.url), 'small')}
      </td>
    </tr></table>
  `
}

function itemText(item: DigestItem, content: DigestContent, { at, origin }: Place): string {
  const { title, deadline, lines, reasons } = wordsOf(item, content, at)
  const texts = digestLetterTexts[content.language]
  const address = tenderAddress(item, origin)
  return [
    title,
    ...(deadline ? [`${texts.deadline}: ${deadline.moment}, ${deadline.note}`] : []),
    ...lines,
    ...reasons.map(({ search, why }) => `${texts.foundBy} ${search}${why === '' ? '' : `: ${why}`}`),
    ...(address === undefined ? [] : [address]),
    ...(item.url === undefined || item.url === address ? [] : [`${texts.notice}: ${item.url}`]),
  ].join('\n')
}
