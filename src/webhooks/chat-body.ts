// Hits as messages of a chat: what Slack and Teams accept from an incoming webhook. Texts of notices go only into
// members that no chat reads as markup. Pure.
import { type Deadline, firstDeadline, localMinute } from '#flat/record/first-deadline'
import type { HitChange } from '../domain/hit-event.ts'
import type { TenderRecord } from '../domain/tender.ts'

export const chatKinds = ['slack', 'teams'] as const
export type ChatKind = (typeof chatKinds)[number]
export const chatLanguages = ['en', 'de'] as const
type ChatLanguage = (typeof chatLanguages)[number]
export type Chat = { readonly kind: ChatKind; readonly language: ChatLanguage }

/** Published limits: Slack's header, section and button, and a message of Teams. */
export const chatLimits = { slackHeader: 150, slackSection: 3000, slackUrl: 3000, teamsBytes: 28 * 1024 } as const
/** Requests a second that Slack accepts for one webhook. */
export const chatRate = 1

const texts = {
  en: {
    hit: 'New hit',
    changed: 'Changed',
    changes: {
      closed: 'the tender was closed or turned out to be no call',
      merged: 'the tender was merged',
      deadline: 'the deadline changed',
      value: 'the value changed',
    },
    deadline: 'For bids until',
    participation: 'To participate until',
    value: 'Value',
    estimated: 'estimated',
    open: 'Open the tender',
    test: 'This is a test. Hits of saved searches will appear here.',
  },
  de: {
    hit: 'Neuer Treffer',
    changed: 'Geändert',
    changes: {
      closed: 'die Ausschreibung endete oder war kein Aufruf',
      merged: 'die Ausschreibung ging in einer anderen auf',
      deadline: 'die Frist änderte sich',
      value: 'der Wert änderte sich',
    },
    deadline: 'Angebote bis',
    participation: 'Teilnahmeanträge bis',
    value: 'Wert',
    estimated: 'geschätzt',
    open: 'Ausschreibung öffnen',
    test: 'Dies ist ein Test. Hier erscheinen Treffer gespeicherter Suchen.',
  },
} as const satisfies {
  readonly [language in ChatLanguage]: { readonly changes: { readonly [change in HitChange]: string } } & {
    readonly [word: string]: string | object
  }
}

/** The members of a message of webhooks that a chat shows. */
type Message = {
  readonly type: string
  readonly data: {
    readonly search?: { readonly name: string }
    readonly fitScore?: number
    readonly changes?: readonly HitChange[]
    readonly mergedInto?: string
    readonly tender?: TenderRecord
  }
}

type Shown = {
  readonly title: string
  readonly lines: readonly string[]
  readonly link?: { readonly text: string; readonly url: string }
}

/**
 * `body`: a message as endpoints receive it. `pages`: where the pages of tenders are, without a slash at the end;
 * without it there is no button.
 */
export function chatBody({ kind, language }: Chat, body: string, pages: string | undefined): string {
  const shown = shownOf(JSON.parse(body) as Message, language, pages)
  return JSON.stringify(kind === 'slack' ? slackMessage(shown) : teamsMessage(shown))
}

function shownOf({ type, data }: Message, language: ChatLanguage, pages: string | undefined): Shown {
  const words = texts[language]
  const { tender, search, changes, mergedInto } = data
  if (!tender) return { title: 'Tenderstock', lines: [words.test] }
  const what = type === 'search.hit' ? words.hit : words.changed
  const about = changes?.map((change) => words.changes[change]).join(', ')
  const deadline = firstDeadline(tender)
  const { contractingAuthority: buyer, contractAmount: value } = tender
  const lines = [
    [what, search?.name, about].filter(Boolean).join(' · '),
    [buyer?.name, buyer?.city, buyer?.country].filter(Boolean).join(', '),
    deadline && `${deadlineWords(deadline, words)} ${localMinute(deadline.at, tender.timeZone)}`,
    value && `${words.value}: ${amountOf(value, language)}${value.estimated ? ` (${words.estimated})` : ''}`,
  ]
  return {
    title: tender.displayTitle ?? tender.title,
    lines: lines.filter((each): each is string => typeof each === 'string' && each !== ''),
    ...(pages !== undefined && { link: { text: words.open, url: `${pages}/tenders/${mergedInto ?? tender.id}` } }),
  }
}

const deadlineWords = ({ kind }: Deadline, words: (typeof texts)[ChatLanguage]): string =>
  kind === 'participation' ? words.participation : words.deadline

const amountOf = ({ value, currency }: { readonly value: number; readonly currency: string }, language: ChatLanguage) =>
  `${new Intl.NumberFormat(language, { maximumFractionDigits: 0 }).format(value)} ${currency}`

/** One line without what nobody sees, at most so many UTF-16 units. */
function line(text: string, most: number): string {
  const seen = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\s]+/gu, ' ').trim()
  if (seen.length <= most) return seen
  return `${seen.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/** Texts are `plain_text`, in which neither links nor mentions work; the text of notifications is escaped. */
function slackMessage({ title, lines, link }: Shown): object {
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })
  const heading = line(title, chatLimits.slackHeader)
  const facts = lines.map((each) => line(each, 500)).join('\n')
  return {
    text: escaped(`${line(lines[0] ?? '', 200)}: ${heading}`),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(heading) },
      { type: 'section', text: plain(facts.slice(0, chatLimits.slackSection)) },
      ...(link ? [{ type: 'actions', elements: [{ type: 'button', text: plain(link.text), url: link.url }] }] : []),
    ],
  }
}

/** An adaptive card. Texts are runs of a `RichTextBlock`, which reads no Markdown. */
function teamsMessage({ title, lines, link }: Shown): object {
  const block = (text: string, isHeading = false) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...(isHeading && { weight: 'bolder', size: 'medium' }) }],
  })
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [block(line(title, 300), true), ...lines.map((each) => block(line(each, 500)))],
          ...(link && { actions: [{ type: 'Action.OpenUrl', title: link.text, url: link.url }] }),
        },
      },
    ],
  }
}
