// Receives webhooks: verifies, drops repeats, answers immediately, then works.
import { createServer } from 'node:http'
import { verifyWebhook, WebhookVerificationError } from '@tenderstock/client/webhooks'

const secret = process.env['WEBHOOK_SECRET'] ?? ''
const maxBodyBytes = 1024 * 1024
/** In a real receiver: a table with a unique column. */
const seen = new Set<string>()

const server = createServer((request, response) => {
  const pieces: Buffer[] = []
  let size = 0
  request.on('data', (piece: Buffer) => {
    size += piece.length
    if (size > maxBodyBytes) request.destroy()
    pieces.push(piece)
  })
  request.on('end', () => {
    try {
      const event = verifyWebhook(Buffer.concat(pieces), request.headers, secret)
      response.writeHead(204).end()
      if (seen.has(event.id)) return
      seen.add(event.id)
      const isHit = event.type === 'search.hit' || event.type === 'search.hit.changed'
      // types may be added
      console.log(isHit ? `${event.data.fitScore} ${event.data.tender.title}` : event.type)
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error
      response.writeHead(400).end(error.message)
    }
  })
})
server.listen(Number(process.env['PORT'] ?? 9000), '127.0.0.1', () => console.log('listening'))
