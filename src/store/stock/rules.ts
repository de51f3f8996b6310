// Which versions of the rules the stock was derived by, and which of them changed since the newest edition. The change
// counts for the edition that follows the newest one of then, and for no other: nothing has to be removed afterwards,
// so neither a crash nor another version of the program can leave it behind.
import { sql } from 'kysely'
import { areNewer, changedRules, type RuleVersions } from '../../domain/stock-rules.ts'
import type { Executor } from '../database/database.ts'
import { getSetting, setSetting } from '../database/settings.ts'

const settingName = 'stock-rules'

type Derived = {
  readonly versions: RuleVersions
  /** Null if they never changed. `after`: the newest edition when they changed; 0 before the first. */
  readonly change: { readonly rules: readonly string[]; readonly after: number } | null
}

async function derivedBy(db: Executor): Promise<Derived | undefined> {
  const stored = await getSetting(db, settingName)
  return stored === undefined ? undefined : (JSON.parse(stored) as Derived)
}

/** Call it before notices are consolidated: a stock without tenders is derived by these versions. */
export async function noteFirstRules(db: Executor, versions: RuleVersions): Promise<void> {
  const value: Derived = { versions, change: null }
  await sql`
    insert into setting (name, value) select ${settingName}::text, ${JSON.stringify(value)}::text
    where not exists (select from tender) on conflict (name) do nothing`.execute(db)
}

/** Notes that the whole stock was derived again, by these versions. */
export async function noteRules(trx: Executor, versions: RuleVersions): Promise<void> {
  const before = await derivedBy(trx)
  const { rows } = await sql<{
    after: number
  }>`select coalesce(max(edition), 0)::integer as after from edition`.execute(trx)
  const { after } = rows[0]!
  const earlier = before?.change?.after === after ? before.change.rules : []
  const rules = [...new Set([...earlier, ...changedRules(before?.versions ?? {}, versions)])]
  const change = rules.length > 0 ? { rules, after } : (before?.change ?? null)
  await setSetting(trx, settingName, JSON.stringify({ versions, change } satisfies Derived))
}

/** The rules that changed since `edition`, the newest one. */
export async function rulesChangedSince(db: Executor, edition: number): Promise<readonly string[]> {
  const derived = await derivedBy(db)
  return derived?.change?.after === edition ? derived.change.rules : []
}

/** The rules with other versions than those by which the stock was derived: a rebuild applies them. */
export async function rulesToApply(db: Executor, versions: RuleVersions): Promise<readonly string[]> {
  return (await comparedWith(db, versions)).rules
}

/** The same, and whether `versions` are those of a newer program than the one that derived the stock. */
export async function comparedWith(
  db: Executor,
  versions: RuleVersions,
): Promise<{ readonly rules: readonly string[]; readonly areNewer: boolean }> {
  const derived = await derivedBy(db)
  if (derived)
    return { rules: changedRules(derived.versions, versions), areNewer: areNewer(derived.versions, versions) }
  const { rows } = await sql<{ isEmpty: boolean }>`select not exists (select from tender) as "isEmpty"`.execute(db)
  return rows[0]!.isEmpty ? { rules: [], areNewer: false } : { rules: Object.keys(versions), areNewer: true }
}
