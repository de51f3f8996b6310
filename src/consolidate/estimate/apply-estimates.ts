// Gives records without a value in a batch their estimates: earlier ones if there are any, otherwise new ones, which
// are kept from then on.
import type { TenderContent } from '../../domain/tender.ts'
import type { Executor, Store } from '../../store/database/database.ts'
import {
  type EstimateRow,
  findEstimates,
  insertEstimates,
  loadModelParameters,
  newestModel,
} from '../../store/stock/estimates.ts'
import { draftOf, type TenderDraft } from '../merge.ts'
import { estimateValue, type Judgment } from './estimate-value.ts'
import { inputsHash, modelGeneration, valueInputsOf } from './value-inputs.ts'
import { openValueModel, type ValueModel, type ValueModelParameters } from './value-model.ts'

/** The newest model of a stock, opened when the first record needs it; none if earlier rules fitted it. */
export type ValueEstimator = { readonly modelFor: (db: Executor) => Promise<OpenModel | undefined> }

type OpenModel = { readonly version: string; readonly model: ValueModel }

/** A model is some megabytes: it is read once for each stock and version, not with each run. */
const opened = new WeakMap<Store, OpenModel>()

/** Returns an estimator for one run: all its batches see the same model. */
export function valueEstimator(store: Store): ValueEstimator {
  let found: OpenModel | undefined
  let isLookedUp = false
  return {
    modelFor: async (db) => {
      if (isLookedUp) return found
      const newest = await newestModel(db)
      if (newest?.version.startsWith(modelGeneration)) {
        const known = opened.get(store)
        if (known?.version === newest.version) found = known
        else {
          const parameters = JSON.parse((await loadModelParameters(db, newest.version))!) as ValueModelParameters
          found = { version: newest.version, model: openValueModel(parameters) }
          opened.set(store, found)
        }
      }
      isLookedUp = true
      return found
    },
  }
}

const valueless = '"contractAmount":null'

/**
 * Returns the drafts, with an estimate where no value was published. What a model once answered for a record with the
 * same inputs stays, even a refusal, whatever model is the newest. Without a model nothing is estimated and nothing is
 * stored.
 */
export async function applyEstimates<Draft extends TenderDraft>(
  trx: Executor,
  estimator: ValueEstimator,
  drafts: readonly Draft[],
): Promise<readonly Draft[]> {
  const wanted = drafts.filter((draft) => draft.mergedInto === null && draft.content.includes(valueless))
  if (wanted.length === 0) return drafts
  const open = await estimator.modelFor(trx)
  if (!open) return drafts
  const kept = new Map(
    (
      await findEstimates(
        trx,
        wanted.map(({ tenderId }) => tenderId),
      )
    ).map((row) => [`${row.tenderId} ${row.inputsHash}`, row.estimate]),
  )
  const made: EstimateRow[] = []
  const replaced = new Map<string, Draft>()
  for (const draft of wanted) {
    const content = JSON.parse(draft.content) as TenderContent
    if (content.contractAmount !== null) continue
    const inputs = valueInputsOf(content)
    const hash = inputsHash(inputs)
    let text = kept.get(`${draft.tenderId} ${hash}`)
    if (text === undefined) {
      text = JSON.stringify(estimateValue(open.model, inputs, open.version))
      made.push({ tenderId: draft.tenderId, inputsHash: hash, modelVersion: open.version, estimate: text })
    }
    const judgment = JSON.parse(text) as Judgment
    if (judgment.kind === 'refusal') continue
    const estimated = draftOf({ ...content, contractAmount: judgment.amount }, draft.nextTransitionMs)
    replaced.set(draft.tenderId, { ...draft, ...estimated })
  }
  await insertEstimates(trx, made)
  return drafts.map((draft) => replaced.get(draft.tenderId) ?? draft)
}
