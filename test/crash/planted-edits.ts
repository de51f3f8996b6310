// Mistakes that are written into the source of the client's sinks while a process loads it: each must be found by the power
// cuts, which know nothing of them.

/** `from` is replaced by `to` in the source. */
export type PlantedEdit = {
  readonly name: string
  readonly kind: 'sqlite' | 'ndjson' | 'csv'
  readonly file: string
  readonly from: string
  readonly to: string
}

export const plantedEdits: readonly PlantedEdit[] = [
  {
    name: 'the log is emptied before its base is in place',
    kind: 'ndjson',
    file: 'client/src/sinks/working-copy.ts',
    from: `    await putInPlace(temporary, base)
    await replaceLog(this.#logPath, { state, end: 'run', baseBytes: out.offset })
`,
    to: `    await replaceLog(this.#logPath, { state, end: 'run', baseBytes: out.offset })
    await putInPlace(temporary, base)
`,
  },
  {
    name: 'a commit without fsync',
    kind: 'ndjson',
    file: 'client/src/sinks/record-log.ts',
    from: `    await this.#write(line)
    await this.#file.sync()
`,
    to: '    await this.#write(line)\n',
  },
  {
    name: 'a base without fsync',
    kind: 'ndjson',
    file: 'client/src/sinks/line-file.ts',
    from: `    await this.#flush()
    await this.#file.sync()
`,
    to: '    await this.#flush()\n',
  },
  {
    name: 'SQLite commits without waiting for the disk',
    kind: 'sqlite',
    file: 'client/src/sinks/sqlite-sink.ts',
    from: 'PRAGMA synchronous = FULL',
    to: 'PRAGMA synchronous = OFF',
  },
]

/** What `node --import` takes to load the source with the mistake. */
export function plantingHook({ file, from, to }: PlantedEdit): string {
  const hook = `
    import { registerHooks } from 'node:module'
    registerHooks({
      load(url, context, next) {
        const loaded = next(url, context)
        if (!url.endsWith(${JSON.stringify(`/${file}`)})) return loaded
        const text = Buffer.from(loaded.source).toString()
        const changed = text.replace(${JSON.stringify(from)}, () => ${JSON.stringify(to)})
        if (changed === text) throw new Error('the mistake does not fit')
        return { ...loaded, source: changed }
      },
    })`
  return `data:text/javascript,${encodeURIComponent(hook)}`
}
