// Hits in a file of one JSON object per line. A new hit is appended; a newer message about a hit replaces its line, for
// which the file is rewritten and renamed into place.
import { type FileHandle, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CopyDamagedError, SinkBusyError, SinkError } from '../sinks/faults/sink-error.ts'
import { makeDurable, makeFolder, putInPlace, sizeOf, writeWhole } from '../sinks/files/durable-files.ts'
import { BlockWriter, readLines } from '../sinks/files/line-file.ts'
import { wellFormedJson } from '../sinks/record/record-json.ts'
import { fileLock } from '../state/file-lock.ts'
import { ageOf, type Hit, type HitOutcome, type HitStore } from './hit.ts'
import { oneAtATime } from './one-at-a-time.ts'

export type NdjsonHitsOptions = { readonly file: string; readonly now: () => number }

/** A line of the file. The id comes first, so that a line is found without parsing it. */
type HitLine = { readonly hitId: string; readonly firstReceivedAt: string } & Hit

const lineOf = ({ data, webhookId, receivedAt, ...rest }: Hit, firstReceivedAt: string): Buffer =>
  Buffer.from(`${wellFormedJson({ hitId: data.hitId, webhookId, firstReceivedAt, receivedAt, ...rest, data })}\n`)

/** The known facts of a line. */
type Held = { readonly age: string; readonly firstReceivedAt: string }
type OpenFile = { readonly handle: FileHandle; readonly held: Map<string, Held> }

/** Throws a SinkBusyError when another process has the file open, and a CopyDamagedError when a line is not a hit. */
export async function openNdjsonHits({ file, now }: NdjsonHitsOptions): Promise<HitStore> {
  await makeFolder(dirname(file), 'user')
  const acquired = await fileLock({ path: join(`${file}.sync`, 'lock'), now }).acquire()
  if (!acquired)
    throw new SinkBusyError(`Another process is writing to ${file}: wait until it ends, or choose another folder.`)
  const lock = acquired
  let current: OpenFile | undefined
  try {
    current = await openFile(file)
  } catch (error) {
    await lock.release()
    throw error
  }

  async function write(hit: Hit): Promise<HitOutcome> {
    if (!(await lock.isHeld())) throw new SinkError(`Another process took over ${file}.`)
    current ??= await openFile(file)
    const { hitId } = hit.data
    const known = current.held.get(hitId)
    if (known && ageOf(hit) <= known.age) return 'held'
    const firstReceivedAt = known?.firstReceivedAt ?? hit.receivedAt
    const line = lineOf(hit, firstReceivedAt)
    const { handle } = current
    try {
      if (known) {
        await replaceLine(file, hitId, line)
        current = { handle: await open(file, 'a'), held: current.held }
        await handle.close()
      } else {
        await handle.appendFile(line)
        await handle.datasync()
      }
    } catch (error) {
      // It is unknown how much was written: the next hit reads the file again.
      current = undefined
      await handle.close().catch(() => {})
      throw error
    }
    current.held.set(hitId, { age: ageOf(hit), firstReceivedAt })
    return known ? 'changed' : 'new'
  }

  return {
    put: oneAtATime(write),
    async end() {
      await current?.handle.close()
      await lock.release()
    },
  }
}

/**
 * Reads the file, or creates it. The last line may be torn (a kill, a power cut): it was never confirmed and is
 * removed. Everything that is left is durable then.
 */
async function openFile(file: string): Promise<OpenFile> {
  if ((await sizeOf(file)) === undefined) await writeWhole(file, '', 'user')
  const held = new Map<string, Held>()
  let bytes = 0
  let damaged: number | undefined
  let number = 0
  for await (const { bytes: line, offset } of readLines(file)) {
    number++
    if (damaged !== undefined) throw notOurs(file, damaged)
    const hit = parsed(line)
    if (hit === undefined) {
      damaged = number
      continue
    }
    held.set(hit.hitId, { age: ageOf(hit), firstReceivedAt: hit.firstReceivedAt })
    bytes = offset + line.length + 1
  }
  if (!(await isTornHit(file, bytes))) throw notOurs(file, damaged ?? number + 1)
  const handle = await open(file, 'a')
  await handle.truncate(bytes)
  await makeDurable(file)
  return { handle, held }
}

const lineStart = '{"hitId":"'

/** True if nothing follows this offset, or the beginning of one of our lines, or what a power cut leaves of one. */
async function isTornHit(file: string, offset: number): Promise<boolean> {
  const handle = await open(file, 'r')
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(lineStart.length), 0, lineStart.length, offset)
    return lineStart.startsWith(buffer.toString('latin1', 0, bytesRead)) || buffer[0] === 0
  } finally {
    await handle.close()
  }
}

/** Replaces the line about the same hit; readers see either the old file or the new one. */
async function replaceLine(file: string, hitId: string, line: Buffer): Promise<void> {
  const start = Buffer.from(`${lineStart}${hitId}"`)
  const writer = await BlockWriter.create(`${file}.new`)
  try {
    for await (const { bytes } of readLines(file))
      await writer.write(bytes.subarray(0, start.length).equals(start) ? line : Buffer.concat([bytes, lineEnd]))
    await writer.finish()
  } catch (error) {
    await writer.abandon()
    throw error
  }
  await putInPlace(`${file}.new`, file, 'user')
}

const lineEnd = Buffer.from('\n')

const notOurs = (file: string, line: number): CopyDamagedError =>
  new CopyDamagedError(
    `Line ${line} of ${file} is not a hit that tender-sync wrote: move the file away, or choose another folder. Nothing was changed.`,
  )

function parsed(line: Buffer): HitLine | undefined {
  try {
    const hit = JSON.parse(line.toString()) as HitLine
    return typeof hit.data.tender.lastModified === 'string' && hit.hitId === hit.data.hitId ? hit : undefined
  } catch {
    return undefined
  }
}
