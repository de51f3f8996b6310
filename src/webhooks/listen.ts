// A receiver for trials: accepts webhooks on this machine, verifies them with the library of Standard Webhooks, and
// passes them on.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { untilDeadline } from '#flat/record/first-deadline'

/** Maximum bytes of a body that is accepted. */
const maxBodyBytes = 1024 * 1024

export type ReceivedWebhook = {
  readonly id: string
  readonly type: string
  readonly isRepeated: boolean
  readonly data: { readonly [member: string]: unknown }
}

export type WebhookListener = { readonly url: string; readonly close: () => Promise<void> }

/** Listens on loopback. `secret`: `whsec_…`. Rejects when the port is taken. */
export async function listenForWebhooks(options: {
  readonly port: number
  readonly secret: string
  readonly onWebhook: (webhook: ReceivedWebhook) => void
  /** Called with the reason when a request is not genuine, after it was answered with 400. */
  readonly onRefused: (reason: string) => void
}): Promise<WebhookListener> {
  const verifier = new Webhook(options.secret)
  const seen = new Set<string>()
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    let size = 0
    request.on('data', (piece: Buffer) => {
      size += piece.length
      if (size <= maxBodyBytes) pieces.push(piece)
      else request.destroy()
    })
    request.on('end', () => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value ?? '')]),
      )
      let message: Pick<ReceivedWebhook, 'type' | 'data'>
      try {
        message = verifier.verify(Buffer.concat(pieces), headers) as typeof message
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        response.writeHead(400).end(reason)
        options.onRefused(reason)
        return
      }
      response.writeHead(204).end()
      const id = headers['webhook-id']!
      options.onWebhook({ id, type: message.type, data: message.data, isRepeated: seen.has(id) })
      seen.add(id)
    })
  })
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen(options.port, '127.0.0.1', done)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

/** One line for a terminal. */
export function webhookLine({ type, data, isRepeated }: ReceivedWebhook): string {
  const again = isRepeated ? ' (again)' : ''
  if (type === 'webhook.test') return `test event, verified${again}`
  const { search, fitScore, tender } = data as {
    readonly search?: { readonly name?: string }
    readonly fitScore?: number
    readonly tender?: { readonly title?: string } & Parameters<typeof untilDeadline>[0]
  }
  return `${type} ${fitScore}: ${tender?.title} (${search?.name}${untilDeadline(tender ?? {})})${again}`
}
