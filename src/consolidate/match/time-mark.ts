// The mark stored with each key in the index: two records too far apart in time are separated without being read.
import type { MatchRecord } from './match-record.ts'
import { maxDaysOfOneStage, maxDaysOfResults, resultDays } from './thresholds.ts'

const stages = ['call', 'result', 'contract', 'planning'] as const

/** Stage and epoch day in one integer; -1 when the record has no day. */
export function timeMark(record: MatchRecord): number {
  const day = record.stage === 'result' ? record.resultDay : record.firstDay
  return day === undefined || day < 0 ? -1 : day * stages.length + stages.indexOf(record.stage)
}

/**
 * Whether the time veto of `vetoOf` holds for two records with these marks; false if the marks cannot show it.
 * Symmetric.
 */
export function areTooFarApart(first: number, second: number): boolean {
  if (first < 0 || second < 0) return false
  const [a, b] = [stages[first % stages.length], stages[second % stages.length]]
  const days = Math.floor(second / stages.length) - Math.floor(first / stages.length)
  if (a === 'result' && b === 'result') return Math.abs(days) > maxDaysOfResults
  if (a === 'call' && b === 'result') return days < resultDays.least || days > resultDays.most
  if (a === 'result' && b === 'call') return -days < resultDays.least || -days > resultDays.most
  return a !== 'result' && b !== 'result' && Math.abs(days) > maxDaysOfOneStage
}
