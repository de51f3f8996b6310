// Events about notices, records and editions, for people.
import type { EventOf } from '../../service/events/command-event.ts'
import type { StockEvents } from '../../service/events/stock-events.ts'
import { count, number } from '../figures.ts'
import type { Paint } from '../paint.ts'
import { concern, type EventTexts, fact, remark, utcMinute } from './text-lines.ts'

export const stockTexts: EventTexts<StockEvents> = {
  ingested: ingestedText,
  rejection: ({ rejectedAt, reason, address, path, detail }, paint) =>
    `  ${utcMinute(rejectedAt)}  ${paint.yellow(reason)}  ${address}${path ? ` ${path}` : ''}\n      ${detail}`,
  consolidated: ({ notices, changed }, paint) => {
    if (notices > 0) return fact(paint, 'Consolidated', count(notices, 'notice'))
    return changed === 0
      ? undefined
      : fact(paint, 'Consolidated', `${count(changed, 'record')} changed by the passage of time`)
  },
  published: publishedText,
  held: ({ reasons }, paint) =>
    [
      concern(paint, 'The gate holds back the next edition; the last one is still served.'),
      ...reasons.map((reason) => `      ${reason}`),
      `      ${paint.dim('Check the reasons, then run: tenderstock publish --override-gate')}`,
    ].join('\n'),
  tooEarly: ({ allowedAt }, paint) =>
    remark(paint, `The next edition can be published at ${utcMinute(allowedAt)}: at most one an hour`),
  nothingNew: (_, paint) => remark(paint, nothingNew),
  publishPreview: publishPreviewText,
  rebuilt: rebuiltText,
  rebuildPreview: ({ documents, notices, changed, added, gone, records }, paint) => {
    const news = `${number(changed)} read differently, ${number(added)} new, ${number(gone)} gone`
    return [
      fact(paint, 'Would be rebuilt', `${count(documents, 'document')} → ${count(notices, 'notice')}: ${news}`),
      `      ${count(records, 'record')} with different contents`,
      nothingChanged(paint),
    ].join('\n')
  },
  exported: ({ rows }, paint) =>
    fact(paint, 'Copied', `${count(rows, 'row')} to the server; start with this DATABASE_URL and the same --data`),
  exportPreview: ({ database, rows, usedTable }, paint) =>
    [
      usedTable === null
        ? fact(paint, 'Would be copied', `${count(rows, 'row')} to ${database}, which is empty`)
        : concern(paint, `${database} is not empty: its table ${usedTable} has rows. Pass an empty database.`),
      nothingChanged(paint),
    ].join('\n'),
  editionExported: editionExportedText,
  valuesFitted: ({ version, priced, retried }, paint) => {
    const tenders = `${count(priced, 'tender')} with a published value`
    if (version === null) return remark(paint, `${tenders}: too few for a model, which needs 300.`)
    const again = retried > 0 ? `; ${count(retried, 'refused record')} judged again` : ''
    return fact(paint, 'Model of values', `${version} from ${tenders}${again}`)
  },
}

const nothingNew = 'Nothing new to publish'

const nothingChanged = (paint: Paint): string => paint.dim('  Nothing was changed.')

function ingestedText(event: EventOf<'ingested'>, paint: Paint): string {
  const rejected = Object.values(event.rejections).reduce((total, each) => total + each, 0)
  const parts = [
    count(event.documents, 'document'),
    event.known === event.documents ? 'nothing new' : count(event.notices, 'new notice'),
    ...(rejected > 0 ? [`${number(rejected)} unreadable`] : []),
  ]
  return fact(paint, event.source === 'files' ? 'Read' : event.source, parts.join(' · '))
}

const changedRulesText = (rules: readonly string[]): string =>
  `Corrected by the service: these rules changed: ${rules.join(', ')}`

/** What the gate lets pass because rules changed. */
const explainedLines = (
  { changedRules, warnings }: Pick<EventOf<'published'>, 'changedRules' | 'warnings'>,
  paint: Paint,
): string[] =>
  changedRules.length === 0
    ? []
    : [remark(paint, changedRulesText(changedRules)), ...warnings.map((warning) => `      ${warning}`)]

function publishedText(event: EventOf<'published'>, paint: Paint): string {
  const { edition, records, changes, changedRules, warnings } = event
  const alarms = `${count(warnings.length, 'alarm')} of sources did not block it: tenderstock source list`
  return [
    fact(paint, `Edition ${edition}`, `published with ${count(records, 'record')}, ${number(changes)} new or changed`),
    ...explainedLines(event, paint),
    ...(changedRules.length === 0 && warnings.length > 0 ? [concern(paint, alarms)] : []),
  ].join('\n')
}

function publishPreviewText(event: EventOf<'publishPreview'>, paint: Paint): string {
  const { edition, records, changes, reasons, allowedAt } = event
  const content = `would have ${count(records, 'record')}, ${number(changes)} new or changed`
  return [
    event.isNothingNew ? remark(paint, nothingNew) : fact(paint, `Edition ${edition}`, content),
    ...(reasons.length > 0 ? [concern(paint, 'The gate would hold it back:')] : []),
    ...reasons.map((reason) => `      ${reason}`),
    ...explainedLines(event, paint),
    ...(allowedAt === null ? [] : [remark(paint, `It can be published at ${utcMinute(allowedAt)}`)]),
    nothingChanged(paint),
  ].join('\n')
}

function rebuiltText(event: EventOf<'rebuilt'>, paint: Paint): string {
  const ids = `Ids removed: ${number(event.idsGone)}, ids added: ${number(event.idsNew)}`
  return [
    fact(
      paint,
      'Rebuilt',
      `${count(event.documents, 'document')} → ${count(event.notices, 'notice')}, ${count(event.records, 'record')}`,
    ),
    event.isSame
      ? remark(paint, 'All ids and contents are unchanged.')
      : concern(paint, `${ids}, contents changed: ${number(event.contentsChanged)}.`),
  ].join('\n')
}

function editionExportedText(event: EventOf<'editionExported'>, paint: Paint): string {
  const { edition, format, folder, seconds } = event
  const content = format === 'ocds' ? count(event.records - event.merged, 'release') : count(event.records, 'record')
  const size = `${count(event.files, 'file')}, ${number(Math.ceil(event.bytes / 1e6))} MB`
  return fact(
    paint,
    'Exported',
    `edition ${edition}${event.isContinued ? ', continued' : ''}: ${content} as ${format} in ${size}, ${seconds} s, in ${folder}`,
  )
}
