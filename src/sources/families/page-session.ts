// Sites whose lists answer only within a session: a page is opened first, and its cookies and token go with every
// request.
import { Refused } from '../../platform/http.ts'
import { collect } from '../byte-chunks.ts'
import { fetchOf } from '../deliver/fetch-of.ts'
import type { Delivery } from '../delivery.ts'
import type { Fetch, FetchContext, SourceReply } from '../fetch.ts'

export type PageSession = {
  /** The page that any visitor opens. */
  readonly page: string
  /** Its first group is the token. */
  readonly token: RegExp
  /** The header that carries the token. */
  readonly header: string
}

const maxPageBytes = 4 * 1024 * 1024

/** The delivery within a session of the site. Every run of a slot opens its own session. */
export function withPageSession(session: PageSession, like: Delivery): Delivery {
  const within = fetchOf(like)
  const fetch: Fetch = async function* (context) {
    const headers = await openSession(session, context)
    return yield* within({
      ...context,
      send: (request) => context.send({ ...request, headers: { ...request.headers, ...headers } }),
    })
  }
  return { kind: 'own', fetch, like }
}

async function openSession(
  { page, token, header }: PageSession,
  context: FetchContext,
): Promise<{ [name: string]: string }> {
  const reply = await context.send({
    url: page,
    headers: { accept: 'text/html' },
    expects: 'page',
    maxBytes: maxPageBytes,
  })
  const bytes = await collect(reply.chunks(), maxPageBytes)
  const found = token.exec(new TextDecoder().decode(bytes))?.[1]
  if (!found) throw new Refused(`${new URL(page).host}: the page that opens a session holds no token`)
  const cookie = cookiesOf(reply)
  return { [header]: found, 'x-requested-with': 'XMLHttpRequest', referer: page, ...(cookie !== '' && { cookie }) }
}

/** Name and value of every cookie that was set; several are in one header, and dates in them hold commas too. */
function cookiesOf({ headers }: SourceReply): string {
  return (headers['set-cookie'] ?? '')
    .split(/,\s*(?=[^\s;,=]+=)/)
    .map((cookie) => cookie.split(';', 1)[0]!.trim())
    .filter((cookie) => cookie.includes('='))
    .join('; ')
}
