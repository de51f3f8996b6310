// Events about duplicates and explanations, for people.
import { deadlineFor, localMinute } from '#flat/record/first-deadline'
import type { ActReading } from '../../domain/acts/act.ts'
import type { EventOf } from '../../service/events/command-event.ts'
import type { ReviewEvents } from '../../service/events/review-events.ts'
import { cut, number } from '../figures.ts'
import type { Paint } from '../paint.ts'
import { done, type EventTexts } from './text-lines.ts'

const day = (instant: string | null | undefined) => instant?.slice(0, 10) ?? '–'
const points = (score: number | null) => score?.toFixed(1) ?? ''

export const reviewTexts: EventTexts<ReviewEvents> = {
  review: (event, paint) => (event.isOneRecord ? doubtText(event, paint) : reviewText(event, paint)),
  reviewPair: pairText,
  reviewDecided: ({ decision, records }, paint) =>
    done(paint, `${decision === 'merge' ? 'One record' : 'Two records'} from now on: ${records.join(', ')}`),
  reviewUndone: ({ records }, paint) => done(paint, `The decision is gone; the rules decide: ${records.join(', ')}`),
  explained: explainedText,
}

/** Two records that may be one. */
function reviewText(event: EventOf<'review'>, paint: Paint): string {
  const { left: a, right: b, score, chance, readers, rule, evidence } = event
  const share = `${Math.round(100 * (chance ?? 0))} % of its pairs are one`
  const apart = event.isHeldApart ? ' (kept separate by other evidence in the two records)' : ''
  return [
    `  ${paint.yellow(points(score).padStart(5))}  ${rule}, ${share}, open hits: ${readers}${apart}: ${evidence}`,
    sideText(a, paint),
    sideText(b, paint),
    `      ${paint.dim(`tenderstock review merge '${a.key}' '${b.key}'   (or split, or show)`)}`,
  ].join('\n')
}

/** One record whose notices contradict each other. */
function doubtText({ left: a, right: b, rule, evidence, isExactlyLinked }: EventOf<'review'>, paint: Paint): string {
  const contradiction = 'but their notices contradict each other'
  const keys = `'${a.key}' '${b.key}'`
  const command = isExactlyLinked
    ? `tenderstock review merge ${keys}   ` +
      '(confirms it; exact references join them, which no split can undo: show names them)'
    : `tenderstock review split ${keys}   (or merge if they belong together, or show)`
  return [
    `  ${paint.yellow('  one')}  ${rule}: ${a.key} and ${b.key} are in one record (${a.id}), ${contradiction}: ${evidence}`,
    sideText(a, paint),
    `      ${paint.dim(command)}`,
  ].join('\n')
}

function sideText(side: ReviewSide, paint: Paint): string {
  const { title, buyer, publishers, publicationDate } = side
  const dates = `published ${day(publicationDate)} · deadline ${deadlineText(side)}`
  return `      ${cut(title, 90)}\n      ${paint.dim(`${cut(buyer, 60)} · ${publishers?.join(', ')} · ${dates}`)}`
}

type ReviewSide = EventOf<'reviewPair'>['left']

const deadlineText = ({ deadline, timeZone }: ReviewSide): string =>
  deadline ? `${localMinute(deadline.at, timeZone ?? undefined)}, ${deadlineFor[deadline.kind]}` : '–'

const compared: readonly (readonly [name: string, read: (side: ReviewSide) => string])[] = [
  ['Title', ({ title }) => cut(title, 400)],
  ['Buyer', ({ buyer }) => cut(buyer, 200)],
  ['Number', ({ tenderNumber }) => cut(tenderNumber, 100)],
  ['Published', ({ publicationDate }) => day(publicationDate)],
  ['Deadline', deadlineText],
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

/** `award, by words of the title (title): Vergebener Auftrag; the form is competition`. */
function actLine({ act, of, intention, rule, field, evidence, form, doubt }: ActReading): string {
  const what = [act, ...(of && of !== act ? [`of ${of}`] : []), ...(intention ? [`(${intention})`] : [])].join(' ')
  const why = field === rule ? rule : `${rule} (${field})`
  const more = [...(form ? [`the form is ${form}`] : []), ...(doubt ? [`doubt: ${doubt.act}, ${doubt.evidence}`] : [])]
  return [`${what}, by ${why}: ${evidence}`, ...more].join('; ')
}

function explainedText(event: EventOf<'explained'>, paint: Paint): string {
  return [
    `  ${paint.bold(`Record ${event.id}`)}${event.mergedFrom ? `, which holds ${event.mergedFrom}` : ''}`,
    '',
    paint.bold('  Notices'),
    ...event.notices.flatMap(({ key, publisher, formType, publicationDate, act, joinedBy }) => [
      `  ${key.padEnd(44)} ${publisher.padEnd(10)} ${formType.padEnd(12)} ${day(publicationDate)}`,
      paint.dim(
        joinedBy
          ? `      ${joinedBy.rule}${joinedBy.score === null ? '' : `, ${points(joinedBy.score)} points`}, with ${joinedBy.with}: ${joinedBy.evidence}`
          : '      the first',
      ),
      ...(act ? [paint.dim(`      ${actLine(act)}`)] : []),
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
