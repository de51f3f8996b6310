// What an act that words name does to the parsed notice: the form type that the act has, and what its text says of
// winners, deadlines and lots. Structure is left as published.
import type { FormType, LotResult, Notice, NoticeLot } from '../notice.ts'
import { dayMs, type Instant, zoneOf } from '../time.ts'
import { winnerNameOf } from '../winner-names.ts'
import type { ActReading } from './act.ts'
import { readNewDeadline } from './deadline-text.ts'
import { followUpText } from './follow-up.ts'

/** Whether words decided, and not the structure of the notice. */
export const isSpoken = ({ field }: ActReading): boolean =>
  field === 'title' || field === 'description' || field === 'procedure'

/** Whether the text of a change says so of a call or of plans. */
const isToldByChange = ({ field, of }: ActReading): boolean =>
  field === 'change text' && (of === 'call' || of === 'prior-information')

/** The form that a notice of this act has; undefined where the published one stays. */
function formOf(reading: ActReading): FormType | undefined {
  if (reading.field === 'results' && reading.act === 'award') return 'result'
  if (!isSpoken(reading)) return undefined
  switch (reading.act) {
    case 'prior-information':
      return 'planning'
    case 'ex-ante':
      return reading.intention === 'direct' ? 'dir-awa-pre' : 'planning'
    case 'award':
      return 'result'
    case 'modification':
      return 'cont-modif'
    case 'call':
    case 'other':
      return undefined
    default:
      return reading.of === 'prior-information' ? 'planning' : 'change'
  }
}

/** The notice as its act says. */
export function asRead(notice: Notice, act: ActReading): Notice {
  const formType = formOf(act)
  const isOther = formType !== undefined && formType !== notice.formType
  const read = { ...notice, ...(isOther && { formType }), act: isOther ? { ...act, form: notice.formType } : act }
  const spoken = isSpoken(act)
  if ((spoken || isToldByChange(act)) && act.act === 'cancellation' && act.lotNumbers === undefined)
    return { ...read, isCancelled: true }
  if (spoken && act.act === 'award') return withWinner(read)
  if (act.act === 'deadline-extension') return withNewDeadline(read, spoken)
  return read
}

const labelsOfWinners = [
  '(?:name (?:und anschrift )?(?:des|der) )?auftragnehmers?',
  '(?:name (?:und anschrift )?des )?(?:beauftragten|beauftragtes|bezuschlagten|bezuschlagtes) unternehmens?',
  'beauftragte firma',
]
const winnerLabel = new RegExp(`(?:^|[\\n.;/)])\\s*(?:${labelsOfWinners.join('|')})\\s*:\\s*([^\\n;]{3,120})`, 'iu')

/** The company that the label of an award's text names, as the winner of the only lot. */
function withWinner(notice: Notice): Notice {
  if (notice.lots.length > 1 || notice.lots[0]?.result) return notice
  const found = Object.values(notice.description ?? {})
    .map((text) =>
      winnerLabel
        .exec(text)?.[1]
        ?.split(/\s{2,}| \/ |,/u)[0]
        ?.trim(),
    )
    .find((name) => name !== undefined && /\p{L}{2}/u.test(name) && winnerNameOf(name) === 'name')
  if (found === undefined) return notice
  const lot: NoticeLot = notice.lots[0] ?? { lotId: '1', cpvCodes: [], nutsCodes: [] }
  const result: LotResult = { outcome: 'awarded', winners: [{ name: found }] }
  return { ...notice, lots: [{ ...lot, result }] }
}

/** A deadline in the text counts if it is later than those of the fields, which may be the old ones. */
function withNewDeadline(notice: Notice, spoken: boolean): Notice {
  const texts = spoken
    ? Object.entries(notice.description ?? {}).map(
        ([language, text]) => [language, followUpText(text) ?? text] as const,
      )
    : Object.entries(notice.changeText ?? {})
  const published = notice.publicationDate ?? notice.dispatchDate
  const zone = zoneOf(notice.contractingAuthorities[0]?.country ?? (notice.publisher === 'doe' ? 'DE' : undefined))
  for (const [language, text] of texts) {
    const found = readNewDeadline(text, { language, published, zone })
    if (found?.kind === 'later') return { ...notice, extendedByDays: found.days }
    if (found) return movedTo(notice, found.at)
  }
  return notice
}

/** Longest extension that a text may name against a field: later dates are those of contracts and bonds. */
const longestExtensionMs = 31 * dayMs

function isExtensionOf(known: Instant, at: Instant): boolean {
  const laterMs = Date.parse(at) - Date.parse(known)
  return laterMs > 0 && laterMs <= longestExtensionMs && at.slice(0, 10) !== known.slice(0, 10)
}

function movedTo(notice: Notice, at: Instant): Notice {
  const holders = [notice, ...notice.lots]
  const member = holders.some(({ submissionDate }) => submissionDate)
    ? 'submissionDate'
    : holders.some(({ participationDate }) => participationDate)
      ? 'participationDate'
      : 'submissionDate'
  const known = holders
    .flatMap((holder) => holder[member] ?? [])
    .sort()
    .at(-1)
  if (known !== undefined && !isExtensionOf(known, at)) return notice
  const lots = notice.lots.map((lot) => (lot[member] === undefined ? lot : { ...lot, [member]: at }))
  const hasOwn = lots.every((lot, index) => lot === notice.lots[index])
  return { ...notice, lots, ...(hasOwn && { [member]: at }) }
}
