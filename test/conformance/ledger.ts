// Records which numbered assertions were checked, which were not, and why.
import { test } from 'vitest'

type Entry = { state: 'passed' | 'failed' | 'elsewhere' | 'skipped'; reason: string }

const ledger = new Map<string, Entry>()

/** One assertion of the specification as a test; its title begins with the number. */
export function assertion(number: string, title: string, check: () => Promise<void> | void): void {
  ledger.set(number, { state: 'failed', reason: 'did not run' })
  test(`${number} ${title}`, async () => {
    ledger.set(number, { state: 'failed', reason: title })
    await check()
    ledger.set(number, { state: 'passed', reason: '' })
  })
}

/** An assertion that cannot be checked over HTTP: `where` names the test that checks it. */
export function notHere(state: 'elsewhere' | 'skipped', number: string, where: string): void {
  ledger.set(number, { state, reason: where })
}

/** A summary in a few lines; `last` is the highest number of the API's assertions. */
export function summary(last: number): string {
  const all = Array.from({ length: last }, (_, index) => `C${index + 1}`)
  const of = (state: Entry['state']): string[] => all.filter((number) => ledger.get(number)?.state === state)
  const missing = all.filter((number) => !ledger.has(number))
  const reasons = (numbers: readonly string[]): string => {
    const byReason = Map.groupBy(numbers, (number) => ledger.get(number)!.reason)
    return [...byReason].map(([reason, list]) => `${list.join(' ')} (${reason})`).join('; ')
  }
  const lines = [`conformance: ${of('passed').length} of ${last} passed over HTTP`]
  if (of('elsewhere').length > 0) lines.push(`conformance: shown elsewhere: ${reasons(of('elsewhere'))}`)
  if (of('skipped').length > 0) lines.push(`conformance: skipped: ${reasons(of('skipped'))}`)
  if (of('failed').length > 0) lines.push(`conformance: FAILED: ${reasons(of('failed'))}`)
  if (missing.length > 0) lines.push(`conformance: WITHOUT A TEST: ${missing.join(' ')}`)
  return lines.join('\n')
}
