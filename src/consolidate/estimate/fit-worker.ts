// Fits a model on a thread of its own: with 50,000 priced tenders it takes a minute or two, and the API answers meanwhile.
import { parentPort, workerData } from 'node:worker_threads'
import { fitValueModel, type PricedTender } from './value-model.ts'

parentPort?.postMessage(JSON.stringify(fitValueModel(workerData as readonly PricedTender[])))
