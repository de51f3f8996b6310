// Loads files of a whole edition into a folder: from the byte on where an earlier load stopped, and only what has its
// digest.
import { createWriteStream } from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ClientError } from '../client-error.ts'
import { faultText } from '../fault-text.ts'
import { sumOf } from '../sinks/files/durable-files.ts'
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

/** Attempts without a new byte, and how often a file may have a wrong digest. */
const maxAttempts = 5
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

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size
}

async function loadFile(file: BulkFile, address: string, options: LoadOptions): Promise<void> {
  const { folder, sleep, signal, onBytes } = options
  const path = pathOf(folder, file)
  // it got its name when its digest was right
  if ((await sizeOf(path)) === file.bytes) return
  const part = partOf(folder, file)
  let wrong = 0
  for (let attempt = 1; ; ) {
    const from = (await sizeOf(part)) ?? 0
    if (from > file.bytes) await rm(part)
    else if (from === file.bytes) {
      if ((await sumOf(part)) === file.sha256) return rename(part, path)
      await rm(part)
      if (++wrong === maxWrong) throw new BulkLoadError('A file has another digest than its manifest says.')
      continue
    }
    onBytes?.(from)
    let waitMs = 1000 * 2 ** attempt
    let reason: unknown
    try {
      const answered = await transfer(new URL(file.url, address), part, from > file.bytes ? 0 : from, options)
      waitMs = answered.waitMs ?? waitMs
      reason = answered.reason
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof StaleLinkError) throw error
      reason = error
    }
    const reached = (await sizeOf(part)) ?? 0
    if (reached === file.bytes) continue
    attempt = reached > from ? 1 : attempt + 1
    if (attempt > maxAttempts) throw new BulkLoadError(`A file cannot be loaded: ${faultText(reason)}`)
    // what made progress goes on at once
    if (reached <= from) await sleep(waitMs, signal)
  }
}

type Answered = { readonly waitMs?: number; readonly reason?: unknown }

/** Loads the bytes from `from` on. Throws where the connection breaks. */
async function transfer(url: URL, part: string, from: number, options: LoadOptions): Promise<Answered> {
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
    if (!response.ok || !response.body) {
      const after = Number(response.headers.get('retry-after') ?? Number.NaN)
      return { ...(after > 0 && { waitMs: Math.min(after, 300) * 1000 }), reason: new Error(`HTTP ${response.status}`) }
    }
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
    return {}
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
