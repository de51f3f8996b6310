// The SMTP server of the operator: how it receives a mail, and what its answers mean.
import { createTransport } from 'nodemailer'
import { minuteMs } from '../domain/time.ts'
import { type MailSettings, usualName } from '../platform/config.ts'
import type { MailAttempt } from './mail-schedule.ts'

/** Maximum time until the server greets, and for each later answer: RFC 5321 gives ten minutes after the content. */
const greetingMs = 2 * minuteMs
const answerMs = 10 * minuteMs
/** Maximum time for one mail in total. */
export const mailMs = 12 * minuteMs
/** Maximum number of open connections. */
const connections = 4
/** Maximum number of characters of an error that are stored. */
const maxErrorLetters = 300
/** Maximum number of characters of an answer that are examined: a hostile server may send a megabyte. */
const maxExaminedLetters = 1000

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
    ...connectionOf(settings, greetingMs, answerMs),
    pool: true,
    maxConnections: connections,
    // a mail whose answer was lost may have been accepted: the schedule repeats it, not the pool
    maxRequeues: 0,
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

/** How to reach the server: it greets within `waitMs`, and gives each later answer within `longestMs`. */
export function connectionOf({ host, port, security }: MailSettings, waitMs: number, longestMs = waitMs) {
  return {
    host,
    port,
    secure: security === 'smtps',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    connectionTimeout: waitMs,
    greetingTimeout: waitMs,
    dnsTimeout: waitMs,
    socketTimeout: longestMs,
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
type SmtpError = Error & {
  readonly code?: string
  readonly responseCode?: number
  readonly response?: string
  readonly command?: string
}

/** Only an answer to the recipient or to the content is about this mail; anything else would affect every mail. */
function attemptOf(
  thrown: SmtpError,
  password: string | undefined,
): Exclude<MailAttempt, { readonly kind: 'accepted' }> {
  const { responseCode = 0, command = '', response = '' } = thrown
  const error = withoutPassword(thrown.message, password)
  if (!/^(?:RCPT TO|DATA)/.test(command) || responseCode < 400) return { kind: 'unreachable', error }
  const isFinal = responseCode >= 500
  if (command.startsWith('DATA')) return { kind: 'refused', error, about: isFinal ? 'content' : 'later' }
  return { kind: 'refused', error, about: isFinal && isNoRecipient(response) ? 'recipient' : 'later' }
}

/**
 * Whether a permanent answer to a recipient says that there is none: by the codes of RFC 3463 about addresses and
 * disabled mailboxes; without such a code, if it names no policy. A refused sender is everybody's problem.
 */
export function isNoRecipient(response: string): boolean {
  const [, code = '', enhanced, rest = ''] =
    /^(5\d\d)[ -](5\.\d{1,3}\.\d{1,3})?(.*)/s.exec(response.slice(0, maxExaminedLetters)) ?? []
  // the address itself says nothing, and a code about addresses outweighs words that it may occur with
  const policy = enhanced?.startsWith('5.1.') ? sureWords : policyWords
  if (policy.test(rest.replace(/\S+@\S+/g, ''))) return false
  return enhanced === undefined ? /^55[013]$/.test(code) : /^5\.(?:1\.(?:1|2|3|6|10)|2\.1)$/.test(enhanced)
}

/** What servers write when they refuse the sender, the network or everything: with any code, and without one. */
const sureWords = /spam|junk|\bpolic(?:y|ies)|block|black|reputation|spf|dkim|dmarc|client host/i
const policyWords = new RegExp(
  String.raw`${sureWords.source}|deny|denied|listed|relay|authenti|sender|\brate\b|quota|too many|not permitted|` +
    String.raw`not allowed|prohibit|\bip\b`,
  'i',
)

/** One line of a bounded length. */
export function withoutPassword(message: string, password: string | undefined): string {
  const said = password === undefined ? message : message.replaceAll(password, '…')
  return said.replace(/\s+/g, ' ').slice(0, maxErrorLetters)
}
