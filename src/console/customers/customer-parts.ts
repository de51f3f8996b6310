// Parts of the operator's pages on organizations: a customer's state, tokens' hints, the link of an invitation.
import type { Customer } from '../../store/people/customers.ts'
import { formatDay, formatMoment } from '../frame/format.ts'
import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { part, type State, state, table } from '../frame/parts.ts'
import { customerTexts } from './customer-texts.ts'

export type CustomerState = 'open' | 'planned' | 'ended' | 'closed' | 'none'

/** State of a customer. */
export function stateOf(
  { hasApiAccess, startsAt, endedAt }: Pick<Customer, 'hasApiAccess' | 'startsAt' | 'endedAt'>,
  now: number,
): CustomerState {
  if (hasApiAccess) return 'open'
  if (startsAt === null) return 'none'
  if (endedAt !== null) return 'ended'
  return startsAt > now ? 'planned' : 'closed'
}

export const stateKinds: { readonly [state in CustomerState]: State } = {
  open: 'good',
  planned: 'planned',
  ended: 'closed',
  closed: 'held',
  none: 'closed',
}

export function stateWord(customer: Customer, now: number, language: Language): Html {
  const kind = stateOf(customer, now)
  return state(stateKinds[kind], customerTexts[language].states[kind])
}

export function contractEnd({ startsAt, endsAt }: Customer, language: Language): string {
  if (startsAt === null) return '–'
  return endsAt === null ? customerTexts[language].noEnd : formatDay(endsAt - 1, language)
}

export function lastUse({ tokens }: Customer, language: Language): string {
  const last = Math.max(0, ...tokens.map(({ lastUsedAt }) => lastUsedAt ?? 0))
  return last === 0 ? customerTexts[language].shared.never : formatMoment(last, language)
}

export function tokensPart({ tokens }: Customer, language: Language): Html {
  const texts = customerTexts[language]
  const list =
    tokens.length === 0
      ? html`<p class="soft">${texts.noTokens}</p>`
      : table({
          caption: texts.shared.tokens,
          columns: [texts.shared.name, texts.shared.token, texts.lastUse],
          rows: tokens.map(({ name, hint, lastUsedAt }) => [
            name,
            html`<code>${hint}</code>`,
            lastUsedAt === null ? texts.shared.never : formatMoment(lastUsedAt, language),
          ]),
        })
  return part(texts.shared.tokens, list, texts.operatorOnly)
}
