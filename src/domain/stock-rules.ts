// The rules by which documents become records, each with its version. A rule that changes makes a rebuild change many
// records at once; the edition after it says which rules these were (docs/decisions/0072-a-start-applies-new-rules.md).

/**
 * Increase a version whenever the same notices make other records. `parsers`: what a notice says; documents are parsed
 * again. `acts`: what a notice is. `keys`: which keys join notices. `matching`: which notices without a common key are
 * one tender. `records`: what a record takes from its notices. `lifecycle`: status and deadlines. `values`: which
 * amounts count. `estimates`: which values are estimated.
 */
export const stockRules = {
  parsers: 36,
  acts: 6,
  keys: 1,
  matching: 3,
  records: 3,
  lifecycle: 3,
  values: 1,
  estimates: 2,
} as const

/** Versions by rule, perhaps of another version of the program. */
export type RuleVersions = { readonly [rule: string]: number }

/** The rules with another version, those that no longer exist among them. Of a stock without versions: all. */
export const changedRules = (before: RuleVersions, after: RuleVersions): string[] =>
  [...new Set([...Object.keys(after), ...Object.keys(before)])].filter((rule) => before[rule] !== after[rule])

/** Whether these are the rules of a newer program: every rule is known to it, and none is older. */
export const areNewer = (before: RuleVersions, after: RuleVersions): boolean =>
  changedRules(before, after).length > 0 &&
  Object.entries(before).every(([rule, version]) => (after[rule] ?? Number.NEGATIVE_INFINITY) >= version)
