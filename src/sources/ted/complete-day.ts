// Compares a publication day with the search's count, and fetches missing notices one by one.
import { Refused, Retryable } from '../../platform/http.ts'
import type { FetchContext, Step } from '../fetch.ts'
import type { DayLedger } from './day-ledger.ts'
import { numberInNotice } from './package-members.ts'
import { byNumber, nameNumbers } from './publication-numbers.ts'
import { announcedOn, listDay } from './search.ts'
import type { StepBatch } from './step-batch.ts'
import { assertAnswered, isHtml } from './ted-reply.ts'

/** Maximum number of single notices in a row that cannot be fetched; after that TED counts as down. */
const maxFailuresInARow = 5
/** Number of single notices in a step: one arrives per second, so a killed run loses little. */
const noticesPerStep = 20

/** What the search says of a day: `undefined` when it does not say, or says zero of a day that has an issue. */
export async function announcedOrUnknown(context: FetchContext, day: string): Promise<number | undefined> {
  try {
    return (await announcedOn(context, day)) || undefined
  } catch (error) {
    if (error instanceof Retryable) return undefined
    throw error
  }
}

/** The balance of a day: the listed notices that are missing after every available one was fetched. */
export type DayBalance = { readonly announced: number; readonly missing: ReadonlySet<string> }

/**
 * Lists the day, fetches every listed notice that is missing, and returns what is still missing. Throws Retryable if
 * the list is not available or TED does not answer.
 */
export async function* fetchMissing(
  context: FetchContext,
  ledger: DayLedger,
  batch: StepBatch,
  day: string,
): AsyncGenerator<Step, DayBalance, void> {
  await ledger.open([day])
  const listing = await listDay(context, day)
  const { numbers: held } = ledger.day(day)
  const missing = new Set([...listing.numbers].filter((number) => !held.has(number)).sort(byNumber))
  let fetched = 0
  let failures = 0
  for (const number of [...missing]) {
    context.signal.throwIfAborted()
    let bytes: Buffer | undefined
    try {
      bytes = await fetchNotice(context, number)
      failures = 0
    } catch (error) {
      if (!(error instanceof Retryable)) throw error
      failures++
      if (error instanceof Refused || failures === maxFailuresInARow) {
        yield batch.take()
        throw error
      }
    }
    if (!bytes) continue
    batch.add({ address: addressOf(number), bytes }, 1)
    await ledger.add(day, number)
    missing.delete(number)
    fetched++
    if (fetched % noticesPerStep === 0) yield batch.take()
  }
  yield batch.take(listing.announced)
  return { announced: listing.announced, missing }
}

/** Lists the missing notices of a day, at most 20 numbers. */
export function nameMissing(day: string, { announced, missing }: DayBalance): string {
  return `${day}: ${missing.size} of ${announced} notices: ${nameNumbers(missing)}`
}

const addressOf = (number: string): string => `https://ted.europa.eu/en/notice/${number}/xml`

/** One notice; undefined when TED does not have it (404) or answers with another one. */
async function fetchNotice(context: FetchContext, number: string): Promise<Buffer | undefined> {
  const url = addressOf(number)
  const reply = await context.send({ url, accept: [404] })
  assertAnswered(reply, url)
  if (reply.status === 404) return undefined
  const bytes = Buffer.from(await reply.bytes())
  if (bytes.length === 0 || isHtml(bytes)) throw new Refused(`${url} answered without a notice`)
  const own = numberInNotice(bytes)
  return own === undefined || own === number ? bytes : undefined
}
