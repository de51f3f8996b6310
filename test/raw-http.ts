// Bytes over a plain socket: what no HTTP client would send.
import { connect } from 'node:net'

export type RawAnswer = {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Sends the text and reads until the server closes. */
export function sendRaw(port: number, text: string | Buffer): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect(port, '127.0.0.1', () => socket.write(text))
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
  // A server may close while we still write; an answer from before counts.
  socket.on('error', (error) => (chunks.length > 0 ? resolve(Buffer.concat(chunks).toString('latin1')) : reject(error)))
  return promise
}

/** The first answer in what the server sent. */
export function readAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const length = Number(headers.get('content-length') ?? 0)
  return { status: Number(statusLine.split(' ')[1]), headers, body: text.slice(end + 4, end + 4 + length) }
}
