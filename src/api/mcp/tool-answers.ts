// What the tools of assistants ask the main thread, which holds the index of words and the names of codes.
import type { CodeQuestion, FoundCode, SearchQuestion } from '#mcp/tool-definitions'

/** A question, or why it cannot be answered and what to do: errors lose their kind between threads. */
export type ToolAnswer<Answer> = { readonly answer: Answer } | { readonly fault: string }

type FoundIds = {
  readonly edition: number
  readonly total: number
  /** Share of the edition that is indexed; below 1 the answer knows only this. */
  readonly indexed: number
  /** In the order of the question. */
  readonly ids: readonly string[]
}

export type PlacedQuestion = SearchQuestion & { readonly limit: number; readonly offset: number }

export type ToolAnswers = {
  readonly findTenders: (question: PlacedQuestion) => Promise<ToolAnswer<FoundIds>>
  readonly findCodes: (question: CodeQuestion) => Promise<ToolAnswer<readonly FoundCode[]>>
}
