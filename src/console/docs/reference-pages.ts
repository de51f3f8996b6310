// The reference of the API: its two operations from the contract, and every error from the catalog of problems.
import { readFileSync } from 'node:fs'
import { contractText } from '../../api/contract-text.ts'
import { type ProblemSlug, problemKind, problemSlugs } from '../../api/problems/problems.ts'
import { exampleProblem } from '../../api/routes.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { type PageRoute, publicPage } from '../frame/page.ts'
import { table } from '../frame/parts.ts'
import { exampleLanguages, requestExample } from '../frame/request-examples.ts'
import { fenceOf, listExample } from './api-examples.ts'
import { type ReferenceAnswer, type ReferenceOperation, referenceOf } from './api-reference.ts'
import { docFrame } from './doc-frame.ts'
import { docsTexts } from './docs-texts.ts'
import type { DocReader } from './guide-groups.ts'
import type { DocPage, Handbook } from './handbook.ts'
import { codeFigure, type Heading } from './render-guide.ts'
import type { CodeSection } from './search-guides.ts'

type ReferenceContext = Pick<ConsoleContext, 'apiAddress' | 'editions' | 'config' | 'origin'>

const eventSchemaFile = new URL('../../../contract/events.schema.json', import.meta.url)

/** The pages of the reference as listed in the navigation. */
export const referenceDocs: readonly DocPage[] = [
  { address: '/docs/reference/list', group: 'reference', title: 'List tenders', textKey: 'list' },
  { address: '/docs/reference/record', group: 'reference', title: 'Get one tender', textKey: 'record' },
  { address: '/docs/errors', group: 'reference', title: 'Errors', textKey: 'errors' },
]

export const referencePages = (context: ReferenceContext, handbook: Handbook): PageRoute[] => [
  publicPage('GET', '/docs/reference/list', (request) =>
    operationPage(context, handbook, '/docs/reference/list', referenceOf('/v1/tenders'), request),
  ),
  publicPage('GET', '/docs/reference/record', (request) =>
    operationPage(context, handbook, '/docs/reference/record', referenceOf('/v1/tenders/{id}'), request),
  ),
  publicPage('GET', '/docs/errors', (request) => errorsPage(handbook, request)),
  ...problemSlugs.map((slug) =>
    publicPage('GET', `/docs/errors/${slug}`, (request) => errorPage(context, handbook, slug, request)),
  ),
  publicPage('GET', '/openapi.json', () => ({
    kind: 'content',
    type: 'application/json; charset=utf-8',
    body: contractText({ baseUrl: context.apiAddress, docsUrl: docsUrlOf(context) }),
  })),
  publicPage('GET', '/events.schema.json', () => ({
    kind: 'content',
    type: 'application/schema+json; charset=utf-8',
    body: readFileSync(eventSchemaFile, 'utf8'),
  })),
]

/** What the search finds of these pages. */
export function referenceSections(): CodeSection[] {
  const operations = [
    ['/docs/reference/list', referenceOf('/v1/tenders')],
    ['/docs/reference/record', referenceOf('/v1/tenders/{id}')],
  ] as const
  return [
    ...operations.flatMap(([address, { description, parameters }]) => [
      { address, heading: undefined, text: description },
      ...parameters.map((parameter) => ({
        address,
        heading: { level: 3, id: `parameter-${parameter.name}`, text: parameter.name },
        text: parameter.description,
      })),
    ]),
    ...problemSlugs.map((slug) => {
      const { title, cause, fix } = problemKind(slug)
      return { address: '/docs/errors', heading: { level: 2, id: slug, text: title }, text: `${slug} ${cause} ${fix}` }
    }),
  ]
}

const docsUrlOf = ({ config, apiAddress }: ReferenceContext): string => config.docsUrl ?? apiAddress

/** Text with `code` in backticks. */
const prose = (text: string): Html =>
  html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`

function operationPage(
  context: ReferenceContext,
  handbook: Handbook,
  address: string,
  operation: ReferenceOperation,
  reader: DocReader,
) {
  const { language } = reader
  const texts = docsTexts[language]
  const isList = operation.path === '/v1/tenders'
  const id = someId(context) ?? '0f8a1c52-7d3e-8b64-9a10-5c2e7f4b9d31'
  const headings: Heading[] = [
    { level: 2, id: 'request', text: texts.shared.request },
    { level: 2, id: 'parameters', text: texts.parameters },
    { level: 2, id: 'answers', text: texts.answers },
    { level: 2, id: 'headers', text: texts.shared.headers },
    { level: 2, id: 'problems', text: texts.problems },
  ]
  const [request, parameters, answers, headers, problems] = headings.map(
    ({ id, text }) => html`<h2 id="${id}">${text}</h2>`,
  )
  const codes = exampleLanguages.map((each) =>
    codeFigure({
      id: `example-${each}`,
      language: fenceOf[each],
      text: isList
        ? listExample(each, context.apiAddress)
        : requestExample(each, context.apiAddress, `/v1/tenders/${id}`),
      texts: { language, copy: texts.shared.copy, copied: texts.shared.copied },
      context,
    }),
  )
  const body = html`<p class="lead" lang="en">${prose(operation.description)}</p>
${request}<p><code>${operation.method} ${operation.path}</code> · <a href="/openapi.json">${texts.contract}</a></p>${codes}
${parameters}${parameterTable(operation, language)}
${answers}${answerTable(operation, language)}
${headers}${headerTable(operation, language)}
${problems}${problemTable(operation, language)}`
  const doc = handbook.page(address)
  return docFrame(handbook, { doc, reader, title: isList ? texts.list : texts.record, contents: headings, body })
}

/** The record that the examples request: the first of the newest edition's list. */
function someId({ editions }: ReferenceContext): string | undefined {
  if (!editions.newest) return undefined
  const { positions } = editions.list({ filter: { archived: true }, edition: editions.newest.edition, limit: 1 })
  return positions[0] === undefined ? undefined : editions.meta(positions[0]).id
}

const english = (content: Content): Html => html`<span lang="en">${content}</span>`

function parameterTable({ parameters }: ReferenceOperation, language: Language): Html {
  const texts = docsTexts[language]
  return table({
    caption: texts.parameters,
    columns: [texts.parameter, texts.type, texts.meaning, texts.example],
    rows: parameters.map(({ name, type, description, example }) => [
      html`<code id="parameter-${name}">${name}</code>`,
      english(type),
      english(prose(description)),
      html`<code>${example}</code>`,
    ]),
  })
}

function answerTable({ answers }: ReferenceOperation, language: Language): Html {
  const texts = docsTexts[language]
  return table({
    caption: texts.answers,
    columns: [texts.shared.status, texts.meaning],
    rows: answers
      .filter(({ problems }) => problems.length === 0)
      .map(({ status, description }) => [html`<code>${status}</code>`, english(prose(description))]),
  })
}

function headerTable({ answers }: ReferenceOperation, language: Language): Html {
  const texts = docsTexts[language]
  const byName = new Map<string, { readonly description: string; readonly statuses: string[] }>()
  for (const { status, headers } of answers)
    for (const { name, description } of headers) {
      const known = byName.get(name)
      if (known) known.statuses.push(status)
      else byName.set(name, { description, statuses: [status] })
    }
  return table({
    caption: texts.shared.headers,
    columns: [texts.shared.header, texts.meaning, texts.shared.status],
    rows: [...byName].map(([name, { description, statuses }]) => [
      html`<code>${name}</code>`,
      english(prose(description)),
      statuses.join(', '),
    ]),
  })
}

function problemTable({ answers }: { readonly answers: readonly ReferenceAnswer[] }, language: Language): Html {
  const slugs = answers.flatMap(({ problems }) => problems).filter(isSlug)
  return problemRows(slugs, language, docsTexts[language].problems)
}

const isSlug = (text: string): text is ProblemSlug => (problemSlugs as readonly string[]).includes(text)

function problemRows(slugs: readonly ProblemSlug[], language: Language, caption: string): Html {
  const texts = docsTexts[language]
  return table({
    caption,
    columns: [texts.problem, texts.shared.status, texts.cause, texts.retry],
    rows: slugs.map((slug) => {
      const { status, cause, retry } = problemKind(slug)
      return [
        html`<a id="${slug}" href="/docs/errors/${slug}"><code>${slug}</code></a>`,
        status,
        english(prose(cause)),
        texts.retryWords[retry],
      ]
    }),
  })
}

function errorsPage(handbook: Handbook, reader: DocReader) {
  const { language } = reader
  const texts = docsTexts[language]
  const doc = handbook.page('/docs/errors')
  const body = html`<p class="lead">${texts.errorsLead}</p>${problemRows(problemSlugs, language, texts.errors)}`
  return docFrame(handbook, { doc, reader, title: texts.errors, contents: [], body, isWide: true })
}

function errorPage(context: ReferenceContext, handbook: Handbook, slug: ProblemSlug, reader: DocReader) {
  const { language } = reader
  const texts = docsTexts[language]
  const { status, title, cause, fix, retry, retryText } = problemKind(slug)
  const locations = (
    [
      ['/docs/reference/list', '/v1/tenders', texts.list],
      ['/docs/reference/record', '/v1/tenders/{id}', texts.record],
    ] as const
  ).filter(([, path]) => referenceOf(path).answers.some(({ problems }) => problems.includes(slug)))
  const example = codeFigure({
    id: 'example',
    language: 'json',
    text: JSON.stringify(exampleProblem(slug, docsUrlOf(context)), null, 2),
    texts: { language, copy: texts.shared.copy, copied: texts.shared.copied },
    context,
  })
  const body = html`<p><code>${slug}</code> · ${texts.shared.status} ${status}</p>
<h2 id="cause">${texts.cause}</h2><p lang="en">${prose(cause)}</p>
<h2 id="fix">${texts.fix}</h2><p lang="en">${prose(fix)}</p>
<h2 id="retry">${texts.retry}</h2><p>${texts.retryWords[retry]}. <span lang="en">${prose(retryText)}</span></p>
<h2 id="example-answer">${texts.exampleAnswer}</h2>${example}
<h2 id="where">${texts.where}</h2>
  ${
    locations.length === 0
      ? html`<p>${texts.anywhere}</p>`
      : html`<ul>${locations.map(([href, , name]) => html`<li><a href="${href}">${name}</a></li>`)}</ul>`
  }
<p><a href="/docs/errors">${texts.errors}</a></p>`
  return docFrame(handbook, {
    doc: handbook.page('/docs/errors'),
    reader,
    title: `${status} ${title}`,
    contents: [],
    body,
  })
}
