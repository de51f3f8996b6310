// Errors that the API answered, as RFC 9457 problem details.

/** The members that every error body of the API carries; further members may be added. */
export type Problem = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  readonly requestId?: string
  readonly retryAfter?: number
}

/** Thrown for every answer that is not 2xx. Branch on `slug`, never on texts. */
export class ProblemError extends Error {
  readonly problem: Problem
  /** The part of `type` after `#error-`: `cursor-expired`, `rate-limited` …; empty if the body was no problem. */
  readonly slug: string
  /** The slug; `problem` if there is none. */
  readonly code: string
  constructor(problem: Problem) {
    super(`${problem.status} ${problem.title}: ${problem.detail}`)
    this.name = 'ProblemError'
    this.problem = problem
    this.slug = /#error-([a-z-]+)$/.exec(problem.type)?.[1] ?? ''
    this.code = this.slug || 'problem'
  }

  /** The run must start again with `updated_since` (C155). */
  get isCursorExpired(): boolean {
    return this.slug === 'cursor-expired'
  }
}
