// Portals on the e-PPS platform of European Dynamics: a zip of OCDS records for every month.
import { fetchOf } from '../deliver/fetch-of.ts'
import type { Delivery } from '../delivery.ts'
import type { Fetch, FetchContext, SourceReply, SourceRequest } from '../fetch.ts'
import { parseJson } from '../json.ts'
import { zippedRecords } from '../ocds/entries.ts'
import { asObject } from '../ocds/json.ts'
import type { Channel } from '../source.ts'
import { hourMs } from './card-values.ts'

/**
 * The months of such a portal. Their addresses follow from the month alone. The platform also lists them
 * (`…/getrecordpackagelist`), but without dates of their making, and answers HTML while it is maintained; so the list
 * is asked only where a month is answered with a text: if it has other months, this one has no records.
 */
export function ePpsMonths(origin: string, since: string): Channel {
  const service = `${origin}/ocds/services/recordpackage`
  return {
    name: 'months',
    slots: { kind: 'month', since, delayMs: hourMs, rereadDays: [3, 15, 45], isOpenRead: true },
    delivery: withEmptyMonths(`${service}/getrecordpackagelist`, {
      kind: 'single',
      request: { url: `${service}/getrecordpackage/{from:yyyy}/{from:M}` },
      entries: zippedRecords,
      notFound: 'empty',
    }),
    timetable: '35 5 * * *',
  }
}

function withEmptyMonths(list: string, like: Delivery): Delivery {
  const within = fetchOf(like)
  const fetch: Fetch = (context) => within({ ...context, send: (request) => sendForMonth(list, context, request) })
  return { kind: 'own', fetch, like }
}

/** The reply for a month; a text for a month that the list does not have becomes a 404. */
async function sendForMonth(list: string, context: FetchContext, request: SourceRequest): Promise<SourceReply> {
  const reply = await context.send(request)
  if (reply.status !== 200 || !/^text\/plain\b/i.test(reply.headers['content-type'] ?? '')) return reply
  const bytes = await reply.bytes()
  const isData = /^(?:PK|\s*[[{])/.test(Buffer.from(bytes.subarray(0, 100)).toString('latin1'))
  const isEmpty = !isData && lacksMonth(await (await context.send({ url: list })).bytes(), request.url)
  async function* chunks() {
    yield bytes
  }
  return { ...reply, status: isEmpty ? 404 : 200, bytes: async () => bytes, chunks }
}

/** True if a list of months is there, and this month is not among them. */
function lacksMonth(list: Uint8Array, address: string): boolean {
  let months: unknown
  try {
    months = asObject(parseJson(new TextDecoder().decode(list)))?.['packagesPerMonth']
  } catch {
    return false
  }
  return Array.isArray(months) && months.length > 0 && !months.map(monthOf).includes(monthOf(address))
}

/** The month at the end of an address: `2026/7`. */
function monthOf(address: unknown): string | undefined {
  const found = /\/(\d{4})\/0?(\d{1,2})\/?$/.exec(String(address))
  return found ? `${found[1]}/${found[2]}` : undefined
}
