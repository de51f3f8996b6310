// An Owner asks for mails about incidents and maintenance, or ends them.
import { inTransaction } from '../../store/database/database.ts'
import { getsStatusMails, setStatusMails } from '../../store/people/status-mails.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { fieldOf } from '../frame/forms.ts'
import { type Html, html } from '../frame/html.ts'
import {
  type PageAnswer,
  PageError,
  type PageRoute,
  type PersonRequest,
  page,
  personPage,
  redirect,
} from '../frame/page.ts'
import { noteBox } from '../frame/parts.ts'
import { statusMailTexts } from './status-mail-texts.ts'

const at = '/me/status-mails'

export const statusMailPages = (context: ConsoleContext): PageRoute[] => [
  personPage('GET', at, (request) => show(context, request)),
  personPage('POST', at, (request) => save(context, request)),
]

const isOwner = ({ viewer }: PersonRequest): boolean => viewer.memberships.some(({ role }) => role === 'owner')

async function show(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const texts = statusMailTexts[request.language]
  return page({
    title: texts.title,
    lead: texts.lead(request.viewer.person.mail),
    actions: html`<a class="btn" href="/status">${texts.seeStatus}</a>`,
    body: await choice(context, request),
  })
}

async function choice({ store, config }: ConsoleContext, request: PersonRequest): Promise<Html> {
  const texts = statusMailTexts[request.language]
  if (!config.mail) return noteBox('info', texts.noServer, texts.noServerDetail)
  if (!isOwner(request)) return noteBox('info', texts.ownersOnly, texts.ownersOnlyDetail)
  const isOn = await getsStatusMails(store.db, request.viewer.person.personId)
  return html`<form method="post" action="${at}" class="stack">
    ${noteBox(isOn ? 'ok' : 'info', isOn ? texts.isOn : texts.isOff, texts.what)}
    <div>
      <button class="${isOn ? 'stop' : 'go'}" name="do" value="${isOn ? 'end' : 'begin'}">${isOn ? texts.end : texts.begin}</button>
    </div>
  </form>`
}

async function save({ store, config }: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const texts = statusMailTexts[request.language]
  const isWanted = fieldOf(request.form, 'do') === 'begin'
  if (isWanted && !config.mail) throw new PageError(409, texts.noServer)
  if (isWanted && !isOwner(request)) throw new PageError(403, texts.ownersOnly)
  await inTransaction(store, (trx) => setStatusMails(trx, request.viewer.person.personId, isWanted))
  return redirect(at, { notice: isWanted ? texts.begun : texts.ended })
}
