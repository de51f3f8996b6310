// Figures about the model of values for people: fits, what was held out, and what was refused.
import { sql } from 'kysely'
import type { Executor } from '../database/database.ts'
import type { ModelFigures, ModelRow } from './estimates.ts'

/** A kept model without its parameters. */
export type ListedModel = ModelRow & { readonly figures: ModelFigures | undefined }

/** The kept models, the newest first. */
export async function listModels(db: Executor): Promise<ListedModel[]> {
  const { rows } = await sql<ModelRow & { readonly figures: string | null }>`
    select version, fitted_at as "fittedAt", figures from value_model order by fitted_at desc, version desc`.execute(db)
  return rows.map(({ figures, ...row }) => ({
    ...row,
    figures: figures === null ? undefined : (JSON.parse(figures) as ModelFigures),
  }))
}

/** Judged records, counted by model and by result. */
export type JudgedCount = {
  readonly modelVersion: string
  /** `amount`, or why there is none. */
  readonly kind: string
  readonly count: number
}

/** Answers of all models, the most frequent first. */
export async function countJudged(db: Executor): Promise<JudgedCount[]> {
  const { rows } = await sql<JudgedCount>`
    select model_version as "modelVersion",
      case when estimate like '{"kind":"refusal"%' then coalesce(estimate::json->>'reason', 'refusal') else 'amount' end as kind,
      count(*)::integer as count
    from tender_estimate group by 1, 2 order by count(*) desc, 1, 2`.execute(db)
  return rows
}
