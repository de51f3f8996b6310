// The mails about incidents and maintenance, to Owners who want them. Pure.
import { oneLine, paragraphsOf } from '../../digests/digest-content.ts'
import type { StatusNewsData } from '../../store/people/status-mails.ts'
import { formatMoment } from '../frame/format.ts'
import type { Language } from '../frame/languages.ts'
import { mailTexts } from './mail-texts.ts'
import type { Letter } from './token-letters.ts'

/** The letter, with a link to the status at `origin`; `leave`: where one click ends these mails. */
export function statusLetter(
  data: StatusNewsData,
  language: Language,
  { origin, leave = `${origin}/me/status-mails` }: { readonly origin: string; readonly leave?: string | undefined },
): Letter {
  const texts = mailTexts[language].status
  const utc = (at: number) => `${formatMoment(at, language)} UTC`
  const close = { action: [texts.button, `${origin}/status`], last: texts.why, leave: [texts.leave, leave] } as const
  if (data.about === 'maintenance')
    return {
      ...close,
      subject: texts.maintenance[data.event],
      paragraphs: [texts.maintenanceBody[data.event](utc(data.until))],
    }
  const { event, incidentId, title, detail, startedAt, at } = data
  return {
    ...close,
    subject: texts.incident[event](oneLine(title)),
    paragraphs: [
      event === 'ended' ? texts.over(utc(startedAt), utc(at)) : texts.since(utc(startedAt)),
      ...paragraphsOf(detail),
    ],
    action: [texts.button, `${origin}/status#incident-${incidentId}`],
  }
}
