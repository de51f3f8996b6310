// Whether the SMTP server would accept a mail of the service: the same steps as for a mail, up to its content.
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { MailSettings } from '../platform/config.ts'
import { connectionOf, loginOf, withoutPassword } from './mail-server.ts'

/** Where the server objects. `recipient`: to a mail to the sender's own address. `silent`: it stops to answer. */
export type MailStage = 'connect' | 'encrypt' | 'signIn' | 'sender' | 'recipient' | 'silent'

export type MailObjection = {
  readonly stage: MailStage
  readonly error: string
  /** The server said that it may accept the same later (4xx). */
  readonly isTemporary: boolean
}

/** What nodemailer reports beyond the message. */
type Thrown = Error & { readonly code?: string; readonly responseCode?: number }

/**
 * Connects, encrypts, signs in, names the sender, and its own address as recipient; then it takes both back, so
 * nothing is sent. Takes at most `waitMs`. Returns the first objection; undefined: the server has none.
 */
export async function examineMailServer(settings: MailSettings, waitMs: number): Promise<MailObjection | undefined> {
  const { from, password } = settings
  let stage: MailStage = 'connect'
  const connection = new SMTPConnection({
    ...connectionOf(settings, waitMs),
    // the library's public way to send single commands; it signs nobody in
    customAuth: {
      [envelopeMethod]: async ({ sendCommand }) => {
        for (const [next, command] of [
          ['sender', `MAIL FROM:<${from}>`],
          ['recipient', `RCPT TO:<${from}>`],
        ] as const) {
          stage = next
          const { status, response } = await sendCommand(command)
          if (status < 200 || status > 299) throw Object.assign(new Error(response), { responseCode: status })
        }
        await sendCommand('RSET')
      },
    },
  })
  const failed = Promise.withResolvers<never>()
  const late = Object.assign(new Error(`no answer within ${waitMs / 1000} s`), { code: 'ETIMEDOUT' })
  const timer = setTimeout(() => failed.reject(late), waitMs)
  connection.on('error', failed.reject)
  connection.on('end', () => failed.reject(new Error('it closed the connection')))
  const step = (work: (done: (error?: Error | null) => void) => void) =>
    Promise.race([
      failed.promise,
      new Promise<void>((resolve, reject) => work((error) => (error ? reject(error) : resolve()))),
    ])
  try {
    await step((done) => connection.connect(done))
    const login = loginOf(settings)
    if (login && connection.allowsAuth) {
      stage = 'signIn'
      await step((done) => connection.login(login, done))
    }
    stage = 'sender'
    await step((done) => connection.login({ method: envelopeMethod }, done))
    return undefined
  } catch (error) {
    const { message, code, responseCode = 0 } = error as Thrown
    const isEncryption = stage === 'connect' && (code === 'ETLS' || /certificate|altnames|ssl|tls/i.test(message))
    const isSilent = stage !== 'connect' && code === 'ETIMEDOUT'
    return {
      stage: isEncryption ? 'encrypt' : isSilent ? 'silent' : stage,
      error: withoutPassword(message, password),
      isTemporary: responseCode >= 400 && responseCode < 500,
    }
  } finally {
    clearTimeout(timer)
    failed.promise.catch(() => {})
    connection.quit()
    connection.close()
  }
}

const envelopeMethod = 'ENVELOPE'
