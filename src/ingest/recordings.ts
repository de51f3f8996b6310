// Exchanges with a portal as files: written by `source check --record`, and read again in place of the portal.

import { isUtf8 } from 'node:buffer'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Retryable } from '../platform/http.ts'
import type { FetchContext, SourceReply, SourceRequest } from '../sources/fetch.ts'

type Send = FetchContext['send']

/** `request.json`. */
type RecordedRequest = Pick<SourceRequest, 'url' | 'method' | 'headers' | 'body'>

/** `response.json`. */
type RecordedResponse = Pick<SourceReply, 'status' | 'headers' | 'version'> & {
  /** False if the check stopped before the end of the body. */
  readonly isWhole: boolean
  /** True for archives and the like, in which personal data could not be replaced. */
  readonly isBinary: boolean
}

/** `check.json`: what the exchanges belong to. */
export type RecordedCheck = { readonly sourceId: string; readonly recordedAt: string }

/** Maximum bytes that are kept of a body. */
const maxBodyBytes = 32 * 1024 * 1024
const secretHeaders = /^(?:authorization|cookie|set-cookie|proxy-|x-api-key|api-key|ocp-apim)/i
const removed = 'REMOVED'
const mail = /[\p{L}\p{N}_.+-]+(?:@|%40|&#64;)[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/giu
/** International numbers; others look like amounts and ids. */
const phone = /\+\d[\d ()/.-]{7,18}\d/g

type Kept = { readonly request: SourceRequest; readonly reply: SourceReply; parts: Uint8Array[]; isWhole: boolean }

/** Keeps what passes through `send`, and writes it without the key, cookies, mail addresses and phone numbers. */
export class Recorder {
  readonly #send: Send
  readonly #key: string | undefined
  readonly #kept: Kept[] = []

  constructor(send: Send, key: string | undefined) {
    this.#send = send
    this.#key = key
  }

  readonly send: Send = async (request) => {
    const reply = await this.#send(request)
    const kept: Kept = { request, reply, parts: [], isWhole: false }
    this.#kept.push(kept)
    let bytes = 0
    const keep = (chunk: Uint8Array) => {
      bytes += chunk.length
      if (bytes <= maxBodyBytes) kept.parts.push(Uint8Array.from(chunk))
    }
    return {
      ...reply,
      bytes: async () => {
        const body = await reply.bytes()
        keep(body)
        kept.isWhole = bytes <= maxBodyBytes
        return body
      },
      chunks: async function* () {
        for await (const chunk of reply.chunks()) {
          keep(chunk)
          yield chunk
        }
        kept.isWhole = bytes <= maxBodyBytes
      },
    }
  }

  /** What was read of the bodies. */
  get bodies(): readonly Buffer[] {
    return this.#kept.map(({ parts }) => Buffer.concat(parts))
  }

  /** Writes `check.json` and one folder for each exchange (`01`, `02` …) into a new folder. Returns their number. */
  async write(folder: string, check: RecordedCheck): Promise<number> {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'check.json'), asText(check))
    for (const [index, { request, reply, parts, isWhole }] of this.#kept.entries()) {
      const to = join(folder, String(index + 1).padStart(2, '0'))
      await mkdir(to, { recursive: true })
      const { url, method, headers, body } = request
      await writeFile(
        join(to, 'request.json'),
        this.#cleaned(
          asText({
            url,
            ...(method && { method }),
            ...(headers && { headers: withoutSecrets(headers) }),
            ...(body !== undefined && { body }),
          } satisfies RecordedRequest),
        ),
      )
      const bytes = Buffer.concat(parts)
      const encoding = encodingOf(bytes)
      const response: RecordedResponse = {
        status: reply.status,
        headers: withoutSecrets(reply.headers),
        version: reply.version,
        isWhole,
        isBinary: encoding === undefined,
      }
      await writeFile(join(to, 'response.json'), this.#cleaned(asText(response)))
      const cleaned = encoding && Buffer.from(this.#cleaned(bytes.toString(encoding)), encoding)
      await writeFile(join(to, 'body'), cleaned ?? bytes)
    }
    return this.#kept.length
  }

  #cleaned(text: string): string {
    const cleaned = text.replace(mail, 'person@example.org').replace(phone, '+00 000 000000')
    if (!this.#key) return cleaned
    return cleaned.replaceAll(this.#key, removed).replaceAll(encodeURIComponent(this.#key), removed)
  }
}

/** In which the bytes of a text come back as they were; undefined for archives and the like. */
function encodingOf(bytes: Buffer): 'utf8' | 'utf16le' | 'latin1' | undefined {
  if (isUtf8(bytes)) return 'utf8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf16le'
  // an older encoding, or the end of the read is within a character
  return bytes.includes(0) ? undefined : 'latin1'
}

const asText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

function withoutSecrets(headers: SourceReply['headers']): { [name: string]: string } {
  const kept: { [name: string]: string } = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) kept[name] = secretHeaders.test(name) ? removed : value
  return kept
}

/** A recording: its check, and a `send` that answers from it. */
export type Recording = { readonly check: RecordedCheck; readonly send: Send }

/**
 * Opens a recording. Its `send` gives the recorded answers in their order, and throws Retryable for a request that was
 * not the recorded one. Set the clock to `check.recordedAt`, so that the same span is requested.
 */
export async function openRecording(folder: string): Promise<Recording> {
  const read = async <T>(...path: readonly string[]) => JSON.parse(await readFile(join(folder, ...path), 'utf8')) as T
  const check = await read<RecordedCheck>('check.json')
  const names = (await readdir(folder)).filter((name) => /^\d+$/.test(name)).sort()
  let next = 0
  const send: Send = async (request) => {
    const name = names[next++]
    if (name === undefined) throw new Retryable(`The recording ends before ${request.url}.`)
    const recorded = await read<RecordedRequest>(name, 'request.json')
    if (shapeOf(recorded.url) !== shapeOf(request.url))
      throw new Retryable(`The recording has ${recorded.url} in place of ${request.url}.`)
    const { isWhole, ...reply } = await read<RecordedResponse>(name, 'response.json')
    const body = await readFile(join(folder, name, 'body'))
    return {
      ...reply,
      version: reply.version,
      bytes: async () => body,
      chunks: async function* () {
        yield body
        if (!isWhole) throw new Retryable('The recording ends in the middle of this answer.')
      },
    }
  }
  return { check, send }
}

/** A URL without the values of its query, some of which are keys. */
function shapeOf(text: string): string {
  const url = new URL(text)
  return [url.origin, url.pathname, ...[...url.searchParams.keys()].sort()].join(' ')
}
