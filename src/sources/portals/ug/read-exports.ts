// Uganda's package of a fiscal year, which the portal makes on request: the export is ordered, and its status is asked
// until the file is there.
import { epochMs, localDay } from '../../../domain/time.ts'
import { Refused, Retryable } from '../../../platform/http.ts'
import type { Entries } from '../../delivery.ts'
import { inParts } from '../../families/in-parts.ts'
import type { Fetch, FetchContext, SourceRequest } from '../../fetch.ts'
import { asObject, type JsonObject, textAt } from '../../ocds/json.ts'

/** The two clients ask 20 times, with 30 seconds between, or 120 times; the card's pause lies between these. */
const maxQuestions = 200

/** The fiscal year that begins in the year of the slot. */
export const readExports = (exports: string, entries: Entries): Fetch =>
  inParts(async (context) => {
    const year = Number(localDay(epochMs(context.slot.from!), context.zone).slice(0, 4))
    const name = `${year}-${year + 1}`
    return [
      {
        key: name,
        delivery: async () => {
          const url = await fileOf(context, exports, name)
          return { kind: 'single', request: { url: url.replaceAll(/[{}]/g, encodeURIComponent) }, entries }
        },
      },
    ]
  })

/** The address of the file, once it is made. */
async function fileOf(context: FetchContext, exports: string, year: string): Promise<string> {
  const job = await answerTo(context, {
    url: exports,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ fy: year, format: 'json' }),
  })
  const id = textAt(job, 'job_id')
  if (id === undefined) throw new Refused(`${exports} made no job for ${year}`)
  const at = `${exports}/${encodeURIComponent(id)}`
  for (let question = 0; question < maxQuestions; question++) {
    const answer = await answerTo(context, { url: textAt(job, 'status_url') ?? `${at}/status` })
    const state = textAt(answer, 'status') ?? ''
    if (state === 'complete') return textAt(answer, 'download_url') ?? `${at}/download`
    if (/cancel|fail/i.test(state)) throw new Retryable(`the export of ${year} ended as ${state}`)
  }
  throw new Retryable(`the export of ${year} is not complete after ${maxQuestions} questions`)
}

async function answerTo(context: FetchContext, request: SourceRequest): Promise<JsonObject> {
  const text = new TextDecoder().decode(await (await context.send({ ...request, maxBytes: 1024 * 1024 })).bytes())
  let answer: JsonObject | undefined
  try {
    answer = asObject(JSON.parse(text))
  } catch {
    // not JSON: refused below
  }
  if (!answer) throw new Refused(`${request.url} answered no JSON object`)
  return answer
}
