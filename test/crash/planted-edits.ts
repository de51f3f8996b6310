// Mistakes that are written into the source while a process loads it: each must be found by a proof that does not know
// about it, those of the client's sinks by its power cuts.

import type { PlantedEdit } from '../planted-edit.ts'

export const plantedEdits: readonly (PlantedEdit & { readonly kind: 'sqlite' | 'ndjson' | 'csv' })[] = [
  {
    name: 'the log is emptied before its base is in place',
    kind: 'ndjson',
    file: 'client/src/sinks/files/working-copy.ts',
    from: `    await putInPlace(temporary, base, readers)
    await replaceLog(this.#logPath, mark)
`,
    to: `    await replaceLog(this.#logPath, mark)
    await putInPlace(temporary, base, readers)
`,
  },
  {
    name: 'a commit without fsync',
    kind: 'ndjson',
    file: 'client/src/sinks/files/record-log.ts',
    from: `    await this.#write(line)
    await this.#file.sync()
`,
    to: '    await this.#write(line)\n',
  },
  {
    name: 'a base without fsync',
    kind: 'ndjson',
    file: 'client/src/sinks/files/line-file.ts',
    from: `    await this.#flush()
    await this.#file.sync()
`,
    to: '    await this.#flush()\n',
  },
  {
    name: 'SQLite commits without waiting for the disk',
    kind: 'sqlite',
    file: 'client/src/sinks/sqlite/sqlite-database.ts',
    from: 'PRAGMA synchronous = FULL',
    to: 'PRAGMA synchronous = OFF',
  },
]

/** Mistakes in the edition log: found by mixed-log.system.test.ts. */
export const plantedLogEdits: readonly PlantedEdit[] = [
  {
    name: 'a checkpoint is accepted beside another index file',
    file: 'src/edition/write/log-state.ts',
    from: '    if (crc32(await index.read(Math.max(0, indexEnd - tailLength), Math.min(indexEnd, tailLength))) !== tailCrc)\n      return undefined\n',
    to: '',
  },
]
