// The explorer: a form of all parameters, the request as people would write it, and the answer of the API itself.
import { listParameters, type Parameter, parseListQuery } from '../../api/parameters/parameters.ts'
import { type CodeKind, codeKinds } from '../../domain/code-labels.ts'
import { minuteMs } from '../../domain/time.ts'
import { codePicker, hasOpenWords, type Picked, pickedOf } from '../codes/code-picker.ts'
import { AttemptLimit } from '../frame/attempt-limit.ts'
import type { ConsoleContext, ExplorerAnswer, ExplorerStock } from '../frame/console-context.ts'
import { formatDay, formatNumber } from '../frame/format.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import {
  askAgainSeconds,
  type PageAnswer,
  PageError,
  type PageRequest,
  type PageRoute,
  page,
  publicPage,
} from '../frame/page.ts'
import { code, empty, field, more, noteBox, part, select, state, table } from '../frame/parts.ts'
import { exampleLanguages, exampleNames, requestExample } from '../frame/request-examples.ts'
import { explorerTexts } from './explorer-texts.ts'

/** Maximum number of characters of an answer on the page. */
const maxLetters = 250_000
/** Maximum number of records that are counted for a page. */
const maxCounted = 10_000
const pageSize = 100

/** Maximum number of requests per minute from one network to samples. */
const maxSampleRequests = 120

/** Which stock answers, and the sentence that says so. */
type Explored = Pick<ExplorerStock, 'editions' | 'ask'> & { readonly stamp: Html }

/** What the form says. */
type Asked = {
  readonly picked: { readonly [kind in CodeKind]: Picked }
  /** Of the request, and the id of one record. */
  readonly parameters: URLSearchParams
  readonly id: string
}

export const explorerPages = (context: ConsoleContext): PageRoute[] => {
  const limit = new AttemptLimit(maxSampleRequests, minuteMs)
  return [publicPage('GET', '/explorer', (request) => answerOf(context, limit, request))]
}

async function answerOf(context: ConsoleContext, limit: AttemptLimit, request: PageRequest): Promise<PageAnswer> {
  const { language, query } = request
  const texts = explorerTexts[language]
  const head = { title: texts.pageNames.explorer, description: texts.lead, lead: texts.lead }
  const asked = askedIn(query)
  // first somebody says which codes are meant
  const isAsked = query.has('ask') && !codeKinds.some((kind) => hasOpenWords(kind, asked.picked[kind]))
  const stock = liveOf(context, request) ?? context.samples()
  if (stock === 'making' || stock === 'failed') {
    const again = stock === 'making' && { refreshSeconds: askAgainSeconds }
    return page({ ...head, ...again, body: withoutSamples(stock, request) })
  }
  const isSamples = 'isFrozen' in stock
  if (isSamples && isAsked && !limit.take(request.addressPrefix, request.now)) throw new PageError(429, texts.tooMany)
  const explored: Explored = isSamples ? { ...stock, stamp: stampOf(stock, request) } : stock
  const path = pathOf(asked)
  const answer = isAsked ? await explored.ask(path.slice('/v1'.length)).catch(() => 'none' as const) : undefined
  return page({
    ...head,
    scripts: ['suggest'],
    body: html`
      <p class="stamp">${explored.stamp}</p>
      <div class="docs x">
        ${form(request, asked)}
        <div class="stack gap">
          ${requestPart(context, request, { asked, isAsked, path })}
          ${
            answer === 'none'
              ? noteBox('bad', texts.noAnswer)
              : answer && answerPart(explored, request, { asked, answer })
          }
        </div>
      </div>
    `,
  })
}

function withoutSamples(why: 'making' | 'failed', { language, viewer }: PageRequest): Html {
  const texts = explorerTexts[language]
  const signIn = !viewer && html`<a class="btn" href="/sign-in?return=/explorer">${texts.shared.signIn}</a>`
  if (why === 'failed') return empty(texts.failed, texts.failedDetail, signIn)
  return empty(
    texts.making,
    texts.makingDetail,
    html`<p class="row"><a class="btn" href="/explorer">${texts.shared.checkAgain}</a>${signIn}</p>`,
  )
}

/** The live stock, for an organization with API access. */
function liveOf(
  { hasSamples, editions, explore }: ConsoleContext,
  { viewer, language }: PageRequest,
): Explored | undefined {
  const own = viewer?.memberships.find((membership) => membership.hasAccessArea)
  if (!own || hasSamples) return undefined
  return {
    editions,
    ask: (path) => explore(own.organizationId, path),
    stamp: html`${explorerTexts[language].live(own.name)}`,
  }
}

function stampOf({ isFrozen, editions }: ExplorerStock, { viewer, language }: PageRequest): Html {
  const texts = explorerTexts[language]
  const { newest } = editions
  if (!isFrozen || !newest) return html`<b>${texts.samples}</b> ${texts.samplesDetail}`
  const detail = texts.frozenDetail(formatNumber(newest.records, language), formatDay(newest.publishedAt, language))
  return html`<b>${texts.frozen}</b> ${detail} ${viewer ? texts.needsAccess : html`<a href="/sign-in?return=/explorer">${texts.signInForLive}</a>`}`
}

function askedIn(query: URLSearchParams): Asked {
  // as the address has them: a code that the API refuses is shown with its reason
  const picked = { cpv: pickedOf(query, 'cpv', 'cpv', listOf), nuts: pickedOf(query, 'nuts', 'nuts', listOf) }
  const parameters = new URLSearchParams()
  for (const { name, isList } of listParameters) {
    const values = query.getAll(name).flatMap((value) => (value.trim() === '' ? [] : [value.trim()]))
    const kind = kindOf(name)
    const items = kind ? picked[kind].codes : values.flatMap(listOf)
    const value = isList ? items.join(',') : (values[0] ?? '')
    if (value !== '') parameters.set(name, value)
  }
  return { picked, parameters, id: (query.get('id') ?? '').trim() }
}

/** Of a parameter that takes codes. */
const kindOf = (name: string): CodeKind | undefined => codeKinds.find((each) => each === name)

/** The items of a list, with spaces between them as people write them. */
const listOf = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean)

/** The path of the request that the form describes, from `/v1` on. */
function pathOf({ parameters, id }: Asked): string {
  if (id !== '') return `/v1/tenders/${encodeURIComponent(id)}`
  const text = parameters.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')
  return `/v1/tenders${text === '' ? '' : `?${text}`}`
}

/** The address of the page that says the same. */
function addressOf({ parameters, id }: Asked, rest: { readonly [name: string]: string | false }): string {
  const same = new URLSearchParams(parameters)
  if (id !== '') same.set('id', id)
  for (const [name, value] of Object.entries(rest)) if (value !== false) same.set(name, value)
  return `/explorer?${same.toString()}`
}

function form({ query, language }: PageRequest, { picked, parameters, id }: Asked): Html {
  const texts = explorerTexts[language]
  const meaning = ({ description }: Parameter): Html =>
    html`<details class="more"><summary>${texts.meaning}</summary><span lang="en">${description}</span></details>`
  const picker = (parameter: Parameter, kind: CodeKind): Html =>
    html`<div>${codePicker({ kind, name: kind, legend: kind, picked: picked[kind], action: '/explorer', language })}${meaning(parameter)}</div>`
  const archived = select({
    name: 'archived',
    label: 'archived',
    value: query.get('archived') ?? '',
    choices: [
      ['', '–'],
      ['true', 'true'],
      ['false', 'false'],
    ],
  })
  const input = (parameter: Parameter): Content => {
    const { name, schema, examples } = parameter
    const kind = kindOf(name)
    if (kind) return picker(parameter, kind)
    if (name === 'archived') return archived
    return field({
      name,
      label: name,
      value: parameters.get(name) ?? '',
      placeholder: decodeURIComponent(Object.values(examples)[0] ?? ''),
      hint: meaning(parameter),
      ...(schema && name === 'limit' && { type: 'number' as const, min: 1, max: 100 }),
    })
  }
  // the invisible first button receives Enter in any field
  return html`<form method="get" action="/explorer" class="stack" aria-label="${texts.filters}">
    <button class="hide" name="ask" value="1" tabindex="-1" aria-hidden="true">${texts.ask}</button>
    ${listParameters.map(input)}
    ${field({ name: 'id', label: texts.record, value: id, hint: texts.recordHint })}
    <div class="act">
      <button class="go" name="ask" value="1">${texts.ask}</button>
      <a class="btn bare" href="/explorer">${texts.clear}</a>
    </div>
  </form>`
}

function requestPart(
  { apiAddress }: ConsoleContext,
  { language, query }: PageRequest,
  { asked, isAsked, path }: { readonly asked: Asked; readonly isAsked: boolean; readonly path: string },
): Html {
  const texts = explorerTexts[language]
  const chosen = exampleLanguages.find((each) => each === query.get('as')) ?? 'curl'
  const tabs = exampleLanguages.map(
    (each) =>
      html`<a href="${addressOf(asked, { ask: isAsked && '1', as: each })}"${each === chosen && html` aria-current="true"`}>${exampleNames[each]}</a>`,
  )
  return part(
    texts.shared.request,
    code({
      id: 'request',
      text: requestExample(chosen, apiAddress, path),
      caption: html`<nav class="tabs" aria-label="${texts.language}">${tabs}</nav>`,
      copy: [texts.shared.copy, texts.shared.copied],
    }),
    texts.token,
  )
}

function answerPart(
  { editions }: Explored,
  { language, query }: PageRequest,
  { asked, answer }: { readonly asked: Asked; readonly answer: ExplorerAnswer },
): Html {
  const texts = explorerTexts[language]
  const text = pretty(answer.body)
  const isWell = answer.status < 400
  const isList = isWell && asked.id === ''
  const cursor = isList ? nextCursor(answer.body) : undefined
  const count = isList ? countOf(editions, asked) : undefined
  const next = cursor && addressOf(asked, { cursor, ask: '1', as: query.get('as') ?? false })
  return html`${part(
    texts.shared.answer,
    html`
      <p class="row">
        ${state(isWell ? 'good' : 'bad', String(answer.status))}
        ${count !== undefined && html`<span>${texts.found(formatNumber(count, language), count === maxCounted)}</span>`}
        ${next && html`<a class="btn tiny" href="${next}">${texts.next}</a>`}
      </p>
      ${code({
        id: 'answer',
        text: text.slice(0, maxLetters),
        caption: 'JSON',
        copy: [texts.shared.copy, texts.shared.copied],
      })}
      ${
        text.length > maxLetters &&
        html`<p class="soft small">${texts.shortened(formatNumber(text.length, language))}</p>`
      }
    `,
  )}${more(
    texts.shared.headers,
    table({
      caption: texts.shared.headers,
      columns: [texts.shared.header, texts.shared.value],
      rows: Object.entries(answer.headers).map(([name, value]) => [html`<code class="nb">${name}</code>`, value]),
      kind: 'mini keep',
    }),
  )}`
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}

function nextCursor(body: string): string | undefined {
  const { nextCursor } = JSON.parse(body) as { readonly nextCursor?: string | null }
  return nextCursor ?? undefined
}

/** Number of matching records, counted page by page in memory; `maxCounted` if there are more. */
function countOf(editions: Explored['editions'], { parameters }: Asked): number | undefined {
  const { newest } = editions
  if (!newest) return undefined
  const values = new Map<string, string[]>()
  for (const [name, value] of parameters) if (name !== 'cursor' && name !== 'limit') values.set(name, [value])
  const read = parseListQuery(values)
  if ('faults' in read) return undefined
  let count = 0
  let after: { readonly lastModified: number; readonly id: string } | undefined
  do {
    const { positions, next } = editions.list({
      filter: read.query.filter,
      edition: newest.edition,
      limit: pageSize,
      ...(after && { after }),
    })
    count += positions.length
    after = next ?? undefined
  } while (after && count < maxCounted)
  return Math.min(count, maxCounted)
}
