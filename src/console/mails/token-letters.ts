// The mails about tokens: made, revoked, about to end. Pure.
import { oneLine } from '../../digests/digest-content.ts'
import type { TokenNewsData, TokenNewsKind } from '../../store/people/token-news.ts'
import { formatDay, formatMoment } from '../frame/format.ts'
import type { Language } from '../frame/languages.ts'
import { inSubject } from './mail-frame.ts'
import { tokenMailTexts } from './token-mail-texts.ts'

/** What a mail says: its parts as plain texts. A paragraph may have several lines. */
export type Letter = {
  readonly subject: string
  readonly paragraphs: readonly string[]
  readonly action?: readonly [text: string, address: string]
  readonly last?: string
  /** Where the person ends mails of this kind. */
  readonly leave?: readonly [text: string, address: string]
}

/** The letter about a token, with a link to the API access page at `origin`. */
export function tokenLetter(kind: TokenNewsKind, data: TokenNewsData, language: Language, origin: string): Letter {
  const texts = tokenMailTexts[language]
  const { subject, body, otherwise } = texts[kind]
  const { organizationId, name, organization, hint, actor, expiresAt } = data
  const who = actor === null || actor === 'operator' ? texts.operator : oneLine(actor)
  const end = expiresAt === null ? undefined : formatDay(expiresAt, language)
  const paragraphs =
    kind === 'tokenEnds' && expiresAt !== null
      ? [body(`${formatMoment(expiresAt, language)} UTC`, hint)]
      : [body(who, hint), ...(kind === 'tokenCreated' && end !== undefined ? [texts.ends(end)] : [])]
  return {
    subject: subject(inSubject(name), inSubject(organization)),
    paragraphs,
    action: [texts.button, `${origin}/o/${organizationId}/settings/api-access`],
    last: otherwise,
  }
}
