// Opens a generation of the edition log: its checkpoint, then the frames behind it; without a complete checkpoint, all
// frames.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BodyFiles } from '../format/body-files.ts'
import { decodeBatch } from '../format/entry-batch.ts'
import { HashFile } from '../format/hash-file.ts'
import { IndexFile } from '../format/index-file.ts'
import { readCheckpoint } from './checkpoint.ts'
import {
  checkpointName,
  checkpointNewName,
  type EditionFrame,
  finishedName,
  hashesName,
  type LogFiles,
  LogState,
} from './log-state.ts'

/**
 * Reads a generation up to its last whole edition and cuts off what follows. Undefined when there is none in this
 * format, or when its content does not match its checksum.
 */
export async function openGeneration(
  folder: string,
  onWarning: (warning: string) => void,
): Promise<LogState | undefined> {
  // Removes what a killed process left behind.
  await rm(join(folder, checkpointNewName), { force: true })
  const files = await openFiles(folder)
  const state = (await fromCheckpoint(folder, files)) ?? (await fromFrames(folder, files))
  if (state) {
    await state.rollBack()
    if (await state.isWhole()) return state
    const { edition } = state.newest!.info
    onWarning(
      `The edition log does not hold the records of edition ${edition}, according to its checksum; it is being rebuilt from the database. Check the disk.`,
    )
  }
  await closeFiles(files)
  return undefined
}

/**
 * Reads a generation as if this edition were its last one, and shows it; what follows is still in the files. Undefined
 * if they do not hold all records of this edition.
 */
export async function openUpTo(folder: string, last: number, checksum: string): Promise<LogState | undefined> {
  const files = await openFiles(folder)
  const state = await fromFrames(folder, files, last)
  const shown = state?.shown?.info
  if (state && shown?.edition === last && shown.checksum === checksum && (await state.isWhole())) return state
  await closeFiles(files)
  return undefined
}

async function openFiles(folder: string): Promise<LogFiles> {
  return {
    index: await IndexFile.open(join(folder, finishedName)),
    bodies: await BodyFiles.open(folder),
    hashes: await HashFile.open(join(folder, hashesName)),
  }
}

async function closeFiles({ index, bodies, hashes }: LogFiles): Promise<void> {
  await index.close()
  await bodies.close()
  await hashes.close()
}

async function fromCheckpoint(folder: string, files: LogFiles): Promise<LogState | undefined> {
  const path = join(folder, checkpointName)
  const checkpoint = await readCheckpoint(path)
  const state = checkpoint && (await LogState.restore(folder, checkpoint, files))
  if (checkpoint && state && (await replay(state, files, checkpoint.indexEnd)) === undefined) return state
  // It must not be found again when the index file has grown with another history.
  await rm(path, { force: true })
  return undefined
}

async function fromFrames(
  folder: string,
  files: LogFiles,
  last = Number.POSITIVE_INFINITY,
): Promise<LogState | undefined> {
  for (let limit = Number.POSITIVE_INFINITY; ; ) {
    const first = await files.index.frames().next()
    if (first.done || first.value.type !== 'log') return undefined
    const state = await LogState.fromHeader(folder, first.value.payload, files, undefined, first.value.end)
    const bad = await replay(state, files, first.value.end, { limit, last })
    if (bad === undefined) return state
    limit = bad
  }
}

/**
 * Loads the frames from `from` on that begin before `limit`, up to the edition `last`. An edition with missing bodies
 * is as torn as one without its frame. Returns the position of a frame that contradicts the frames before it: the state
 * is spoiled then.
 */
async function replay(
  state: LogState,
  { index, bodies, hashes }: LogFiles,
  from: number,
  { limit, last } = { limit: Number.POSITIVE_INFINITY, last: Number.POSITIVE_INFINITY },
): Promise<number | undefined> {
  let at = from
  for await (const { type, payload, end } of index.frames(from)) {
    if (at >= limit) return undefined
    if (type === 'log') return undefined
    if (type === 'entries') state.take(decodeBatch(payload), 0)
    else {
      const frame = JSON.parse(Buffer.from(payload).toString()) as EditionFrame
      if (frame.plainEnd > bodies.end.plain || frame.gzipEnd > bodies.end.gzip) return undefined
      if (frame.end !== state.table.count || frame.end > hashes.count) return undefined
      state.isFrameLacking = frame.edition === last && frame.isPassed === true
      try {
        if (state.isFrameLacking) state.commit({ ...frame, isPassed: false }, at)
        else state.commit(frame, end)
      } catch {
        return at
      }
      if (frame.edition >= last) return undefined
    }
    at = end
  }
  return undefined
}
