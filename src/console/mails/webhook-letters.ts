// The mails about webhook endpoints that fail or were disabled by the service. Pure.
import type { EndpointNewsData } from '../../store/hits/endpoint-news.ts'
import { formatMoment } from '../frame/format.ts'
import type { Language } from '../frame/languages.ts'
import { webhooksTexts } from '../hits/webhooks-texts.ts'
import { inSubject } from './mail-frame.ts'
import { mailTexts } from './mail-texts.ts'
import type { Letter } from './token-letters.ts'

/** The letter about an endpoint, with a link to its page at `origin`. It says what the page says. */
export function webhookLetter(
  { organizationId, organization, endpointId, name, failingSince, why }: EndpointNewsData,
  language: Language,
  origin: string,
): Letter {
  const { fails, disabled, button } = mailTexts[language].webhook
  const texts = webhooksTexts[language]
  const subject = why === null ? fails : disabled
  return {
    subject: subject(inSubject(name), inSubject(organization)),
    paragraphs: [
      ...(failingSince === null ? [] : [`${texts.failingNote(`${formatMoment(failingSince, language)} UTC`)}.`]),
      ...(why === null ? [texts.failingDetail('')] : [texts.why[why as keyof typeof texts.why], texts.disabledDetail]),
    ],
    action: [button, `${origin}/o/${organizationId}/webhooks/${endpointId}`],
  }
}
