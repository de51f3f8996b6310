// The dates of a question of an assistant.
import type { SearchQuestion } from './tool-definitions.ts'
import { ToolError } from './tool-error.ts'

type QuestionDate = 'published_since' | 'deadline_after' | 'deadline_before'

/** Milliseconds since 1970; undefined where the question has no such date. Throws a `ToolError` for another text. */
export function timeOf(question: Pick<SearchQuestion, QuestionDate>, name: QuestionDate): number | undefined {
  const text = question[name]
  if (text === undefined) return undefined
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new ToolError(`${name} is no date: write it as 2026-12-01 or 2026-12-01T11:00:00Z.`)
  return time
}
