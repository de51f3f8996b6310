// What operators publish about an incident: written, changed and ended here, shown on the status page.
import { addIncident, editIncident, endIncident, type IncidentInput, incidentVersion } from '../../actions/incidents.ts'
import { mailDomainOf } from '../../platform/mail-address.ts'
import { inTransaction } from '../../store/database/database.ts'
import { findIncident, type Incident, listIncidents } from '../../store/screens/incidents.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { actingOf, fieldOf, formKey, once } from '../frame/forms.ts'
import { frameTexts } from '../frame/frame-texts.ts'
import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import {
  operatorPage,
  orNotFound,
  type PageAnswer,
  type PageRoute,
  type PersonRequest,
  page,
  redirect,
} from '../frame/page.ts'
import {
  empty,
  field,
  moment,
  noteBox,
  part,
  question,
  quoted,
  state,
  table,
  textArea,
  unseen,
} from '../frame/parts.ts'
import { deskLogTexts } from './desk-log-texts.ts'

const maxShown = 200
const longestTitle = 120
const longestDetail = 4000
const to = '/operator/incidents'

export const incidentPages = (context: ConsoleContext): PageRoute[] => [
  operatorPage('GET', to, (request) => incidentList(context, request)),
  operatorPage('POST', to, (request) => create(context, request)),
  operatorPage('GET', `${to}/:incident`, (request) => changePage(context, request)),
  operatorPage('POST', `${to}/:incident`, (request) => change(context, request)),
  operatorPage('GET', `${to}/:incident/end`, (request) => endPage(context, request)),
  operatorPage('POST', `${to}/:incident/end`, (request) => end(context, request)),
]

const crumbsOf = (language: Language) =>
  [
    [deskLogTexts[language].shared.operator, '/operator'],
    [deskLogTexts[language].pageNames.incidents, to],
  ] as const

/** What was typed into the form of an incident, and what is wrong with it by field. */
type Typed = {
  readonly title: string
  readonly detail: string
  readonly started: string
  readonly startedAt: number
  readonly wrong: { readonly [name: string]: string }
}

function readForm({ form, now, language }: PersonRequest): Typed {
  const texts = deskLogTexts[language]
  const [title, detail, started] = [fieldOf(form, 'title'), fieldOf(form, 'detail'), fieldOf(form, 'started')]
  const shape = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)$/.exec(started)
  const startedAt = started === '' ? now : shape ? Date.parse(`${shape[1]}T${shape[2]}:00Z`) : Number.NaN
  return {
    title: title.slice(0, longestTitle),
    detail: detail.slice(0, longestDetail),
    started,
    startedAt,
    wrong: {
      ...(title === '' && { title: texts.titleNeeded }),
      ...(detail === '' && { detail: texts.textNeeded }),
      ...(!(startedAt <= now) && { started: texts.badTime }),
    },
  }
}

const actingOn = (context: ConsoleContext, request: PersonRequest) => ({
  ...actingOf(context, request),
  mailDomain: mailDomainOf(context.config.mail?.from),
})

const inputOf = ({ title, detail, startedAt }: Typed): IncidentInput => ({ title, detail, startedAt })

const isWrong = ({ wrong }: Typed): boolean => Object.keys(wrong).length > 0

function fieldsOf(typed: Pick<Typed, 'title' | 'detail' | 'started' | 'wrong'>, language: Language): Html {
  const texts = deskLogTexts[language]
  const { title, detail, started, wrong } = typed
  const list = Object.entries(wrong)
  return html`
    ${
      list.length > 0 &&
      noteBox(
        'bad',
        texts.wrong(list.length),
        html`${list.map(([name, sentence]) => html`<a href="#${name}">${sentence}</a> `)}`,
      )
    }
    ${field({
      name: 'title',
      label: texts.title,
      hint: texts.titleHint,
      value: title,
      error: wrong['title'],
      isRequired: true,
      maxLength: longestTitle,
    })}
    ${textArea({
      name: 'detail',
      label: texts.text,
      hint: texts.textHint,
      value: detail,
      error: wrong['detail'],
      isRequired: true,
      maxLength: longestDetail,
      rows: 5,
    })}
    ${field({
      name: 'started',
      label: texts.startedAt,
      hint: texts.startedHint,
      value: started,
      error: wrong['started'],
      maxLength: 16,
    })}
  `
}

async function incidentList(context: ConsoleContext, request: PersonRequest, typed?: Typed): Promise<PageAnswer> {
  const { language } = request
  const texts = deskLogTexts[language]
  const incidents = await listIncidents(context.store.db, 0, maxShown)
  return page({
    title: texts.pageNames.incidents,
    current: to,
    lead: texts.incidentsLead,
    actions: html`<a class="btn" href="/status">${texts.seeStatus}</a>`,
    ...(typed && { status: 422 }),
    body: html`${incidents.length === 0 ? empty(texts.none, texts.noneBody) : incidentTable(incidents, language)}
${part(
  texts.create,
  html`<form method="post" action="${to}" class="stack">
    ${formKey(context)}
    ${fieldsOf(typed ?? { title: '', detail: '', started: '', wrong: {} }, language)}
    <div><button class="go">${texts.createButton}</button></div>
  </form>`,
)}`,
  })
}

function incidentTable(incidents: readonly Incident[], language: Language): Html {
  const texts = deskLogTexts[language]
  return table({
    caption: texts.pageNames.incidents,
    columns: [texts.title, texts.began, texts.ended, unseen(texts.shared.change)],
    rows: incidents.map(({ incidentId, title, detail, startedAt, endedAt, createdBy }) => [
      html`${quoted(title)}<br><span class="soft">${quoted(detail)}</span><br><span class="soft small">${quoted(texts.by(createdBy))}</span>`,
      moment(startedAt, language),
      endedAt === undefined
        ? state('bad', texts.shared.goesOn)
        : html`${state('good', texts.shared.over)} ${moment(endedAt, language)}`,
      html`<span class="row">
        <a class="btn tiny" href="${to}/${incidentId}">${texts.shared.change}</a>
        ${endedAt === undefined && html`<a class="btn tiny stop" href="${to}/${incidentId}/end">${texts.end}…</a>`}
      </span>`,
    ]),
  })
}

async function create(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const typed = readForm(request)
  if (isWrong(typed)) return incidentList(context, request, typed)
  await once(context, request, (trx) => addIncident(trx, actingOn(context, request), inputOf(typed)))
  return redirect(to, { notice: deskLogTexts[request.language].created })
}

/** The incident in the path. Throws PageError 404. */
async function incidentIn({ store }: ConsoleContext, { params, language }: PersonRequest): Promise<Incident> {
  return orNotFound(await findIncident(store.db, params['incident'] ?? ''), frameTexts[language].noPage)
}

async function changePage(
  context: ConsoleContext,
  request: PersonRequest,
  typed?: Typed & { readonly isLate?: boolean },
): Promise<PageAnswer> {
  const { language } = request
  const texts = deskLogTexts[language]
  const incident = await incidentIn(context, request)
  const started = new Date(incident.startedAt).toISOString().slice(0, 16).replace('T', ' ')
  return page({
    title: texts.changeTitle,
    crumbs: crumbsOf(language),
    current: to,
    ...(typed && { status: typed.isLate ? 409 : 422 }),
    body: html`
      ${typed?.isLate && noteBox('bad', texts.elsewhere, texts.shared.elsewhereDetail)}
      <form method="post" action="${to}/${incident.incidentId}" class="stack">
        <input type="hidden" name="was" value="${incidentVersion(incident)}">
        ${fieldsOf(typed ?? { title: incident.title, detail: incident.detail, started, wrong: {} }, language)}
        <div class="row">
          <button class="go">${texts.shared.save}</button>
          <a href="${to}">${texts.shared.cancel}</a>
        </div>
      </form>
    `,
  })
}

async function change(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const typed = readForm(request)
  if (isWrong(typed)) return changePage(context, request, typed)
  const { incidentId } = await incidentIn(context, request)
  const change = { incidentId, seen: fieldOf(request.form, 'was'), input: inputOf(typed) }
  const outcome = await inTransaction(context.store, (trx) => editIncident(trx, actingOn(context, request), change))
  if (outcome.kind === 'stale') return changePage(context, request, { ...typed, isLate: true })
  return redirect(to, { notice: deskLogTexts[request.language].changed })
}

async function endPage(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const texts = deskLogTexts[request.language]
  const { incidentId, title } = await incidentIn(context, request)
  return page({
    title: texts.endTitle,
    crumbs: crumbsOf(request.language),
    current: to,
    body: question({
      action: `${to}/${incidentId}/end`,
      body: html`<p>${texts.endBody(title)}</p>`,
      button: texts.end,
      cancel: [texts.shared.cancel, to],
    }),
  })
}

async function end(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const texts = deskLogTexts[request.language]
  const { incidentId } = await incidentIn(context, request)
  const hasEnded = await inTransaction(context.store, (trx) => endIncident(trx, actingOn(context, request), incidentId))
  return redirect(to, { notice: hasEnded ? texts.endedNotice : texts.notOpen })
}
