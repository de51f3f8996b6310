// A page of the audit log, as an organization and the operator see it.
import type { HoldReason } from '../../domain/hold-reason.ts'
import type { ListedAuditEntry } from '../../store/people/audit.ts'
import { formatNumber } from '../frame/format.ts'
import { type Content, type Html, html } from '../frame/html.ts'
import type { Language } from '../frame/languages.ts'
import { empty, moment, pager, quoted, table } from '../frame/parts.ts'
import { auditTexts } from './audit-texts.ts'
import { holdReasons } from './hold-reasons.ts'

/** Number of entries on a page. */
export const entriesOnPage = 50

/** The entry below which a page begins, as its address says; undefined for the newest page. */
export function beforeOf(query: URLSearchParams): number | undefined {
  const text = query.get('before') ?? ''
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

/** `entries`: one more than fits, if there are older ones. */
export function auditList(
  entries: readonly ListedAuditEntry[],
  { language, path, isNewest }: { readonly language: Language; readonly path: string; readonly isNewest: boolean },
): Html {
  const texts = auditTexts[language]
  const shown = entries.slice(0, entriesOnPage)
  if (shown.length === 0) return empty(texts.none, texts.noneHint)
  const older = entries.length > shown.length && shown.at(-1)
  return html`${table({
    caption: texts.pageNames.audit,
    columns: [texts.when, texts.shared.who, texts.shared.what, texts.subject, texts.detail],
    rows: shown.map((entry) => [
      moment(entry.at, language),
      html`
        ${entry.actor === 'operator' ? texts.operator : quoted(entry.actor)}
        ${entry.addressPrefix !== '' && html`<br><span class="soft">${entry.addressPrefix}</span>`}
      `,
      actionText(entry.action, language),
      entry.subject === entry.organizationId ? texts.ownOrganization : subjectText(entry.subject, language),
      detailText(entry, language),
    ]),
  })}${pager({
    text: texts.shown(formatNumber(shown.length, language)),
    previous: isNewest ? undefined : [texts.shared.newest, path],
    next: older ? [texts.shared.older, `${path}?before=${older.entryNo}`] : undefined,
  })}`
}

/** Text of an action; the code itself if this version does not know it. */
export const actionText = (action: string, language: Language): Content =>
  auditTexts[language].actions[action] ?? html`<code>${action}</code>`

/** What was changed: its name, or the number of an edition. */
export function subjectText(subject: string, language: Language): Content {
  const [, edition] = /^edition (\d{1,9})$/.exec(subject) ?? []
  return edition === undefined ? quoted(subject) : auditTexts[language].edition(edition)
}

/** Members with their values, without empty ones. */
export const detailText = (
  { detail, causes }: Pick<ListedAuditEntry, 'detail' | 'causes'>,
  language: Language,
): Content =>
  Object.entries(detail)
    // name and hint say which token it is; commands print its id
    .filter(([name, value]) => value !== null && value !== '' && name !== 'tokenId')
    .map(([name, value], index) => {
      const text = name === 'held' && causes ? causesText(causes, language) : valueText(name, value!, language)
      return html`${index > 0 && ', '}${memberText(name, language)}: ${text}`
    })

/** The reasons of the gate, as the pages of editions say them. */
const causesText = (causes: readonly HoldReason[], language: Language): Content =>
  holdReasons({ reasons: causes.map(({ code }) => code), causes }, language).map(
    ({ sentence }, index) => html`${index > 0 && ' '}${sentence}`,
  )

/** The member in words; its name itself if this version does not know it. */
function memberText(name: string, language: Language): Content {
  const texts = auditTexts[language]
  if (Object.hasOwn(texts.members, name)) return texts.members[name]
  const changed = name.replace(/Before$/, '')
  return Object.hasOwn(texts.members, changed) ? texts.before(texts.members[changed]!) : html`<code>${name}</code>`
}

/** Moments, whose names end with `At`, and other timestamps as dates. */
function valueText(name: string, value: string | number | boolean, language: Language): Content {
  if (typeof value === 'boolean') return value ? auditTexts[language].shared.yes : auditTexts[language].shared.no
  if (typeof value === 'number') return name.endsWith('At') ? moment(value, language) : formatNumber(value, language)
  const values = auditTexts[language].values[name.replace(/Before$/, '')]
  const codes = value.split(', ')
  if (values && codes.every((code) => Object.hasOwn(values, code))) return codes.map((code) => values[code]).join(', ')
  return /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(value) ? moment(Date.parse(value), language) : quoted(value)
}
