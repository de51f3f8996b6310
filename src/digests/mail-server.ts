// The SMTP server of the operator: how it receives a mail, and what its answers mean.
import { createTransport } from 'nodemailer'
import { type MailSettings, usualName } from '../platform/config.ts'
import type { MailAttempt } from './mail-schedule.ts'

/** Maximum time for one mail in total, and for each step. */
const mailMs = 60_000
const stepMs = 15_000
/** Maximum number of open connections. */
const connections = 4
/** Maximum number of characters of an error that are stored. */
const maxErrorLetters = 300

type OutgoingMail = {
  readonly messageId: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** When the mail was created, epoch milliseconds: the same at each attempt. */
  readonly at: number
  /** False: it is about the person's own account, and nobody can unsubscribe from it. */
  readonly isList?: boolean
  /** Undefined: people unsubscribe by a reply to the sender. */
  readonly unsubscribeUrl?: string | undefined
}

export type MailServer = {
  /** Never throws. If aborted, the mail may or may not have been accepted. */
  readonly send: (mail: OutgoingMail, signal: AbortSignal) => Promise<MailAttempt>
  /** Ends all connections immediately. */
  readonly close: () => void
}

/** Connects when there is something to send. Tests may pass a different `longestMs`. */
export function openMailServer(settings: MailSettings, longestMs = mailMs): MailServer {
  const { from, password, name = usualName } = settings
  const auth = loginOf(settings)
  const transport = createTransport({
    ...connectionOf(settings, stepMs),
    pool: true,
    maxConnections: connections,
    ...(auth && { auth }),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  // each send reports its own errors
  transport.on('error', () => {})
  return {
    send: async ({ messageId, to, subject, text, html, at, unsubscribeUrl, isList = true }, signal) => {
      try {
        await transport.sendMail({
          messageId,
          from: { name, address: from },
          to: { name: '', address: to },
          subject,
          text,
          html,
          date: new Date(at),
          xMailer: false,
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(isList && listHeaders(from, unsubscribeUrl)),
          },
          signal: AbortSignal.any([signal, AbortSignal.timeout(longestMs)]),
        })
        return { kind: 'accepted' }
      } catch (error) {
        return attemptOf(error as SmtpError, password)
      }
    },
    close: () => transport.close({ force: true }),
  }
}

/** How to reach the server; each step takes at most `waitMs`. */
export function connectionOf({ host, port, security }: MailSettings, waitMs: number) {
  return {
    host,
    port,
    secure: security === 'smtps',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    connectionTimeout: waitMs,
    greetingTimeout: waitMs,
    dnsTimeout: waitMs,
    socketTimeout: waitMs,
  }
}

/** Undefined: the server accepts mails without signing in. */
export const loginOf = ({ user, password }: MailSettings) =>
  user !== undefined && password !== undefined ? { user, pass: password } : undefined

/** RFC 2369 and RFC 8058: one click is for https only. */
function listHeaders(from: string, url: string | undefined): { readonly [name: string]: string } {
  const byMail = `<mailto:${from}?subject=unsubscribe>`
  if (url === undefined) return { 'List-Unsubscribe': byMail }
  return {
    'List-Unsubscribe': `<${url}>, ${byMail}`,
    ...(url.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
  }
}

/** What nodemailer reports beyond the message. */
type SmtpError = Error & { readonly code?: string; readonly responseCode?: number; readonly command?: string }

/** Only an answer to the recipient or to the content is about this mail; anything else would affect every mail. */
function attemptOf(
  thrown: SmtpError,
  password: string | undefined,
): Exclude<MailAttempt, { readonly kind: 'accepted' }> {
  const { responseCode = 0, command = '' } = thrown
  const error = withoutPassword(thrown.message, password)
  if (!/^(?:RCPT TO|DATA)/.test(command) || responseCode < 400) return { kind: 'unreachable', error }
  return { kind: 'refused', error, isFinal: responseCode >= 500 }
}

/** One line of a bounded length. */
export function withoutPassword(message: string, password: string | undefined): string {
  const said = password === undefined ? message : message.replaceAll(password, '…')
  return said.replace(/\s+/g, ' ').slice(0, maxErrorLetters)
}
