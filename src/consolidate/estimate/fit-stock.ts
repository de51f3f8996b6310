// Fits the model of values from the stock itself.
import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { TenderContent } from '../../domain/tender.ts'
import { runnable } from '../../platform/runnable.ts'
import type { Store } from '../../store/database/database.ts'
import {
  insertModel,
  listContents,
  newestModel,
  reconsiderRefused,
  reconsiderUnjudged,
} from '../../store/stock/estimates.ts'
import { refusalsOfModel } from './estimate-value.ts'
import type { FittedModel } from './fit-worker.ts'
import { eurosOf } from './reference-rates.ts'
import { longestText } from './text-terms.ts'
import { modelGeneration, valueInputsOf } from './value-inputs.ts'
import { maxPricedTenders, type PricedTender, sampleOf } from './value-model.ts'

/**
 * Minimum number of priced tenders for a model: with fewer, most of its answers would be refusals, and those are kept
 * too.
 */
export const minPricedTenders = 300

/**
 * How many times the priced tenders of the refusing model a new model needs to judge a refusal again: at most seven
 * times in total.
 */
const clearlyMore = 2
/** Maximum number of refused records that are judged again after one fit; the others follow after the next ones. */
const maxRefusedAtOnce = 20_000

const minEuros = 1000
/** Amounts that stand for none: 1,000 exactly, or nines only. */
const placeholder = /^(?:1000|9{4,})$/
const maxEuros = 1e9
const pageSize = 1000

/** A tender with a published value that may be trusted to be one; undefined for all others. */
export function pricedTenderOf(content: TenderContent): PricedTender | undefined {
  const { contractAmount: amount } = content
  if (!amount || amount.estimated) return undefined
  if (placeholder.test(String(Math.trunc(amount.value)))) return undefined
  const inputs = valueInputsOf(content)
  const euros = eurosOf(amount, inputs.year)
  if (inputs.kind !== 'call' || euros === undefined || euros < minEuros || euros > maxEuros) return undefined
  const description = inputs.description.slice(0, longestText)
  return {
    id: content.id,
    inputs: { ...inputs, description },
    euros,
    date: content.firstPublicationDate ?? content.publicationDate ?? '',
  }
}

async function fitOnThread(priced: readonly PricedTender[], signal: AbortSignal | undefined): Promise<FittedModel> {
  const { promise, resolve, reject } = Promise.withResolvers<FittedModel>()
  const worker = new Worker(runnable(new URL('./fit-worker.ts', import.meta.url)), { workerData: priced })
  worker.once('message', resolve)
  worker.once('error', reject)
  worker.once('exit', () => reject(new Error('the thread that fits the model ended without one')))
  const abort = () => reject(signal?.reason)
  signal?.addEventListener('abort', abort)
  try {
    return await promise
  } finally {
    signal?.removeEventListener('abort', abort)
    await worker.terminate()
  }
}

/** Result of a fit. `version` is missing if there were too few priced tenders. */
export type FitSummary = {
  readonly priced: number
  readonly version: string | undefined
  /** Whether the parameters are those of the newest model, which then stays. */
  readonly isSame: boolean
  /**
   * Number of notices of records without a value that no model has judged, or that are to be judged again by the next
   * consolidation.
   */
  readonly reconsidered: number
  /** Number of records that a model of far fewer priced tenders refused, and that are judged again. */
  readonly retried: number
}

/**
 * Fits a model from the published values of the stock and stores it. Records that have an estimate keep it; those that
 * no model has judged, and open ones that a model of clearly less evidence refused, are derived again with the next
 * consolidation. `now` in epoch milliseconds.
 */
export async function fitStock(
  store: Store,
  { now, signal }: { readonly now: number; readonly signal?: AbortSignal },
): Promise<FitSummary> {
  let priced: PricedTender[] = []
  let total = 0
  for (let after = ''; ; ) {
    signal?.throwIfAborted()
    const page = await listContents(store.db, after, pageSize)
    const last = page.at(-1)
    if (!last) break
    after = last.tenderId
    for (const { content } of page) {
      if (!content.includes('"estimated":false')) continue
      const found = pricedTenderOf(JSON.parse(content) as TenderContent)
      if (!found) continue
      priced.push(found)
      total++
    }
    if (priced.length > 1.2 * maxPricedTenders) priced = sampleOf(priced)
  }
  if (total < minPricedTenders) return { priced: total, version: undefined, isSame: false, reconsidered: 0, retried: 0 }
  const sample = sampleOf(priced)
  const { parameters, figures } = await fitOnThread(sample, signal)
  const digest = createHash('sha256').update(parameters).digest('hex').slice(0, 12)
  const version = `${modelGeneration}${digest}`
  const isSame = (await newestModel(store.db))?.version === version
  await insertModel(store.db, { version, fittedAt: now, parameters, figures })
  const refused = await reconsiderRefused(store, {
    reasons: refusalsOfModel,
    maxPriced: Math.floor(sample.length / clearlyMore),
    most: maxRefusedAtOnce,
  })
  const reconsidered = refused.notices + (await reconsiderUnjudged(store, modelGeneration))
  return { priced: total, version, isSame, reconsidered, retried: refused.records }
}
