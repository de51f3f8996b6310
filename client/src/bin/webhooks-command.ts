// `tender-sync webhooks`: receives hits and stores them beside the copy, until it is stopped.
import { basename, dirname, join, resolve } from 'node:path'
import { faultText } from '../fault-text.ts'
import type { Hit, HitStore } from '../hits/hit.ts'
import { untilDeadline } from '../sinks/record/first-deadline.ts'
import { type ReceiverEvent, receiveWebhooks } from '../webhooks/receive-webhooks.ts'
import type { WebhookOptions } from './command-line.ts'
import { type Environment, exitCodes } from './environment.ts'
import { counted, moment, wrapped } from './format.ts'
import { closeWorkFolder } from './job.ts'
import { type SinkChoice, sinkTitle } from './sink-choice.ts'
import { UsageError } from './usage-error.ts'
import { webhookSecrets } from './webhook-secrets.ts'

/** Receives until it is asked to stop; then it answers the open requests and ends with 0. */
export async function webhooksCommand(options: WebhookOptions, environment: Environment): Promise<number> {
  const { signal, now } = environment
  const secrets = webhookSecrets(options.secretFile, environment)
  // A wrong file is wrong use: it is reported before the first request.
  await secrets()
  const store = await openHits(options.sink, environment)
  try {
    const reporter = new Reporter(options, environment)
    const receiver = await receiveWebhooks({ ...options.listen, secrets, keep: store.put, now, on: reporter.report })
    reporter.started(receiver.url)
    if (!signal.aborted) await new Promise((done) => signal.addEventListener('abort', done, { once: true }))
    await receiver.close()
    reporter.stopped()
    return exitCodes.ok
  } finally {
    await store.end()
  }
}

/** Opens the storage for hits that belongs to a sink. Libraries of other sinks are not loaded. */
async function openHits({ kind, target, options }: SinkChoice, environment: Environment): Promise<HitStore> {
  const { variables, now, clock, sleep } = environment
  switch (kind) {
    case 'sqlite':
      return (await import('../hits/sqlite-hits.ts')).openSqliteHits({ file: target, clock, sleep })
    case 'ndjson': {
      const file = hitsFileBeside(target)
      await closeWorkFolder(`${file}.sync`, environment)
      return (await import('../hits/ndjson-hits.ts')).openNdjsonHits({ file, now })
    }
    case 'postgres':
      return (await import('../hits/postgres-hits.ts')).openPostgresHits({
        connectionString: target || (variables.DATABASE_URL ?? ''),
        ...(options.schema !== undefined && { schema: options.schema }),
      })
    default:
      throw new UsageError(`The sink ${kind} cannot store hits; sqlite, ndjson and postgres can.`)
  }
}

/** It has the same name beside every copy, so that a program finds it. */
function hitsFileBeside(copy: string): string {
  if (basename(copy) === 'hits.ndjson')
    throw new UsageError('The hits are kept in hits.ndjson beside the copy: pass the file of the copy.')
  return join(dirname(resolve(copy)), 'hits.ndjson')
}

/** Prints what is received: a line of text, or a line of JSON, for each message. */
class Reporter {
  readonly #options: WebhookOptions
  readonly #environment: Environment
  readonly #counts = { new: 0, changed: 0, held: 0, tests: 0, ignored: 0, refused: 0, failed: 0 }

  constructor(options: WebhookOptions, environment: Environment) {
    this.#options = options
    this.#environment = environment
  }

  started(url: string): void {
    const sink = sinkTitle(this.#options.sink)
    this.#say({ event: 'listening', url, sink }, `listening on ${url}, hits go to ${sink}`)
  }

  stopped(): void {
    const { new: added, changed } = this.#counts
    this.#say(
      { event: 'stopped', ...this.#counts },
      `stopped: ${counted(added, 'new hit')}, ${counted(changed, 'changed hit')}`,
    )
  }

  readonly report = (event: ReceiverEvent): void => {
    switch (event.event) {
      case 'hit':
        this.#counts[event.outcome]++
        this.#say({ event: 'hit', outcome: event.outcome, ...summaryOf(event.hit) }, hitText(event.hit, event.outcome))
        return
      case 'test':
        this.#counts.tests++
        this.#say(event, 'test event, verified')
        return
      case 'ignored':
        this.#counts.ignored++
        this.#say(event, `ignored: a message of the unknown kind ${event.type}`)
        return
      case 'refused':
        this.#counts.refused++
        this.#warn(event, `refused with ${event.status}: ${event.reason}`)
        return
      case 'failed': {
        this.#counts.failed++
        const message = faultText(event.error)
        const { webhookId } = event
        this.#warn({ event: 'failed', webhookId, message }, `not stored, the sender will retry: ${message}`)
      }
    }
  }

  #say(event: object, text: string): void {
    const { isJson, isQuiet } = this.#options
    if (isJson) this.#environment.stdout.write(`${JSON.stringify(event)}\n`)
    else if (!isQuiet) this.#environment.stdout.write(`${this.#line(text)}\n`)
  }

  #warn(event: object, text: string): void {
    if (this.#options.isJson) this.#say(event, text)
    else this.#environment.stderr.write(`${wrapped(this.#line(text), this.#environment.stderr.columns, '')}\n`)
  }

  /** Titles can come from anybody who publishes a notice: they must not control a terminal. */
  #line(text: string): string {
    return `${moment(this.#environment.now())}  ${text.replace(/\p{Cc}+/gu, ' ')}`
  }
}

function summaryOf({ webhookId, type, data }: Hit) {
  const { hitId, search, fitScore, changes, tender } = data
  return { webhookId, type, hitId, tenderId: tender.id, search, fitScore, changes, title: tender.title }
}

function hitText({ data }: Hit, outcome: 'new' | 'changed' | 'held'): string {
  const { fitScore, search, tender, changes = [] } = data
  const changed = outcome === 'changed' ? ` (changed${changes.length > 0 ? `: ${changes.join(', ')}` : ''})` : ''
  const again = outcome === 'held' ? ' (again)' : ''
  return `${String(fitScore).padStart(3)}  ${search.name}: ${tender.title}${untilDeadline(tender)}${changed}${again}`
}
