// A real SMTP server on this machine that stores what it receives, and another program that reads the mails.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { MailSettings } from '../../src/platform/config.ts'

export type ReceivedMail = { readonly to: readonly string[]; readonly raw: Buffer }
/** Refuses with an SMTP code, or hangs up. */
type Verdict = { readonly code: number; readonly text: string } | 'hang up' | 'silence' | undefined

export type MailReceiver = AsyncDisposable & {
  readonly received: ReceivedMail[]
  readonly settings: MailSettings
  /**
   * Called for each connection before its greeting, for each recipient, and for each mail when it has arrived
   * completely; `cut`: whether to close the connection when the first bytes of a mail arrive.
   */
  judge: {
    connection?: () => Verdict | Promise<Verdict>
    recipient?: (address: string) => Verdict
    cut?: () => boolean
    content?: (count: number) => Verdict | Promise<Verdict>
  }
}

/** `port` 0: a free one. */
export async function startMailReceiver(options: SMTPServerOptions = {}, port = 0): Promise<MailReceiver> {
  const received: ReceivedMail[] = []
  const judge: MailReceiver['judge'] = {}
  const refusal = (verdict: Exclude<Verdict, string | undefined>) =>
    Object.assign(new Error(verdict.text), { responseCode: verdict.code })
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onConnect: async (_session, done) => {
      const verdict = await judge.connection?.()
      done(typeof verdict === 'object' ? refusal(verdict) : null)
    },
    onRcptTo: ({ address }, _session, done) => {
      const verdict = judge.recipient?.(address)
      done(typeof verdict === 'object' ? refusal(verdict) : null)
    },
    onData: (stream, session, done) => {
      const hangUp = () => {
        for (const connection of server.connections) connection.close()
      }
      if (judge.cut?.()) return stream.once('data', hangUp)
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', async () => {
        const verdict = await judge.content?.(received.length + 1)
        if (typeof verdict === 'object') return done(refusal(verdict))
        if (verdict !== 'silence')
          received.push({ to: session.envelope.rcptTo.map(({ address }) => address), raw: Buffer.concat(pieces) })
        if (verdict === undefined) done()
        else if (verdict === 'hang up') hangUp()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  const address = server.server.address() as AddressInfo
  return {
    received,
    judge,
    settings: { host: '127.0.0.1', port: address.port, security: 'none', from: 'tenders@example.org' },
    [Symbol.asyncDispose]: () => new Promise((closed) => server.close(() => closed())),
  }
}

export type ParsedMail = {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly defects: readonly string[]
  readonly parts: { readonly [type: string]: string }
  readonly bodyTags: readonly string[]
  readonly addresses: readonly string[]
  readonly htmlText: string
}

const reader = `
import email, email.policy, html.parser, json, sys
mails = []
plain = 'href lang charset style class role dir width cellpadding cellspacing border align name content'.split()
class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(); self.tags = []; self.addresses = []; self.text = []
    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        for name, value in attributes:
            if name not in plain: self.tags.append('!' + name)
            if name == 'href': self.addresses.append(value)
    def handle_data(self, data):
        if self.tags[-1:] != ['style']: self.text.append(data)
for raw in json.load(sys.stdin):
    message = email.message_from_bytes(bytes.fromhex(raw), policy=email.policy.default)
    parts = {part.get_content_type(): str(part.get_content()).replace('\\r\\n', '\\n') for part in message.walk() if not part.is_multipart()}
    tags = Tags(); tags.feed(parts.get('text/html', ''))
    mails.append({'headers': [[name, str(value)] for name, value in message.items()], 'parts': parts,
      'defects': [repr(d) for part in message.walk() for d in part.defects], 'bodyTags': tags.tags, 'addresses': tags.addresses,
      'htmlText': ''.join(tags.text)})
print(json.dumps(mails))
`

/** The mails as Python's own library reads them. */
export function parseMails(mails: readonly ReceivedMail[]): ParsedMail[] {
  const { stdout, stderr, status } = spawnSync('python3', ['-c', reader], {
    input: JSON.stringify(mails.map(({ raw }) => raw.toString('hex'))),
    maxBuffer: 256 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(stderr.toString())
  return JSON.parse(stdout.toString()) as ParsedMail[]
}

export const headerOf = ({ headers }: ParsedMail, name: string): string | undefined => {
  const found = headers.filter(([each]) => each.toLowerCase() === name.toLowerCase())
  if (found.length > 1) throw new Error(`${name} is there ${found.length} times`)
  return found[0]?.[1]
}
