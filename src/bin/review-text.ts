// Events about duplicates and explanations as a person reads them.
import type { CommandEvent } from './control-socket.ts'

type Paint = { readonly [style in 'bold' | 'dim' | 'green' | 'yellow' | 'cyan']: (text: string) => string }
type Side = { readonly [member: string]: unknown }

const day = (instant: unknown) => (typeof instant === 'string' ? instant.slice(0, 10) : '–')
const minute = (instant: unknown) => (typeof instant === 'string' ? instant.slice(0, 16).replace('T', ' ') : '–')
const points = (score: unknown) => (typeof score === 'number' ? score.toFixed(1) : '')
const cut = (text: unknown, most: number) => {
  const line = String(text ?? '–').replace(/\s+/g, ' ')
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

/** One event about duplicates; undefined when it is about something else. */
export function describeReview(event: CommandEvent, paint: Paint): string | undefined {
  switch (event.event) {
    case 'review':
      return reviewText(event, paint)
    case 'reviewPair':
      return pairText(event, paint)
    case 'reviewDecided':
      return `  ${paint.green('✓')} ${event.decision === 'merge' ? 'One record from now on' : 'Two records from now on'}: ${(event.records as string[]).join(', ')}`
    case 'explained':
      return explainedText(event, paint)
    default:
      return undefined
  }
}

function reviewText(
  { left, right, score, rule, evidence, isHeldApart, isOneRecord }: CommandEvent,
  paint: Paint,
): string {
  const side = (each: Side) =>
    `      ${cut(each.title, 90)}\n      ${paint.dim(`${cut(each.buyer, 60)} · ${(each.publishers as string[] | undefined)?.join(', ')} · published ${day(each.publicationDate)} · deadline ${minute(each.submissionDate)}`)}`
  const [a, b] = [left as Side, right as Side]
  if (isOneRecord)
    return [
      `  ${paint.yellow('  one')}  ${rule}: ${a.key} and ${b.key} are in one record (${a.id}), but their notices say: ${evidence}`,
      side(a),
      `      ${paint.dim(`tenderstock review split '${a.key}' '${b.key}'   (or merge if they belong together, or show)`)}`,
    ].join('\n')
  return [
    `  ${paint.yellow(points(score).padStart(5))}  ${rule}${isHeldApart ? ' (kept separate by other evidence in the two records)' : ''}: ${evidence}`,
    side(a),
    side(b),
    `      ${paint.dim(`tenderstock review merge '${a.key}' '${b.key}'   (or split, or show)`)}`,
  ].join('\n')
}

const compared: readonly (readonly [name: string, read: (side: Side) => string])[] = [
  ['Title', ({ title }) => cut(title, 400)],
  ['Buyer', ({ buyer }) => cut(buyer, 200)],
  ['Number', ({ tenderNumber }) => cut(tenderNumber, 100)],
  ['Published', ({ publicationDate }) => day(publicationDate)],
  ['Deadline', ({ submissionDate }) => minute(submissionDate)],
  ['CPV', ({ cpvCodes }) => ((cpvCodes as string[] | undefined) ?? []).slice(0, 6).join(' ') || '–'],
  ['NUTS', ({ nutsCodes }) => ((nutsCodes as string[] | undefined) ?? []).slice(0, 6).join(' ') || '–'],
  ['Value', ({ contractAmount }) => amountText(contractAmount)],
  ['Portals', ({ publishers }) => ((publishers as string[] | undefined) ?? []).join(', ')],
  ['Text', ({ description }) => cut(description, 300)],
]

function amountText(amount: unknown): string {
  const { value, currency } = (amount ?? {}) as { readonly value?: number; readonly currency?: string }
  return value === undefined ? '–' : `${value.toLocaleString('en-US')} ${currency}`
}

function pairText(event: CommandEvent, paint: Paint): string {
  const [left, right] = [event.left as Side, event.right as Side]
  const verdict = event.verdict as { kind: string; rule: string; score: number; evidence: string } | null
  const state = event.isExactlyLinked
    ? 'one record, because of exact references'
    : event.isOneRecord
      ? 'one record now'
      : 'two records now'
  return [
    `  ${paint.bold(String(left.key))} (${left.id})`,
    `  ${paint.bold(String(right.key))} (${right.id})`,
    `  ${state}${event.decision ? `; an operator decided: ${event.decision}` : ''}`,
    ...(verdict
      ? [
          `  The rules say ${paint.bold(verdict.kind)}: ${verdict.rule}, ${points(verdict.score)} points; ${verdict.evidence}`,
        ]
      : []),
    '',
    ...compared.flatMap(([name, read]) => {
      const [a, b] = [read(left), read(right)]
      const label = name.padEnd(10)
      if (a === b) return [`  ${paint.green('=')} ${label} ${a}`]
      return [`  ${paint.yellow('≠')} ${label} ${a}`, `    ${' '.repeat(10)} ${b}`]
    }),
  ].join('\n')
}

type Explained = {
  readonly key: string
  readonly publisher: string
  readonly formType: string
  readonly publicationDate: string | null
  readonly joinedBy: {
    readonly rule: string
    readonly score: number | null
    readonly evidence: string
    readonly with: string
  } | null
}

function explainedText(event: CommandEvent, paint: Paint): string {
  const members = event.members as { member: string; rule: string; noticeKeys: string[]; value: unknown }[]
  return [
    `  ${paint.bold(`Record ${event.id}`)}${event.mergedFrom ? `, which holds ${event.mergedFrom}` : ''}`,
    '',
    paint.bold('  Notices'),
    ...(event.notices as Explained[]).flatMap(({ key, publisher, formType, publicationDate, joinedBy }) => [
      `  ${key.padEnd(44)} ${publisher.padEnd(10)} ${formType.padEnd(12)} ${day(publicationDate)}`,
      paint.dim(
        joinedBy
          ? `      ${joinedBy.rule}${joinedBy.score === null ? '' : `, ${points(joinedBy.score)} points`}, with ${joinedBy.with}: ${joinedBy.evidence}`
          : '      the first',
      ),
    ]),
    '',
    paint.bold('  Members'),
    ...members.map(({ member, rule, noticeKeys, value }) => {
      const more = noticeKeys.length > 1 ? ` and ${noticeKeys.length - 1} more` : ''
      const from = noticeKeys.length > 0 ? `${noticeKeys[0]}${more} (${rule})` : rule
      const shown = typeof value === 'string' ? value : JSON.stringify(value)
      return `  ${member.padEnd(24)} ${cut(shown, 60).padEnd(60)} ${paint.dim(from)}`
    }),
  ].join('\n')
}
