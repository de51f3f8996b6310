// Picks codes in a form: chips of what is chosen, a field that finds, and boxes to tick. Each button shows its form
// again.
import { type CodeKind, codeLabel, toCode } from '../../domain/code-labels.ts'
import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { tick } from '../frame/parts.ts'
import { codesTexts } from './codes-texts.ts'
import { rankCodes } from './rank-codes.ts'

const maxFound = 12

const removeIcon = html`<svg class="i" viewBox="0 0 16 16" aria-hidden="true"><path d="M4 4l8 8M12 4l-8 8"/></svg>`

/** What somebody chose and typed in one picker. */
export type Picked = { readonly codes: readonly string[]; readonly query: string }

export type CodePickerOptions = {
  readonly kind: CodeKind
  /** Of the field; the search field is `NAME-q`. */
  readonly name: string
  readonly legend: string
  readonly hint?: string
  readonly error?: string | undefined
  readonly picked: Picked
  /** Where its form is sent; the browser returns to the picker. */
  readonly action: string
  readonly language: Language
}

/** A group of fields. Its buttons are named `do`: `find NAME` and `drop NAME CODE`. */
export function codePicker({ kind, name, legend, hint, error, picked, action, language }: CodePickerOptions): Html {
  const texts = codesTexts[language]
  const found = picked.query === '' ? [] : rankCodes(kind, picked.query, maxFound)
  const open = found.filter((code) => !picked.codes.includes(code))
  // words are done with when everything that they find is chosen
  const words = found.length > 0 && open.length === 0 ? '' : picked.query
  const again = `${action}#pick-${name}`
  return html`
    <fieldset class="set" id="pick-${name}">
    <legend>${legend}</legend>
    ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
    ${error !== undefined && html`<p class="why" id="${name}-error">${error}</p>`}
${
  picked.codes.length > 0 &&
  html`<div class="chips" role="group" aria-label="${texts.chosen}">
    ${picked.codes.map(
      (code) =>
        html`
          <input type="hidden" name="${name}" value="${code}">
          <button class="chip" name="do" value="drop ${name} ${code}" formaction="${again}" formnovalidate>
            <code>${code}</code> ${codeLabel(kind, code, language) ?? texts.notListed}
            ${removeIcon}
            <span class="hide">, ${texts.remove}</span>
          </button>
        `,
    )}
  </div>`
}
<div class="find">
  <label class="hide" for="${name}-q">${texts.find[kind]}: ${legend}</label>
  <div class="suggest">
    <input id="${name}-q" name="${name}-q" type="search" value="${words}" maxlength="100"
      placeholder="${texts.placeholder[kind]}" autocomplete="off" data-suggest="/codes/${kind}.json"
      data-then="${name}-find"${error !== undefined && html` aria-invalid="true" aria-describedby="${name}-error"`}>
  </div>
  <button id="${name}-find" name="do" value="find ${name}" formaction="${again}" formnovalidate>
    ${open.length > 0 ? texts.add : texts.search}
  </button>
</div>
  <p class="hint"><a href="/codes/${kind}" target="_blank" rel="noopener">${texts.browse[kind]}</a></p>
${
  open.length > 0 &&
  html`<div class="tree" role="group" aria-label="${texts.found(picked.query)}">
    <p class="hint">${texts.results}</p>
    <ul>
      ${open.map(
        (code) =>
          html`<li>${tick({ name, value: code, label: html`<code>${code}</code> ${codeLabel(kind, code, language)}`, isOn: false })}</li>`,
      )}
    </ul>
  </div>`
}
${
  picked.query !== '' &&
  found.length === 0 &&
  html`<p class="hint" role="status">${texts.none(picked.query)}. ${texts.noneHelp}</p>`
}
  </fieldset>`
}

/** Whether words were typed and none of the codes that they find was ticked. */
export const hasOpenWords = (kind: CodeKind, { codes, query }: Picked): boolean =>
  query !== '' && !rankCodes(kind, query, maxFound).some((code) => codes.includes(code))

/** The codes that somebody typed, one or several; empty if anything else is among them. */
function codesIn(kind: CodeKind, text: string): readonly string[] {
  const listed = (each: string): string | undefined => {
    const code = toCode(kind, each)
    return code !== undefined && (kind === 'cpv' || codeLabel('nuts', code, 'en') !== undefined) ? code : undefined
  }
  const whole = listed(text)
  if (whole !== undefined) return [whole]
  const parts = text.split(/[\s,;]+/).filter(Boolean)
  const codes = parts.flatMap((each) => listed(each) ?? [])
  return codes.length === parts.length ? codes : []
}

/**
 * What a sent form says of one picker after its button: a query of codes only is chosen, and ticked codes are no longer
 * searched for. `chosenIn` reads a value that was chosen before.
 */
export function pickedOf(
  form: URLSearchParams,
  kind: CodeKind,
  name: string,
  chosenIn: (value: string) => readonly string[] = (value) => [toCode(kind, value) ?? []].flat(),
): Picked {
  const button = form.get('do') ?? ''
  const dropped = button.startsWith(`drop ${name} `) ? button.split(' ')[2] : undefined
  const chosen = form.getAll(name).flatMap(chosenIn)
  const query = (form.get(`${name}-q`) ?? '').trim().slice(0, 100)
  const typed = codesIn(kind, query)
  const codes = [...new Set([...chosen, ...typed])].filter((code) => code !== dropped)
  return { codes, query: typed.length > 0 ? '' : query }
}
