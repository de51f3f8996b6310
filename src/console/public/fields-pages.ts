// The fields of the record: every member with its type, meaning and origin, how often it is filled, and one real value.

import { docFrame } from '../docs/doc-frame.ts'
import { docsTexts } from '../docs/docs-texts.ts'
import type { DocPage, Handbook } from '../docs/handbook.ts'
import { isLongName } from '../docs/render-guide.ts'
import type { CodeSection } from '../docs/search-guides.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatMoment, formatNumber, formatShare } from '../frame/format.ts'
import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { askAgainSeconds, type PageRequest, type PageRoute, publicPage } from '../frame/page.ts'
import { quoted, select } from '../frame/parts.ts'
import { type FieldFill, isPersonal } from './field-fill.ts'
import { fieldHeadings, type MemberKind, memberKinds, membersOf, type RecordMember } from './record-members.ts'
import type { StockCounter } from './stock-counter.ts'

export const fieldsDoc: DocPage = { address: '/docs/fields', group: 'reference', title: 'Fields', textKey: 'fields' }

/** The guide whose tables say where the members come from. */
const fieldsFile = 'docs/fields.md'

/** How long a first visitor waits for the count. */
const countWaitMs = 500

export const fieldsPages = (
  context: Pick<ConsoleContext, 'editions'>,
  handbook: Handbook,
  counter: StockCounter,
): PageRoute[] => [
  publicPage('GET', '/docs/fields', async (request) => {
    await counter.refresh(countWaitMs)
    return fieldsPage(context, handbook, counter, request)
  }),
]

/** What the search finds on this page. */
export const fieldSections = (handbook: Handbook): CodeSection[] =>
  memberKinds.flatMap((kind) =>
    membersOf(kind, handbook.source(fieldsFile)).map(({ name, meaning, origins }) => ({
      address: '/docs/fields',
      heading: { level: 3, id: anchorOf(kind, name), text: name },
      text: `${meaning} ${origins.map(([format, at]) => `${format} ${at}`).join(' ')}`.replaceAll('`', ''),
    })),
  )

const anchorOf = (kind: MemberKind, name: string): string => (kind === 'record' ? name : `${kind}.${name}`)

function fieldsPage(
  { editions }: Pick<ConsoleContext, 'editions'>,
  handbook: Handbook,
  counter: StockCounter,
  request: PageRequest,
) {
  const { language, query } = request
  const texts = docsTexts[language]
  const fill = counter.latest?.fill
  const source = query.get('source') ?? ''
  const wanted = (query.get('q') ?? '').trim().toLowerCase()
  const page = handbook.source(fieldsFile)
  const shown = memberKinds.map((kind) => {
    const members = membersOf(kind, page).filter((member) => isWanted(member, wanted))
    return { kind, members }
  })
  const contents = shown
    .filter(({ members }) => members.length > 0)
    .map(({ kind }) => ({ level: 2, id: kind, text: fieldHeadings[kind] }))
  const isCounting = editions.newest !== undefined && counter.latest?.edition.edition !== editions.newest.edition
  const body = html`<p class="lead">${texts.fieldsLead}</p>${filterForm(fill, source, query.get('q') ?? '', language)}
<p class="small"><span class="stamp">${stamp(editions.newest, counter, language)}</span></p>
${contents.length === 0 && html`<p role="status">${texts.nothingFound(wanted)}</p>`}
${shown.map(({ kind, members }) => members.length > 0 && kindTable(kind, members, fill, source, language))}`
  return docFrame(handbook, {
    doc: handbook.page('/docs/fields'),
    reader: request,
    title: texts.fields,
    contents,
    body,
    isWide: true,
    ...(isCounting && { refreshSeconds: askAgainSeconds }),
  })
}

const isWanted = ({ name, meaning, origins }: RecordMember, wanted: string): boolean =>
  [name, meaning, ...origins.flat()].some((text) => text.toLowerCase().includes(wanted))

function filterForm(fill: FieldFill | undefined, source: string, wanted: string, language: Language): Html {
  const texts = docsTexts[language]
  const sources = [...(fill?.bySource.keys() ?? [])].filter((each) => each !== '').sort()
  return html`<form class="row" action="/docs/fields" role="search">
    <div class="find">
      <label class="hide" for="q">${texts.search}</label>
      <svg class="i" viewBox="0 0 16 16" aria-hidden="true">
        <path d="M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14"/>
      </svg>
      <input id="q" name="q" type="search" value="${wanted}" maxlength="60">
    </div>
    ${
      sources.length > 0 &&
      select({
        name: 'source',
        label: texts.filledIn,
        value: source,
        choices: [['', texts.allSources], ...sources.map((each) => [each, each] as const)],
      })
    }
    <button>${texts.shared.show}</button>
  </form>`
}

function stamp(
  newest: { readonly edition: number; readonly records: number } | undefined,
  counter: StockCounter,
  language: Language,
) {
  const texts = docsTexts[language]
  const { latest } = counter
  if (!newest) return texts.noEdition
  if (!latest) return texts.counting(formatNumber(counter.done, language), formatNumber(newest.records, language))
  const { edition, records, publishedAt } = latest.edition
  const counted = texts.countedIn(
    formatNumber(edition, language),
    formatNumber(records, language),
    formatMoment(publishedAt, language),
  )
  return edition === newest.edition
    ? counted
    : `${counted}. ${texts.countedBefore(formatNumber(newest.edition, language))}`
}

function kindTable(
  kind: MemberKind,
  members: readonly RecordMember[],
  fill: FieldFill | undefined,
  source: string,
  language: Language,
): Html {
  const texts = docsTexts[language]
  const count = fill?.bySource.get(source)?.[kind]
  return html`
    <h2 id="${kind}" lang="en">${fieldHeadings[kind]}</h2>
    <table class="fold ref">
      <caption class="hide" lang="en">${fieldHeadings[kind]}</caption>
      <thead>
        <tr>
          <th scope="col">${texts.member}</th>
          <th scope="col">${texts.type}</th>
          <th scope="col">${texts.meaning}</th>
          <th scope="col">${texts.origin}</th>
          <th scope="col">${texts.filled}</th>
        </tr>
      </thead>
      <tbody>
        ${members.map(
          (member) =>
            html`<tr>
              <th scope="row">
                <code id="${anchorOf(kind, member.name)}"${isLongName(member.name) && html` class="long"`}>
                  ${member.name}
                </code>
              </th>
              <td data-l="${texts.type}"><span class="soft" lang="en">${member.type}</span></td>
              <td data-l="${texts.meaning}">
                <span lang="en">${prose(member.meaning)}</span>
                ${exampleOf(kind, member.name, fill, language)}
              </td>
              <td data-l="${texts.origin}" lang="en">
                ${member.origins.map(
                  ([format, at], index) =>
                    html`${index > 0 && html`<br>`}${format !== '' && html`<span class="soft">${format}</span> `}${prose(at)}`,
                )}
              </td>
              <td data-l="${texts.filled}">${rate(count, member.name, texts.units[kind], language)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  `
}

/** Text with `code` in backticks; links are shown as plain words. */
const prose = (text: string): Html =>
  html`${text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .split('`')
    .map((part, index) =>
      index % 2 === 0 ? part : html`<code${isLongName(part) && html` class="long"`}>${part}</code>`,
    )}`

function exampleOf(kind: MemberKind, name: string, fill: FieldFill | undefined, language: Language): Html | false {
  const texts = docsTexts[language]
  if (isPersonal(kind, name)) return html`<br><span class="soft small">${texts.notShown}</span>`
  const value = fill?.examples.get(`${kind}.${name}`)
  return (
    value !== undefined && html`<br><span class="soft small">${texts.realValue} <code>${quoted(value)}</code></span>`
  )
}

function rate(
  count: { readonly objects: number; readonly filled: { readonly [member: string]: number } } | undefined,
  name: string,
  unit: string,
  language: Language,
): Html {
  if (!count || count.objects === 0) return html`<span class="soft">–</span>`
  const share = (count.filled[name] ?? 0) / count.objects
  return html`<span class="rate">
    <span class="num">${formatShare(share, language)}</span>
    <progress class="meter" max="100" value="${Math.round(share * 100)}" aria-hidden="true"></progress>
    <span class="hide">${docsTexts[language].share(unit)}</span>
  </span>`
}
