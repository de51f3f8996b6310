// The mails with hits that a person receives, on the page of their own settings: when they come, and in which language.
import { editDigest, startDigest } from '../../actions/digests.ts'
import { inTransaction } from '../../store/database/database.ts'
import { type Digest, digestsOf } from '../../store/hits/digests.ts'
import { isMailProven } from '../../store/people/people.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { actingOf } from '../frame/forms.ts'
import { type Html, html } from '../frame/html.ts'
import { type PageAnswer, PageError, type PersonRequest, redirect } from '../frame/page.ts'
import { moment, noteBox, part } from '../frame/parts.ts'
import type { FieldErrors } from '../hits/criteria.ts'
import { readTerms, type TermsForm, termFields, termsForm, termsSent } from '../hits/digest-terms.ts'
import { meTexts } from './me-texts.ts'

/** The form as it was sent, and what is wrong with it. */
export type LetterSent = { readonly form: TermsForm; readonly errors: FieldErrors }

/** Undefined: the person receives no mails with hits. */
export async function letterPart(
  { store }: ConsoleContext,
  { viewer, language }: PersonRequest,
  sent: LetterSent | undefined,
): Promise<Html | undefined> {
  const texts = meTexts[language]
  const [first, ...others] = (await digestsOf(store.db, viewer.person.mail)).filter(({ search }) => search !== null)
  if (!first) return undefined
  const isProven = await isMailProven(store.db, viewer.person.personId)
  const { form, errors } = sent ?? { form: termsForm(first), errors: new Map<string, string>() }
  const names = [first, ...others].map(
    ({ search, organization }) => html`<li><bdi>${search}</bdi> · <bdi>${organization}</bdi></li>`,
  )
  return html`<div id="letter">${part(
    texts.letter,
    html`<ul>${names}</ul>${
      isProven
        ? html`${stateOf(first, language)}${letterForm(form, errors, language)}`
        : noteBox('warn', texts.letterUnproven, texts.letterUnprovenDetail)
    }`,
    texts.letterHint,
  )}</div>`
}

function stateOf({ endedAt, rhythm, dueAt }: Digest, language: PersonRequest['language']): Html | false {
  const texts = meTexts[language]
  if (endedAt === null) return rhythm !== 'atOnce' && html`<p>${texts.letterNext} ${moment(dueAt, language)}</p>`
  return html`${noteBox('bad', texts.letterEnded, texts.letterEndedDetail)}
    <form method="post" action="/me/letter/start"><button class="go">${texts.letterStart}</button></form>`
}

function letterForm(form: TermsForm, errors: FieldErrors, language: PersonRequest['language']): Html {
  return html`<form class="stack" method="post" action="/me/letter" novalidate>
    ${termFields(form, errors, language, { prefix: 'letter-' })}
    <div><button class="go">${meTexts[language].shared.save}</button></div>
  </form>`
}

/** One of the person's digests: it stands for all. */
async function ownDigest({ store }: ConsoleContext, { viewer, language }: PersonRequest): Promise<string> {
  const [digest] = await digestsOf(store.db, viewer.person.mail)
  if (!digest || !(await isMailProven(store.db, viewer.person.personId)))
    throw new PageError(404, meTexts[language].noLetter)
  return digest.digestId
}

/** What was sent, if it cannot be saved. */
export async function saveLetter(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer | LetterSent> {
  const { language } = request
  const digestId = await ownDigest(context, request)
  const form = termsSent(request)
  const errors = new Map<string, string>()
  const terms = readTerms(form, errors, language)
  if (errors.size > 0) return { form, errors }
  const outcome = await inTransaction(context.store, (trx) =>
    editDigest(trx, actingOf(context, request), digestId, terms),
  )
  const { shared, letterSaved } = meTexts[language]
  return redirect('/me', { notice: outcome.kind === 'edited' ? letterSaved : shared.nothingChanged })
}

export async function startLetter(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const digestId = await ownDigest(context, request)
  const outcome = await inTransaction(context.store, (trx) => startDigest(trx, actingOf(context, request), digestId))
  const { shared, letterStarted } = meTexts[request.language]
  return redirect('/me', { notice: outcome.kind === 'started' ? letterStarted : shared.nothingChanged })
}
