// The server of a source whose card says in data how its portal delivers: lists, pages, cursors, indexes, files,
// details.
import type { Template } from '../sources/delivery.ts'
import type { Channel } from '../sources/source.ts'
import { eachAnswer, eachOf, type Visible, writtenAnswer } from './card-answer.ts'
import { IndexServer } from './index-server.ts'
import { detailPath, hostOfTemplate, ListServer } from './list-server.ts'
import { type Asked, jsonAnswer, type PortalAnswer, type PortalServer, textAnswer } from './portal-answer.ts'
import { type Quirks, quirks } from './quirks.ts'
import { type Filled, type PortalRequest, type Recognized, requestPattern } from './request-pattern.ts'
import type { ShelfEntry } from './shelf.ts'
import type { SimulatedSource } from './simulated-source.ts'

const usualToken = 'sample-token'

type Endpoint = {
  readonly recognize: (request: PortalRequest) => Recognized
  readonly answer: (asked: Asked, filled: Filled) => Promise<PortalAnswer> | PortalAnswer
}

/** A source whose channels are all data; of the others only those that are. */
export function serveCard(source: SimulatedSource, visible: Visible): PortalServer {
  const own: Quirks = quirks[source.id] ?? {}
  const endpoints: Endpoint[] = []
  const indexes: IndexServer[] = []
  const shown: ((now: number) => readonly ShelfEntry[])[] = []
  const hosts = new Set<string>()
  const addHost = (template: Template, base?: string) => {
    const url = URL.parse(template.url.replace(/\{[^}]*\}/g, '0'), base)
    if (url) hosts.add(url.host)
  }
  const add = (template: Template, answer: Endpoint['answer']) => {
    addHost(template)
    endpoints.push({ recognize: requestPattern(template, source.zone), answer })
  }
  for (const channel of source.channels) {
    const delivery = channel.delivery.kind === 'own' ? channel.delivery.like : channel.delivery
    if (!delivery || delivery.kind === 'own') continue
    for (const each of eachOf(delivery)) if ('list' in each) add(each.list, (asked) => eachAnswer(each, asked))
    const { token } = delivery
    if (token)
      add(token.request, () =>
        writtenAnswer(
          { format: 'json', at: '/-' },
          [],
          'https://portal.example/',
          undefined,
          [{ at: token.at, value: usualToken }],
          { isOne: true },
        ),
      )
    if (delivery.kind === 'index') {
      const server = new IndexServer(source, delivery, visible)
      indexes.push(server)
      if (isRead(channel)) shown.push((now) => server.shown(now))
      addHost(delivery.index)
      add(delivery.index, (asked, filled) => server.index(asked, filled))
      continue
    }
    const list = new ListServer(source, channel, delivery, visible, own)
    if (isRead(channel)) shown.push((now) => list.shown(now))
    add(delivery.request, (asked, filled) => list.page(asked, filled))
    // a feed's own links repeat nothing of the first request
    if (delivery.kind === 'link-next' && channel.slots.kind === 'feed')
      endpoints.push({
        recognize: ({ url }) =>
          url.host === hostOfTemplate(delivery.request.url) &&
          url.pathname === new URL(delivery.request.url).pathname &&
          url.searchParams.has('direction')
            ? { kind: 'filled', filled: { texts: new Map(), dates: new Map(), weight: 0 } }
            : { kind: 'other' },
        answer: (asked, filled) => list.page(asked, filled),
      })
    if (!delivery.detail) continue
    if (/^\{\w+\}$/.test(delivery.detail.request.url)) {
      endpoints.push({
        recognize: (request) =>
          request.url.host === hostOfTemplate(delivery.request.url) && request.url.pathname.startsWith(detailPath)
            ? { kind: 'filled', filled: { texts: new Map([['id', request.url.href]]), dates: new Map(), weight: 99 } }
            : { kind: 'other' },
        answer: (asked, filled) => list.detail(asked, filled),
      })
    } else add(delivery.detail.request, (asked, filled) => list.detail(asked, filled))
  }
  const hasSession = source.channels.some(({ delivery }) => delivery.kind === 'own' && delivery.like !== undefined)
  let recent: number[] = []
  return {
    sourceId: source.id,
    hosts,
    shown: (now) => [...new Set(shown.flatMap((each) => each(now)))],
    answer: (asked) => {
      const { request } = asked
      if (!hosts.has(request.url.host)) return undefined
      for (const index of indexes) {
        const file = index.file(asked)
        if (file) return file
      }
      const read = endpoints.map((endpoint) => ({ endpoint, found: endpoint.recognize(request) }))
      const best = read
        .flatMap(({ endpoint, found }) => (found.kind === 'filled' ? [{ endpoint, filled: found.filled }] : []))
        .sort((a, b) => b.filled.weight - a.filled.weight)[0]
      if (!best) {
        if (hasSession && request.method === 'GET') return sessionPage()
        if (read.some(({ found }) => found.kind === 'unauthorised'))
          return jsonAnswer(401, { message: 'a key is needed' })
        const wrong = read.flatMap(({ found }) => (found.kind === 'wrong' ? [found.why] : []))
        return wrong.length > 0 ? jsonAnswer(400, { message: wrong.join('; ') }) : undefined
      }
      if (own.needsHeader && request.headers[own.needsHeader] === undefined) return textAnswer(403, 'forbidden')
      if (own.challengeAfter !== undefined) {
        recent = [...recent.filter((at) => at > asked.now - 10_000), asked.now]
        if (recent.length > own.challengeAfter) {
          recent = []
          return challenge()
        }
      }
      return best.endpoint.answer(asked, best.filled)
    },
  }
}

/** A page for people that provides what its own requests carry: a cookie and the tokens in its forms. */
function sessionPage(): PortalAnswer {
  const names = ['uiUserToken', '__RequestVerificationToken', '__VIEWSTATE', 'csrf-token', '_csrf']
  const inputs = names.map((name) => `<input type="hidden" id="${name}" name="${name}" value="${usualToken}" />`)
  return {
    ...textAnswer(
      200,
      `<!DOCTYPE html><html><body><form>${inputs.join('')}</form></body></html>`,
      'text/html; charset=utf-8',
    ),
    headers: { 'set-cookie': 'session=sample; Path=/' },
  }
}

/** What a run reads by default. */
const isRead = (channel: Channel): boolean => channel.role !== 'spare' && channel.role !== 'control'

/** A page that requires a cookie before it lets any client pass. */
export function challenge(): PortalAnswer {
  return {
    ...textAnswer(
      200,
      '<!DOCTYPE html><html><body>Please enable cookies and reload.</body></html>',
      'text/html; charset=utf-8',
    ),
    headers: { 'set-cookie': 'challenge=1; Path=/' },
  }
}
