// Requests of a delivery: filled, with the token of the portal where it wants one, and addresses without secrets.
import { Refused } from '../../platform/http.ts'
import { collect } from '../byte-chunks.ts'
import type { AnswerPointer, Template, Token } from '../delivery.ts'
import type { FetchContext, Json, SourceReply } from '../fetch.ts'
import { parseJson } from '../json.ts'
import { unexpected } from './answers/answer-documents.ts'
import { valueAt } from './answers/json-pointer.ts'
import { fillTemplate, type Values } from './fill-template.ts'

/** A reply with the address as requested, and as it may be stored. */
export type Answer = { readonly reply: SourceReply; readonly url: string; readonly address: string }

export type AskOptions = {
  /** Instead of the template's address. */
  readonly url?: string
  readonly accept?: readonly number[]
  readonly ifChangedFrom?: string
  readonly maxBytes?: number
  /** `page` where the entries are in a page for people. */
  readonly expects?: 'data' | 'page'
}

/** Minimum characters of a key to hide: a shorter one could be in an address by chance. */
const minSecret = 6
const maxTokenBytes = 1024 * 1024

export class Asking {
  readonly #context: FetchContext
  readonly #tokenRequest: Token | undefined
  #token: string | undefined

  constructor(context: FetchContext, token: Token | undefined) {
    this.#context = context
    this.#tokenRequest = token
  }

  /** The values that every template may use. */
  #withSecrets(values: Values): Values {
    return { ...values, key: this.#context.key, token: this.#token }
  }

  /** The address that a template requests, as it may be stored; for POST with the body. */
  addressOf(template: Template, values: Values, base: string): string {
    const { url, body } = fillTemplate(
      template,
      { ...this.#withSecrets(values), token: this.#token ?? '-' },
      this.#context.zone,
    )
    const address = this.hide(resolved(url, base))
    return body === undefined ? address : `${address} ${this.hide(body)}`
  }

  /** A text without key and token. */
  hide(text: string): string {
    let hidden = text
    for (const [name, secret] of [
      ['{key}', this.#context.key],
      ['{token}', this.#token],
    ] as const)
      if (secret !== undefined && secret.length >= minSecret)
        hidden = hidden.replaceAll(secret, name).replaceAll(encodeURIComponent(secret), name)
    return hidden
  }

  /** The reverse: an address that was stored without secrets can be requested again. */
  async reveal(text: string): Promise<string> {
    if (text.includes('{token}')) await this.#ensureToken()
    return text
      .replaceAll('{key}', encodeURIComponent(this.#context.key ?? ''))
      .replaceAll('{token}', encodeURIComponent(this.#token ?? ''))
  }

  /** Sends the request. Throws what `send` throws, and Refused if a new token is not accepted either. */
  async ask(template: Template, values: Values, base: string, options: AskOptions = {}): Promise<Answer> {
    await this.#ensureToken()
    const accept = [...(options.accept ?? []), ...(this.#tokenRequest ? [401] : [])]
    for (let turn = 0; ; turn++) {
      const request = fillTemplate(template, this.#withSecrets(values), this.#context.zone)
      const url = resolved(options.url ?? request.url, base)
      const reply = await this.#context.send({
        ...request,
        url,
        ...(accept.length > 0 && { accept: options.ifChangedFrom === undefined ? accept : [...accept, 304] }),
        ...(options.ifChangedFrom !== undefined && { ifChangedFrom: options.ifChangedFrom }),
        ...(options.maxBytes !== undefined && { maxBytes: options.maxBytes }),
        ...(options.expects && { expects: options.expects }),
      })
      if (reply.status !== 401) return { reply, url, address: this.hide(url) }
      await drain(reply)
      if (turn > 0) throw new Refused(`${this.hide(url)} answered 401 to a new token`)
      this.#token = undefined
      await this.#ensureToken()
    }
  }

  async #ensureToken(): Promise<void> {
    if (!this.#tokenRequest || this.#token !== undefined) return
    const { request, at } = this.#tokenRequest
    const filled = fillTemplate(request, this.#withSecrets({}), this.#context.zone)
    const reply = await this.#context.send({ ...filled, maxBytes: maxTokenBytes })
    const token = valueInSmall(await reply.bytes(), reply, at)
    if ((typeof token !== 'string' && typeof token !== 'number') || token === '')
      throw unexpected(this.hide(filled.url), `no token at ${at}`)
    this.#token = String(token)
  }
}

function valueInSmall(bytes: Uint8Array, reply: SourceReply, pointer: AnswerPointer): Json | undefined {
  const header = headerValue(reply, pointer)
  if (header !== undefined) return header
  try {
    return valueAt(parseJson(Buffer.from(bytes).toString('utf8')) as Json, pointer)
  } catch {
    return undefined
  }
}

/** The value of `header[name]`, or of `link[relation]` in the Link header (RFC 8288); undefined for other places. */
export function headerValue(reply: SourceReply, pointer: AnswerPointer): string | undefined {
  const found = /^(header|link)\[(.+)\]$/.exec(pointer)
  if (!found) return undefined
  if (found[1] === 'header') return reply.headers[found[2]!.toLowerCase()]
  for (const link of (reply.headers['link'] ?? '').matchAll(/<([^>]*)>([^,]*)/g))
    if (new RegExp(`;\\s*rel="?(?:[^";]*\\s)?${found[2]}(?:\\s[^";]*)?"?(?:;|\\s*$)`, 'i').test(link[2]!))
      return link[1]
  return undefined
}

/** Reads an unneeded body, so that the connection can be reused. */
export async function drain(reply: SourceReply): Promise<void> {
  await collect(reply.chunks(), 1024 * 1024).catch(() => undefined)
}

/**
 * An address from an answer, resolved against the one that gave it. A link to http on a host that was requested with
 * https stays https.
 */
export function resolved(link: string, base: string): string {
  const url = URL.parse(link, base || undefined)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw unexpected(base, `no address: ${link.slice(0, 200)}`)
  const from = URL.parse(base)
  if (from?.protocol === 'https:' && url.protocol === 'http:' && url.hostname === from.hostname && url.port === '')
    url.protocol = 'https:'
  // A portal behind a gateway may have a name of its own that does not exist outside.
  if (
    from &&
    /^(?:localhost|127\.\d+\.\d+\.\d+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|[^.]+)$/.test(url.hostname) &&
    from.hostname.includes('.') &&
    url.hostname !== from.hostname
  ) {
    // set as a part: as text, a path that begins with two slashes would name another host
    const inside = new URL(from.origin)
    inside.pathname = url.pathname
    inside.search = url.search
    return inside.href
  }
  return url.href
}
