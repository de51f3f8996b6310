// The page behind "Unsubscribe" in mails: a form without scripts, and the POST that it and mail programs send (RFC
// 8058).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { serveFixed } from './fixed-answer.ts'

/**
 * Ends the mails for which a token was made, or the hits of one search in them, even if they have already ended. False
 * for a token that we did not make.
 */
export type Unsubscribe = (token: string) => Promise<boolean>

/** The token decides what ends; the page says it. */
const [allPath, searchPath, statusPath] = ['/unsubscribe', '/unsubscribe/search', '/unsubscribe/status'] as const
/** A sealed UUID in base64url; nothing else is looked up. */
const tokenPattern = /^token=([A-Za-z0-9_-]{86})$/
const securityHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // the address holds the token
  'referrer-policy': 'no-referrer',
}

function page(title: string, content: string): Buffer {
  return Buffer.from(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body><h1>${title}</h1>
${content}
</body></html>
`)
}

/** A form without an action is sent to its page's address, token included. */
const question = (english: string, german: string): Buffer =>
  page(
    'Unsubscribe',
    `<p>${english}</p><p lang="de">${german}</p><form method="post"><button>Yes, unsubscribe · <span lang="de">Ja, abmelden</span></button></form>`,
  )
/** In both languages: the address says nothing about who opens it. */
const pages = {
  [allPath]: {
    question: question(
      'Do you want to stop these mails about new tenders?',
      'Möchten Sie diese E-Mails über neue Ausschreibungen beenden?',
    ),
    done: page(
      'Unsubscribed',
      '<p>You will receive no more mails of this kind.</p><p lang="de">Sie bekommen keine E-Mails dieser Art mehr.</p>',
    ),
  },
  [searchPath]: {
    question: question(
      'Do you want to stop the hits of this search in your mails? Other searches stay.',
      'Möchten Sie die Treffer dieser Suche in Ihren E-Mails beenden? Andere Suchen bleiben.',
    ),
    done: page(
      'Unsubscribed',
      '<p>You will receive no more mails about this search.</p><p lang="de">Sie bekommen keine E-Mails mehr zu dieser Suche.</p>',
    ),
  },
  [statusPath]: {
    question: question(
      'Do you want to stop the mails about incidents and maintenance?',
      'Möchten Sie die E-Mails über Störungen und Wartungen beenden?',
    ),
    done: page(
      'Unsubscribed',
      '<p>You will receive no more mails about incidents and maintenance.</p><p lang="de">Sie bekommen keine E-Mails über Störungen und Wartungen mehr.</p>',
    ),
  },
} as const
const paths = [allPath, searchPath, statusPath] as const
const unknown = page(
  'This address is not valid',
  '<p>Open the link in the mail again, or reply to the mail with the word "unsubscribe".</p>' +
    '<p lang="de">Öffnen Sie den Link in der E-Mail noch einmal, oder antworten Sie auf sie mit dem Wort „unsubscribe“.</p>',
)

/**
 * `count` counts a wrong token, and returns the seconds to wait if there were too many; `unavailable` answers if nobody
 * can check.
 */
export function serveUnsubscribing(
  routes: FastifyInstance,
  unsubscribe: Unsubscribe,
  {
    countWrong,
    unavailable,
  }: {
    readonly countWrong: (request: FastifyRequest) => number | undefined
    readonly unavailable: (request: FastifyRequest, reply: FastifyReply, error: unknown) => FastifyReply
  },
): void {
  for (const path of paths) serveFixed(routes, path, pages[path].question, securityHeaders)
  routes.register(async (posts) => {
    // whatever a mail program sends: only the token decides
    posts.removeAllContentTypeParsers()
    posts.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, parsed) => parsed(null))
    for (const path of paths)
      posts.post(path, { schema: { hide: true } }, async (request, reply) => {
        reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store', ...securityHeaders })
        const token = tokenPattern.exec((request.query as { readonly text: string }).text)?.[1]
        try {
          if (token !== undefined && (await unsubscribe(token))) return reply.send(pages[path].done)
        } catch (error) {
          return unavailable(request, reply, error)
        }
        const waitSeconds = countWrong(request)
        if (waitSeconds !== undefined) reply.code(429).header('retry-after', waitSeconds)
        else reply.code(404)
        return reply.send(unknown)
      })
  })
}
