// Reads the packages of TED: that of a day by its issue, and that of a month for the past.
import { dayMs, epochMs, hourMs, minuteMs } from '../../domain/time.ts'
import { Refused, Retryable } from '../../platform/http.ts'
import type { Fetch, FetchContext, Slot, SlotEnd, SourceReply, Step } from '../fetch.ts'
import type { ReceivedDocument } from '../files.ts'
import { announcedOrUnknown, fetchMissing, nameMissing } from './complete-day.ts'
import { DayLedger } from './day-ledger.ts'
import {
  DamagedPackage,
  dayInName,
  dayInNotice,
  numberInNotice,
  numberOfMember,
  type PackageMember,
  packageMembers,
} from './package-members.ts'
import { issueOn, releaseCalendar } from './release-calendar.ts'
import { SlotProgress, StepBatch } from './step-batch.ts'
import { assertAnswered } from './ted-reply.ts'

/**
 * Time of day at which a package is final: it is written from 00:01 on its day, and before 09:30 it may lack notices.
 */
const finalAfterMs = 9 * hourMs + 30 * minuteMs
/** How long to wait for a package after its day; afterwards the notices are fetched one by one. */
const patienceMs = 2 * dayMs
const maxPackageBytes = 2 * 1024 ** 3

function spanOf(slot: Slot): { readonly fromMs: number; readonly toMs: number } {
  // a mistake in the card: packages are read by day or month
  if (slot.from === undefined || slot.to === undefined) throw new Error(`the slot ${slot.key} is no span of time`)
  return { fromMs: epochMs(slot.from), toMs: epochMs(slot.to) }
}

/**
 * Reads a package on from the checkpoint. TED accepts byte ranges, but packed data cannot be entered in the middle: the
 * package is fetched from its start, and members whose numbers the checkpoint holds are skipped unread. Telling them by
 * number and not by place is right also when the package was rewritten meanwhile. A member counts by the number that it
 * holds; one that holds none is stored for its rejection, and what it should have been is fetched alone. Returns
 * whether it came to its end; damage counts as the end when this state brought nothing new: then another one would not
 * either.
 */
async function* readPackage(
  context: FetchContext,
  state: SlotState,
  url: string,
  reply: SourceReply,
): AsyncGenerator<Step, 'whole' | 'damaged', void> {
  const { ledger, progress, batch, days } = state
  // The day's own package is read whatever is held; in a month's, days that were read already are skipped.
  const ownDay = days.length === 1 ? days[0] : undefined
  const heldDayOf = (name: string): string | undefined => {
    const day = dayInName(name)
    return day !== undefined && days.includes(day) ? day : undefined
  }
  const isDone = (name: string): boolean => {
    const day = heldDayOf(name)
    return progress.archives.has(name) || (day !== undefined && ledger.day(day).isPackageRead)
  }
  let isNew = false
  try {
    for await (const member of packageMembers(url, reply, isDone)) {
      context.signal.throwIfAborted()
      if (member.kind === 'end') {
        if (member.state === 'damaged' || progress.archives.has(member.name)) continue
        const day = heldDayOf(member.name)
        if (day !== undefined && member.state === 'read') ledger.markPackageRead(day)
        if (day !== undefined && member.state === 'skipped') batch.addEntries(ledger.day(day).numbers.size)
        progress.archives.add(member.name)
        progress.numbers = new Set()
        yield batch.take()
        continue
      }
      const named = numberOfMember(member.name)
      if (named !== undefined && progress.numbers.has(named)) continue
      const found = await received(url, member)
      if (!found) continue
      const { document, number, day } = found
      if (number !== undefined && progress.numbers.has(number)) continue
      batch.add(document, number === undefined ? 0 : 1)
      if (number !== undefined) {
        isNew = true
        progress.numbers.add(number)
        const published = day ?? dayInName(member.name) ?? ownDay
        if (published !== undefined) await ledger.add(published, number)
      }
      if (batch.isFull) yield batch.take()
    }
  } catch (error) {
    yield batch.take()
    if (!(error instanceof DamagedPackage)) throw error
    if (isNew) throw new Retryable(error.message, { cause: error })
    return 'damaged'
  }
  yield batch.take()
  return 'whole'
}

/** `number`: what the notice itself says, so that a member that is no notice never counts as one. */
type Received = {
  readonly document: ReceivedDocument
  readonly number?: string | undefined
  readonly day?: string | undefined
}

async function received(url: string, member: Exclude<PackageMember, { kind: 'end' }>): Promise<Received | undefined> {
  const address = `${url}!${member.name}`
  const unreadable = (rejection: NonNullable<ReceivedDocument['unreadable']>): Received => ({
    document: { address, bytes: new Uint8Array(0), unreadable: rejection },
  })
  if (member.kind === 'unreadable') return unreadable(member.rejection)
  const bytes = await member.read()
  if (bytes === 'broken') return undefined
  if (bytes === 'too-large') return unreadable({ reason: 'too-large', path: '', detail: 'larger than any notice' })
  const number = numberInNotice(bytes)
  return { document: { address, bytes }, number, day: number === undefined ? undefined : dayInNotice(bytes) }
}

/** State that the parts of one slot share. */
type SlotState = {
  readonly ledger: DayLedger
  readonly progress: SlotProgress
  readonly batch: StepBatch
  readonly days: readonly string[]
}

async function startSlot(context: FetchContext, days: readonly string[]): Promise<SlotState> {
  const ledger = new DayLedger(context)
  await ledger.open(days)
  const progress = new SlotProgress(context.checkpoint)
  return { ledger, progress, batch: new StepBatch(ledger, progress), days }
}

/** One day by its package, compared with the search's count. */
export const fetchDaily: Fetch = async function* (context) {
  const day = context.slot.key
  const { fromMs, toMs } = spanOf(context.slot)
  const state = await startSlot(context, [day])
  const held = state.ledger.day(day)
  if (held.isPackageRead) {
    const announced = await announcedOrUnknown(context, day)
    const isWhole = announced === undefined || held.numbers.size >= announced
    if (isWhole && context.checkpoint === undefined) return { kind: 'unchanged' }
    return yield* endOfDay(context, state, day, announced)
  }

  const { calendar, items } = await releaseCalendar(context, day)
  if (items.length > 0) yield { documents: [], entries: 0, items }
  const issue = issueOn(calendar, day)
  if (issue === 'none') return { kind: 'empty' }
  if (issue === 'unknown') {
    if (context.now() < toMs) return { kind: 'notYet' }
    throw new Retryable(`the release calendar does not know ${day}`)
  }

  const url = `https://ted.europa.eu/packages/daily/${day.slice(0, 4)}${String(issue).padStart(5, '0')}`
  const reply = await context.send({ url, accept: [404], maxBytes: maxPackageBytes })
  assertAnswered(reply, url)
  if (reply.status === 404) {
    if (context.now() < toMs + patienceMs) return { kind: 'notYet' }
    return yield* fetchRest(context, state, day)
  }
  const end = yield* readPackage(context, state, url, reply)
  const announced = await announcedOrUnknown(context, day)
  const isWhole = announced !== undefined && held.numbers.size >= announced
  // Rewritten until half past nine: a missing notice may still be added.
  if (!isWhole && context.now() < fromMs + finalAfterMs) return { kind: 'notYet' }
  if (announced === undefined && end === 'damaged')
    throw new Retryable(`${url} is damaged, and the search does not say what is missing`)
  if (end === 'whole') state.ledger.markPackageRead(day)
  return yield* endOfDay(context, state, day, announced)
}

/**
 * Complete if as many are stored as are announced, or if the number is unknown; else after fetching what is missing.
 */
async function* endOfDay(
  context: FetchContext,
  state: SlotState,
  day: string,
  announced: number | undefined,
): AsyncGenerator<Step, SlotEnd, void> {
  const { size } = state.ledger.day(day).numbers
  state.batch.countUpTo(size)
  yield state.batch.take(announced)
  return announced === undefined || size >= announced ? { kind: 'complete' } : yield* fetchRest(context, state, day)
}

async function* fetchRest(
  context: FetchContext,
  { ledger, batch }: SlotState,
  day: string,
): AsyncGenerator<Step, SlotEnd, void> {
  batch.countUpTo(ledger.day(day).numbers.size)
  const balance = yield* fetchMissing(context, ledger, batch, day)
  if (balance.announced === 0) throw new Retryable(`the search of TED lists nothing for ${day}, which has an issue`)
  return balance.missing.size === 0 ? { kind: 'complete' } : { kind: 'short', missing: nameMissing(day, balance) }
}

/** Days of a month's slot, `YYYY-MM-DD`. */
function daysOf(slot: Slot): string[] {
  const [year, month] = slot.key.split('-').map(Number)
  const last = new Date(Date.UTC(year!, month!, 0)).getUTCDate()
  return Array.from({ length: last }, (_, index) => `${slot.key}-${String(index + 1).padStart(2, '0')}`)
}

/** One month by its package; each of its days is compared with the search's count. */
export const fetchMonthly: Fetch = async function* (context) {
  const { toMs } = spanOf(context.slot)
  const days = daysOf(context.slot)
  const state = await startSlot(context, days)
  const { ledger, batch } = state
  const { calendar, items } = await releaseCalendar(context, days.at(-1)!)
  if (items.length > 0) yield { documents: [], entries: 0, items }
  const issueDays = days.filter((day) => typeof issueOn(calendar, day) === 'number')
  const isRead = issueDays.length > 0 && issueDays.every((day) => ledger.day(day).isPackageRead)
  if (isRead && context.checkpoint === undefined) return { kind: 'unchanged' }
  if (!isRead) {
    const found = await monthlyPackage(context)
    if (!found) {
      // Published on the fifth working day; a 404 long after that means that the URL changed.
      if (context.now() < toMs + 30 * dayMs) return { kind: 'notYet' }
      throw new Refused(`there is no package of the month ${context.slot.key}`)
    }
    yield* readPackage(context, state, found.url, found.reply)
    // From here on the search completes the days, even if the package lacked notices.
    for (const day of issueDays) if (ledger.day(day).numbers.size > 0) ledger.markPackageRead(day)
  }
  const missing: string[] = []
  let total: number | undefined = 0
  for (const day of days) {
    const { numbers } = ledger.day(day)
    if (!issueDays.includes(day) && numbers.size === 0) continue
    const balance = yield* balanceOf(context, state, day)
    total = balance.announced === undefined || total === undefined ? undefined : total + balance.announced
    if (balance.missing !== undefined) missing.push(balance.missing)
  }
  batch.countUpTo(days.reduce((sum, day) => sum + ledger.day(day).numbers.size, 0))
  yield batch.take(total)
  return missing.length === 0 ? { kind: 'complete' } : { kind: 'short', missing: missing.join('; ').slice(0, 2000) }
}

/** The month's package; the month is written without a leading zero, and has been seen with one. Undefined for 404. */
async function monthlyPackage(
  context: FetchContext,
): Promise<{ readonly url: string; readonly reply: SourceReply } | undefined> {
  const [year, month] = context.slot.key.split('-')
  for (const name of new Set([`${year}-${Number(month)}`, `${year}-${month}`])) {
    const url = `https://ted.europa.eu/packages/monthly/${name}`
    const reply = await context.send({ url, accept: [404], maxBytes: maxPackageBytes })
    assertAnswered(reply, url)
    if (reply.status !== 404) return { url, reply }
  }
  return undefined
}

/**
 * One day of a month. A failed search must not cause the month to be fetched again: the control slots repeat it later.
 */
async function* balanceOf(
  context: FetchContext,
  { ledger, batch }: SlotState,
  day: string,
): AsyncGenerator<Step, { readonly announced: number | undefined; readonly missing?: string }, void> {
  const { numbers } = ledger.day(day)
  const announced = await announcedOrUnknown(context, day)
  if (announced === undefined)
    return {
      announced,
      ...(numbers.size === 0 && { missing: `${day}: not in the package, and the search does not say` }),
    }
  if (numbers.size >= announced) return { announced }
  try {
    const balance = yield* fetchMissing(context, ledger, batch, day)
    return { announced, ...(balance.missing.size > 0 && { missing: nameMissing(day, balance) }) }
  } catch (error) {
    if (!(error instanceof Retryable)) throw error
    return { announced, missing: `${day}: ${announced - numbers.size} of ${announced} notices (${error.message})` }
  }
}
