// The mails of the console about accounts: what each kind needs, and how it reads as text and as HTML. Pure, but for the queue.
import { oneLine } from '../digests/digest-content.ts'
import type { RenderedMail } from '../digests/send-mails.ts'
import type { Executor } from '../store/database.ts'
import { insertMail } from '../store/mails.ts'
import type { Role } from '../store/people.ts'
import { formatMoment } from './format.ts'
import { html } from './html.ts'
import type { ConsolePlace } from './place.ts'
import type { Language } from './text/languages.ts'
import { mailTexts } from './text/mail-texts.ts'

/** What is stored of each kind until it is sent: never a key. A new kind needs an entry here, in `letters` and in the texts. */
type MailKinds = {
  /** A link to sign in, for whoever has the address; nobody gets one that is unknown. `return`: a path of the console. */
  readonly 'sign-in': { readonly return: string }
  readonly invitation: {
    readonly invitationId: string
    readonly organization: string
    readonly invitedBy: string
    readonly role: Role
  }
  readonly 'token-created': TokenFacts
  readonly 'token-revoked': TokenFacts
  /** `days`: before its end. */
  readonly 'token-ends': TokenFacts
}
type Kind = keyof MailKinds

/** A token as its Owners read of it; never the token. Times in epoch milliseconds. */
type TokenFacts = {
  readonly organizationId: string
  readonly organization: string
  readonly name: string
  readonly hint: string
  /** A mail address, or `operator`; null: nobody. */
  readonly actor: string | null
  readonly days: number | null
  readonly expiresAt: number | null
  readonly lastUsedAt: number | null
}

/** A mail as it waits, in JSON; without a language it is in English. */
export type AccountMail = {
  readonly [kind in Kind]: { readonly kind: kind; readonly language: Language | null; readonly data: MailKinds[kind] }
}[Kind]

type Letter = {
  readonly subject: string
  readonly paragraphs: readonly string[]
  readonly action?: readonly [text: string, address: string]
  readonly last?: string
}

/** Where a letter leads: to the console at `origin`, with the key that was made for it. */
type Where = { readonly origin: string; readonly key: string }

const letters: { readonly [kind in Kind]: (data: MailKinds[kind], language: Language, where: Where) => Letter } = {
  'sign-in': (data, language, { origin, key }) => {
    const texts = mailTexts[language].signIn
    const query = data.return === '/' ? '' : `?return=${encodeURIComponent(data.return)}`
    return {
      subject: texts.subject,
      paragraphs: [texts.body],
      action: [texts.button, `${origin}/sign-in/link/${key}${query}`],
      last: texts.otherwise,
    }
  },
  invitation: (data, language, { origin, key }) => {
    const texts = mailTexts[language].invitation
    const organization = oneLine(data.organization)
    return {
      subject: texts.subject(organization),
      paragraphs: [texts.body(oneLine(data.invitedBy), organization, data.role === 'owner'), texts.once],
      action: [texts.button, `${origin}/invitation/${key}`],
      last: texts.otherwise,
    }
  },
  'token-created': (data, language, where) => tokenLetter('created', data, language, where),
  'token-revoked': (data, language, where) => tokenLetter('revoked', data, language, where),
  'token-ends': (data, language, where) => tokenLetter('ends', data, language, where),
}

function tokenLetter(
  what: 'created' | 'revoked' | 'ends',
  data: TokenFacts,
  language: Language,
  { origin }: Where,
): Letter {
  const texts = mailTexts[language].token
  const { days, expiresAt, lastUsedAt, hint } = data
  const [name, organization] = [oneLine(data.name), oneLine(data.organization)]
  const actor = data.actor === null ? '' : data.actor === 'operator' ? texts.operator : oneLine(data.actor)
  const when = (at: number | null) => (at === null ? undefined : formatMoment(at, language))
  return {
    subject: texts.subjects[what](name, organization, days ?? 0),
    paragraphs: [texts.bodies[what](name, hint, organization, actor), texts.facts(when(expiresAt), when(lastUsedAt))],
    action: [texts.button, `${origin}/o/${data.organizationId}/settings/api-access`],
    last: texts.next[what],
  }
}

/** Writes a mail. `key`: what its link ends with; empty for a kind without one. */
export function renderAccountMail({ kind, language: wished, data }: AccountMail, where: Where): RenderedMail {
  const language = wished ?? 'en'
  const write = letters[kind] as (data: MailKinds[Kind], language: Language, where: Where) => Letter
  const { subject, paragraphs, action, last } = write(data, language, where)
  const sentBy = mailTexts[language].sentBy(where.origin)
  const blocks = [...paragraphs, ...(action ? [action[1]] : []), ...(last === undefined ? [] : [last]), '--', sentBy]
  const document = html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${subject}</title></head><body>
<h1>${subject}</h1>
${paragraphs.map((text) => html`<p>${text}</p>\n`)}${action && html`<p><a href="${action[1]}">${action[0]}</a></p>\n<p>${action[1]}</p>\n`}${last !== undefined && html`<p>${last}</p>\n`}<hr>
<p>${sentBy}</p>
</body></html>
`
  return { subject: oneLine(subject), text: `${blocks.join('\n\n')}\n`, html: document.text }
}

/** Queues a mail to an address. Call it in the transaction of its cause. */
export async function queueAccountMail(
  trx: Executor,
  { random }: Pick<ConsolePlace, 'random'>,
  { to, mail, now }: { readonly to: string; readonly mail: AccountMail; readonly now: number },
): Promise<void> {
  await insertMail(trx, { messageId: random.uuid(), person: to, content: JSON.stringify(mail), now })
}
