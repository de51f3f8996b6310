// Runs statements on the embedded engine. `PGlite.query` sends a statement in six messages, and the engine parses,
// analyzes and plans it each time; one that is repeated is prepared here, and then costs one message.
import { type PGlite, parse, protocol } from '@electric-sql/pglite'

const { serialize } = protocol

type Messages = Awaited<ReturnType<PGlite['execProtocolStream']>>
type Result = Awaited<ReturnType<PGlite['query']>>

type Prepared = {
  readonly name: string
  /** Type ids of its parameters. */
  readonly parameterTypes: readonly number[]
  /** How the engine describes its rows; empty for a statement without rows. */
  readonly rows: Messages
  uses: number
}

/** Maximum number of remembered texts. */
const maxTexts = 200
/** Maximum length of a remembered text, characters. */
const maxTextLength = 10_000
/** Maximum uses before a statement is prepared again: its plan may have been made for tables that were empty. */
const maxUses = 100
/** Commands after which prepared statements still fit the schema. */
const dataCommands: ReadonlySet<string | undefined> = new Set([
  ...['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE', 'TRUNCATE', 'LOCK', 'VACUUM', 'ANALYZE', 'CHECKPOINT'],
  ...['BEGIN', 'START', 'COMMIT', 'ROLLBACK', 'SAVEPOINT', 'RELEASE', 'SET', 'RESET', 'SHOW', 'EXPLAIN'],
])
/** SQLSTATEs of a prepared statement that no longer fits its tables, or that the session does not have. */
const outdatedCodes = ['0A000', '26000']

/** The statements of one session. */
export class Statements {
  readonly #pglite: PGlite
  /** By text, the least recently used first; null: seen once, and not prepared. */
  readonly #known = new Map<string, Prepared | null>()
  #names = 0
  /** Whether the open transaction changed the schema, which it may yet undo. */
  #isSchemaOpen = false

  constructor(pglite: PGlite) {
    this.#pglite = pglite
  }

  /** Throws the engine's error. The engine hides its own crashes: then there is no result. */
  async run(text: string, parameters: readonly unknown[]): Promise<Result | undefined> {
    const known = this.#known.get(text)
    const result =
      known === undefined
        ? ((await this.#pglite.query(text, [...parameters])) as Result | undefined)
        : await this.#runPrepared(text, known, parameters)
    if (result === undefined) return undefined
    await this.#heed(result.command)
    if (known === undefined && !this.#isSchemaOpen && text.length <= maxTextLength) await this.#remember(text, null)
    return result
  }

  async #runPrepared(
    text: string,
    known: Prepared | null,
    parameters: readonly unknown[],
  ): Promise<Result | undefined> {
    const prepared = known && known.uses < maxUses ? known : await this.#prepare(text, known)
    prepared.uses++
    await this.#remember(text, prepared)
    const { serializers, parsers } = this.#pglite
    const values = parameters.map((value, index) => {
      if (value === null || value === undefined) return null
      return serializers[prepared.parameterTypes[index]!]?.(value) ?? String(value)
    })
    try {
      const messages = await this.#send(
        serialize.bind({ statement: prepared.name, values }),
        serialize.execute({}),
        serialize.sync(),
      )
      return parse.parseResults([...prepared.rows, ...messages], parsers)[0]
    } catch (error) {
      if (outdatedCodes.includes((error as { code?: string }).code ?? '')) await this.#forgetAll()
      throw error
    }
  }

  async #prepare(text: string, former: Prepared | null): Promise<Prepared> {
    const name = `s${++this.#names}`
    this.#known.delete(text)
    const messages = await this.#send(
      ...(former ? [serialize.close({ type: 'S', name: former.name })] : []),
      serialize.parse({ name, text }),
      serialize.describe({ type: 'S', name }),
      serialize.sync(),
    )
    return {
      name,
      parameterTypes: parse.parseDescribeStatementResults(messages),
      rows: messages.filter((message) => message.name === 'rowDescription'),
      uses: 0,
    }
  }

  /** Makes `text` the most recently used one. */
  async #remember(text: string, statement: Prepared | null): Promise<void> {
    this.#known.delete(text)
    this.#known.set(text, statement)
    if (this.#known.size <= maxTexts) return
    const [oldest, dropped] = this.#known.entries().next().value!
    this.#known.delete(oldest)
    if (dropped) await this.#send(serialize.close({ type: 'S', name: dropped.name }), serialize.sync())
  }

  /** Forgets what was prepared for another schema. While a transaction changes the schema, nothing is prepared. */
  async #heed(command: string | undefined): Promise<void> {
    if (command === 'COMMIT' || command === 'ROLLBACK') this.#isSchemaOpen = false
    if (dataCommands.has(command)) return
    this.#isSchemaOpen = true
    await this.#forgetAll()
  }

  async #forgetAll(): Promise<void> {
    const prepared = [...this.#known.values()].filter((statement) => statement !== null)
    this.#known.clear()
    const closing = prepared.map(({ name }) => serialize.close({ type: 'S', name }))
    if (closing.length > 0) await this.#send(...closing, serialize.sync())
  }

  async #send(...messages: readonly Uint8Array[]): Promise<Messages> {
    return this.#pglite.execProtocolStream(Buffer.concat(messages))
  }
}
