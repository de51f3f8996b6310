// What people do with a tender on its page: decide about its hits and go on to the next one, put the deadline into a
// calendar, share, print; and why it is theirs.
import type { TenderRecord } from '../../domain/tender.ts'
import type { HitReasons } from '../../hits/match-records.ts'
import { findHits, type HitState, type TenderHit } from '../../store/hits/hit-lists.ts'
import { isDeadlineMarked } from '../../store/people/calendars.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import type { PageRequest } from '../frame/page.ts'
import { code, more, score } from '../frame/parts.ts'
import { titleOf } from '../frame/record-texts.ts'
import { matchedText } from '../hits/clause-lines.ts'
import { keyHelp, undoForm } from '../hits/decision-parts.ts'
import { askedOf, hitsAddress, queryOf, stepAddress, withUndo } from '../hits/hit-addresses.ts'
import { why } from '../hits/hit-parts.ts'
import { hitsTexts } from '../hits/hits-texts.ts'
import { scoreWords } from '../hits/search-form-parts.ts'
import { deadlinesOf } from './calendar-entries.ts'
import { decisionTexts } from './decision-texts.ts'

/** What somebody may do, and has done, with a tender. */
export type Decision = {
  /** Of the organization from whose list somebody came, or of the first that has some; the chosen one first. */
  readonly hits: readonly TenderHit[]
  /** Whether its deadline is in the calendar of the viewer; undefined for strangers. */
  readonly isMarked: boolean | undefined
}

export async function decisionOf(
  { store: { db } }: Pick<ConsoleContext, 'store'>,
  { viewer, query }: PageRequest,
  tenderId: string,
): Promise<Decision> {
  if (!viewer) return { hits: [], isMarked: undefined }
  const organizationIds = viewer.memberships.map(({ organizationId }) => organizationId)
  const all = await findHits(db, organizationIds, { tenderId })
  const chosen = all.find(({ hitId }) => hitId === query.get('hit')) ?? all[0]
  const own = all.filter(({ organizationId }) => organizationId === chosen?.organizationId)
  return {
    hits: [...own.filter((hit) => hit === chosen), ...own.filter((hit) => hit !== chosen)],
    isMarked: await isDeadlineMarked(db, viewer.person.personId, tenderId),
  }
}

/** Query of the list from which somebody came; that of new hits if the address names none. */
const listOf = (query: URLSearchParams): string => queryOf(askedOf(new URLSearchParams(query.get('list') ?? '')))

/** The way back to the list, for the head of the page. */
export const backToHits = ({ hits: [hit] }: Decision, { query }: PageRequest): string | undefined =>
  hit && hitsAddress(hit.organizationId, listOf(query))

/** The bars above the record. `link`: absolute address of the page. */
export function decisionBars(
  record: TenderRecord,
  decision: Decision,
  { request, link }: { readonly request: PageRequest; readonly link: string },
): Html {
  const { language } = request
  const [hit] = decision.hits
  return html`${hit && undoForm(request, hit.organizationId)}${hit && hitBar(hit, decision, request)}${useBar(record, decision, { request, link })}${
    hit && keyHelp(decisionTexts[language].keyList, language)
  }`
}

function hitBar(hit: TenderHit, { hits }: Decision, { language, url, query }: PageRequest): Html {
  const texts = decisionTexts[language]
  const { organizationId, state } = hit
  const list = listOf(query)
  const button = (to: HitState, key: string, text: string, kind: string) =>
    html`<button class="${kind}" name="do" value="${to}"
      data-key="${key}"${state === to && html` aria-pressed="true"`}>${text} <kbd>${key.toUpperCase()}</kbd></button>`
  const way = (href: string, key: string, text: string) =>
    html`<a class="btn tiny" href="${href}" data-key="${key}">${text} <kbd>${key.toUpperCase()}</kbd></a>`
  return html`<form method="post" action="/o/${organizationId}/hits" class="decide hit" aria-label="${texts.decide}">
    <input type="hidden" name="return" value="${withUndo(url.pathname + url.search, [])}">
    ${hits.map(({ hitId }) => html`<input type="hidden" name="hit" value="${hitId}">`)}
    ${button('kept', 'y', texts.keep, state === 'kept' ? '' : 'go')}
    ${button('dismissed', 'x', texts.dismiss, '')}
    <span class="tag">${hitsTexts[language].tabs[state]}</span>
    <span class="to">
      ${way(hitsAddress(organizationId, list), 'u', texts.back)}
      ${way(stepAddress(hit, 'previous', list), 'k', texts.previousHit)}
      ${way(stepAddress(hit, 'next', list), 'j', texts.nextHit)}
    </span>
  </form>`
}

function useBar(
  record: TenderRecord,
  { isMarked }: Decision,
  { request: { language, url }, link }: { readonly request: PageRequest; readonly link: string },
): Html {
  const texts = decisionTexts[language]
  const hasDeadline = deadlinesOf(record).length > 0
  const mail = new URLSearchParams({ subject: titleOf(record).text, body: link }).toString().replaceAll('+', '%20')
  return html`<div class="decide">
    ${
      isMarked !== undefined &&
      (hasDeadline || isMarked) &&
      html`<form method="post" action="/tenders/${record.id}/mark">
        <input type="hidden" name="return" value="${withUndo(url.pathname + url.search, [])}">
        <button class="tiny" name="do" value="${isMarked ? 'unmark' : 'mark'}">
          ${isMarked ? texts.unmark : texts.markDeadline}
        </button>
      </form>`
    }
    ${isMarked && html`<a href="/me/calendar">${texts.calendar}</a>`}
    ${hasDeadline && html`<a class="btn tiny" href="${url.pathname}/deadline.ics">${texts.file}</a>`}
    <button type="button" class="tiny" data-print hidden>${texts.print}</button>
    <a class="btn tiny" href="mailto:?${mail}">${texts.byMail}</a>
    ${more(
      texts.shareIt,
      code({ id: 'address', text: link, caption: texts.address, copy: [texts.shared.copy, texts.shared.copied] }),
    )}
  </div>`
}

/** Why it is theirs: what satisfied the search, in words, and the score in parts; nothing without a hit. */
export function whyPart({ hits }: Decision, language: Language): Html | false {
  if (hits.length === 0) return false
  const texts = decisionTexts[language]
  return html`<section>
    <h2>${texts.why}</h2>
    ${hits.map((hit) => {
      const lines = JSON.parse(hit.matched) as string[]
      const reasons = hit.reasons === null ? undefined : (JSON.parse(hit.reasons) as HitReasons)
      const isBySearch = (JSON.parse(hit.fit) as { readonly profile: unknown }).profile === null
      return html`<div class="after">
        ${score(hit.fitScore, scoreWords(hit.fitScore, isBySearch, language))}
        <p class="small">
          ${texts.bySearch}${' '}
          <a href="/o/${hit.organizationId}/searches/${hit.searchId}"><bdi>${hit.search}</bdi></a>
        </p>
        <ul>
          ${lines.map((line, index) => html`<li>${matchedText(reasons?.matched[index], line, language)}</li>`)}
        </ul>
        ${more(texts.scoreTable, why(hit, language))}
      </div>`
    })}
  </section>`
}
