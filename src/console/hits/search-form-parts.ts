// The builder of a search as markup: its fields, and what it finds beside them.
import { procedureTypes } from '../../domain/codes.ts'
import { contractNatures, searchStatuses } from '../../hits/read-input.ts'
import type { Preview, Widening } from '../../hits/search-stock.ts'
import type { StoredProfile } from '../../store/hits/searches.ts'
import { codePicker } from '../codes/code-picker.ts'
import { formatNumber, formatShare } from '../frame/format.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { field, fieldset, noteBox, numbers, quoted, score, select, table, textArea, tick } from '../frame/parts.ts'
import type { FieldErrors } from './criteria.ts'
import { criteriaTexts } from './criteria-texts.ts'
import { hitsTexts } from './hits-texts.ts'
import type { SearchForm } from './search-form.ts'
import type { Counted, PreviewAnswer } from './search-previews.ts'
import { searchesTexts } from './searches-texts.ts'

/** Maximum open tenders that a new search delivers. */
export const maxOpenDelivered = 500
/** Maximum ways to widen a search that are named. */
const maxWider = 3

export type SearchFormView = {
  readonly form: SearchForm
  readonly errors: FieldErrors
  readonly profiles: readonly StoredProfile[]
  /** Where it is sent. */
  readonly action: string
  readonly language: Language
  /** Hidden fields. */
  readonly hidden: Html
}

/** An invisible first button receives Enter in any field: it shows the form again and saves nothing. */
export const lookButton = (language: Language): Html =>
  html`<button class="hide" name="do" value="look" tabindex="-1" formnovalidate>${criteriaTexts[language].look}</button>`

export function searchFields({ form, errors, profiles, action, language, hidden }: SearchFormView): Html {
  const texts = searchesTexts[language]
  const common = criteriaTexts[language]
  const error = (name: string) => errors.get(name)
  const picker = (kind: 'cpv' | 'nuts', name: string, legend: string, picked: SearchForm['cpv'], hint?: string) =>
    codePicker({
      kind,
      name,
      legend,
      picked,
      action,
      language,
      error: error(name),
      ...(hint !== undefined && { hint }),
    })
  return html`<form id="search" method="post" action="${action}" novalidate>${lookButton(language)}${hidden}
<div class="set">
  ${field({
    name: 'name',
    label: texts.shared.name,
    value: form.name,
    maxLength: 200,
    isRequired: true,
    error: error('name'),
  })}
</div>
${picker('cpv', 'cpv', common.sector, form.cpv, common.sectorHint)}
${picker('nuts', 'nuts', common.region, form.nuts)}
<div class="set">
  ${field({ name: 'words', label: common.words, value: form.words, hint: common.wordsHint, error: error('words') })}
</div>
<div class="set">
  ${field({
    name: 'all-words',
    label: texts.allWords,
    value: form.allWords,
    hint: texts.allWordsHint,
    error: error('all-words'),
  })}
</div>
<div class="set">
  ${textArea({
    name: 'authorities',
    label: texts.authorities,
    value: form.authorities,
    rows: 2,
    hint: common.oneLine,
    error: error('authorities'),
  })}
</div>
${statusFields(form, language)}
${natureFields(form, texts.natureHint, language)}
<details class="more"${(form.procedures.length > 0 || errors.has('procedure')) && html` open`}>
  <summary>${texts.procedures}</summary>
  ${fieldset(
    texts.procedures,
    html`<div class="stack">
      ${procedureTypes.map((each) =>
        tick({
          name: 'procedure',
          value: each,
          label: texts.procedureNames[each],
          isOn: form.procedures.includes(each),
        }),
      )}
    </div>`,
  )}
</details>
${valueFields(form, errors, language)}
<div class="set">
  ${field({ name: 'min-days', label: texts.days, value: form.minDays, hint: texts.daysHint, error: error('min-days') })}
</div>
<details class="more"${hasExclusions(form, errors) && html` open`}>
  <summary>${texts.exclusions}</summary>
  <div class="set">
    ${field({ name: 'not-words', label: texts.notWords, value: form.notWords, error: error('not-words') })}
  </div>
  ${picker('cpv', 'not-cpv', texts.notSector, form.notCpv)}
  ${picker('nuts', 'not-nuts', texts.notRegion, form.notNuts)}
  <div class="set">
    ${textArea({
      name: 'not-authorities',
      label: texts.notAuthorities,
      value: form.notAuthorities,
      rows: 2,
      hint: common.oneLine,
      error: error('not-authorities'),
    })}
  </div>
</details>
<div class="set">
  ${select({
    name: 'profile',
    label: texts.profile,
    value: form.profile,
    hint: texts.profileHint,
    error: error('profile'),
    choices: [['', texts.derived], ...profiles.map(({ profileId, name }) => [profileId, name] as const)],
  })}
</div>
${thresholdFields(form, errors, language)}</form>`
}

export function valueFields(
  { valueMin, valueMax }: Pick<SearchForm, 'valueMin' | 'valueMax'>,
  errors: FieldErrors,
  language: Language,
): Html {
  const texts = criteriaTexts[language]
  return fieldset(
    texts.value,
    html`<div class="two">
      ${field({ name: 'value-min', label: texts.shared.from, value: valueMin, error: errors.get('value-min') })}
      ${field({ name: 'value-max', label: texts.to, value: valueMax, error: errors.get('value-max') })}
    </div>`,
  )
}

export function natureFields({ natures }: Pick<SearchForm, 'natures'>, hint: string, language: Language): Html {
  const texts = criteriaTexts[language]
  return fieldset(
    texts.nature,
    html`
      <div class="row">
        ${contractNatures.map((each) =>
          tick({ name: 'nature', value: each, label: texts.natures[each], isOn: natures.includes(each) }),
        )}
      </div>
      <p class="hint">${hint}</p>
    `,
  )
}

function statusFields({ statuses }: SearchForm, language: Language): Html {
  const texts = searchesTexts[language]
  return fieldset(
    texts.statusLabel,
    html`
      <div class="row">
        ${searchStatuses.map((each) =>
          tick({
            name: 'status',
            value: each,
            label: criteriaTexts[language].statuses[each],
            isOn: statuses.includes(each),
          }),
        )}
      </div>
      <p class="hint">${texts.statusHint}</p>
    `,
  )
}

const hasExclusions = (form: SearchForm, errors: FieldErrors): boolean =>
  form.notWords !== '' ||
  form.notAuthorities !== '' ||
  [form.notCpv, form.notNuts].some(({ codes, query }) => codes.length > 0 || query !== '') ||
  [...errors.keys()].some((name) => name.startsWith('not-'))

function thresholdFields({ threshold }: SearchForm, errors: FieldErrors, language: Language): Html {
  const texts = searchesTexts[language]
  const usual = Object.entries(texts.thresholds)
  const choices = usual.some(([value]) => value === threshold) ? usual : [[threshold, threshold] as const, ...usual]
  const error = errors.get('threshold')
  return fieldset(
    texts.thresholdLabel,
    html`
      <div class="row">
        ${choices.map(([value, label]) =>
          tick({ name: 'threshold', value, label, isOn: value === threshold, type: 'radio' }),
        )}
      </div>
      ${error !== undefined && html`<p class="why">${error}</p>`}
    `,
  )
}

/** The note on top of a form with errors: each leads to its field. */
export function errorNote(errors: FieldErrors, language: Language): Html | false {
  if (errors.size === 0) return false
  const target = (name: string) => (/(?:cpv|nuts)$/.test(name) ? `pick-${name}` : name)
  return noteBox(
    'bad',
    criteriaTexts[language].correct(errors.size),
    [...errors].map(([name, text]) => html`<a href="#${target(name)}">${text}</a> `),
  )
}

export type FindsView = {
  readonly answer: PreviewAnswer | 'failed' | undefined
  readonly threshold: string
  readonly records: number | undefined
  readonly language: Language
  /** The buttons that save. */
  readonly actions: Content
}

/** Beside the form: what it finds, and the buttons. */
export function finds({ answer, threshold, records, language, actions }: FindsView): Html {
  const texts = searchesTexts[language]
  const again = html`<button form="search" name="do" value="count" formnovalidate>${answer === undefined ? texts.count : texts.countAgain}</button>`
  const body =
    answer === undefined
      ? html`<p class="soft small">${texts.notCounted}</p>`
      : answer === 'failed'
        ? html`<p role="status">${texts.countFailed}</p>`
        : answer.kind === 'busy'
          ? html`<p role="status">${texts.busy}</p>`
          : answer.kind === 'counting'
            ? html`
              <p role="status">${texts.counting(formatShare(answer.share, language))}</p>
              <progress class="meter" max="1" value="${answer.share}" aria-hidden="true"></progress>
            `
            : counted(answer, threshold, records, language)
  const examples =
    typeof answer === 'object' && answer.kind === 'counted' && answer.preview.best.length > 0
      ? exampleList(answer.preview, language)
      : false
  return html`<aside class="stay stack" aria-label="${texts.finds}"><div class="card wash stack">${body}${again}</div>${examples}${actions}</aside>`
}

function counted({ preview, wider }: Counted, threshold: string, records: number | undefined, language: Language) {
  const { open, lastDays } = preview
  const texts = searchesTexts[language]
  const number = (value: number) => formatNumber(value, language)
  const scores = ['40', '50', '60'] as const
  return html`<div role="status">
    <p class="soft small">${texts.openNow}</p>
    <p class="row">
      <b class="big">${number(open.any)}</b> ${records !== undefined && html`<span class="soft small">${texts.ofRecords(number(records))}</span>`}
    </p>
    ${
      open.any === 0
        ? advice(wider, language)
        : html`<p class="soft small">${scores.map((each) => texts.openScored(number(open[each]), each)).join(', ')}</p>`
    }
  </div>
${table({
  caption: texts.lastDays,
  isCaptionShown: true,
  kind: 'mini keep',
  columns: [texts.scoreFrom, numbers(texts.month), numbers(texts.week)],
  rows: (['any', ...scores] as const).map((each) => [
    each === 'any' ? texts.any : each === threshold ? html`<b>${texts.yours(each)}</b>` : each,
    number(lastDays[each]),
    number(Math.round((lastDays[each] * 7) / 30)),
  ]),
})}`
}

/** What to widen when nothing matches. */
function advice(wider: readonly Widening[], language: Language): Html {
  const texts = searchesTexts[language]
  if (wider.length === 0) return html`<p>${texts.widenSomething}</p>`
  return html`
    <p>${texts.widen}</p>
    <ul>
      ${wider
        .slice(0, maxWider)
        .map(({ without, open }) => html`<li>${texts.without[without](formatNumber(open, language))}</li>`)}
    </ul>
  `
}

const exampleList = ({ best }: Preview, language: Language): Html =>
  html`<div class="card stack">
    <h2>${searchesTexts[language].examples}</h2>
    <ul class="stack">
      ${best.map(
        ({ tenderId, title, language: lang, fitScore, isBySearch }) =>
          html`<li class="t"><a class="lk" href="/tenders/${tenderId}">${quoted(title, lang)}</a>${score(
            fitScore,
            scoreWords(fitScore, isBySearch, language),
          )}</li>`,
      )}
    </ul>
  </div>`

/** From 80 strong, 60 good, 40 partial, else weak; by the search alone a score only ranks. */
export function scoreWords(points: number, isBySearch: boolean, language: Language): string {
  const { fits, bySearch } = hitsTexts[language]
  if (isBySearch) return bySearch
  return points >= 80 ? fits.strong : points >= 60 ? fits.good : points >= 40 ? fits.partial : fits.weak
}
