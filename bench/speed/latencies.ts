// Reads what the generator of requests at a fixed rate wrote, for a span of time.
import { readFileSync } from 'node:fs'

export type Answered = readonly [dueMs: number, ms: number, lateMs: number]

/** One line for each answer, as fixed-rate.ts writes it. */
export const readAnswers = (file: string): readonly Answered[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(' ').map(Number) as [dueMs: number, ms: number, lateMs: number])

/** Latencies of the requests that were due between two moments, epoch milliseconds. */
export function latenciesBetween(answers: readonly Answered[], from: number, to: number) {
  const own = answers.filter(([due]) => due >= from && due < to)
  const at = (values: readonly number[], share: number): number =>
    values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
  const latencies = own.map(([, ms]) => ms)
  const late = own.map(([, , lateMs]) => lateMs)
  return {
    'p50 ms': at(latencies, 0.5),
    'p99 ms': at(latencies, 0.99),
    'longest ms': at(latencies, 1),
    requests: own.length,
    'generator late, p99 ms': at(late, 0.99),
    'generator late, longest ms': Math.max(0, ...late),
  }
}
