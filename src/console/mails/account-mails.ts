// The mails of the console about accounts: what each kind needs, and how it looks as text and as HTML. Pure, except for
// the queue.
import { oneLine, paragraphsOf } from '../../digests/digest-content.ts'
import type { RenderedMail } from '../../digests/send-mails.ts'
import { usualName } from '../../platform/config.ts'
import type { Executor } from '../../store/database/database.ts'
import type { LettersEndedData } from '../../store/hits/digest-news.ts'
import type { EndpointNewsData, EndpointNewsKind } from '../../store/hits/endpoint-news.ts'
import { insertMail } from '../../store/people/mails.ts'
import type { Role } from '../../store/people/people.ts'
import type { QuoteInput } from '../../store/people/quotes.ts'
import type { StatusNewsData } from '../../store/people/status-mails.ts'
import type { TokenNewsData, TokenNewsKind } from '../../store/people/token-news.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatMoment } from '../frame/format.ts'
import { html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { framedMail, inLines, inSubject, mailButton, mailLink, mailParagraph } from './mail-frame.ts'
import { mailTexts } from './mail-texts.ts'
import { statusLetter } from './status-letters.ts'
import { type Letter, tokenLetter } from './token-letters.ts'
import { webhookLetter } from './webhook-letters.ts'

/**
 * What is stored for each kind until it is sent: never a key. A new kind needs an entry here, in `letters` and in the
 * texts.
 */
type MailKinds = { readonly [kind in TokenNewsKind]: TokenNewsData } & {
  readonly [kind in EndpointNewsKind]: EndpointNewsData
} & {
  /** A sign-in link for the owner of the address; unknown addresses receive none. `return`: a path of the console. */
  readonly signIn: { readonly return: string }
  readonly invitation: {
    readonly invitationId: string
    readonly organization: string
    readonly invitedBy: string
    readonly role: Role
  }
  /** To Owners: mails with hits ended, because there is no such recipient. */
  readonly lettersEnded: LettersEndedData
  /** To operators: a company asked. All of it is what a stranger wrote. */
  readonly quoteAsked: QuoteInput & { readonly quoteId: string }
  readonly statusNews: StatusNewsData
  /** `at`: epoch milliseconds. */
  readonly passkeyBlocked: { readonly name: string; readonly at: number; readonly addressPrefix: string }
}
type Kind = keyof MailKinds

/** A waiting mail, in JSON. */
export type AccountMail = {
  readonly [kind in Kind]: { readonly kind: kind; readonly language: Language; readonly data: MailKinds[kind] }
}[Kind]

/** Where a letter leads: to the console at `origin`, with the key created for it. */
type Where = {
  readonly origin: string
  readonly key: string
  /** Of the service; absent: `usualName`. */
  readonly name?: string
  /** Where one click ends mails of a kind that a person asked for. */
  readonly leave?: string | undefined
}

const letters: { readonly [kind in Kind]: (data: MailKinds[kind], language: Language, where: Where) => Letter } = {
  lettersEnded: ({ organizationId, organization, person, error }, language, { origin }) => {
    const texts = mailTexts[language].lettersEnded
    return {
      subject: texts.subject(inSubject(person), inSubject(organization)),
      paragraphs: [texts.body(oneLine(error)), texts.doNow],
      action: [texts.button, `${origin}/o/${organizationId}/digests`],
    }
  },
  signIn: (data, language, { origin, key, name = usualName }) => {
    const texts = mailTexts[language].signIn
    const query = data.return === '/' ? '' : `?return=${encodeURIComponent(data.return)}`
    return {
      subject: texts.subject(name),
      paragraphs: [texts.body],
      action: [texts.button, `${origin}/sign-in/link/${key}${query}`],
      last: texts.otherwise,
    }
  },
  invitation: (data, language, { origin, key, name = usualName }) => {
    const texts = mailTexts[language].invitation
    const organization = oneLine(data.organization)
    return {
      subject: texts.subject(inSubject(organization), name),
      paragraphs: [texts.body(oneLine(data.invitedBy), organization, data.role === 'owner'), texts.once],
      action: [texts.button, `${origin}/invitation/${key}`],
      last: texts.otherwise,
    }
  },
  passkeyBlocked: ({ name, at, addressPrefix }, language, { origin }) => {
    const texts = mailTexts[language].passkeyBlocked
    return {
      subject: texts.subject(inSubject(name)),
      paragraphs: [texts.body(formatMoment(at, language), addressPrefix), texts.doNow],
      action: [texts.button, `${origin}/me`],
    }
  },
  quoteAsked: (data, language, { origin }) => {
    const texts = mailTexts[language].quoteAsked
    return {
      subject: texts.subject(inSubject(data.company)),
      paragraphs: [
        texts.body(oneLine(data.name), oneLine(data.company), oneLine(data.mail)),
        ...(data.needs.length === 0
          ? []
          : [`${texts.needs} ${data.needs.map((need) => texts.need[need]).join(', ')}.`]),
        ...paragraphsOf(data.message),
      ],
      action: [texts.button, `${origin}/operator/quotes/${data.quoteId}`],
      last: texts.otherwise,
    }
  },
  statusNews: statusLetter,
  tokenCreated: (data, language, { origin }) => tokenLetter('tokenCreated', data, language, origin),
  tokenRevoked: (data, language, { origin }) => tokenLetter('tokenRevoked', data, language, origin),
  tokenEnds: (data, language, { origin }) => tokenLetter('tokenEnds', data, language, origin),
  webhookFails: (data, language, { origin }) => webhookLetter(data, language, origin),
  webhookDisabled: (data, language, { origin }) => webhookLetter(data, language, origin),
}

/** Writes a mail. `key` ends its link; empty for a kind without one. */
export function renderAccountMail({ kind, language, data }: AccountMail, where: Where): RenderedMail {
  const write = letters[kind] as (data: MailKinds[Kind], language: Language, where: Where) => Letter
  const { subject, paragraphs, action, last, leave } = write(data, language, where)
  const sentBy = mailTexts[language].sentBy(where.name ?? usualName, where.origin)
  const mail = framedMail({
    language,
    name: where.name ?? usualName,
    subject,
    body: html`${paragraphs.map((text) => mailParagraph(inLines(text)))}${
      action && html`${mailButton(...action)}${mailParagraph(mailLink(action[1], action[1]), 'address')}`
    }${last !== undefined && mailParagraph(last, 'small')}`,
    foot: html`${leave && mailParagraph(mailLink(...leave), 'small')}${mailParagraph(sentBy, 'small')}`,
    text: [
      ...paragraphs,
      ...(action ? [`${action[0]}: ${action[1]}`] : []),
      ...(last === undefined ? [] : [last]),
      `-- \n${leave ? `${leave[0]}: ${leave[1]}\n` : ''}${sentBy}`,
    ],
  })
  return where.leave === undefined ? mail : { ...mail, unsubscribeUrl: where.leave }
}

/** Queues a mail, if mails are sent: later it would be out of date. Call it in the transaction of its cause. */
export async function queueAccountMail(
  trx: Executor,
  { random, config, origin }: Pick<ConsoleContext, 'random' | 'config' | 'origin'>,
  { to, mail, now }: { readonly to: string; readonly mail: AccountMail; readonly now: number },
): Promise<void> {
  if (!config.mail) return
  const domain = config.mail.from.split('@')[1] ?? new URL(origin).hostname
  await insertMail(trx, {
    messageId: `<${random.uuid()}@${domain}>`,
    person: to,
    content: JSON.stringify(mail),
    now,
  })
}
