// Fits a model in a separate thread: with 50,000 priced tenders it takes a minute or two, and the API answers
// meanwhile.
import { parentPort, workerData } from 'node:worker_threads'
import { fitValueModel, type PricedTender } from './value-model.ts'

/** The parameters as JSON, and their figures for people. */
export type FittedModel = {
  readonly parameters: string
  readonly figures: {
    readonly priced: number
    readonly spread: number
    readonly low: number
    readonly high: number
  }
}

const parameters = fitValueModel(workerData as readonly PricedTender[])
const [low, high] = parameters.quantiles
parentPort?.postMessage({
  parameters: JSON.stringify(parameters),
  figures: { priced: parameters.ids.length, spread: Math.exp(parameters.spread.mean), low, high },
} satisfies FittedModel)
