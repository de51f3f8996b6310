// Events about duplicates and explanations, for people.
import type { CommandEvent, EventOf } from '../service/command-event.ts'
import { cut, number } from './figures.ts'
import type { Paint } from './paint.ts'

const day = (instant: string | null | undefined) => instant?.slice(0, 10) ?? '–'
const minute = (instant: string | null | undefined) => instant?.slice(0, 16).replace('T', ' ') ?? '–'
const points = (score: number | null) => score?.toFixed(1) ?? ''

/** Describes an event about duplicates; undefined for any other event. */
export function describeReview(event: CommandEvent, paint: Paint): string | undefined {
  switch (event.event) {
    case 'review':
      return reviewText(event, paint)
    case 'reviewPair':
      return pairText(event, paint)
    case 'reviewDecided':
      return `  ${paint.green('✓')} ${event.decision === 'merge' ? 'One record from now on' : 'Two records from now on'}: ${event.records.join(', ')}`
    case 'reviewUndone':
      return `  ${paint.green('✓')} The decision is gone; the rules decide: ${event.records.join(', ')}`
    case 'explained':
      return explainedText(event, paint)
    default:
      return undefined
  }
}

function reviewText(
  {
    left: a,
    right: b,
    score,
    chance,
    readers,
    rule,
    evidence,
    isHeldApart,
    isOneRecord,
    isExactlyLinked,
  }: EventOf<'review'>,
  paint: Paint,
): string {
  const side = (each: ReviewSide) =>
    `      ${cut(each.title, 90)}\n      ${paint.dim(`${cut(each.buyer, 60)} · ${each.publishers?.join(', ')} · published ${day(each.publicationDate)} · deadline ${deadlineText(each.deadline)}`)}`
  if (isOneRecord)
    return [
      `  ${paint.yellow('  one')}  ${rule}: ${a.key} and ${b.key} are in one record (${a.id}), but their notices contradict each other: ${evidence}`,
      side(a),
      `      ${paint.dim(
        isExactlyLinked
          ? `tenderstock review merge '${a.key}' '${b.key}'   (confirms it; exact references join them, which no split can undo: show names them)`
          : `tenderstock review split '${a.key}' '${b.key}'   (or merge if they belong together, or show)`,
      )}`,
    ].join('\n')
  return [
    `  ${paint.yellow(points(score).padStart(5))}  ${rule}, ${Math.round(100 * (chance ?? 0))} % of its pairs are one, open hits: ${readers}${isHeldApart ? ' (kept separate by other evidence in the two records)' : ''}: ${evidence}`,
    side(a),
    side(b),
    `      ${paint.dim(`tenderstock review merge '${a.key}' '${b.key}'   (or split, or show)`)}`,
  ].join('\n')
}

type ReviewSide = EventOf<'reviewPair'>['left']

const deadlineText = (deadline: ReviewSide['deadline']): string =>
  `${minute(deadline?.at)}${deadline?.kind === 'participation' ? ' to participate' : ''}`

const compared: readonly (readonly [name: string, read: (side: ReviewSide) => string])[] = [
  ['Title', ({ title }) => cut(title, 400)],
  ['Buyer', ({ buyer }) => cut(buyer, 200)],
  ['Number', ({ tenderNumber }) => cut(tenderNumber, 100)],
  ['Published', ({ publicationDate }) => day(publicationDate)],
  ['Deadline', ({ deadline }) => deadlineText(deadline)],
  ['CPV', ({ cpvCodes }) => (cpvCodes ?? []).slice(0, 6).join(' ') || '–'],
  ['NUTS', ({ nutsCodes }) => (nutsCodes ?? []).slice(0, 6).join(' ') || '–'],
  ['Value', ({ contractAmount }) => amountText(contractAmount)],
  ['Portals', ({ publishers }) => (publishers ?? []).join(', ')],
  ['Text', ({ description }) => cut(description, 300)],
]

function amountText(amount: ReviewSide['contractAmount']): string {
  return !amount ? '–' : `${number(amount.value)} ${amount.currency}`
}

function pairText(event: EventOf<'reviewPair'>, paint: Paint): string {
  const { left, right, verdict } = event
  const state = event.isExactlyLinked
    ? 'one record, because of exact references'
    : event.isOneRecord
      ? 'one record now'
      : 'two records now'
  return [
    `  ${paint.bold(left.key)} (${left.id})`,
    `  ${paint.bold(right.key)} (${right.id})`,
    `  ${state}${event.decision ? `; an operator decided: ${event.decision}` : ''}`,
    ...event.references.map(
      ({ notice, with: other, rule, evidence }) => `  ${paint.dim(`${notice} with ${other}: ${rule} ${evidence}`)}`,
    ),
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

function explainedText(event: EventOf<'explained'>, paint: Paint): string {
  return [
    `  ${paint.bold(`Record ${event.id}`)}${event.mergedFrom ? `, which holds ${event.mergedFrom}` : ''}`,
    '',
    paint.bold('  Notices'),
    ...event.notices.flatMap(({ key, publisher, formType, publicationDate, joinedBy }) => [
      `  ${key.padEnd(44)} ${publisher.padEnd(10)} ${formType.padEnd(12)} ${day(publicationDate)}`,
      paint.dim(
        joinedBy
          ? `      ${joinedBy.rule}${joinedBy.score === null ? '' : `, ${points(joinedBy.score)} points`}, with ${joinedBy.with}: ${joinedBy.evidence}`
          : '      the first',
      ),
    ]),
    '',
    paint.bold('  Members'),
    ...event.members.map(({ member, rule, noticeKeys, value }) => {
      const more = noticeKeys.length > 1 ? ` and ${noticeKeys.length - 1} more` : ''
      const from = noticeKeys.length > 0 ? `${noticeKeys[0]}${more} (${rule})` : rule
      const shown = typeof value === 'string' ? value : JSON.stringify(value)
      return `  ${member.padEnd(24)} ${cut(shown, 60).padEnd(60)} ${paint.dim(from)}`
    }),
  ].join('\n')
}
