// What speaks against one tender, whatever speaks for it: codes with values, and the English lines that commands have.
import { type Lines, lineOf } from './lines.ts'

type Unit = { readonly [name in string]: never }
type Days = { readonly days: number }
type TwoLists = { readonly left: readonly string[]; readonly right: readonly string[] }

export type Contradiction =
  | { readonly code: 'countries'; readonly values: TwoLists }
  | { readonly code: 'procedure-ids'; readonly values: { readonly scope: string } }
  | { readonly code: 'named-call'; readonly values: { readonly keys: readonly string[] } }
  | { readonly code: 'stages'; readonly values: { readonly stages: readonly [string, string] } }
  /** `type`: lot, phase, trade, ordinal. */
  | { readonly code: 'marks'; readonly values: TwoLists & { readonly type: string } }
  | { readonly code: 'copy'; readonly values: Unit }
  | { readonly code: 'numbering'; readonly values: Unit }
  | { readonly code: 'award-numbers'; readonly values: TwoLists }
  | { readonly code: 'result-as-old'; readonly values: Unit }
  | { readonly code: 'result-as-old-as-other'; readonly values: Unit }
  | { readonly code: 'results-apart'; readonly values: Days }
  | { readonly code: 'result-after'; readonly values: Days }
  | { readonly code: 'published-apart'; readonly values: Days }
  | { readonly code: 'deadlines-apart'; readonly values: Days }
  | { readonly code: 'numbers'; readonly values: TwoLists }
  | { readonly code: 'title-words'; readonly values: { readonly weight: number } }
  | { readonly code: 'buyers'; readonly values: Unit }
  | { readonly code: 'cpv'; readonly values: Unit }
  | { readonly code: 'descriptions'; readonly values: Unit }
  /** CPV divisions. */
  | { readonly code: 'unlike'; readonly values: TwoLists }

export const contradictionLines = {
  countries: ({ left, right }) => `${left.join(',')} and ${right.join(',')}`,
  'procedure-ids': ({ scope }) => `different ids of ${scope}`,
  'named-call': ({ keys }) => `a result names ${keys.join(', ')}`,
  stages: ({ stages }) => `${stages.join(' and ')}: only by reference`,
  marks: ({ type, left, right }) => `${type} ${left.join(',')} and ${right.join(',')}`,
  copy: () => 'one is marked as a copy of an older procedure',
  numbering: () => 'different numbers of one numbering',
  'award-numbers': ({ left, right }) => `${left.join(', ')} and ${right.join(', ')}`,
  'result-as-old': () => 'a result as old as the call',
  'result-as-old-as-other': () => 'a result as old as the call of the other',
  'results-apart': ({ days }) => `results ${days} days apart`,
  'result-after': ({ days }) => `result ${days} days after the call`,
  'published-apart': ({ days }) => `published ${days} days apart`,
  'deadlines-apart': ({ days }) => `deadlines ${days} days apart`,
  numbers: ({ left, right }) => [left.join(','), right.join(',')].sort().join(' and '),
  'title-words': ({ weight }) => `each title has words of its own (${weight.toFixed(1)})`,
  buyers: () => 'different buyers',
  cpv: () => 'CPV codes of different kinds',
  descriptions: () => 'each description names something of its own',
  unlike: ({ left, right }) => `no word in common, CPV ${left.join(', ')} and ${right.join(', ')}`,
} satisfies Lines<Contradiction>

export const contradictionLine = (contradiction: Contradiction): string => lineOf(contradictionLines, contradiction)
