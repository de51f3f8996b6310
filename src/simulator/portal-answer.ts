// The requests to a portal's server and its answers, before faults.
import type { FaultName } from './faults.ts'
import type { PortalRequest } from './request-pattern.ts'
import type { ShelfEntry } from './shelf.ts'

export type PortalAnswer = {
  readonly status: number
  readonly type: string
  readonly body: Buffer
  readonly headers?: { readonly [name: string]: string }
  /** ETag to use instead of the hash of the body. */
  readonly etag?: string
  /** Epoch milliseconds. */
  readonly modifiedAt?: number
}

/** One request while it is answered. */
export type Asked = {
  readonly request: PortalRequest
  /** Epoch milliseconds. */
  readonly now: number
  /** Whether a fault of the content happens to this request. */
  readonly happens: (name: FaultName) => boolean
}

/** The server of one source. */
export type PortalServer = {
  readonly sourceId: string
  readonly hosts: ReadonlySet<string>
  /** Everything that a patient client has received by that moment if it read everything, oldest first. */
  readonly shown: (now: number) => readonly ShelfEntry[]
  /** Undefined when the address does not belong to this portal. */
  readonly answer: (asked: Asked) => Promise<PortalAnswer> | PortalAnswer | undefined
}

export const textAnswer = (status: number, text: string, type = 'text/plain; charset=utf-8'): PortalAnswer => ({
  status,
  type,
  body: Buffer.from(text),
})

export const jsonAnswer = (status: number, value: unknown): PortalAnswer =>
  textAnswer(status, JSON.stringify(value), 'application/json; charset=utf-8')
