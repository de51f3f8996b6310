// Loads files of a whole edition into a folder: from the byte on where an earlier load stopped, and only what has its
// digest.
import { createWriteStream } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ClientError } from '../client-error.ts'
import type { ClientEvent } from '../client-event.ts'
import { faultText } from '../fault-text.ts'
import { maxWaitMs, retryWait } from '../retry.ts'
import { sizeOf, sumOf } from '../sinks/files/durable-files.ts'
import type { Sleep } from '../sleep.ts'
import type { BulkFile } from './bulk-manifest.ts'

export type LoadOptions = {
  readonly folder: string
  readonly fetch: typeof globalThis.fetch
  readonly sleep: Sleep
  readonly signal?: AbortSignal | undefined
  /** Longest pause of a transfer; default 60 s. */
  readonly silenceMs?: number
  /** Called with the bytes of all files that are there. */
  readonly onBytes?: (bytes: number) => void
  /** Called with waits and their causes. */
  readonly on?: (event: ClientEvent) => void
}

/** The link has ended, or the file is gone: a new manifest says where it is. */
export class StaleLinkError extends ClientError {
  override readonly name = 'StaleLinkError'
  readonly code = 'unreachable'
}
/** Files cannot be loaded; the list brings the same records. */
export class BulkLoadError extends ClientError {
  override readonly name = 'BulkLoadError'
  readonly code = 'unreachable'
}

/** How often a file may have a wrong digest. */
const maxWrong = 2

export const pathOf = (folder: string, { sha256 }: Pick<BulkFile, 'sha256'>): string => join(folder, `${sha256}.gz`)
const partOf = (folder: string, file: BulkFile): string => `${pathOf(folder, file)}.part`

/** Loads what is missing, one after the other, and removes what is not among these files. */
export async function loadFiles(files: readonly BulkFile[], address: string, options: LoadOptions): Promise<void> {
  const { folder, onBytes } = options
  const wanted = new Set(files.flatMap((file) => [pathOf(folder, file), partOf(folder, file)]))
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (/\.gz(?:\.part)?$/.test(name) && !wanted.has(path)) await rm(path, { force: true })
  }
  let before = 0
  for (const file of files) {
    await loadFile(file, address, { ...options, onBytes: (bytes) => onBytes?.(before + bytes) })
    before += file.bytes
  }
}

/** Waits as the client does for a request (C152, C153); what made progress goes on at once. */
async function loadFile(file: BulkFile, address: string, options: LoadOptions): Promise<void> {
  const { folder, sleep, signal, onBytes, on } = options
  const path = pathOf(folder, file)
  // it got its name when its digest was right
  if ((await sizeOf(path)) === file.bytes) return
  const part = partOf(folder, file)
  const url = new URL(file.url, address)
  let [wrong, failures, waitedMs] = [0, 0, 0]
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    let from = (await sizeOf(part)) ?? 0
    if (from >= file.bytes) {
      if (from === file.bytes && (await sumOf(part)) === file.sha256) return rename(part, path)
      await rm(part)
      if (++wrong === maxWrong) throw new BulkLoadError('A file has another digest than its manifest says.')
      from = 0
    }
    onBytes?.(from)
    const { answer, cause } = await transfer(url, part, from, options).catch((error: unknown): Ended => {
      signal?.throwIfAborted()
      if (error instanceof StaleLinkError) throw error
      return { cause: error }
    })
    if (((await sizeOf(part)) ?? 0) > from) {
      failures = 0
      waitedMs = 0
      continue
    }
    const wait = retryWait(answer, failures + 1)
    if (wait?.reason === 'failure') failures++
    if (!wait || waitedMs + wait.ms > maxWaitMs) throw new BulkLoadError(`A file cannot be loaded: ${faultText(cause)}`)
    on?.({ type: 'retry', path: url.pathname, attempt, cause })
    on?.({ type: 'wait', path: url.pathname, ...wait })
    waitedMs += wait.ms
    await sleep(wait.ms, signal)
  }
}

/** How a transfer ended that did not break; `answer`: a refusal. */
type Ended = { readonly answer?: Pick<Response, 'status' | 'headers'>; readonly cause: unknown }

/** Loads the bytes from `from` on. Throws where the connection breaks. */
async function transfer(url: URL, part: string, from: number, options: LoadOptions): Promise<Ended> {
  const { fetch, signal, silenceMs = 60_000 } = options
  const silence = new AbortController()
  const stop = (): void => silence.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  let timer: NodeJS.Timeout | undefined
  const heard = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(new Error(`no byte within ${silenceMs} ms`)), silenceMs)
  }
  try {
    heard()
    // the link opens the file: the token is not sent, wherever a redirect leads
    const response = await fetch(url, {
      headers: { 'accept-encoding': 'identity', ...(from > 0 && { range: `bytes=${from}-` }) },
      signal: silence.signal,
    })
    if (response.status === 403 || response.status === 404 || response.status === 410)
      throw new StaleLinkError(`the link is answered ${response.status}`)
    if (!response.ok || !response.body) return { answer: response, cause: new Error(`HTTP ${response.status}`) }
    // without a range the answer begins at the first byte
    const isRest = response.status === 206 && from > 0
    const blocks = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const block of source) {
        heard()
        yield block
      }
    }
    const target = createWriteStream(part, { flags: isRest ? 'a' : 'w', mode: 0o600 })
    await pipeline(Readable.fromWeb(response.body as never), blocks, target)
    return { cause: new Error('the answer brought no byte') }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
