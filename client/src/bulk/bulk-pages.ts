// Pages of records from the files of a whole edition: loaded into a folder, each checked by its digest, then read.
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClientEvent } from '../client-event.ts'
import { faultText } from '../fault-text.ts'
import { ProblemError } from '../problem-error.ts'
import { makeFolder, sizeOf, writeWhole } from '../sinks/files/durable-files.ts'
import type { Sleep } from '../sleep.ts'
import { type BulkPage, type BulkSource, fromFiles } from '../sync/bulk-source.ts'
import type { TenderClient } from '../tender-client.ts'
import { UnreachableError } from '../unreachable-error.ts'
import { type BulkManifest, isManifest, loadedFiles, manifestPath, recordFiles } from './bulk-manifest.ts'
import { cursorOf, placeIn, Reading, startOf } from './bulk-reading.ts'
import { BulkLoadError, type LoadOptions, loadFiles, pathOf, StaleLinkError } from './load-files.ts'

/** How often a manifest may name other files while they are being loaded. */
const maxManifests = 4
/** How long to wait for files that are being made. */
const maxWaitMs = 10 * 60_000
const stateName = 'manifest.json'

export type BulkOptions = {
  readonly client: TenderClient
  /** Where the API is, without `/v1`. */
  readonly baseUrl: string
  readonly folder: string
  readonly sleep: Sleep
  readonly fetch?: typeof globalThis.fetch
  readonly silenceMs?: number
  /** Called while files are being loaded, with bytes. */
  readonly onLoad?: (loaded: number, total: number) => void
  /** Called with waits for files, and their causes. */
  readonly on?: (event: ClientEvent) => void
}

export type BulkPages = BulkSource & {
  readonly page: BulkPage
  /** Why the records did not come from files; undefined while they did. */
  readonly refusal: () => string | undefined
  /** Whether records came from files. */
  readonly isUsed: () => boolean
  /** Removes the files. */
  readonly end: () => Promise<void>
}

export function bulkPages(options: BulkOptions): BulkPages {
  const { folder } = options
  let refusal: string | undefined
  let isUsed = false
  let loaded: BulkManifest | undefined
  let reading: Reading | undefined

  const refused = (reason: string): undefined => {
    refusal = reason
    return undefined
  }
  async function begin(signal: AbortSignal | undefined): Promise<BulkManifest | undefined> {
    try {
      return await load(options, signal)
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ProblemError && error.problem.status !== 401) return refused(error.problem.detail)
      if (error instanceof BulkLoadError || error instanceof UnreachableError) return refused(error.message)
      throw error
    }
  }
  const page: BulkPage = async (cursor, areHeads) => {
    if (refusal !== undefined) return undefined
    if (cursor !== undefined) loaded ??= await readLoaded(folder)
    if (!loaded) return undefined
    const at = cursor === undefined ? startOf(loaded) : placeIn(cursor, loaded)
    if (!at) return refused('the files of the run before are gone')
    if (!reading?.isAt(at)) {
      await reading?.close()
      reading = new Reading(folder, loaded, at)
    }
    try {
      const data = await reading.next(areHeads)
      isUsed = true
      const { edition, digest } = loaded
      const place = reading.place
      if (!place) await reading.close()
      return { data, nextCursor: place ? cursorOf(place) : null, edition, ...(digest && { digest }) }
    } catch (error) {
      await reading.close()
      // a damaged file: what was read of it before is right
      return refused(`a file cannot be read: ${faultText(error)}`)
    }
  }
  return {
    refusal: () => refusal,
    isUsed: () => isUsed,
    open: async (signal) => {
      if (refusal === undefined) loaded ??= await begin(signal)
      return refusal === undefined
    },
    page,
    over: (inner, floor, sink) => fromFiles(inner, page, floor, sink),
    end: async () => {
      await reading?.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Loads the files of the newest edition that has any. Throws where that is impossible. */
async function load(options: BulkOptions, signal: AbortSignal | undefined): Promise<BulkManifest> {
  const { client, baseUrl, folder, sleep, silenceMs, onLoad, on, fetch = globalThis.fetch } = options
  await makeFolder(folder, 'owner')
  for (let attempt = 1; ; attempt++) {
    const manifest = await client.json(manifestPath, isManifest, { maxWaitMs, ...(signal && { signal }) })
    const files = loadedFiles(manifest)
    if (recordFiles(manifest).length === 0) throw new BulkLoadError('the manifest names no files of records')
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
    const how: LoadOptions = {
      folder,
      fetch,
      sleep,
      signal,
      onBytes: (bytes) => onLoad?.(bytes, total),
      ...(silenceMs !== undefined && { silenceMs }),
      ...(on && { on }),
    }
    try {
      await loadFiles(files, `${baseUrl}${manifestPath}`, how)
    } catch (error) {
      if (!(error instanceof StaleLinkError)) throw error
      if (attempt === maxManifests) throw new BulkLoadError(error.message)
      continue
    }
    // from here on a run that was cut off goes on without the service
    const kept = { ...manifest, files: files.map((file) => ({ ...file, url: '' })) }
    await writeWhole(join(folder, stateName), JSON.stringify(kept))
    return manifest
  }
}

/** The manifest whose files were loaded completely. */
async function readLoaded(folder: string): Promise<BulkManifest | undefined> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, stateName), 'utf8'))
    if (!isManifest(manifest)) return undefined
    for (const file of loadedFiles(manifest)) if ((await sizeOf(pathOf(folder, file))) !== file.bytes) return undefined
    return manifest
  } catch {
    return undefined
  }
}
