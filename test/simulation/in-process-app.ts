// Drives a built API without sockets: a request goes into Fastify's router with the few members of a message that the
// routes read. Four times as fast as `inject`, which simulates streams as well.
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

export type Answer = {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: Buffer
}

const socket = Object.assign(new EventEmitter(), { remoteAddress: '10.0.0.9', encrypted: false })

class Reply extends EventEmitter {
  statusCode = 200
  headersSent = false
  writableEnded = false
  finished = false
  destroyed = false
  headers: { [name: string]: string } = {}
  readonly socket = socket
  readonly #parts: Buffer[] = []
  readonly #done: (answer: Answer) => void

  constructor(done: (answer: Answer) => void) {
    super()
    this.#done = done
  }

  setHeader(name: string, value: unknown): void {
    this.headers[name.toLowerCase()] = String(value)
  }

  getHeader(name: string): string | undefined {
    return this.headers[name.toLowerCase()]
  }

  hasHeader(name: string): boolean {
    return this.getHeader(name) !== undefined
  }

  removeHeader(name: string): void {
    delete this.headers[name.toLowerCase()]
  }

  /** `headers` as an object, or name, value, name, value … */
  writeHead(statusCode: number, headers: { readonly [name: string]: unknown } | readonly string[] = {}): this {
    this.statusCode = statusCode
    if (Array.isArray(headers)) {
      for (let index = 0; index < headers.length; index += 2) this.setHeader(headers[index], headers[index + 1])
    } else for (const [name, value] of Object.entries(headers)) this.setHeader(name, value)
    this.headersSent = true
    return this
  }

  cork(): void {}
  uncork(): void {}

  write(part: Buffer): boolean {
    this.#parts.push(part)
    return true
  }

  end(payload?: string | Buffer | null): this {
    this.writableEnded = true
    this.finished = true
    this.#done({
      status: this.statusCode,
      headers: this.headers,
      body: Buffer.concat([...this.#parts, Buffer.from(payload ?? '')]),
    })
    this.emit('finish')
    return this
  }
}

/** One GET. The app must be ready. */
export function ask(app: FastifyInstance, url: string, headers: { readonly [name: string]: string }): Promise<Answer> {
  return new Promise((resolve) => {
    const request = Object.assign(new EventEmitter(), {
      method: 'GET',
      url,
      headers: { host: 'api.example', ...headers },
      rawHeaders: ['Host', 'api.example', ...Object.entries(headers).flat()],
      httpVersion: '1.1',
      httpVersionMajor: 1,
      httpVersionMinor: 1,
      socket,
      connection: socket,
    })
    app.routing(request as unknown as IncomingMessage, new Reply(resolve) as unknown as ServerResponse)
  })
}
