// What the list of hits and the page of a tender share: what undoes the last decision, and the keys.
import { formatNumber } from '../frame/format.ts'
import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import type { PageRequest } from '../frame/page.ts'
import { keySwitch } from '../frame/parts.ts'
import { undosOf, withUndo } from './hit-addresses.ts'
import { hitsTexts } from './hits-texts.ts'

/** Nothing if the address of the page names no decision. */
export function undoForm({ url, query, language }: PageRequest, organizationId: string): Html | false {
  const undos = undosOf(query.getAll('undo'))
  if (undos.length === 0) return false
  const count = undos.reduce((sum, { hitIds }) => sum + hitIds.length, 0)
  return html`<form method="post" action="/o/${organizationId}/hits" class="undo">
    <input type="hidden" name="return" value="${withUndo(url.pathname + url.search, [])}">
    ${undos.map(({ state, hitIds }) => html`<input type="hidden" name="undo" value="${[state, ...hitIds].join('.')}">`)}
    <button class="tiny" name="do" value="undo" data-key="z">
      ${hitsTexts[language].undoLast(formatNumber(count, language), count === 1)} <kbd>Z</kbd>
    </button>
  </form>`
}

/** The keys of a page; they need script, as does the key that shows them. */
export const keyHelp = (
  list: readonly (readonly [keys: readonly string[], what: string])[],
  language: Language,
): Html =>
  html`<details class="more keys">
    <summary data-key="?">${hitsTexts[language].keys} <kbd>?</kbd></summary>
    <p>${list.map(([keys, what]) => html`<span>${keys.map((key) => html`<kbd>${key}</kbd> `)}${what}</span>`)}</p>
    ${keySwitch(hitsTexts[language].shared.hasKeys)}
  </details>`
