// Models of values, and their answers for records: kept during a rebuild, so that it produces the same stock.
import { sql } from 'kysely'
import { type Executor, inTransaction, type Store } from '../database/database.ts'

/** A model without its parameters, which may be tens of megabytes. `fittedAt` in epoch milliseconds. */
export type ModelRow = { readonly version: string; readonly fittedAt: number }

/** Maximum number of models to keep; estimates name older ones by version only. */
const keptModels = 3

/** The newest model; undefined if none was fitted yet. */
export async function newestModel(db: Executor): Promise<ModelRow | undefined> {
  const { rows } = await sql<ModelRow>`
    select version, fitted_at as "fittedAt" from value_model order by fitted_at desc, version desc limit 1`.execute(db)
  return rows[0]
}

/** The stored parameters of a model, JSON. */
export async function loadModelParameters(db: Executor, version: string): Promise<string | undefined> {
  const { rows } = await sql<{ parameters: string }>`
    select parameters from value_model where version = ${version}`.execute(db)
  return rows[0]?.parameters
}

/** Figures of a model for people, from the tenders that were held out while it was fitted. */
export type ModelFigures = {
  /** Number of priced tenders in it. */
  readonly priced: number
  /** The usual error, as a logarithm to the base 10. */
  readonly spread: number
  /** Tenth and ninetieth percentile of the errors, in units of the spread. */
  readonly low: number
  readonly high: number
}

/** Stores a model; one with the same version only gets a new date. The oldest ones are dropped. */
export async function insertModel(
  db: Executor,
  model: ModelRow & { readonly parameters: string; readonly figures?: ModelFigures },
): Promise<void> {
  await sql`
    insert into value_model (version, fitted_at, parameters, figures)
    values (${model.version}, ${model.fittedAt}, ${model.parameters}, ${model.figures ? JSON.stringify(model.figures) : null})
    on conflict (version) do update set fitted_at = excluded.fitted_at, figures = coalesce(excluded.figures, value_model.figures)`.execute(
    db,
  )
  await sql`
    delete from value_model where version not in (
      select version from value_model order by fitted_at desc, version desc limit ${keptModels})`.execute(db)
}

/** A model's answer for a record with these inputs; `estimate` is JSON of an amount, or of why there is none. */
export type EstimateRow = {
  readonly tenderId: string
  readonly inputsHash: string
  readonly modelVersion: string
  readonly estimate: string
}

/** All stored answers for these records. */
export async function findEstimates(db: Executor, tenderIds: readonly string[]): Promise<EstimateRow[]> {
  if (tenderIds.length === 0) return []
  const { rows } = await sql<EstimateRow>`
    select tender_id as "tenderId", inputs_hash as "inputsHash", model_version as "modelVersion", estimate
    from tender_estimate where tender_id = any(${[...tenderIds]}::text[])`.execute(db)
  return rows
}

/** Stores the answers; existing ones stay. */
export async function insertEstimates(db: Executor, estimates: readonly EstimateRow[]): Promise<void> {
  if (estimates.length === 0) return
  await sql`
    insert into tender_estimate (tender_id, inputs_hash, model_version, estimate)
    select * from unnest(
      ${estimates.map((each) => each.tenderId)}::text[], ${estimates.map((each) => each.inputsHash)}::text[],
      ${estimates.map((each) => each.modelVersion)}::text[], ${estimates.map((each) => each.estimate)}::text[])
    on conflict do nothing`.execute(db)
}

/**
 * Contents of up to `limit` records after `after` in order of their IDs, with the last ID examined. Merged ones are
 * left out.
 */
export async function listContents(
  db: Executor,
  after: string,
  limit: number,
): Promise<readonly { readonly tenderId: string; readonly content: string }[]> {
  const { rows } = await sql<{ tenderId: string; content: string }>`
    select tender_id as "tenderId", content from tender where tender_id > ${after} and merged_into is null
    order by tender_id limit ${limit}`.execute(db)
  return rows
}

const recordsPerSlice = 5000

/**
 * Marks the notices of records without a published value that no model of a generation (the start of its version) has
 * judged, so that the next run derives those records again. Returns the number of notices.
 */
export async function reconsiderUnjudged(store: Store, generation: string): Promise<number> {
  let marked = 0
  for (let after = ''; ; ) {
    const last = await inTransaction(store, async (trx) => {
      const { rows } = await sql<{ tender_id: string }>`
        select tender_id from tender where tender_id > ${after} order by tender_id limit ${recordsPerSlice}`.execute(
        trx,
      )
      const end = rows.at(-1)?.tender_id
      if (end === undefined) return undefined
      const { numAffectedRows } = await sql`
        update notice set is_consolidated = false where is_consolidated and notice_id in (
          select n.notice_id from tender t join tender_notice n using (tender_id)
          where t.tender_id > ${after} and t.tender_id <= ${end} and t.merged_into is null
          and (position('"contractAmount":null' in t.content) > 0 or position('"estimated":true' in t.content) > 0)
          and not exists (
            select from tender_estimate e
            where e.tender_id = t.tender_id and starts_with(e.model_version, ${generation})))`.execute(trx)
      marked += Number(numAffectedRows ?? 0)
      return end
    })
    if (last === undefined) return marked
    after = last
  }
}

/**
 * Which refusals to delete: those for one of these `reasons`, by a model of at most `maxPriced` priced tenders
 * (absent: none).
 */
export type RefusedBy = { readonly reasons: readonly string[]; readonly maxPriced: number; readonly most: number }

/**
 * Deletes refusals of at most `most` records without a value that are not archived, and marks their notices, so that
 * the next run asks the newest model. Estimates are never touched.
 */
export async function reconsiderRefused(
  store: Store,
  { reasons, maxPriced, most }: RefusedBy,
): Promise<{ readonly records: number; readonly notices: number }> {
  let [records, notices] = [0, 0]
  for (let after = ''; records < most; ) {
    const last = await inTransaction(store, async (trx) => {
      const { rows: slice } = await sql<{ tender_id: string }>`
        select tender_id from tender where tender_id > ${after} order by tender_id limit ${recordsPerSlice}`.execute(
        trx,
      )
      const end = slice.at(-1)?.tender_id
      if (end === undefined) return undefined
      const { rows } = await sql<{ tender_id: string }>`
        delete from tender_estimate where estimate like '{"kind":"refusal"%' and tender_id in (
          select distinct t.tender_id from tender t join tender_estimate e using (tender_id)
          where t.tender_id > ${after} and t.tender_id <= ${end} and t.merged_into is null
          and position('"contractAmount":null' in t.content) > 0
          and t.archive_reason is null
          and e.estimate like '{"kind":"refusal"%'
          and e.estimate::json->>'reason' = any(${[...reasons]}::text[])
          and coalesce((e.estimate::json->>'priced')::integer, 0) <= ${maxPriced}
          order by t.tender_id limit ${most - records})
        returning tender_id`.execute(trx)
      const ids = [...new Set(rows.map((row) => row.tender_id))]
      records += ids.length
      if (ids.length === 0) return end
      const { numAffectedRows } = await sql`
        update notice set is_consolidated = false where is_consolidated and notice_id in (
          select notice_id from tender_notice where tender_id = any(${ids}::text[]))`.execute(trx)
      notices += Number(numAffectedRows ?? 0)
      return end
    })
    if (last === undefined) break
    after = last
  }
  return { records, notices }
}
