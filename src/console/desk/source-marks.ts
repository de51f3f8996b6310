// Shapes of the states of sources, bad ones first.
import type { State } from '../frame/parts.ts'
import type { SourceLine } from '../frame/stock-reads.ts'

export const sourceMarks: { readonly [state in SourceLine['state']]: State } = {
  failing: 'bad',
  silent: 'bad',
  alarm: 'warn',
  late: 'warn',
  ok: 'good',
  'never-read': 'planned',
  'key-missing': 'closed',
  off: 'closed',
}

export const sourceStates = Object.keys(sourceMarks) as readonly SourceLine['state'][]
