// Watches the statements in progress: one that nothing on the server works for is given up, and its connection cut.
import pg from 'pg'
import { isConnectionLoss, lockTimedOut } from '../connections/connection-loss.ts'
import type { ServerInUse } from './server-in-use.ts'
import { type Session, SilentConnection, type WatchedClient } from './watched-client.ts'

/**
 * How often the statements in progress are checked. The following limits are counted in these rounds and not timed: a
 * process that was frozen, or whose main thread was busy, has answers waiting, and must not mistake its own pause for
 * the server's silence.
 */
export const roundMs = 1_000
/** How many rounds a small question may wait for its answer. */
const longestLookRounds = 5
/** How many rounds without a byte pass before the server is asked about a statement. */
const patienceRounds = 5
/** How many times in a row the server has to say that it does nothing for a statement: the answer may be on its way. */
const idleAnswersNeeded = 2
/** How many rounds without a byte a statement waits if the server does not answer questions about it either. */
const longestUnansweredRounds = 30
/** How many rounds a statement may take beyond its timeout on the server. */
const roundsBeyondTimeout = 30

/** The sessions of a list on which the server works, and who holds the lock for which each waits. */
const busySessions = `
  select a.pid, case when a.wait_event_type = 'Lock' then coalesce((
    select string_agg(format('session %s (%s%s), %s for %s s', b.pid, coalesce(nullif(b.application_name, ''), 'without a name'),
      coalesce(' from ' || host(b.client_addr), ''), b.state, floor(extract(epoch from clock_timestamp() - b.state_change))), '; ')
    from pg_stat_activity b where b.pid = any (pg_blocking_pids(a.pid))), '') else '' end as holder
  from pg_stat_activity a
  join unnest($1::integer[], $2::text[]) as s (pid, started) on a.pid = s.pid and a.backend_start::text = s.started
  where a.state is null or a.state in ('active', 'fastpath function call', 'disabled')`

/** Ends the sessions of a list. */
const endSessions = `
  select pg_terminate_backend(a.pid) from pg_stat_activity a
  join unnest($1::integer[], $2::text[]) as s (pid, started) on a.pid = s.pid and a.backend_start::text = s.started`

/** Used as the number of idle answers if the server could not be asked. */
const notAsked = -1

type Statement = {
  readonly client: WatchedClient
  /** It is a small question, which the server answers at once. */
  readonly isLook: boolean
  rounds: number
  /** Rounds without a byte. */
  silentRounds: number
  progress: number
  idleAnswers: number
  /** Who held the lock for which it waits, as the server last said; empty: nobody. */
  holder: string
}

/** What a round makes of a statement: it waits, the server is asked about it, or why it is given up. */
type Verdict = 'wait' | 'ask' | { readonly why: string }

/** Runs a query about sessions on another connection. */
export type Question = <Row extends pg.QueryResultRow>(text: string, parameters: unknown[]) => Promise<Row[]>

export class StatementWatch {
  readonly #statements = new Set<Statement>()
  /** Sessions whose connection was given up: they may hold locks until the server ends them. */
  readonly #abandoned = new Set<Session>()
  readonly #server: ServerInUse
  readonly #longestRounds: number
  readonly #question: Question
  #isAsking = false

  constructor(server: ServerInUse, statementTimeoutMs: number, question: Question) {
    this.#server = server
    this.#longestRounds = statementTimeoutMs / roundMs + roundsBeyondTimeout
    this.#question = question
  }

  /** Runs a statement that each round checks. */
  async run<Result>(client: WatchedClient, isLook: boolean, run: () => Promise<Result>): Promise<Result> {
    const { progress } = client
    const statement = { client, isLook, rounds: 0, silentRounds: 0, progress, idleAnswers: 0, holder: '' }
    this.#statements.add(statement)
    try {
      return await run()
    } catch (error) {
      if (isReadOnly(error) && !client.isReadOnly) this.#server.leave(client)
      throw withHolder(error, statement)
    } finally {
      this.#statements.delete(statement)
    }
  }

  /** Checks all statements in progress. */
  round(): void {
    const unclear: Statement[] = []
    for (const statement of this.#statements) {
      countRound(statement)
      const verdict = this.#judge(statement)
      if (verdict === 'ask') unclear.push(statement)
      else if (verdict !== 'wait') this.#giveUp(statement, verdict.why)
    }
    if (!this.#isAsking && (unclear.length > 0 || this.#abandoned.size > 0)) void this.#ask(unclear)
  }

  #judge({ client, isLook, rounds, silentRounds, idleAnswers }: Statement): Verdict {
    const isSuspect = !this.#server.isCurrent(client) && silentRounds > 0
    if (isLook && (isSuspect || rounds >= longestLookRounds))
      return { why: 'the database did not answer a small question' }
    if (isLook) return 'wait'
    if (rounds > this.#longestRounds) return { why: 'the statement took too long' }
    // behind a pooler nobody can be asked about it
    if (client.session === undefined) return 'wait'
    if (silentRounds > longestUnansweredRounds && idleAnswers === notAsked)
      return { why: 'the database does not answer' }
    return isSuspect || silentRounds >= patienceRounds ? 'ask' : 'wait'
  }

  #giveUp({ client, isLook }: Statement, why: string): void {
    this.#server.suspectAll(client)
    if (!isLook && client.session) this.#abandoned.add(client.session)
    client.socket.destroy(new SilentConnection(why))
  }

  /** Asks the server, on another connection, whether it works on these statements, and ends abandoned sessions. */
  async #ask(unclear: readonly Statement[]): Promise<void> {
    this.#isAsking = true
    const orphans = [...this.#abandoned]
    try {
      const sessions = unclear.map(({ client }) => client.session!)
      const answers = await this.#question<{ pid: number; holder: string }>(busySessions, parametersOf(sessions))
      const busy = new Map(answers.map(({ pid, holder }) => [pid, holder]))
      for (const statement of unclear)
        if (this.#statements.has(statement)) this.#learn(statement, busy.get(statement.client.session!.pid))
      await this.#question(endSessions, parametersOf(orphans))
      for (const session of orphans) this.#abandoned.delete(session)
    } catch (error) {
      // a server that refuses the question (no connection is free) lives: only its silence counts
      if (isConnectionLoss(error)) for (const statement of unclear) statement.idleAnswers = notAsked
    } finally {
      this.#isAsking = false
    }
  }

  /** The server answered about a statement: who holds its lock, or undefined if it does nothing for it. */
  #learn(statement: Statement, holder: string | undefined): void {
    if (holder === undefined) {
      statement.idleAnswers = Math.max(0, statement.idleAnswers) + 1
      if (statement.idleAnswers >= idleAnswersNeeded)
        this.#giveUp(statement, 'the server does nothing for the statement')
      return
    }
    statement.holder = holder
    // the connection lives: it is checked again after as many rounds
    statement.client.generation = this.#server.made.generation
    statement.silentRounds = 0
    statement.idleAnswers = 0
  }
}

/** Counts a round: silent if no byte was sent or received since the last one. */
function countRound(statement: Statement): void {
  const { progress } = statement.client
  statement.rounds++
  if (progress === statement.progress) statement.silentRounds++
  else Object.assign(statement, { progress, silentRounds: 0, idleAnswers: 0 })
}

const parametersOf = (sessions: readonly Session[]): unknown[] => [
  sessions.map(({ pid }) => pid),
  sessions.map(({ startedAt }) => startedAt),
]

/** Adds to the error of a wait for a lock that timed out who holds the lock. */
function withHolder(error: unknown, { holder }: Statement): unknown {
  if (holder !== '' && error instanceof pg.DatabaseError && error.code === lockTimedOut)
    error.message += `; the lock is held by ${holder}`
  return error
}

/** Whether the server was demoted, or is a standby. */
const isReadOnly = (error: unknown): boolean => (error as { readonly code?: unknown } | null)?.code === '25006'
