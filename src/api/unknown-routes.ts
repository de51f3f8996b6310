// Answers to requests that no route takes.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isKnownPath, listPath, suggestPath } from './paths.ts'
import { hasBody, pathOf, sendProblem } from './problems/answers.ts'
import { allowedMethods, type Problem } from './problems/problems.ts'

/** 404, 405 or OPTIONS: for everything that no route takes, before authentication (D4 to D7). */
export function answerUnknownRoute(request: FastifyRequest, reply: FastifyReply, docsUrl: string): FastifyReply {
  const answer = (problem: Problem) => sendProblem(request, reply, problem, docsUrl)
  // An unused body would have to be read to its end before the connection serves again.
  if (hasBody(request)) reply.header('connection', 'close')
  const target = request.raw.url ?? '/'
  const path = pathOf(target)
  if (request.method === 'OPTIONS' && (isKnownPath(path) || target === '*'))
    return reply.code(204).headers({ allow: allowedMethods, 'x-request-id': request.id }).send()
  if (isKnownPath(path) && request.method !== 'GET' && request.method !== 'HEAD') {
    return answer({
      slug: 'method-not-allowed',
      detail: `${request.method} is not allowed here; use GET, HEAD or OPTIONS.`,
    })
  }
  if (path === '/') {
    reply.header('link', `<${docsUrl}/access>; rel="service-doc", </openapi.json>; rel="service-desc"`)
    return answer({
      slug: 'not-found',
      detail: `There is nothing here. The API is at ${listPath}; ${docsUrl}/access explains it, /openapi.json is its contract.`,
    })
  }
  const suggestion = suggestPath(path)
  return answer({
    slug: 'not-found',
    detail: suggestion ? `There is no such path. Did you mean ${suggestion}?` : 'There is no such path.',
  })
}
