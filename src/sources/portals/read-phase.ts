// The phase of the procurement that an entry is in, by the words of its portal (docs/sources/phases.md).
import { wordIn } from '../read-values.ts'

/**
 * `draft`: prepared, not announced: no notice. `open`: tenders are received, up to the deadline if there is one.
 * `suspended`: tenders may be received again later. `evaluation`: no more tenders are received, nothing is decided.
 * `awarded`: a contractor is selected, or the contract is concluded without a call. `cancelled`, `unsuccessful`: ended
 * without a contract.
 */
export type Phase = 'draft' | 'open' | 'suspended' | 'evaluation' | 'awarded' | 'cancelled' | 'unsuccessful'

/** The words of a portal, in lower case and without accents. */
export type PhaseTable = { readonly [word: string]: Phase }

/** The phase of the first of the words that the table knows. Case, accents and a remark in parentheses do not count. */
export function phaseIn(table: PhaseTable, ...words: readonly (string | undefined)[]): Phase | undefined {
  for (const word of words) {
    const phase = wordIn(table, word) ?? wordIn(table, word?.replace(/\s*\(.*$/, ''))
    if (phase !== undefined) return phase
  }
  return undefined
}
