// Parts shared by several pages: fields, tables, figures, notes, states, scores, charts, quoted texts.
import { formatMoment } from './format.ts'
import { type Content, type Html, html } from './html.ts'
import type { Language } from './languages.ts'

/**
 * A text from a notice: isolated, so that it cannot reverse the line around it, and marked with its language if known.
 */
export const quoted = (text: string, lang?: string): Html =>
  html`<bdi${lang !== undefined && html` lang="${lang}"`}>${text}</bdi>`

/** A link from a notice: only http and https become links, anything else is shown as text. */
export function foreignLink(address: string, text: Content = address): Html {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) return quoted(address)
  return html`<a href="${url.href}" rel="noopener noreferrer nofollow ugc"><bdi>${text}</bdi></a>`
}

/** A moment with its machine form; shown in UTC. */
export const moment = (at: number, language: Language): Html =>
  html`<time datetime="${new Date(at).toISOString()}">${formatMoment(at, language)}</time>`

export type State =
  | 'open'
  | 'planned'
  | 'closed'
  | 'awarded'
  | 'cancelled'
  | 'merged'
  | 'good'
  | 'warn'
  | 'bad'
  | 'held'

/** A state by shape, word and color. */
export const state = (kind: State, word: Content): Html => html`<span class="st ${kind}">${word}</span>`

/** A short word in a frame. */
export const tag = (word: Content): Html => html`<span class="tag">${word}</span>`

/** A fit score with its bar and words. */
export const score = (points: number, words: string): Html =>
  html`<div class="score"><b>${points}</b><progress class="meter" max="100" value="${points}" aria-hidden="true"></progress><span>${words}</span></div>`

export type FieldOptions = {
  readonly name: string
  /** Absent: the name. Needed if a page has several fields with one name. */
  readonly id?: string
  readonly label: string
  readonly value?: string
  readonly hint?: Content
  /** What is wrong with the value; shown at the field. */
  readonly error?: string | undefined
  readonly type?: 'text' | 'email' | 'search' | 'number' | 'url' | 'date' | 'time'
  readonly isRequired?: boolean
  readonly autocomplete?: string
  readonly placeholder?: string
  readonly maxLength?: number
  readonly min?: number
  readonly max?: number
}

/** A labeled input with hint and error. */
export function field(options: FieldOptions): Html {
  const { name, id = name, label, value = '', hint, error, type = 'text' } = options
  const more = [
    attribute('placeholder', options.placeholder),
    attribute('autocomplete', options.autocomplete),
    attribute('maxlength', options.maxLength),
    attribute('min', options.min),
    attribute('max', options.max),
    options.isRequired && html` required`,
  ]
  return labeled(
    options,
    html`<input id="${id}" name="${name}" type="${type}" value="${value}"${more}${described(id, hint, error)}>`,
    label,
  )
}

/** A labeled text of several lines. */
export function textArea(options: Omit<FieldOptions, 'type'> & { readonly rows?: number }): Html {
  const { name, id = name, label, value = '', hint, error, rows = 4 } = options
  return labeled(
    options,
    html`<textarea id="${id}" name="${name}"
      rows="${rows}"${attribute('maxlength', options.maxLength)}${options.isRequired && html` required`}${described(id, hint, error)}>${value}</textarea>`,
    label,
  )
}

export type Choice = readonly [value: string, text: string]

/** A labeled list to choose one of. */
export function select(options: Omit<FieldOptions, 'type'> & { readonly choices: readonly Choice[] }): Html {
  const { name, id = name, label, value = '', hint, error, choices } = options
  return labeled(
    options,
    html`<select id="${id}" name="${name}"${described(id, hint, error)}>
      ${choices.map(
        ([each, text]) => html`<option value="${each}"${each === value && html` selected`}>${text}</option>`,
      )}
    </select>`,
    label,
  )
}

/** A box to tick, with a count at its right. */
export const tick = (options: {
  readonly name: string
  readonly value: string
  readonly label: Content
  readonly isOn: boolean
  readonly type?: 'checkbox' | 'radio'
  readonly count?: Content
}): Html =>
  html`<label class="tick">
    <input type="${options.type ?? 'checkbox'}" name="${options.name}"
      value="${options.value}"${options.isOn && html` checked`}>
    <span>${options.label}</span>
    ${options.count !== undefined && html`<span class="n">${options.count}</span>`}
  </label>`

/** Turns single keys off, for whoever speaks to the browser or presses one by mistake. It needs script, as keys do. */
export const keySwitch = (label: string): Html =>
  html`<label class="tick" hidden><input type="checkbox" data-keys><span>${label}</span></label>`

/** A group of fields that hairlines divide. */
export const fieldset = (legend: string, body: Content): Html =>
  html`<fieldset class="set"><legend>${legend}</legend>${body}</fieldset>`

function labeled({ name, id = name, hint, error }: FieldOptions, input: Html, label: string): Html {
  return html`<div class="field${error !== undefined && ' err'}">
    <label for="${id}">${label}</label>
    ${input}
    ${error !== undefined && html`<p class="why" id="${id}-error">${error}</p>`}
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
  </div>`
}

const attribute = (name: string, value: string | number | undefined): Html | false =>
  value !== undefined && html` ${name}="${value}"`

function described(id: string, hint: Content, error: string | undefined): Html {
  const ids = [...(error === undefined ? [] : [`${id}-error`]), ...(hint === undefined ? [] : [`${id}-hint`])]
  return html`${error !== undefined && html` aria-invalid="true"`}${ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`}`
}

export type NoteKind = 'info' | 'ok' | 'warn' | 'bad'

/** A note: what the state is, and what to do. */
export const noteBox = (kind: NoteKind, heading: string, body?: Content): Html =>
  html`<div class="note${kind !== 'info' && ` ${kind}`}"${kind === 'bad' && html` role="alert"`}>
    <h2>${heading}</h2>
    ${body !== undefined && html`<p>${body}</p>`}
  </div>`

/** Shown where there is nothing yet: what will be here, why it is not, one action. */
export const empty = (heading: string, body: Content, action?: Content): Html =>
  html`<div class="empty"><h2>${heading}</h2><p>${body}</p>${action}</div>`

export type Figure = { readonly name: string; readonly value: Content; readonly note?: Content }

/** At most four figures in a strip. */
export const figures = (list: readonly Figure[]): Html =>
  html`<dl class="figs">
    ${list.map(
      ({ name, value, note }) =>
        html`<div><dt>${name}</dt><dd>${value}</dd>${note !== undefined && html`<dd>${note}</dd>`}</div>`,
    )}
  </dl>`

/** Names and their values. */
export const facts = (rows: readonly (readonly [name: Content, value: Content])[]): Html =>
  html`<dl class="facts cols">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`

/** A column: its head alone, or more about it. */
export type Column =
  | string
  | {
      readonly head: string
      readonly isNumber?: boolean
      readonly isHidden?: boolean
    }

export const numbers = (head: string): Column => ({ head, isNumber: true })
/** A column whose head is only for screen readers. */
export const unseen = (head: string): Column => ({ head, isHidden: true })

/** A table; on a phone each row becomes a block. The first cell of a row is its heading. */
export const table = (options: {
  readonly caption: string
  readonly isCaptionShown?: boolean
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Content[])[]
  /** More classes, such as `mini` or `keep`. */
  readonly kind?: string
}): Html => {
  const { caption, rows, kind = '', isCaptionShown = false } = options
  const columns = options.columns.map((column) => (typeof column === 'string' ? { head: column } : column))
  const hide = (isHidden: boolean | undefined) => isHidden && html` class="hide"`
  return html`<table class="fold ${kind}">
    <caption${hide(!isCaptionShown)}>${caption}</caption>
    <thead>
      <tr>
        ${columns.map(
          ({ head, isNumber, isHidden }, index) =>
            html`<th scope="col"${isNumber && index > 0 && html` class="num"`}>${isHidden ? html`<span class="hide">${head}</span>` : head}</th>`,
        )}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html`<tr>${cells.map((cell, index) => {
            const column = columns[index]
            if (index === 0) return html`<th scope="row">${cell}</th>`
            return html`<td${column?.isNumber && html` class="num"`}${column && !column.isHidden && html` data-l="${column.head}"`}>${cell}</td>`
          })}</tr>`,
      )}
    </tbody>
  </table>`
}

/** A part of a page with its heading. */
export const part = (heading: string, body: Content, aside?: Content): Html =>
  html`<section class="part"><header><h2>${heading}</h2>${aside !== undefined && html`<p>${aside}</p>`}</header>${body}</section>`

/** A question on its own page: what happens, a button with the verb, and the way back. */
export const question = (options: {
  readonly action: string
  readonly body: Content
  readonly button: string
  readonly cancel: readonly [text: string, href: string]
  /** Hidden fields and inputs. */
  readonly fields?: Content
}): Html =>
  html`<form method="post" action="${options.action}" class="stack">
    ${options.body}
    ${options.fields}
    <div class="row">
      <button class="stop">${options.button}</button>
      <a href="${options.cancel[1]}">${options.cancel[0]}</a>
    </div>
  </form>`

/** Code with a button that copies it. `id` is unique on the page. */
export const code = (options: {
  readonly id: string
  readonly text: string
  readonly caption: Content
  readonly copy: readonly [copy: string, copied: string]
}): Html =>
  html`<figure class="code">
    <figcaption>
      ${options.caption}
      <button type="button" class="tiny bare" data-copy="${options.id}" data-copied="${options.copy[1]}">
        ${options.copy[0]}
      </button>
    </figcaption>
    <pre tabindex="0"><code id="${options.id}">${options.text}</code></pre>
  </figure>`

export type Bar = {
  /** Of the axis, below the bar; empty: none. */
  readonly label: string
  readonly value: number
  /** A part that failed or was refused, hatched on top of the value. */
  readonly failed?: number
  /** For the title of the bar. */
  readonly title: string
}

/**
 * Bars with a limit, without script: the picture holds marks only, the words around it are text. `finding` is its
 * label.
 */
export function bars(options: {
  readonly finding: string
  readonly list: readonly Bar[]
  readonly limit?: number
  readonly format: (value: number) => string
}): Html {
  const { finding, list, limit, format } = options
  const top = niceTop(Math.max(1, limit ?? 0, ...list.map(({ value, failed = 0 }) => value + failed)))
  const width = 100 / Math.max(1, list.length)
  const y = (value: number) => 100 - (100 * value) / top
  return html`<figure class="chart">
    <div class="y" aria-hidden="true"><span>${format(top)}</span><span>${format(top / 2)}</span><span>0</span></div>
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label="${finding}">
      <line x1="0" x2="100" y1="0" y2="0"/>
      <line x1="0" x2="100" y1="50" y2="50"/>
      ${list.map(({ value, failed = 0, title }, index) => {
        const place = html`x="${round(index * width + width * 0.12)}" width="${round(width * 0.76)}"`
        return html`
          <rect ${place} y="${round(y(value))}" height="${round(100 - y(value))}">
          <title>${title}</title>
          </rect>
          ${
            failed > 0 &&
            html`<rect class="x2" ${place} y="${round(y(value + failed))}" height="${round(y(value) - y(value + failed))}"><title>${title}</title></rect>`
          }
        `
      })}
      ${
        limit !== undefined && html`<line class="lim" x1="0" x2="100" y1="${round(y(limit))}" y2="${round(y(limit))}"/>`
      }
    </svg>
    <div class="x" aria-hidden="true">${list.map(({ label }) => html`<span>${label}</span>`)}</div>
  </figure>`
}

export type RowBar = {
  readonly label: Content
  readonly value: number
  /** The figure as text. */
  readonly text: string
  /** A second value that is not lower, in gray behind the first. */
  readonly reach?: number
  /** For the title of the bar. */
  readonly title: string
}

/**
 * Bars below each other, each with label and figure: on a phone the bar is below them. `finding` is the label of the
 * picture.
 */
export function rowBars({ finding, list }: { readonly finding: string; readonly list: readonly RowBar[] }): Html {
  const top = Math.max(...list.map(({ value, reach = 0 }) => Math.max(value, reach))) || 1
  const width = (value: number) => round((100 * value) / top)
  return html`<figure class="chart rows" role="img" aria-label="${finding}">${list.map(
    ({ label, value, text, reach, title }) =>
      html`
        <span>${label}</span>
        <b>${text}</b>
        <svg viewBox="0 0 100 10" preserveAspectRatio="none">
          <title>${title}</title>
          ${reach !== undefined && html`<rect class="b" width="${width(reach)}" y="3" height="4"/>`}
          <rect width="${width(value)}" height="10"/>
        </svg>
      `,
  )}</figure>`
}

const round = (value: number): number => Math.round(value * 100) / 100

/**
 * The smallest 1, 2, 3, 4, 5, 6 or 8 times a power of ten that is not below the value, and whose half is a whole
 * number.
 */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((top) => top >= value && top % 2 === 0)!
}

/** Pages of a list: what is shown, and the way to the neighbors. */
export const pager = (options: {
  readonly text: string
  readonly previous?: readonly [text: string, href: string] | undefined
  readonly next?: readonly [text: string, href: string] | undefined
}): Html =>
  html`<nav class="pager" aria-label="${options.text}">
    <span>${options.text}</span>
    <span class="row">
      ${
        options.previous &&
        html`<a class="btn tiny" rel="prev" href="${options.previous[1]}">${options.previous[0]}</a>`
      }
      ${options.next && html`<a class="btn tiny" rel="next" href="${options.next[1]}">${options.next[0]}</a>`}
    </span>
  </nav>`

/** More content, closed at first. */
export const more = (summary: Content, body: Content): Html =>
  html`<details class="more"><summary>${summary}</summary>${body}</details>`

/** What needs attention: state, what and since when, what follows, one action. */
export type Wrong = {
  readonly kind: State
  readonly word: string
  readonly heading: Content
  readonly body: Content
  /** Since when, and who knows. */
  readonly meta?: readonly Content[]
  readonly action?: readonly [text: string, href: string]
}

export const wrongList = (list: readonly Wrong[]): Html =>
  html`<ul class="wrong">
    ${list.map(
      ({ kind, word, heading, body, meta = [], action }) =>
        html`<li>
          ${state(kind, word)}
          <div>
            <h3>${heading}</h3>
            <p>${body}</p>
            ${meta.length > 0 && html`<p class="meta">${meta.map((each) => html`<span>${each}</span>`)}</p>`}
          </div>
          ${action && html`<a class="btn tiny" href="${action[1]}">${action[0]}</a>`}
        </li>`,
    )}
  </ul>`
