// Files of one day whose entries do not say which day it was, and sites that show a page where there is no file.
import { writeDate } from '../deliver/date-pattern.ts'
import { fetchOf } from '../deliver/fetch-of.ts'
import type { Delivery } from '../delivery.ts'
import type { Fetch, FetchContext, SourceReply, SourceRequest } from '../fetch.ts'
import type { ReceivedDocument } from '../files.ts'

/** How long a missing file of a day may still appear. */
const patienceMs = 3 * 86_400_000

/**
 * The delivery of one file a day with the day written to every entry: documents are `{"day":"2026-11-20","notice":…}`,
 * the entry byte for byte as in the file. A page instead of the file means, like 404, that there is none: permanently
 * (weekends, holidays) once the day is three days in the past. A firewall's challenge stays a refusal.
 */
export function withDay(like: Delivery & { readonly kind: 'single' }): Delivery {
  const within = fetchOf({ ...like, notFound: 'notYet' })
  const fetch: Fetch = async function* (context) {
    const steps = within({ ...context, send: (request) => sendForFile(context, request) })
    const start = context.slot.from === undefined ? context.now() : Date.parse(context.slot.from)
    const day = writeDate(start, 'yyyy-MM-dd', context.zone)
    for (;;) {
      const next = await steps.next()
      if (next.done) {
        const isOver = context.slot.to !== undefined && context.now() - Date.parse(context.slot.to) > patienceMs
        return next.value.kind === 'notYet' && isOver ? { kind: 'empty' } : next.value
      }
      yield { ...next.value, documents: next.value.documents.map((document) => dated(document, day)) }
    }
  }
  return { kind: 'own', fetch, like }
}

async function sendForFile(context: FetchContext, request: SourceRequest): Promise<SourceReply> {
  const reply = await context.send({ ...request, expects: 'page' })
  if (!/\bhtml\b/i.test(reply.headers['content-type'] ?? '')) return reply
  await reply.bytes()
  return { ...reply, status: 404 }
}

function dated(document: ReceivedDocument, day: string): ReceivedDocument {
  if (document.unreadable) return document
  const head = Buffer.from(`{"day":"${day}","notice":`)
  return { ...document, bytes: Buffer.concat([head, document.bytes, Buffer.from('}')]) }
}
