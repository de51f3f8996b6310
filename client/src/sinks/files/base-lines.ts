// A new base that is written from its start: it is complete and durable at its commit, or nothing of it is kept.
import { wellFormedBytes } from '../record/record-json.ts'
import { BlockWriter, type FileRange } from './line-file.ts'

const newline = 10
const lineEnd = Buffer.from('\n')

export class BaseLines {
  readonly #out: BlockWriter
  #isFinished = false
  /** Lines that lie one after the other in memory, without the end of the last one. */
  #run: Buffer | undefined
  #bytes = 0
  /** Lines that were written. */
  records = 0

  private constructor(out: BlockWriter) {
    this.#out = out
  }

  static async create(path: string): Promise<BaseLines> {
    return new BaseLines(await BlockWriter.create(path))
  }

  get bytes(): number {
    return this.#bytes
  }

  async append(records: readonly object[]): Promise<FileRange[]> {
    const ranges: FileRange[] = []
    for (const record of records) {
      const line = wellFormedBytes(record)
      ranges.push({ offset: this.#bytes, length: line.length })
      this.#bytes += line.length + 1
      const longer = this.#run && joined(this.#run, line)
      if (!longer) await this.#writeRun()
      this.#run = longer ?? line
    }
    this.records += records.length
    return ranges
  }

  async #writeRun(): Promise<void> {
    const run = this.#run
    this.#run = undefined
    if (!run) return
    await this.#out.write(run)
    await this.#out.write(lineEnd)
  }

  async flush(): Promise<void> {
    await this.#writeRun()
    await this.#out.flush()
  }

  async commit(): Promise<void> {
    this.#isFinished = true
    await this.#writeRun()
    await this.#out.finish()
  }

  async rollBack(): Promise<void> {
    throw new Error('a first run is discarded as a whole')
  }

  async close(): Promise<void> {
    if (!this.#isFinished) await this.#out.abandon()
  }
}

/** Both lines and the end of the first one, where they lie in memory like this. */
function joined(run: Buffer, line: Buffer): Buffer | undefined {
  const end = run.byteOffset + run.length
  if (run.buffer !== line.buffer || line.byteOffset !== end + 1) return undefined
  const both = Buffer.from(run.buffer, run.byteOffset, run.length + 1 + line.length)
  return both[run.length] === newline ? both : undefined
}
