// The operator's page about the model of values: fits, errors of what was held out, refusals, and a fit now.
import type { ModelFigures } from '../../store/stock/estimates.ts'
import { countJudged, type JudgedCount, type ListedModel, listModels } from '../../store/stock/value-figures.ts'
import type { ConsoleContext } from '../frame/console-context.ts'
import { formatNumber, formatRelative, formatShare } from '../frame/format.ts'
import { actorOf } from '../frame/forms.ts'
import { type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { operatorPage, type PageAnswer, type PageRoute, type PersonRequest, page, redirect } from '../frame/page.ts'
import { empty, figures, moment, numbers, part, table } from '../frame/parts.ts'
import { runBriefly } from '../frame/run-briefly.ts'
import { valueTexts } from './value-texts.ts'

const to = '/operator/values'

export const valuePages = (context: ConsoleContext): PageRoute[] => [
  operatorPage('GET', to, (request) => model(context, request)),
  operatorPage('POST', `${to}/fit`, (request) => fitNow(context, request)),
]

async function model({ store }: ConsoleContext, { language, now }: PersonRequest): Promise<PageAnswer> {
  const texts = valueTexts[language]
  const models = await listModels(store.db)
  const judged = await countJudged(store.db)
  const [newest] = models
  const all = judged.reduce((sum, { count }) => sum + count, 0)
  const refused = judged.filter(({ kind }) => kind !== 'amount').reduce((sum, { count }) => sum + count, 0)
  return page({
    title: texts.pageNames.values,
    current: to,
    lead: texts.lead,
    actions: html`<form method="post" action="${to}/fit"><button class="go">${texts.fitNow}</button></form>`,
    body: html`${
      newest
        ? figures([
            {
              name: texts.newest,
              value: formatRelative(newest.fittedAt, now, language),
              note: moment(newest.fittedAt, language),
            },
            {
              name: texts.priced,
              value: newest.figures ? formatNumber(newest.figures.priced, language) : '–',
              note: texts.pricedNote,
            },
            {
              name: texts.usual,
              value: newest.figures ? texts.factor(factorText(newest.figures.spread, language)) : '–',
              note: texts.usualNote,
            },
            {
              name: texts.refused,
              value: all === 0 ? '–' : formatShare(refused / all, language),
              note: texts.refusedNote,
            },
          ])
        : empty(texts.none, texts.noneBody)
    }
${models.length > 0 && part(texts.fits, modelTable(models, language), texts.fitsNote)}
${part(
  texts.judged,
  judged.length === 0 ? html`<p>${texts.nothing}</p>` : judgedTable(judged, all, language),
  texts.judgedNote,
)}
<p><a href="/stock">${texts.byCountry}</a></p>`,
  })
}

/** A factor from its logarithm. */
const factorText = (logarithm: number, language: Language): string =>
  formatNumber(Number((10 ** logarithm).toPrecision(2)), language)

function intervalText({ spread, low, high }: ModelFigures, language: Language): string {
  return valueTexts[language].between(factorText(low * spread, language), factorText(high * spread, language))
}

function modelTable(models: readonly ListedModel[], language: Language): Html {
  const texts = valueTexts[language]
  return table({
    caption: texts.fits,
    kind: 'mini',
    columns: [texts.version, texts.fitted, numbers(texts.priced), numbers(texts.usual), numbers(texts.interval)],
    rows: models.map(({ version, fittedAt, figures: known }) => [
      html`<code>${version}</code>`,
      moment(fittedAt, language),
      known ? formatNumber(known.priced, language) : texts.unknown,
      known ? texts.factor(factorText(known.spread, language)) : texts.unknown,
      known ? intervalText(known, language) : texts.unknown,
    ]),
  })
}

function judgedTable(judged: readonly JudgedCount[], all: number, language: Language): Html {
  const texts = valueTexts[language]
  return table({
    caption: texts.judged,
    kind: 'mini',
    columns: [texts.shared.outcome, texts.shared.model, numbers(texts.shared.records), numbers(texts.shared.share)],
    rows: judged.map(({ kind, modelVersion, count }) => [
      texts.outcomes[kind] ?? kind,
      html`<code>${modelVersion}</code>`,
      formatNumber(count, language),
      formatShare(count / all, language),
    ]),
  })
}

async function fitNow(context: ConsoleContext, request: PersonRequest): Promise<PageAnswer> {
  const { language } = request
  const texts = valueTexts[language]
  const outcome = await runBriefly(context, { by: actorOf(request), command: 'values fit' })
  if (outcome.kind === 'goesOn') return redirect(to, { notice: texts.goesOn })
  const fitted = outcome.events.find(({ event }) => event === 'valuesFitted')
  const priced = formatNumber(Number(fitted?.['priced'] ?? 0), language)
  if (fitted?.['version'] === null) return redirect(to, { notice: texts.tooFew(priced) })
  return redirect(to, { notice: fitted?.['isSame'] === true ? texts.sameNotice : texts.fittedNotice(priced) })
}
